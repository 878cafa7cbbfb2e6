"""The verbs of grading again."""
