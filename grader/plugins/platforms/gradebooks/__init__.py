"""Exports to platforms: filled gradebooks, lists of marks, and mails."""
