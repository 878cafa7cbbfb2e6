"""Files that tests share with a submission: those in the temporary folders of a test.

A submission has no file system. What it opens by a path is looked for here: in the temporary
folders that pytest makes for its test, also by a name alone where the test has moved into one.
Whatever it has written there is written for it. No link is followed out of these folders.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from grader.bridge.wire import Malformed

_MOST_BYTES: Final = 1 << 20
_MOST_NAMES: Final = 1_000
_MOST_FILES: Final = 100


class SharedFiles:
    """Finds and writes files for a submission."""

    def __init__(self, folders: Callable[[], list[Path]]) -> None:
        """Share what lies in `folders`, as they are when they are asked for."""
        self._folders: Final = folders

    def _place(self, path: Any) -> Path | None:
        """Return where `path` leads to, None where that is nobody's business."""
        if type(path) is not str or "\0" in path:
            return None
        place = Path(os.path.realpath(path))
        folders = (Path(os.path.realpath(folder)) for folder in self._folders())
        return place if any(place.is_relative_to(folder) for folder in folders) else None

    def found(self, path: Any) -> bytes | tuple[str, ...] | None:
        """Return the bytes of a file, the names in a folder, None where nothing is shared."""
        place = self._place(path)
        try:
            if place is None:
                return None
            if place.is_dir():
                return tuple(sorted(os.listdir(place))[:_MOST_NAMES])
            if place.is_file() and place.stat().st_size <= _MOST_BYTES:
                return place.read_bytes()
        except OSError:  # it has gone meanwhile
            return None
        return None

    def write(self, told: Any) -> None:
        """Write what `told` says that the submission has written; raises `Malformed`."""
        if type(told) is not list or len(told) > _MOST_FILES:
            raise Malformed("files that are none")
        for each in told:
            if type(each) is not list or len(each) != 2 or type(each[0]) is not str:
                raise Malformed("a file that is none")
            if each[1] is None:
                self._remove(each[0])
                continue
            if type(each[1]) is not str:
                raise Malformed("a file that is none")
            try:
                data = bytes.fromhex(each[1])
            except ValueError:
                raise Malformed("a file that is none") from None
            place = self._place(each[0])
            if place is None or len(data) > _MOST_BYTES or not place.parent.is_dir():
                continue
            if place.is_file() or not place.exists():
                place.write_bytes(data)

    def _remove(self, path: str) -> None:
        place = self._place(path)
        if place is not None and place.is_file():
            place.unlink()
