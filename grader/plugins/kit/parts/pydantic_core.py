"""Nothing of it is used: what is in a kit has been checked."""

core_schema = None
ErrorDetails = dict
