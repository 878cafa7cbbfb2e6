"""Stands in for the functions of `os` that reach files by their descriptor, or change the tree.

They are in force while there is a session only: before that, the process is locked by means of the
real ones. What they do not know is left to these, and so to the kernel.
"""

from __future__ import annotations

import os
import posixpath
import stat
import tempfile
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final, Self

from grader.executor.virtual_files import SessionFiles

_FIRST: Final = 1_000
"""The first number that is given to a file: no descriptor of the process has such a one."""
_MOST: Final = 1_000
_LAST_STREAM: Final = 2


class _Entry:
    """What there is in a folder, as `os.scandir` tells it."""

    def __init__(self, files: SessionFiles, folder: Any, name: str) -> None:
        self._files: Final = files
        self.name: Final = name
        self.path: Final[str] = posixpath.join(folder, name)

    def __fspath__(self) -> str:
        """Return where it is."""
        return self.path

    def stat(self, **_options: object) -> os.stat_result:
        """Return what there is to know of it."""
        return self._files.stat(self.path)

    def is_dir(self, **_options: object) -> bool:
        """Return whether it is a folder."""
        return stat.S_ISDIR(self.stat().st_mode)

    def is_file(self, **_options: object) -> bool:
        """Return whether it is a file."""
        return not self.is_dir()

    def is_symlink(self) -> bool:
        """Say no: there are no links."""
        return False


class _Entries(list[_Entry]):
    """What `os.scandir` returns: it is gone through once, and may be closed."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def __next__(self) -> _Entry:
        if not self:
            raise StopIteration
        return self.pop(0)

    def __iter__(self) -> Iterator[_Entry]:
        return self

    close = list[_Entry].clear


class Descriptors:
    """What of the files of a session is open by a number."""

    def __init__(self, files: SessionFiles) -> None:
        """Give numbers to `files`."""
        self._files: Final = files
        self._real: Final = vars(os).copy()
        self._ours: Final[dict[str, Callable[..., Any]]] = {
            "open": self.open,
            "close": self.close,
            "fstat": self._or_real("fstat", _status),
            "read": self._or_real("read", lambda file, length: file.read(length)),
            "write": self._or_real("write", lambda file, data: file.write(data)),
            "lseek": self._or_real("lseek", lambda file, *position: file.seek(*position)),
            **{name: getattr(files, name) for name in ("mkdir", "rmdir")},
            "scandir": self.scandir,
            **dict.fromkeys(("remove", "unlink"), files.remove),
            **dict.fromkeys(("rename", "replace"), files.move),
            **dict.fromkeys(("chmod", "utime"), files.touch),
            "listxattr": lambda *_path, **_options: [],
        }

        for each in vars(vars(tempfile)["_TemporaryFileCloser"]).values():
            if isinstance(each, FunctionType) and each.__defaults__:  # one is the real `unlink`
                ours = {self._real["unlink"]: files.remove}
                each.__defaults__ = tuple(ours.get(value, value) for value in each.__defaults__)

    def install(self) -> None:
        """Put the stand-ins in their places."""
        for name, ours in self._ours.items():
            setattr(os, name, ours)

    def remove(self) -> None:
        """Put back what was there."""
        for name in self._ours:
            if name in self._real:
                setattr(os, name, self._real[name])
            else:
                delattr(os, name)

    def open(self, path: Any, flags: int, *_mode: object, **_options: object) -> int:
        """Stand in for `os.open`."""
        opened = self._files.opened
        if len(opened) > _MOST:
            raise OSError(24, "Too many open files", path)
        if stat.S_ISDIR(self._mode(path)):
            raise IsADirectoryError(21, "Is a directory", path)
        number = max((_FIRST, *opened)) + 1
        opened[number] = self._files.raw(path, self._words(path, flags))
        return number

    def scandir(self, path: Any = ".") -> _Entries:
        """Stand in for `os.scandir`."""
        return _Entries(_Entry(self._files, path, name) for name in self._files.listdir(path))

    def _mode(self, path: Any) -> int:
        """Return what lies at `path`, 0 where nothing does."""
        try:
            return self._files.stat(path).st_mode
        except FileNotFoundError:
            return 0

    def _words(self, path: Any, flags: int) -> str:
        """Return the mode of the built-in `open` that `flags` stand for."""
        if not flags & (os.O_WRONLY | os.O_RDWR):
            return "r"
        if flags & os.O_CREAT and (flags & os.O_EXCL or not self._mode(path)):
            return "x+"
        if flags & os.O_TRUNC and self._mode(path):
            return "w+"
        return "a+" if flags & os.O_APPEND else "r+"

    def close(self, fd: int, /) -> None:
        """Stand in for `os.close`; streams stay open."""
        if fd > _LAST_STREAM and self._files.opened.pop(fd, None) is None:
            self._real["close"](fd)

    def _or_real(self, name: str, do: Callable[..., Any]) -> Callable[..., Any]:
        """Return what does this with a file of ours, and what the real one does with any other."""
        opened, real = self._files.opened, self._real[name]

        def function(fd: int, /, *given: Any) -> Any:
            return do(opened[fd], *given) if fd in opened else real(fd, *given)

        return function


def _status(file: Any) -> os.stat_result:
    """Return what there is to know of an open file; how much comes by a stream is not."""
    kind, size = stat.S_IFIFO, 0
    if file.seekable():
        here = file.tell()
        kind, size = stat.S_IFREG, file.seek(0, os.SEEK_END)
        file.seek(here)
    return os.stat_result((kind | 0o644, 0, 0, 1, 0, 0, size, 0, 0, 0))
