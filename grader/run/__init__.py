"""Grades many submissions in parallel, on this machine or on others."""
