"""Upgrades suites and settings of earlier formats."""
