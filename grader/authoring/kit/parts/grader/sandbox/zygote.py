"""How a kit starts an interpreter for each session: it has no zygote."""

import importlib.util
import json
import os
import sys

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
    extras = json.dumps(
        {
            name: {"folder": package_folder(name), "parts": vocabulary.GIVABLE_PACKAGES[name]}
            for name in packages
        }
    )
    return [sys.executable, "-S", "-c", program, PACKAGE_ROOT, modules, extras, *arguments]


def package_folder(name):
    """Return the folder that an installed package lies in; raises `HostError`."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise HostError("the package %s is not installed" % name, help="pip install " + name)
    return os.path.dirname(os.path.dirname(spec.origin))
