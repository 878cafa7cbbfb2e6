"""Reads hostile files: only regular files, up to a size limit, and never through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import BinaryIO, Final

from grader.intake.kinds import COMPILED, HAND_INS, suffix_of
from grader.intake.unpacking import PIECE_BYTES, DamagedData
from grader.messages import Message, message
from grader.values.foreign_text import one_line

MAX_FILE_BYTES: Final = 1024 * 1024
MAX_SUBMISSION_BYTES: Final = 8 * 1024 * 1024
MAX_FILES: Final = 200
_IGNORED_NAMES: Final = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "venv", "env", "site-packages"}
    | {"Thumbs.db", "desktop.ini"}
)
_IGNORED_ENDINGS: Final = ("~", ":Zone.Identifier")
_PROGRAM_NAMES: Final = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "site-packages", "Thumbs.db", "desktop.ini"}
    | {".git", ".github", ".hg", ".svn", ".idea", ".vscode", ".vs", ".settings", ".spyproject"}
    | {".venv", ".tox", ".nox", ".eggs", ".cache", ".config", ".ipynb_checkpoints"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".virtual_documents"}
    | {".Trash", ".Trashes", ".Spotlight-V100", ".fseventsd", ".TemporaryItems"}
)
"""Names that only programs use; a student might have chosen any other name, however odd."""
_EDITOR_PREFIXES: Final = ("._", ".#", ".~", "~$")
"""Prefixes of companion files that macOS, editors and office programs create."""
_WORK_SUFFIXES: Final = (HAND_INS - {COMPILED}) | {".pyw", ".txt", ".text", ".html", ".htm"}
_GIT_NAMES: Final = frozenset({"HEAD", "config", "packed-refs", "refs", "objects"})
_OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # a link could lead to any file that the teacher can read
    | getattr(os, "O_NONBLOCK", 0)  # otherwise opening a FIFO would wait for a writer
    | getattr(os, "O_CLOEXEC", 0)
)


class SubmissionError(Exception):
    """A file of a submission is refused; `reason` explains why to the student."""

    def __init__(self, reason: Message) -> None:
        """Store the `reason`; its key becomes the text of the exception."""
        super().__init__(reason.key)
        self.reason = reason

    def with_file(self, name: str) -> Message:
        """Return the reason with `name`, the name the student knows, as its file."""
        return _with_file(self.reason, name)


def _with_file(reason: Message, name: str) -> Message:
    """Return `reason` with its `file` parameter, if any, replaced with `name`."""
    parameters = dict(reason.parameters)
    if "file" in parameters:
        parameters["file"] = one_line(name)
    return message(reason.key, **parameters)


def is_ignored(name: str) -> bool:
    """Return whether to ignore `name`, which can consist of several parts between backslashes.

    It is ignored if a part starts with a dot, or has the name of a file or folder that editors and
    operating systems create.
    """
    return any(
        part.startswith((".", "~$")) or part in _IGNORED_NAMES or part.endswith(_IGNORED_ENDINGS)
        for part in name.split("\\")
    )


def is_skipped(path: str) -> bool:
    """Return whether to skip `path`.

    Paths with an ignored name are skipped, except for the files in `.git` that reveal commit times.
    """
    outside, git, inside = f"/{path}/".partition("/.git/")
    if any(map(is_ignored, filter(None, outside.split("/")))):
        return True
    return bool(git and inside) and inside.split("/")[0] not in _GIT_NAMES


def part_before_skipped(path: str) -> str:
    """Return the part of `path` before its first ignored name."""
    return "/".join(takewhile(lambda part: not is_ignored(part), path.split("/")))


def hides_work(path: str) -> bool:
    """Return whether the skipped file at `path` might nevertheless be a student's work."""
    if is_program_path(path):
        return False
    file = path.rpartition("/")[2]
    return file.endswith("~") or suffix_of(file) in _WORK_SUFFIXES


def is_program_path(path: str) -> bool:
    """Return whether any part of `path` has a name that only programs use."""
    return any(
        part in _PROGRAM_NAMES
        or part.startswith(_EDITOR_PREFIXES)
        or part.endswith(_IGNORED_ENDINGS[1:])
        for part in path.split("/")
    )


def skipped_root(path: str) -> str:
    """Return the outermost ignored folder or file on `path`, itself a path."""
    before = part_before_skipped(path)
    return "/".join(path.split("/")[: len(list(filter(None, before.split("/")))) + 1])


def is_in_git_folder(path: str) -> bool:
    """Return whether `path` is inside a `.git` folder, where no file is a student's work."""
    return "/.git/" in f"/{path}/"


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file on disk or in an archive.

    Every read starts again from the source, and reads no more than needed. An instance can serve as
    the `read` function of a leaf.
    """

    name: str
    """The file's name in messages to the student."""
    pieces: Callable[[], Iterator[bytes]]
    """Yields the file in pieces. Raises `SubmissionError`, or `DamagedData` if it is incomplete."""
    size_bytes: int | None = None
    """The size that the archive declares."""
    open_file: Callable[[], BinaryIO] | None = None
    """Opens the file, if it is on disk."""

    def __call__(self, max_bytes: int) -> bytes:
        """Return the whole file.

        Raises `SubmissionError` if it is larger than `max_bytes`, or cannot be read.
        """
        data = bytearray()
        if self.size_bytes is None or self.size_bytes <= max_bytes:
            for piece in self._checked_pieces():
                data += piece
                if len(data) > max_bytes:  # an archive can declare a smaller size than it has
                    break
            else:
                return bytes(data)
        kib = max_bytes // 1024
        raise SubmissionError(message("refused.large", file=one_line(self.name), kib=kib))

    def head(self) -> bytes:
        """Return the first piece of the file, or no bytes if it cannot be read."""
        with suppress(SubmissionError):
            return next(self._checked_pieces(), b"")
        return b""

    def _checked_pieces(self) -> Iterator[bytes]:
        """Yield the pieces of the file. Raises `SubmissionError` if it is damaged."""
        try:
            yield from self.pieces()
        except DamagedData as error:
            raise SubmissionError(message("refused.damaged", file=one_line(self.name))) from error


def file_content(path: str, name: str) -> Content:
    """Return the content of the regular file at `path`, which the student knows as `name`."""
    open_file = partial(open_regular_file, path, name)
    return Content(name, partial(_read_pieces, open_file, name), open_file=open_file)


def _read_pieces(open_file: Callable[[], BinaryIO], name: str) -> Iterator[bytes]:
    """Yield the content of the file `name` in pieces.

    Raises `SubmissionError` if it is not a regular file, or cannot be read.
    """
    try:
        with open_file() as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    except OSError as error:
        raise unreadable_error(name, error) from error


def open_regular_file(path: str, name: str) -> BinaryIO:
    """Open the regular file at `path`, which the student knows as `name`.

    Raises `SubmissionError` if it is anything else, or cannot be opened.
    """
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        if os.path.islink(path):  # ELOOP, because of O_NOFOLLOW
            raise SubmissionError(message("refused.link", file=one_line(name))) from error
        raise unreadable_error(name, error) from error
    file = os.fdopen(descriptor, "rb")
    # Check the open file rather than the path, which might have been replaced since.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise SubmissionError(message("refused.special", file=one_line(name)))
    return file


def unreadable_error(name: str, error: OSError) -> SubmissionError:
    """Return the error to raise when the system cannot read the file `name`."""
    reason = error.strerror or type(error).__name__
    return SubmissionError(message("refused.unreadable", file=one_line(name), reason=reason))
