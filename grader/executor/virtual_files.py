"""Files that exist in memory only.

Nothing in an executor touches the file system: data files arrive over the socket. Submissions that
test for files still work: `open`, `os.path.isfile`, `os.listdir` and pathlib agree on one tree. Its
root `/` is the current folder, with the files of the suite and the submission. Files that a program
writes, such as a log, are added to the tree until the session ends.
"""

from __future__ import annotations

import genericpath
import io
import os
import posixpath
import stat
import sys
import zlib
from collections.abc import Callable, Mapping
from typing import IO, Any, Final

from grader.executor.memory_streams import ReadOnlyStream, WritableStream
from grader.protocol import NOT_MOVED

_FOLDER_MODE: Final = stat.S_IFDIR | 0o555
_FILE_MODE: Final = stat.S_IFREG | 0o444
_MAX_WRITTEN_BYTES: Final = 1 << 20
"""The limit for all files that a program writes: they take memory of the executor."""
_MODULES_WITH_OPEN: Final = (
    *("bz2", "configparser", "fileinput", "logging", "numpy.lib._datasource", "pandas.io.common"),
    *("shutil", "tokenize", "xml.dom.expatbuilder", "xml.etree.ElementTree", "xml.sax.saxutils"),
)
"""Modules that open files for a program, with an `open` that they bound when they were imported."""
_STREAMS: Final = {"dev/stdin": 0, "dev/stdout": 1, "dev/stderr": 2}
"""The paths of a program's streams, and their descriptors."""
_NULL_DEVICE: Final = "dev/null"
"""The path of the null device."""
_normpath: Final = posixpath.normpath
_fspath: Final = os.fspath


