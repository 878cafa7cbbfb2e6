"""Compares what was expected with what was observed, and says what differs.

Pure functions over values: no file, no clock, no process. `matches.match` is the way in.
"""
