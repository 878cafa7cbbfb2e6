"""Kits: an exercise and its judge in one file, which needs nothing but Python 3.11."""
