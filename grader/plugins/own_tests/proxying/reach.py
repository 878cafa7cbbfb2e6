"""The files that an instructor's tests may read."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from grader.plugins.own_tests.proxying.own_settings import CONFTEST, OwnSettings
from grader.sandbox.zygote import PACKAGE_ROOT

_OF_THE_SYSTEM: Final = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom"),
)
"""Libraries, time zones, and devices that hold nothing."""


class Reach(NamedTuple):
    """The paths that a process of tests can read."""

    readable: tuple[str, ...]
    listed: tuple[str, ...]
    """Folders whose names it can list, but whose files are readable only if named above."""

    def has(self, path: str) -> bool:
        """Return whether it can read `path`."""
        place = Path(os.path.realpath(path))
        return any(place.is_relative_to(os.path.realpath(each)) for each in self.readable)


def reach_of(own: OwnSettings) -> Reach:
    """Return the paths that `own` tests can read."""
    readable, listed = [*_OF_THE_SYSTEM, *_of_python(), *own.reads], list[str]()
    if own.configuration is not None:
        readable.append(own.configuration)
    for folder in dict.fromkeys((*own.folders, *_with_conftest(own))):
        whole, children = _without(folder, map(Path, own.apart))
        (readable if whole else listed).append(str(folder))
        readable += children
        listed += _above(own, folder)
    there = (os.path.abspath(each) for each in readable if os.path.exists(each))
    return Reach(tuple(dict.fromkeys(there)), tuple(dict.fromkeys(listed)))


def _of_python() -> Iterator[str]:
    """Yield the folders of Python and its packages, and those added to `sys.path`."""
    yield from (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield from site.getsitepackages()
    yield os.path.join(sys.prefix, "pyvenv.cfg")
    yield os.path.join(PACKAGE_ROOT, "grader")
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    own = {"", os.getcwd(), PACKAGE_ROOT} - set(named)
    yield from (each for each in sys.path[1:] if each not in own)  # the first is the program's
    yield from filter(None, named)


def _with_conftest(own: OwnSettings) -> Iterator[Path]:
    """Yield the folders above the tests whose conftest.py is read; it may read files beside it."""
    for folder in own.folders:
        for above in folder.absolute().parents:
            if own.reads_conftest_of(above) and (above / CONFTEST).is_file():
                yield above


def _above(own: OwnSettings, folder: Path) -> Iterator[str]:
    """Yield the folders that pytest lists above `folder`, and Python above a package."""
    yield from (str(each) for each in folder.parents if own.reads_conftest_of(each))
    while (folder / "__init__.py").is_file():
        folder = folder.parent
        yield str(folder)


def _without(folder: Path, apart: Iterable[Path]) -> tuple[bool, list[str]]:
    """Return whether no hand-in lies in `folder`, and, if one does, the other paths there.

    The whole subfolder with a hand-in is left out: what lies beside it is most likely another one.
    """
    place = folder.resolve()
    inside = [path.resolve() for path in apart]
    names = {path.relative_to(place).parts[0] for path in inside if place in path.parents}
    if not names:
        return True, []
    return False, [str(folder / name) for name in os.listdir(folder) if name not in names]
