"""Files that tests share with a submission: in a test's temporary folders, and beside the tests.

A submission has no file system. The paths that it opens are looked up in this process, in the
temporary folders of its test. A relative path works if the test has changed into such a folder.
What the submission writes in a temporary folder is written to the real file. Links out of these
folders are not followed.

A file beside the tests can be read once a test has passed its path, or the path of its folder,
unless the file is code. If the submission writes to such a file, only the submission sees that.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import Malformed

_MAX_BYTES: Final = 1 << 20
_MAX_NAMES: Final = 1_000
_MAX_FILES: Final = 100
"""The limits on the size of a file, the names listed for a folder, and the files in a message."""
_CODE_SUFFIXES: Final = frozenset({".py", ".pyc", ".pyi", ".pyo"})
_CACHE_FOLDER: Final = "__pycache__"


class SharedFiles:
    """Finds, reads and writes files for a submission."""

    def __init__(
        self,
        folders: Callable[[], list[Path]],
        test_folders: Iterable[Path],
        was_passed_by_tests: Callable[[str], bool],
    ) -> None:
        """Share the files in the folders that `folders`, called at each access, returns.

        In `test_folders`, share only paths for which `was_passed_by_tests` returns True.
        """
        self._folders: Final = folders
        self._test_folders: Final = tuple(map(_resolve, test_folders))
        self._was_passed_by_tests: Final = was_passed_by_tests
        self._private_changes: Final[dict[Path, bytes | None]] = {}
        """The new content of each file beside the tests that the submission has changed, or None if
        the submission has removed it."""

    def restart(self) -> None:
        """Discard the submission's changes to files beside the tests."""
        self._private_changes.clear()

    def _shared_path(self, path: Any) -> Path | None:
        """Return the real path of `path`, or None if that is not in a shared folder."""
        return _path_inside(path, map(_resolve, self._folders()))

    def _path_beside_tests(self, path: Any) -> Path | None:
        """Return the real path of a file beside the tests, or None if it is not shared.

        A file is shared if a test has passed its path to the submission, unless the file is code.
        """
        location = _path_inside(path, self._test_folders)
        if location is None:
            return None
        # Not `location`: messages contain the path as the test has written it.
        return location if not _is_code(location) and self._was_passed_by_tests(path) else None

    def read(self, path: Any) -> bytes | tuple[str, ...] | None:
        """Return the bytes of a file, or the sorted names in a folder, up to a limit.

        Returns None if `path` is not shared, or cannot be read, or is a file that is too large.
        """
        shared = self._shared_path(path)
        location = shared or self._path_beside_tests(path)
        try:
            if location is None:
                return None
            if location in self._private_changes:
                return self._private_changes[location]
            if location.is_dir():
                # `os.listdir` returns names in arbitrary order.
                names = sorted(os.listdir(location))
                visible_names = [name for name in names if shared or not _is_code(location / name)]
                return tuple(visible_names[:_MAX_NAMES])
            if location.is_file() and location.stat().st_size <= _MAX_BYTES:
                return location.read_bytes()
        except OSError:  # the file has been removed in the meantime, for example
            return None
        return None

    def write(self, files: Any) -> None:
        """Write `files`: pairs of a path and hexadecimal bytes, or None to remove the file.

        Ignores files that are too large, not shared, or cannot be written. Raises `Malformed` if
        `files` is invalid.
        """
        if type(files) is not list or len(files) > _MAX_FILES:
            raise Malformed(f"expected a list of at most {_MAX_FILES} files")
        for file in files:
            if type(file) is not list or len(file) != 2 or type(file[0]) is not str:
                raise Malformed("expected a file as a list of its path and its content")
            if file[1] is not None and type(file[1]) is not str:
                raise Malformed("expected the content of a file as a string or None")
            try:
                data = None if file[1] is None else bytes.fromhex(file[1])
            except ValueError:
                raise Malformed("expected the content of a file as hexadecimal digits") from None
            if data is None or len(data) <= _MAX_BYTES:
                with suppress(OSError):  # a name that is too long, for example
                    self._apply_change(file[0], data)

    def _apply_change(self, path: str, data: bytes | None) -> None:
        """Write or remove a file if it is shared; beside the tests, only record the change."""
        location = self._shared_path(path)
        if location is None:
            if (test_path := self._path_beside_tests(path)) is not None:
                self._private_changes[test_path] = data
        elif data is None:
            if location.is_file():
                location.unlink()
        elif location.parent.is_dir() and (location.is_file() or not location.exists()):
            location.write_bytes(data)


def _is_code(location: Path) -> bool:
    """Return whether a file or a folder may contain code of the tests, as source or compiled."""
    return location.suffix in _CODE_SUFFIXES or _CACHE_FOLDER in location.parts


def _resolve(path: str | Path) -> Path:
    return Path(os.path.realpath(path))


def _path_inside(path: Any, folders: Iterable[Path]) -> Path | None:
    """Return the real path of `path`, or None if that is not in one of `folders`."""
    if type(path) is not str or "\0" in path:
        return None
    try:
        location = _resolve(path)
    except ValueError:  # a lone surrogate, which no file name can contain
        return None
    return location if any(map(location.is_relative_to, folders)) else None
