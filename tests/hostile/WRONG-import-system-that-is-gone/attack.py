"""Empties the import system and fills `sys.modules` with objects that raise; nothing of ours is imported any more."""

import importlib
import os
import sys


class Broken:
    def __getattr__(self, name):
        raise SystemExit(name)


def answer(n):
    sys.meta_path[:] = [Broken()]
    sys.path_hooks[:] = [Broken()]
    importlib._bootstrap._find_and_load = importlib._bootstrap._handle_fromlist = Broken()
    for name in list(sys.modules):
        sys.modules[name] = Broken()
    return "contained"


def double(n):
    return 2 * n
