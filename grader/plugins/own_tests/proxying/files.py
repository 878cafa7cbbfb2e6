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
        self._of_tests: Final = tuple(map(_real, of_tests))
        self._has_been_handed: Final = has_been_handed
        self._apart: Final[dict[Path, bytes | None]] = {}
        """Files beside the tests as the submission has changed them; None for a removed one."""

    def restart(self) -> None:
        """Forget the submission's changes beside the tests."""
        self._apart.clear()

    def _place(self, path: Any) -> Path | None:
        """Return where `path` leads to, None if that is not in a shared folder."""
        return _within(path, map(_real, self._folders()))

    def _beside_tests(self, path: Any) -> Path | None:
        """Return where `path` leads to beside the tests, None if no test has handed it over."""
        place = _within(path, self._of_tests)
        if place is None:
            return None
        return place if not _is_code(place) and self._has_been_handed(path) else None

    def found(self, path: Any) -> bytes | tuple[str, ...] | None:
        """Return the bytes of a file or the names in a folder, None if it is not shared."""
        shared = self._place(path)
        place = shared or self._beside_tests(path)
        try:
            if place is None:
                return None
            if place in self._apart:
                return self._apart[place]
            if place.is_dir():
                names = sorted(os.listdir(place))  # the system has them in any order
                given = [each for each in names if shared or not _is_code(place / each)]
                return tuple(given[:_MAX_NAMES])
            if place.is_file() and place.stat().st_size <= _MAX_BYTES:
                return place.read_bytes()
        except OSError:  # it has gone meanwhile
            return None
        return None

    def write(self, told: Any) -> None:
        """Write the files in `told`, pairs of path and hex bytes or None; raises `Malformed`."""
        if type(told) is not list or len(told) > _MAX_FILES:
            raise Malformed("files that are none")
        for each in told:
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
        place = self._place(path)
        if place is None:
            if (beside := self._beside_tests(path)) is not None:
                self._apart[beside] = data
        elif data is None:
            if place.is_file():
                place.unlink()
        elif place.parent.is_dir() and (place.is_file() or not place.exists()):
            place.write_bytes(data)


def _is_code(place: Path) -> bool:
    """Return whether a file, or a folder, may hold code of the tests, as text or compiled."""
    return place.suffix in _CODE or _COMPILED in place.parts


def _real(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _within(path: Any, folders: Iterable[Path]) -> Path | None:
    """Return where `path` leads to, None if that is in none of these `folders`."""
    if type(path) is not str or "\0" in path:
        return None
    place = _real(path)
    return place if any(map(place.is_relative_to, folders)) else None
