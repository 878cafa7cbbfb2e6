"""The verbs of authors."""
