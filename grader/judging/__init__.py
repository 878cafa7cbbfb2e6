"""Decides verdicts: from observations of sessions to the record of one submission."""
