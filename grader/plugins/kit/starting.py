"""Replaces `grader.sandbox.zygote` in a kit, where each session gets a fresh interpreter.

On the grading machine, all modules that submissions are allowed to import are installed. A
student's Python can lack some of them, so missing modules are not preloaded.
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
# Windows needs `SYSTEMROOT` for random numbers, and a shared Python needs `LD_LIBRARY_PATH`.
ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONIOENCODING": "utf-8"} | {
    name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ
}
Zygote: Final = None
"""`sandbox` imports this name, but a kit forks no executors from a zygote."""


def environment(seed: int) -> dict[str, str]:
    """Return the environment variables that make runs repeatable, with `seed` as hash seed."""
    return ENVIRONMENT | {"PYTHONHASHSEED": str(seed)}


def interpreter_command(
    program: str, *, packages: Sequence[str] = (), hosts: Sequence[str] = ()
) -> list[str]:
    """Return the command that runs `program` in a fresh interpreter with these `packages`.

    The interpreter can write byte code, because later interpreters import the same modules. `hosts`
    is always empty in a kit. Raises `HostError` if one of `packages` is not installed.
    """
    installed = [
        name
        for name in vocabulary.PRELOADED
        if importlib.util.find_spec(name.partition(".")[0]) is not None
    ]
    modules = json.dumps(
        {"preload": installed, "packages": vocabulary.KNOWN_PACKAGES, "hosts": [*hosts]}
    )
    extras = json.dumps({name: _package_entry(name) for name in packages})
    # In a virtual environment on Windows, python.exe only starts the base interpreter. Run the
    # base interpreter directly, so that its CPU time is measured.
    base_executable = getattr(sys, "_base_executable", None) if sys.platform == "win32" else None
    python = base_executable or sys.executable
    # With `-P`, no file in the current folder hides a module; with `-S`, only the named packages
    # are available.
    return [python, "-P", "-S", "-c", program, PACKAGE_ROOT, modules, extras]


def package_folder(name: str) -> str:
    """Return the folder that contains the installed package `name`.

    Raises `HostError` if it is not installed.
    """
    return os.path.dirname(_package_folders(name)[0])


def _package_entry(name: str) -> dict[str, object]:
    """Return the parent folder of the package `name`, and its givable modules that are installed.

    Raises `HostError` if the package is not installed.
    """
    folders = _package_folders(name)
    modules = [
        module
        for module in vocabulary.GIVABLE_PACKAGES[name]
        if module == name or PathFinder.find_spec(module, folders)
    ]
    return {"folder": os.path.dirname(folders[0]), "parts": modules}


def _package_folders(name: str) -> list[str]:
    """Return the folders of the package `name`. Raises `HostError` if it is not installed."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise HostError(
            f"the package {name} is not installed", help=f"install it: pip install {name}"
        )
    return list(spec.submodule_search_locations)
