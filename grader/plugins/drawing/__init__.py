"""Draws expected and actual values: boards, tables, numbers, plots, calls of a recursion."""
