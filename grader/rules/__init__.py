"""Holds a submission against the rules of its suite, and says with which evidence."""
