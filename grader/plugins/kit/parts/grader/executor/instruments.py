"""A kit has no instruments."""

Instruments = None
