"""Has every warning raise, and every hook of the warnings module end the process; our side warns of nothing."""

import os
import warnings


def answer(n):
    warnings.simplefilter("error")
    warnings.showwarning = warnings.formatwarning = warnings.warn = lambda *a, **k: os._exit(9)
    warnings.filters = None
    return "contained"


def double(n):
    return 2 * n
