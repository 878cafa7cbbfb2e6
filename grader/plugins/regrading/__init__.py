"""Grades a run again, and reports the marks that change between two runs, and why."""
