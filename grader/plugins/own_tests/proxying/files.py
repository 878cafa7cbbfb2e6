"""Files that tests share with a submission: in the temporary folders of a test, and beside tests.

A submission has no file system. Paths that it opens are looked up here: in the temporary folders of
its test, also relative ones if the test has changed into such a folder. What it writes there is
written for it. Links out of these folders are not followed.

A file beside the tests can be read once a test has handed over its path, or that of its folder,
unless it is code. What a submission writes there, only that submission sees.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import Malformed

_MAX_BYTES: Final = 1 << 20
_MAX_NAMES: Final = 1_000
_MAX_FILES: Final = 100
_CODE: Final = frozenset({".py", ".pyc", ".pyi", ".pyo"})
_COMPILED: Final = "__pycache__"


class SharedFiles:
    """Finds and writes files for a submission."""

    def __init__(
        self,
        folders: Callable[[], list[Path]],
        of_tests: Iterable[Path],
        has_been_handed: Callable[[str], bool],
    ) -> None:
        """Share the files in `folders`, which is called at each access.

        Of the folders `of_tests`, share the paths that a test has handed over.
        """
        self._folders: Final = folders
        self._of_tests: Final = tuple(map(_resolved, of_tests))
        self._has_been_handed: Final = has_been_handed
        self._private_changes: Final[dict[Path, bytes | None]] = {}
        """Files beside the tests as the submission has changed them; None for a removed one."""

    def restart(self) -> None:
        """Forget the submission's changes beside the tests."""
        self._private_changes.clear()

    def _place(self, path: Any) -> Path | None:
        """Return where `path` leads to, None if that is not in a shared folder."""
        return _within(path, map(_resolved, self._folders()))

    def _beside_tests(self, path: Any) -> Path | None:
        """Return where `path` leads to beside the tests, None if no test has handed it over."""
        location = _within(path, self._of_tests)
        if location is None:
            return None
        return location if not _is_code(location) and self._has_been_handed(path) else None

    def found(self, path: Any) -> bytes | tuple[str, ...] | None:
        """Return the bytes of a file or the names in a folder, None if it is not shared."""
        shared = self._place(path)
        location = shared or self._beside_tests(path)
        try:
            if location is None:
                return None
            if location in self._private_changes:
                return self._private_changes[location]
            if location.is_dir():
                names = sorted(os.listdir(location))  # the system lists them in any order
                names_given = [each for each in names if shared or not _is_code(location / each)]
                return tuple(names_given[:_MAX_NAMES])
            if location.is_file() and location.stat().st_size <= _MAX_BYTES:
                return location.read_bytes()
        except OSError:  # the file is gone
            return None
        return None

    def write(self, files: Any) -> None:
        """Write the files in `files`, pairs of path and hex bytes or None; raises `Malformed`."""
        if type(files) is not list or len(files) > _MAX_FILES:
            raise Malformed("files that are none")
        for each in files:
            if type(each) is not list or len(each) != 2 or type(each[0]) is not str:
                raise Malformed("a file that is none")
            if each[1] is not None and type(each[1]) is not str:
                raise Malformed("a file that is none")
            try:
                data = None if each[1] is None else bytes.fromhex(each[1])
            except ValueError:
                raise Malformed("a file that is none") from None
            if data is None or len(data) <= _MAX_BYTES:
                self._change(each[0], data)

    def _change(self, path: str, data: bytes | None) -> None:
        """Write or remove a file, if it is shared."""
        location = self._place(path)
        if location is None:
            if (path_beside := self._beside_tests(path)) is not None:
                self._private_changes[path_beside] = data
        elif data is None:
            if location.is_file():
                location.unlink()
        elif location.parent.is_dir() and (location.is_file() or not location.exists()):
            location.write_bytes(data)


def _is_code(location: Path) -> bool:
    """Return whether a file, or a folder, may hold code of the tests, as text or compiled."""
    return location.suffix in _CODE or _COMPILED in location.parts


def _resolved(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _within(path: Any, folders: Iterable[Path]) -> Path | None:
    """Return where `path` leads to, None if that is in none of these `folders`."""
    if type(path) is not str or "\0" in path:
        return None
    location = _resolved(path)
    return location if any(map(location.is_relative_to, folders)) else None
