"""Derives a suite from a spec: finds its example sessions, proves them, and writes YAML."""
