"""Upgrades suites and settings from earlier formats."""
