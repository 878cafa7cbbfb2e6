"""Lists the files that an instructor's tests may read; `executor.enclosing` enforces the list."""

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

_SYSTEM_PATHS: Final = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo"),
    *("/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom"),
)
"""Libraries, time zones, and devices without content."""


class Reach(NamedTuple):
    """The paths that the process of the tests is allowed to read."""

    readable: tuple[str, ...]
    listed: tuple[str, ...]
    """Folders whose content the process is allowed to list. Files in them can be read only if they
    are in `readable`."""

    def has(self, path: str) -> bool:
        """Return whether the process is allowed to read `path`."""
        resolved = Path(os.path.realpath(path))
        return any(resolved.is_relative_to(os.path.realpath(root)) for root in self.readable)


def reach_of(settings: OwnSettings) -> Reach:
    """Return the paths that the tests in `settings` are allowed to read and to list."""
    readable, listed = [*_SYSTEM_PATHS, *_python_paths(), *settings.reads], list[str]()
    if settings.configuration is not None:
        readable.append(settings.configuration)
    for folder in dict.fromkeys((*settings.folders, *_folders_with_conftest(settings))):
        is_complete, children = _paths_without(folder, map(Path, settings.apart))
        (readable if is_complete else listed).append(str(folder))
        readable += children
        listed += _listed_parents(settings, folder)
    existing = (os.path.abspath(path) for path in readable if os.path.exists(path))
    return Reach(tuple(dict.fromkeys(existing)), tuple(dict.fromkeys(listed)))


def _python_paths() -> Iterator[str]:
    """Yield the paths of Python, its packages and the grader, and those added to `sys.path`."""
    yield from (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield from site.getsitepackages()
    yield os.path.join(sys.prefix, "pyvenv.cfg")
    yield os.path.join(PACKAGE_ROOT, "grader")
    requested = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    implicit = {"", os.getcwd(), PACKAGE_ROOT} - set(requested)
    # The first entry is the folder of the running program.
    yield from (path for path in sys.path[1:] if path not in implicit)
    yield from filter(None, requested)


def _folders_with_conftest(settings: OwnSettings) -> Iterator[Path]:
    """Yield the folders above the tests whose conftest.py is read.

    These are needed because a conftest.py can read files beside it.
    """
    for folder in settings.folders:
        for parent in folder.absolute().parents:
            if settings.reads_conftest_of(parent) and (parent / CONFTEST).is_file():
                yield parent


def _listed_parents(settings: OwnSettings, folder: Path) -> Iterator[str]:
    """Yield the folders above `folder` whose content pytest or Python lists.

    pytest lists a folder if it would read a `conftest.py` in it, Python if the folder contains the
    package that the tests belong to.
    """
    yield from (str(parent) for parent in folder.parents if settings.reads_conftest_of(parent))
    while (folder / "__init__.py").is_file():
        folder = folder.parent
        yield str(folder)


def _paths_without(folder: Path, apart: Iterable[Path]) -> tuple[bool, list[str]]:
    """Return whether tests can read all of `folder`; if not, also the entries that they can read.

    They cannot read an entry that is, or contains, one of the paths `apart`. So a subfolder with a
    hand-in is left out completely: the other files in it are most likely hand-ins, too.
    """
    root = folder.resolve()
    resolved = [path.resolve() for path in apart]
    left_out = {path.relative_to(root).parts[0] for path in resolved if root in path.parents}
    if not left_out:
        return True, []
    return False, [str(folder / name) for name in os.listdir(folder) if name not in left_out]
