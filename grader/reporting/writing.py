"""Writes reports to disk: completely or not at all, and under names that every system accepts."""

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
"""The name of a file until it is complete."""
_PART_CHARS: Final = 16

_RESERVED: Final = frozenset(
    {"index", "con", "prn", "aux", "nul", "clock"}
    | {f"{device}{digit}" for device in ("com", "lpt") for digit in range(10)}
)
"""`index` is the overview; Windows reserves the others, whatever their extension."""

_HELP: Final = {
    errno.ENOSPC: "free some space on that disk, or choose another folder",
    errno.EDQUOT: "free some space in your quota, or choose another folder",
    errno.EACCES: "make the folder writable for you, or choose another folder",
    errno.EPERM: "make the folder writable for you, or choose another folder",
    errno.EROFS: "that disk is read-only: choose another folder",
    errno.ENOENT: "create the folder first, or choose another folder",
    errno.ENOTDIR: "a part of that path is a file: choose another folder",
    errno.EISDIR: "a folder has that name: move it away, or choose another folder",
    errno.ENAMETOOLONG: "choose a folder with a shorter path",
}
_USUAL_HELP: Final = "choose another folder, and check that you can write there"


def is_special(path: Path) -> bool:
    """Return whether `path` exists and is neither a file nor a folder."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def write_atomically(path: Path, data: bytes) -> None:
    """Write `data` to `path`; see `replacing`."""
    with replacing(path) as file:
        file.write(data)


def write_below(folder: Path, name: str, data: bytes) -> None:
    """Write the file `name` below `folder`, and make its parent folders."""
    write_pieces_below(folder, name, (data,))


def write_pieces_below(folder: Path, name: str, pieces: Iterable[bytes]) -> None:
    """Write the file `name` below `folder` as `write_below` does, piece by piece."""
    path = folder / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        shown = one_line(str(path.parent))
        raise OutputError(f"cannot make {shown}: {error.strerror}") from error
    with replacing(path) as file:
        file.writelines(pieces)


def remove_parts(folder: Path) -> None:
    """Remove what killed processes left half-written in `folder`; nobody may be writing there."""
    for part in folder.glob(_PART_NAME.replace("*", "[0-9a-f]" * _PART_CHARS)):
        with suppress(OSError):
            part.unlink()


@contextmanager
def replacing(path: Path, mode: int = _DEFAULT_MODE) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when it is complete, so that nobody reads a part of it.

    A device or a pipe, such as `/dev/stdout`, is written to as it is, never replaced. Raises
    `OutputError` if writing fails, and removes what is half-written.
    """
    try:
        if is_special(path):
            with path.open("wb") as device:
                yield device
            return
        # In the same folder, because only within one file system a rename is atomic.
        # With a random name, as two processes may write the same file.
        part = path.parent / _PART_NAME.replace("*", secrets.token_hex(_PART_CHARS // 2))
        try:
            with _open_new(part, mode) as file:
                yield file
                # Before the rename: after a power cut there is the old file, or all of the new one.
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:  # Ctrl-C leaves no half-written file either
            with suppress(OSError, ValueError):
                part.unlink()
            raise
    except OSError as error:
        raise _output_error(path, error) from error


def file_stem(student: str, taken: set[str]) -> str:
    """Return a safe and readable name for the files about `student`, such as `jan-2`.

    It has at most `MAX_NAME_CHARS` ASCII characters, in lower case, because some file systems do
    not tell `A` from `a`. It is neither reserved nor one of the names `taken`. Adds the name to
    `taken`.
    """
    slug = _slug(student) or "student"
    if slug in _RESERVED:
        slug = f"student-{slug}"
    stem, number = _shortened(slug), 1
    while stem in taken:
        number += 1
        stem = _shortened(slug, f"-{number}")
    taken.add(stem)
    return stem


def _shortened(slug: str, ending: str = "") -> str:
    return f"{slug[: MAX_NAME_CHARS - len(ending)].rstrip('-_')}{ending}"


def _slug(text: str) -> str:
    # Cut first: this is enough for any name, and the work grows with its length.
    plain = without_accents(text[: 4 * MAX_NAME_CHARS]).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")


def _open_new(path: Path, mode: int) -> BinaryIO:
    """Create the file at `path`, which must not exist yet, and open it."""
    # O_EXCL: never write through a file or a link that somebody put there. The mode is the usual
    # one, narrowed by the umask; that of `tempfile` would lock colleagues out.
    # O_BINARY: Windows would write \r\n for \n.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return os.fdopen(os.open(path, flags, mode), "wb")
    except ValueError as error:  # a NUL or a character that cannot be encoded is in the path
        raise OSError(errno.EINVAL, str(error)) from error


def _output_error(path: Path, error: OSError) -> OutputError:
    shown_path = one_line(str(path), 400)
    return OutputError(
        f"cannot write {shown_path}: {one_line(error.strerror or type(error).__name__)}",
        help=_HELP.get(error.errno or 0, _USUAL_HELP),
    )
