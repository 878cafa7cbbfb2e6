"""Looks into a submission as it runs, in sessions that never give a functional verdict."""
