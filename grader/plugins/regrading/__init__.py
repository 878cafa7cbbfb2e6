"""Grades a run once more, and tells whose mark changes between two runs, and why."""
