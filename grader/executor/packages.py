"""Loads packages from outside the standard library, for the exercises that ask for them.

The interpreter was started without its `site-packages`, and gets to see the folders of these
packages for as long as they are being imported: nothing else is to be found there later on.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any, Final

from grader.executor.encoding import learn_numpy
from grader.executor.pinning import seed_at_start


def load(packages: str) -> None:
    """Import what `packages`, JSON, says: for each package its `folder` and its `parts`."""
    wanted: dict[str, dict[str, Any]] = json.loads(packages)
    before = list(sys.path)
    sys.path += dict.fromkeys(package["folder"] for package in wanted.values())
    try:
        for package in wanted.values():
            for part in package["parts"]:
                importlib.import_module(part)
        for name in wanted:
            _GET_READY[name](sys.modules[name])
    finally:
        sys.path[:] = before
        sys.path_importer_cache.clear()


def _get_numpy_ready(numpy: Any) -> None:
    """Have numpy take its memory and import the last of its parts now, and know its values.

    Its generator of random numbers starts the same in each session, as that of `random` does.
    """
    square = numpy.eye(2)
    numpy.linalg.solve(square, square @ square)
    repr(square), str(numpy.array([1.5, numpy.nan])), numpy.mean(square), numpy.sort(square)
    numpy.random.seed(seed_at_start())
    learn_numpy(numpy)


_GET_READY: Final[dict[str, Callable[[Any], None]]] = {"numpy": _get_numpy_ready}
