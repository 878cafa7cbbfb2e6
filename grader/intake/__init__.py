"""Turns folders and archives of hand-ins into submissions: it runs nothing and loses nothing."""
