"""Brings what an earlier grader wrote up to the format of today."""
