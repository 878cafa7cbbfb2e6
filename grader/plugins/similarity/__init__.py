"""Compares the hand-ins of a class with each other: a signal for a person, never a verdict."""
