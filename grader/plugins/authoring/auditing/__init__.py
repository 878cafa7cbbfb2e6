"""Measures how good a suite is: which wrong programs it kills, and what it leaves untested."""
