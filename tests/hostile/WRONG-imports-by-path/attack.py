"""Puts folders of the host and a zip on the path and imports from them; only its own modules are found."""

import importlib
import importlib.machinery
import sys


def answer(n):
    sys.path[:] = ["/", "/usr/lib/python3/dist-packages", "/tmp", "", "."]
    sys.meta_path.append(importlib.machinery.PathFinder)
    sys.path_hooks.append(importlib.machinery.FileFinder.path_hook((importlib.machinery.SourceFileLoader, [".py"])))
    for name in ("grader", "click", "pip", "yaml", "pytest", "target", "conftest", "sitecustomize"):
        try:
            return f"ESCAPED: {importlib.import_module(name)}"
        except (ImportError, OSError):
            continue
    return "contained"


def double(n):
    return 2 * n
