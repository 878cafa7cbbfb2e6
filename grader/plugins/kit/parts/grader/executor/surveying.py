"""A kit looks into no source."""


def survey(_request):
    """Return nothing."""
    return None
