"""Suites of exercises: in memory, read from YAML, found by name, and written as YAML."""
