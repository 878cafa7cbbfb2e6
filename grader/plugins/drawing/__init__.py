"""Draws expected and actual values: boards, tables, numbers, plots, and recursive calls."""
