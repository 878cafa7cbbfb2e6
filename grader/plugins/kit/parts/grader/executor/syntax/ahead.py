"""A kit takes what its Python does not understand for a mistake."""


def explained(_source, error):
    """Return the mistake, and no version that it needs."""
    return error, None
