"""Grades Python submissions against suites derived from an exercise's doctest sessions."""

__version__ = "0.1.0"
