"""Replaces __import__, the finders and the hooks by its own, that answer any import with an accomplice; the steps of the suite import nothing."""

import builtins
import sys


class Accomplice:
    def find_spec(self, *_):
        raise SystemExit("an import")


def __import__(*_):
    raise SystemExit("an import")


builtins.__import__ = __import__
sys.meta_path[:] = [Accomplice()]
sys.path_hooks[:] = [Accomplice]
sys.path[:] = ["/", "/etc", "/usr/lib/python3"]

def answer(n):
    return "contained"


def double(n):
    return 2 * n
