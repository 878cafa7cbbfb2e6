"""Clears sys.modules, the path and the hooks, and the built-ins of the submission; what the grader needs is bound elsewhere."""

import builtins
import sys


def answer(n):
    sys.meta_path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    sys.modules.clear()
    vars(builtins).clear()
    return str(n)


def double(n):
    return 2 * n
