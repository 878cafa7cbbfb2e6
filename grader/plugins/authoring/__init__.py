"""Derives, generates and audits suites. Nothing that grades imports this package."""
