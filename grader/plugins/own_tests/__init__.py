"""Runs an instructor's own tests on a submission in an executor."""
