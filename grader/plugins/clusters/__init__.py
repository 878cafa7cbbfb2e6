"""Distributes a run over other machines."""
