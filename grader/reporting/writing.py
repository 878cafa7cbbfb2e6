"""Writes reports to disk, atomically, and under file names that all systems accept."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from grader.errors import OutputError
from grader.intake.names import without_accents
from grader.values.foreign_text import one_line

MAX_NAME_CHARS: Final = 60
_DEFAULT_MODE: Final = 0o666
_PART_NAME: Final = ".*.part"
"""The pattern for the temporary name of a file that is not complete yet."""
_PART_CHARS: Final = 16

_RESERVED: Final = frozenset(
    {"index", "con", "prn", "aux", "nul", "clock"}
    | {f"{device}{digit}" for device in ("com", "lpt") for digit in range(10)}
)
"""Forbidden file names: `index` is the overview, and Windows reserves the other names."""

_HELP: Final = {
    errno.ENOSPC: "free some space on that disk, or choose another folder",
    errno.EDQUOT: "free some space in your quota, or choose another folder",
    errno.EACCES: "make the folder writable for you, or choose another folder",
    errno.EPERM: "make the folder writable for you, or choose another folder",
    errno.EROFS: "that disk is read-only: choose another folder",
    errno.ENOENT: "create the folder first, or choose another folder",
    errno.ENOTDIR: "a part of that path is a file, not a folder: choose another folder",
    errno.EEXIST: "a file has the name of that folder: move it away, or choose another folder",
    errno.EISDIR: "a folder has that name: move it away, or choose another folder",
    errno.ENAMETOOLONG: "choose a folder with a shorter path",
}
_DEFAULT_HELP: Final = "choose another folder, and check that you can write there"


def is_special(path: Path) -> bool:
    """Return whether `path` exists and is neither a file nor a folder, such as a device."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`, completely or not at all; see `replacing`."""
    with replacing(path) as file:
        file.write(data)


def write_below(folder: Path, name: str, data: bytes) -> None:
    """Write `data` to the file `name` below `folder`, and create missing folders.

    Raises `OutputError` if that fails.
    """
    write_pieces_below(folder, name, (data,))


def write_pieces_below(folder: Path, name: str, pieces: Iterable[bytes]) -> None:
    """Write `pieces` one by one to the file `name` below `folder`, and create missing folders.

    Raises `OutputError` if that fails.
    """
    path = folder / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parent = one_line(str(path.parent))
        raise OutputError(
            f"cannot create {parent}: {error.strerror}", help=_help_for(error)
        ) from error
    with replacing(path) as file:
        file.writelines(pieces)


def remove_incomplete_files(folder: Path) -> None:
    """Remove the incomplete files that killed processes left in `folder`.

    Call this only while no other process is writing to the folder.
    """
    for part in folder.glob(_PART_NAME.replace("*", "[0-9a-f]" * _PART_CHARS)):
        with suppress(OSError):  # a file that remains is harmless
            part.unlink()


@contextmanager
def replacing(path: Path, mode: int = _DEFAULT_MODE) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the block ends, so that nobody reads half a file.

    A device or a pipe, such as `/dev/stdout`, is written to directly and never replaced. If writing
    fails, or the block raises, the incomplete file is removed. Raises `OutputError` if writing
    fails.
    """
    try:
        if is_special(path):
            with path.open("wb") as device:
                yield device
            return
        # The temporary file is in the same folder, because renaming is atomic only within one file
        # system. Its name is random, because two processes might write the same file.
        part = path.parent / _PART_NAME.replace("*", secrets.token_hex(_PART_CHARS // 2))
        try:
            with _open_new(part, mode) as file:
                yield file
                # Synced before the rename, so that after a power cut either the old file or the
                # complete new one exists.
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:  # including KeyboardInterrupt
            with suppress(OSError, ValueError):  # the error that is already raised matters more
                part.unlink()
            raise
    except OSError as error:
        raise output_error(path, error) from error


def file_stem(student: str, taken: set[str]) -> str:
    """Return a safe and readable file name, without extension, for `student`, such as `jan-2`.

    It has at most `MAX_NAME_CHARS` ASCII characters, in lower case, because some file systems
    ignore case. It is neither reserved nor one of the names `taken`, to which it is added.
    """
    slug = _slug(student) or "student"
    if slug in _RESERVED:
        slug = f"student-{slug}"
    stem, number = _shorten(slug), 1
    while stem in taken:
        number += 1
        stem = _shorten(slug, f"-{number}")
    taken.add(stem)
    return stem


def _shorten(slug: str, suffix: str = "") -> str:
    return f"{slug[: MAX_NAME_CHARS - len(suffix)].rstrip('-_')}{suffix}"


def _slug(text: str) -> str:
    # The text is cut first, because the work grows with its length.
    plain = without_accents(text[: 4 * MAX_NAME_CHARS]).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")


def _open_new(path: Path, mode: int) -> BinaryIO:
    """Create the file at `path`, which must not exist yet, and open it."""
    # O_EXCL, so as never to write to an existing file, or through a link that somebody created.
    # The mode is the usual one, narrowed by the umask: with the one of `tempfile`, colleagues could
    # not read the file. O_BINARY, because Windows would otherwise write \r\n for \n.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return os.fdopen(os.open(path, flags, mode), "wb")
    except ValueError as error:  # the path contains a NUL, or a character that cannot be encoded
        raise OSError(errno.EINVAL, str(error)) from error


def output_error(path: Path, error: OSError) -> OutputError:
    """Return the error to raise because `path` cannot be written, with help that fits `error`."""
    name = one_line(str(path), 400)
    return OutputError(
        f"cannot write {name}: {one_line(error.strerror or type(error).__name__)}",
        help=_help_for(error),
    )


def _help_for(error: OSError) -> str:
    return _HELP.get(error.errno or 0, _DEFAULT_HELP)
