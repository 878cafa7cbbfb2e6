"""Replacements for the functions of `os` that use file descriptors or change the file tree.

They are installed only during a session, because locking the process down needs the real functions.
Calls with unknown descriptors are passed to the real functions, and so to the kernel.
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

_MIN_FD: Final = 1_000
"""The lowest descriptor of a virtual file; the real descriptors of the process are lower."""
_MAX_OPEN: Final = 1_000
_LAST_STREAM: Final = 2


class _Entry:
    """An entry of a folder, like those that `os.scandir` yields."""

    def __init__(self, files: SessionFiles, folder: Any, name: str) -> None:
        self._files: Final = files
        self.name: Final = name
        self.path: Final[str] = posixpath.join(folder, name)

    def __fspath__(self) -> str:
        """Return the path of the entry."""
        return self.path

    def stat(self, **_options: object) -> os.stat_result:
        """Return the status of the entry."""
        return self._files.stat(self.path)

    def is_dir(self, **_options: object) -> bool:
        """Return whether the entry is a folder."""
        return stat.S_ISDIR(self.stat().st_mode)

    def is_file(self, **_options: object) -> bool:
        """Return whether the entry is a file."""
        return not self.is_dir()

    def is_symlink(self) -> bool:
        """Return False: the virtual file tree has no links."""
        return False


class _Entries(list[_Entry]):
    """The return value of `os.scandir`: an iterator that can be closed."""

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
    """The session's files that are open under a descriptor."""

    def __init__(self, files: SessionFiles) -> None:
        """Serve `files` under descriptors.

        Also replaces `os.unlink` where `tempfile` has bound it as the default of a parameter.
        """
        self._files: Final = files
        self._real: Final = vars(os).copy()  # a copy, because `install` changes the original
        self._replacements: Final[dict[str, Callable[..., Any]]] = {
            "open": self.open,
            "close": self.close,
            "fstat": self._make_replacement("fstat", _file_status),
            "read": self._make_replacement("read", lambda file, length: file.read(length)),
            "write": self._make_replacement("write", lambda file, data: file.write(data)),
            "lseek": self._make_replacement("lseek", lambda file, *position: file.seek(*position)),
            **{name: getattr(files, name) for name in ("mkdir", "rmdir")},
            "scandir": self.scandir,
            **dict.fromkeys(("remove", "unlink"), files.remove),
            **dict.fromkeys(("rename", "replace"), files.move),
            **dict.fromkeys(("chmod", "utime"), files.touch),
            "listxattr": lambda *_path, **_options: [],  # for `shutil.copy2`
        }

        replacements = {self._real["unlink"]: files.remove}
        for method in vars(vars(tempfile)["_TemporaryFileCloser"]).values():
            if isinstance(method, FunctionType) and method.__defaults__:
                defaults = method.__defaults__
                method.__defaults__ = tuple(replacements.get(value, value) for value in defaults)

    def install(self) -> None:
        """Replace the functions of `os`."""
        for name, replacement in self._replacements.items():
            setattr(os, name, replacement)

    def remove(self) -> None:
        """Restore the real functions of `os`."""
        for name in self._replacements:
            if name in self._real:
                setattr(os, name, self._real[name])
            else:  # this system lacks it, such as `listxattr` outside Linux
                delattr(os, name)

    def open(self, path: Any, flags: int, *_mode: object, **_options: object) -> int:
        """Stand in for `os.open`: open the virtual file, and return its descriptor.

        Raises `OSError`, as `os.open` does, if the file cannot be opened or is a folder, or if
        too many files are open.
        """
        opened = self._files.open_files
        if len(opened) > _MAX_OPEN:
            raise OSError(24, "Too many open files", path)
        if stat.S_ISDIR(self._mode_bits(path)):
            raise IsADirectoryError(21, "Is a directory", path)
        fd = max((_MIN_FD, *opened)) + 1
        opened[fd] = self._files.open_raw(path, self._open_mode(path, flags))
        return fd

    def scandir(self, path: Any = ".") -> _Entries:
        """Stand in for `os.scandir`."""
        return _Entries(_Entry(self._files, path, name) for name in self._files.listdir(path))

    def _mode_bits(self, path: Any) -> int:
        """Return the mode bits of the file at `path`, or 0 if there is no such file."""
        try:
            return self._files.stat(path).st_mode
        except FileNotFoundError:
            return 0

    def _open_mode(self, path: Any, flags: int) -> str:
        """Return the mode for the built-in `open` that corresponds to `flags`."""
        if not flags & (os.O_WRONLY | os.O_RDWR):
            return "r"
        if flags & os.O_CREAT and (flags & os.O_EXCL or not self._mode_bits(path)):
            # Also without O_EXCL, because no other mode creates a file that can be both read and
            # written at any position.
            return "x+"
        if flags & os.O_TRUNC and self._mode_bits(path):
            return "w+"
        return "a+" if flags & os.O_APPEND else "r+"

    def close(self, fd: int, /) -> None:
        """Stand in for `os.close`; descriptors 0 to 2 stay open."""
        if fd > _LAST_STREAM and self._files.open_files.pop(fd, None) is None:
            self._real["close"](fd)

    def _make_replacement(self, name: str, operate: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for `os.<name>`.

        It calls `operate` for an open virtual file, and the real function for other descriptors.
        """
        opened, real = self._files.open_files, self._real[name]

        def replacement(fd: int, /, *args: Any) -> Any:
            return operate(opened[fd], *args) if fd in opened else real(fd, *args)

        return replacement


def _file_status(file: Any) -> os.stat_result:
    """Return the status of `file`, which is open; if it cannot seek, that of an empty pipe."""
    kind, size = stat.S_IFIFO, 0
    if file.seekable():
        position = file.tell()
        kind, size = stat.S_IFREG, file.seek(0, os.SEEK_END)
        file.seek(position)
    return os.stat_result((kind | 0o644, 0, 0, 1, 0, 0, size, 0, 0, 0))
