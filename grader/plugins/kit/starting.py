"""What a kit has in the place of `grader.sandbox.zygote`: it starts an interpreter per session.

Where marks are given all modules are there that a submission may import. Here a Python may be a
newer or a smaller one, and its packages older ones: what is not there is not asked for.
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
ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONIOENCODING": "utf-8"} | {
    name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ
}
Zygote: Final = None


def environment(seed: int) -> dict[str, str]:
    """Return the environment in which whatever differs from run to run is pinned to `seed`."""
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
    # In a virtual environment of Windows python.exe only starts the real one, and computes nothing.
    its_own = getattr(sys, "_base_executable", None) if sys.platform == "win32" else None
    python = its_own or sys.executable
    return [python, "-P", "-S", "-c", program, PACKAGE_ROOT, modules, extras]


def package_folder(name: str) -> str:
    """Return the folder that the installed package `name` lies in; raises `HostError`."""
    return os.path.dirname(_places(name)[0])


def _package(name: str) -> dict[str, object]:
    """Return where a package lies, and which of the parts that we would give it has."""
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
