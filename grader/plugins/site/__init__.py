"""Writes pages that grade in the student's browser, without installation or upload."""
