"""Ends the process while it is loaded, with the exit code of success."""

import os

os._exit(0)


def double(n):
    return 2 * n
