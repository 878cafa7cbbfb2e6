"""Spreads a run over other machines."""