class SessionFiles:
    """A tree of files in memory, with replacements for the functions that access files."""

    def __init__(self) -> None:
        """Start with an empty tree."""
        self._files: Final[dict[str, bytes]] = {}
        """The files of the suite and the submission."""
        self._written_files: Final[dict[str, bytearray]] = {}
        """Files that a program has written, and copies of files found outside; they hide files of
        the same name in `_files`."""
        self._made_folders: Final[set[str]] = set()
        """Folders that a program has made."""
        self.open_files: Final[dict[int, Any]] = {}
        """Open files by descriptor, including the streams of a program."""
        self._look_up: Callable[[str], Any] | None = None
        """Finds files outside the tree, if there are any; see `look_up_outside`."""
        self._outside_paths: Final[dict[str, str]] = {}
        """Each path that was looked up outside, as the program spelled it."""
        self._outside_files: Final[dict[str, bytes]] = {}
        """What the files outside contained when they were last read or reported as changed."""
        self._outside_folders: Final[dict[str, list[str]]] = {}
        """The names in each folder outside, as last looked up."""
        self._removed_paths: Final[list[str]] = []
        """The paths outside that were removed since `take_changes` was last called."""
        self._current_folder = "/"

    def provide(self, files: Mapping[str, bytes]) -> None:
        """Add `files` to the tree."""
        self._files.update(files)

    def look_up_outside(self, look_up: Callable[[str], Any]) -> None:
        """From now on, call `look_up` to find files that are not in the tree.

        `look_up` returns the bytes of a file, the names in a folder, or None if there is no such
        path.
        """
        self._look_up = look_up

    def _tree_name(self, path: Any) -> str:
        """Return the normalized name of `path` in the tree, without a leading slash.

        Raises `OSError` for a descriptor.
        """
        if isinstance(path, int):
            raise OSError(9, "Bad file descriptor")
        name: str | bytes = _fspath(path)
        if isinstance(name, bytes):
            name = name.decode("utf-8", "surrogateescape")
        # Programs written on Windows use backslashes in paths.
        return _normpath(posixpath.join(self._current_folder, name.replace("\\", "/"))).lstrip("/")

    def take_changes(self) -> list[tuple[str, bytes | None]]:
        """Return the (path, content) of each file that has changed since the last call.

        Paths are spelled as in the program. Removed files come first, with None as their content.
        Each change is returned only once.
        """
        changes: list[tuple[str, bytes | None]] = [(path, None) for path in self._removed_paths]
        self._removed_paths.clear()
        for name, data in self._written_files.items():
            if name in self._outside_paths and self._outside_files.get(name) != bytes(data):
                self._outside_files[name] = bytes(data)
                changes.append((self._outside_paths[name], self._outside_files[name]))
        return changes

    def remove(self, path: Any, **_options: object) -> None:
        """Stand in for `os.remove`: remove a file from the tree.

        Raises `OSError` if there is no such file.
        """
        self._refresh(path)
        self._read_content(path)  # raises the error for a folder or an unknown path
        name = self._tree_name(path)
        for files in (self._written_files, self._files, self._outside_files):
            files.pop(name, None)
        if name in self._outside_paths:
            self._removed_paths.append(self._outside_paths[name])

    def move(self, src: Any, dst: Any, **_options: object) -> None:
        """Stand in for `os.rename` and `os.replace`: move a file or a folder.

        Replaces a file at `dst`. Raises `OSError` if `src` does not exist, or if it is a folder and
        files are looked up outside.
        """
        self._refresh(src)
        if self._look_up is None and self._is_folder(self._tree_name(src)):
            self._move_folder(src, dst)
            return
        data = bytes(self._read_content(src))
        with self.open(dst, "wb") as file:
            file.write(data)
        if self._tree_name(src) != self._tree_name(dst):
            self.remove(src)

    def _move_folder(self, src: Any, dst: Any) -> None:
        """Make a folder at `dst`, and move everything in the folder `src` to it.

        Raises `OSError` if `dst` already exists, has no parent folder, or is in `src`. Does nothing
        if both are the same folder.
        """
        source, target = self._tree_name(src), self._tree_name(dst)
        if source == target:
            return
        prefix = f"{source}/"
        if not source or target.startswith(prefix):
            raise OSError(22, "Invalid argument", _plain_path(src), None, _plain_path(dst))
        self.mkdir(dst)
        trees: tuple[dict[str, Any], ...] = (self._files, self._written_files)
        for files in trees:
            for name in [name for name in files if name.startswith(prefix)]:
                files[f"{self._tree_name(dst)}/{name.removeprefix(prefix)}"] = files.pop(name)
        for name in [folder for folder in self._made_folders if f"{folder}/".startswith(prefix)]:
            self._made_folders.remove(name)
            self._made_folders.add(
                f"{self._tree_name(dst)}/{f'{name}/'.removeprefix(prefix)}".rstrip("/")
            )

    def _refresh(self, path: Any) -> None:
        """Update `path` in the tree from outside, unless the session provides the file."""
        name = self._tree_name(path)
        if self._look_up is None or name in self._files:
            return
        text = _fspath(path)
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        self._outside_paths[name] = text
        answer = self._look_up(text)
        if isinstance(answer, bytes):
            self._outside_files[name] = answer
            # Changed in place, because open streams share these bytes.
            self._written_files.setdefault(name, bytearray())[:] = answer
        elif isinstance(answer, tuple):
            self._outside_folders[name] = list(answer)
        elif name in self._outside_files:  # it was removed outside since the last look-up
            del self._outside_files[name]
            self._written_files.pop(name, None)

    def clear(self) -> None:
        """Remove all files and folders, forget the open files, and return to the root folder."""
        for collection in (self._files, self._written_files, self._made_folders, self.open_files):
            collection.clear()
        self._current_folder = "/"

    def install(self) -> None:
        """Replace the functions of this process that access files: all code sees only this tree."""
        # This covers pathlib, which looks up `io.open` and the functions of `os` at each call.
        io.open = self.open  # type: ignore[assignment]  # it has no overloads
        for name in ("stat", "lstat", "listdir", "access", "chdir", "getcwd"):
            setattr(os, name, getattr(self, "stat" if name == "lstat" else name))
        for name in ("exists", "isfile", "isdir"):  # on Windows these do not call `os.stat`
            setattr(os.path, name, getattr(genericpath, name))
        for name in sys.modules.keys() & {*_MODULES_WITH_OPEN}:
            namespace = vars(sys.modules[name])
            namespace["_builtin_open" if "_builtin_open" in namespace else "open"] = self.open
        if "shutil" in sys.modules:  # else `rmtree` opens folders by descriptor
            vars(sys.modules["shutil"])["_use_fd_functions"] = False

    def open(  # the signature of the built-in that it replaces
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Callable[[Any, int], int] | None = None,
    ) -> IO[Any]:
        """Stand in for the built-in `open`, and raise the same errors.

        Ignores `closefd`.
        """
        if set(mode) - set("rwaxbt+") or len(set(mode) & set("rwax")) != 1:
            raise ValueError(f"invalid mode: {mode!r}")
        if opener is not None:
            file = opener(file, os.O_RDWR | os.O_CREAT if set(mode) & set("wax+") else os.O_RDONLY)
        stream = self.open_raw(file, mode)
        if isinstance(stream, WritableStream) and (buffering or "b" not in mode):
            stream = io.BufferedRandom(stream) if "+" in mode else io.BufferedWriter(stream)
        if "b" not in mode:
            stream = io.TextIOWrapper(stream, encoding or "utf-8", errors, newline, buffering == 1)
        opened: IO[Any] = stream
        return opened

    def open_raw(self, file: Any, mode: str) -> Any:
        """Return a raw stream for `file`: a path, or the descriptor of an open stream.

        Raises `OSError` like the built-in `open`.
        """
        file = _plain_path(file)
        descriptor = file if isinstance(file, int) else _STREAMS.get(self._tree_name(file))
        if descriptor is not None and (isinstance(file, int) or descriptor in self.open_files):
            if descriptor not in self.open_files:
                raise OSError(9, "Bad file descriptor")
            return self.open_files[descriptor]
        if self._tree_name(file) == _NULL_DEVICE:
            return ReadOnlyStream(b"", file)
        self._refresh(file)
        if set(mode) & set("wax+"):
            return self._open_for_writing(file, mode)
        return ReadOnlyStream(self._read_content(file), file)

    def _read_content(self, path: Any) -> bytes | bytearray:
        """Return the content of the file at `path`, or raise `OSError` if there is no such file."""
        name = self._tree_name(path)
        data = self._find_data(name)
        if data is None:
            self.stat(path)  # raises `FileNotFoundError` unless this is a folder
            raise IsADirectoryError(21, "Is a directory", path)
        return data

    def _find_data(self, name: str) -> bytes | bytearray | None:
        return self._written_files.get(name, self._files.get(name))

    def _open_for_writing(self, path: Any, mode: str) -> WritableStream:
        """Return a raw stream that writes to `path`, creating the file if `mode` allows it.

        Raises `OSError` like the built-in `open`.
        """
        name = self._tree_name(path)
        if self._is_folder(name):
            raise IsADirectoryError(21, "Is a directory", path)
        is_new = self._find_data(name) is None
        folder = name.rpartition("/")[0]
        if is_new and self._look_up is not None and folder and not self._is_folder(folder):
            self._refresh(_fspath(path).rpartition("/")[0])
        if is_new and ("r" in mode or not self._is_folder(folder)):
            raise FileNotFoundError(2, "No such file or directory", path)
        if "x" in mode and not is_new:
            raise FileExistsError(17, "File exists", path)
        data = self._written_files.setdefault(name, bytearray(self._files.get(name, b"")))
        if "w" in mode:
            data.clear()
        return WritableStream(data, path, self._reserve, mode)

    def _reserve(self, count: int) -> None:
        """Raise `OSError` unless there is space for `count` more bytes in all written files."""
        if sum(map(len, self._written_files.values())) + count > _MAX_WRITTEN_BYTES:
            raise OSError(28, "No space left on device")

    def _is_folder(self, name: str) -> bool:
        if not name or name in self._outside_folders or name in self._made_folders:
            return True
        return any(file.startswith(f"{name}/") for file in self._files)

    def stat(self, path: Any, **_options: object) -> os.stat_result:
        """Stand in for `os.stat` and `os.lstat`, or raise `OSError` if there is no such path."""
        path = _plain_path(path)
        name = self._tree_name(path)
        self._refresh(path)
        data = self._find_data(name)
        if data is not None:
            return os.stat_result((_FILE_MODE, _inode(name), 0, 1, 0, 0, len(data), 0, 0, 0))
        if not self._is_folder(name):
            raise FileNotFoundError(2, "No such file or directory", path)
        return os.stat_result((_FOLDER_MODE, _inode(name), 0, 2, 0, 0, 0, 0, 0, 0))

    def listdir(self, path: Any = ".") -> list[str]:
        """Stand in for `os.listdir`: return the names in a folder, sorted.

        Raises `OSError` if there is no such folder.
        """
        path = _plain_path(path)
        name = self._tree_name(path)
        self._refresh(path)
        if name in self._outside_folders:
            return list(self._outside_folders[name])
        if not self._is_folder(name):
            self.stat(path)  # raises `FileNotFoundError` unless this is a file
            raise NotADirectoryError(20, "Not a directory", path)
        start = f"{name}/" if name else ""
        paths = (*self._files, *self._written_files, *self._made_folders)
        relative_paths = [entry[len(start) :] for entry in paths if entry.startswith(start)]
        # Sorted, because the order of a set of strings depends on the hash seed.
        return sorted({relative.partition("/")[0] for relative in relative_paths})

    def mkdir(self, path: Any, *_mode: object, **_options: object) -> None:
        """Stand in for `os.mkdir`.

        Raises `OSError` if the path already exists, or has no parent folder.
        """
        name = self._tree_name(path)
        if self._is_folder(name) or self._find_data(name) is not None:
            raise FileExistsError(17, "File exists", _plain_path(path))
        if not self._is_folder(name.rpartition("/")[0]):
            raise FileNotFoundError(2, "No such file or directory", _plain_path(path))
        self._made_folders.add(name)

    def rmdir(self, path: Any, **_options: object) -> None:
        """Stand in for `os.rmdir`: remove an empty folder that the program has made.

        Raises `OSError` for any other path.
        """
        if self.listdir(path) or self._tree_name(path) not in self._made_folders:
            raise OSError(39, "Directory not empty", _plain_path(path))
        self._made_folders.remove(self._tree_name(path))

    def touch(self, path: Any, *_arguments: object, **_options: object) -> None:
        """Stand in for `os.chmod` and `os.utime`; change nothing, as the tree has no such metadata.

        Raises `OSError` if there is no such path.
        """
        self.stat(path)

    def access(self, path: Any, mode: int, **_options: object) -> bool:
        """Stand in for `os.access`: files can be read and written, folders only read."""
        name = self._tree_name(path)
        return self._find_data(name) is not None or (self._is_folder(name) and not mode & os.W_OK)

    def chdir(self, path: Any) -> None:
        """Stand in for `os.chdir`.

        Raises `PermissionError` for a folder that was found outside the tree, because it cannot
        become the current folder, and another `OSError` if there is no such folder.
        """
        name = self._tree_name(path)
        if name:
            self._refresh(path)
            if name in self._outside_folders:
                raise PermissionError(1, NOT_MOVED, _plain_path(path))
        self.listdir(path)
        self._current_folder = f"/{name}"

    def getcwd(self) -> str:
        """Stand in for `os.getcwd`."""
        return self._current_folder


def _plain_path(path: Any) -> Any:
    """Return `path` as error messages show it: as text, or unchanged if it is a descriptor."""
    return path if isinstance(path, int) else _fspath(path)


def _inode(name: str) -> int:
    """Return an inode number for `name`; different files almost always get different numbers."""
    return 1 + zlib.crc32(name.encode("utf-8", "surrogateescape"))
