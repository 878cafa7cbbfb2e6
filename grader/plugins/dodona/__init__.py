"""Tells Dodona what came of a submission, in its own format."""
