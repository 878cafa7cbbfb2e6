"""How a kit starts an interpreter for each session: it has no zygote."""

import importlib.util
import json
import os
import sys
from importlib.machinery import PathFinder

from grader.errors import HostError
from grader.suite import vocabulary

PACKAGE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONIOENCODING": "utf-8"}
for _name in ("SYSTEMROOT", "LD_LIBRARY_PATH"):
    if _name in os.environ:
        ENVIRONMENT[_name] = os.environ[_name]
Zygote = None


def environment(seed):
    """Return the environment in which whatever differs from run to run is pinned to `seed`."""
    return dict(ENVIRONMENT, PYTHONHASHSEED=str(seed))


def interpreter(program, *arguments, preload=vocabulary.PRELOADED, packages=()):
    """Return the command that runs `program` in a fresh interpreter."""
    there = [name for name in preload if importlib.util.find_spec(name.partition(".")[0])]
    modules = json.dumps({"preload": there, "packages": list(vocabulary.PACKAGES)})
    extras = json.dumps({name: _package(name) for name in packages})
    # In a virtual environment of Windows python.exe only starts the real one, and computes nothing.
    its_own = getattr(sys, "_base_executable", None) if sys.platform == "win32" else None
    return [its_own or sys.executable, "-S", "-c", program, PACKAGE_ROOT, modules, extras, *arguments]


def package_folder(name):
    """Return the folder that an installed package lies in; raises `HostError`."""
    return os.path.dirname(_places(name)[0])


def _package(name):
    """Return where a package lies, and which of the parts that we would give it has: not all have
    each one in their older versions."""
    places = _places(name)
    parts = [
        part
        for part in vocabulary.GIVABLE_PACKAGES[name]
        if part == name or PathFinder.find_spec(part, places)
    ]
    return {"folder": os.path.dirname(places[0]), "parts": parts}


def _places(name):
    """Return the folders of an installed package; raises `HostError`."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise HostError("the package %s is not installed" % name, help="pip install " + name)
    return list(spec.submodule_search_locations)
