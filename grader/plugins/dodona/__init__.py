"""Converts results and exercises to and from the formats of Dodona."""
