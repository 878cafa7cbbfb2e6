"""Kits: an exercise and its judge in one file that needs only Python 3.11."""
