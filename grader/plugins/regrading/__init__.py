"""Regrades runs, and reports the marks that change between two runs with the causes."""
