"""Replaces `grader.sandbox.zygote` in a kit: it starts an interpreter per session.

Where marks are given, all modules that a submission may import are installed. A student's Python
may be newer or smaller, with older packages, so missing modules are not preloaded.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

import grader
from grader.errors import HostError
from grader.suite import vocabulary

PACKAGE_ROOT: Final = str(Path(grader.__file__).parents[1])
# `SYSTEMROOT`: Windows needs it for random numbers; `LD_LIBRARY_PATH`: a shared Python to start.
ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONIOENCODING": "utf-8"} | {
    name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ
}
Zygote: Final = None


def environment(seed: int) -> dict[str, str]:
    """Return an environment that makes runs repeatable, with `seed` for hashes."""
    return ENVIRONMENT | {"PYTHONHASHSEED": str(seed)}


def interpreter(
    program: str, *, packages: Sequence[str] = (), hosts: Sequence[str] = ()
) -> list[str]:
    """Return the command that runs `program` in a fresh interpreter with these `packages`.

    It may write byte code, as the next one imports the same modules. A kit has no `hosts`.
    """
    there = [
        name
        for name in vocabulary.PRELOADED
        if importlib.util.find_spec(name.partition(".")[0]) is not None
    ]
    modules = json.dumps({"preload": there, "packages": vocabulary.PACKAGES, "hosts": [*hosts]})
    extras = json.dumps({name: _package(name) for name in packages})
    # In a virtual environment of Windows, python.exe only starts the real one: run that, so that
    # CPU time is measured where it is used.
    its_own = getattr(sys, "_base_executable", None) if sys.platform == "win32" else None
    python = its_own or sys.executable
    # `-P`: no file in the current folder hides a module; `-S`: packages are given by name.
    return [python, "-P", "-S", "-c", program, PACKAGE_ROOT, modules, extras]


def package_folder(name: str) -> str:
    """Return the folder that contains the installed package `name`; raises `HostError`."""
    return os.path.dirname(_places(name)[0])


def _package(name: str) -> dict[str, object]:
    """Return the folder of a package, and those of its modules to provide that it has."""
    places = _places(name)
    parts = [
        part
        for part in vocabulary.GIVABLE_PACKAGES[name]
        if part == name or PathFinder.find_spec(part, places)
    ]
    return {"folder": os.path.dirname(places[0]), "parts": parts}


def _places(name: str) -> list[str]:
    """Return the folders of an installed package; raises `HostError`."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise HostError(f"the package {name} is not installed", help=f"pip install {name}")
    return list(spec.submodule_search_locations)
