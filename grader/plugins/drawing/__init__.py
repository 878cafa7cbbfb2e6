"""Draws what was expected and what came: boards, tables, numbers, plots, calls of a recursion."""
