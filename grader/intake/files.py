"""Reads hostile files: regular files only, up to a limit, never through a link."""

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
from grader.intake.unpacking import PIECE_BYTES, Damaged
from grader.messages import Message, message
from grader.values.foreign_text import one_line

MAX_FILE_BYTES: Final = 1024 * 1024
MAX_SUBMISSION_BYTES: Final = 8 * 1024 * 1024
MAX_FILES: Final = 200
_IGNORED: Final = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "venv", "env", "site-packages"}
    | {"Thumbs.db", "desktop.ini"}
)
_IGNORED_ENDINGS: Final = ("~", ":Zone.Identifier")
_OF_PROGRAMS: Final = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "site-packages", "Thumbs.db", "desktop.ini"}
    | {".git", ".github", ".hg", ".svn", ".idea", ".vscode", ".vs", ".settings", ".spyproject"}
    | {".venv", ".tox", ".nox", ".eggs", ".cache", ".config", ".ipynb_checkpoints"}
    | {".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".virtual_documents"}
    | {".Trash", ".Trashes", ".Spotlight-V100", ".fseventsd", ".TemporaryItems"}
)
"""Names that only programs use; any other name may be a student's, however odd."""
_OF_EDITORS: Final = ("._", ".#", ".~", "~$")
"""Prefixes of the files that macOS, editors and office programs put beside another file."""
_WORK: Final = (HAND_INS - {COMPILED}) | {".pyw", ".txt", ".text", ".html", ".htm"}
_OF_GIT: Final = frozenset({"HEAD", "config", "packed-refs", "refs", "objects"})
_OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)  # a link could lead to any file that the teacher can read
    | getattr(os, "O_NONBLOCK", 0)  # otherwise opening a FIFO waits for its writer
    | getattr(os, "O_CLOEXEC", 0)
)


class SubmissionError(Exception):
    """A file of a submission is refused; `reason` says why, for its student."""

    def __init__(self, reason: Message) -> None:
        """Keep the reason."""
        super().__init__(reason.key)
        self.reason = reason

    def about(self, name: str) -> Message:
        """Return the reason with the file called `name`, as its student knows it."""
        return _about_file(self.reason, name)


def _about_file(reason: Message, name: str) -> Message:
    """Return `reason` with `name` in place of its file, if it has one."""
    parameters = dict(reason.parameters)
    if "file" in parameters:
        parameters["file"] = one_line(name)
    return message(reason.key, **parameters)


def ignored(name: str) -> bool:
    """Return whether `name`, or a part of it between backslashes, is left by editors or systems."""
    return any(
        part.startswith((".", "~$")) or part in _IGNORED or part.endswith(_IGNORED_ENDINGS)
        for part in name.split("\\")
    )


def passed_over(path: str) -> bool:
    """Return whether to skip `path`: ignored names, except files of `.git` with commit times."""
    around, git, inside = f"/{path}/".partition("/.git/")
    if any(map(ignored, filter(None, around.split("/")))):
        return True
    return bool(git and inside) and inside.split("/")[0] not in _OF_GIT


def before_passed_over(path: str) -> str:
    """Return the part of `path` before its first ignored name."""
    return "/".join(takewhile(lambda part: not ignored(part), path.split("/")))


def hides_work(path: str) -> bool:
    """Return whether the file at `path`, which is skipped, may be a student's work."""
    if is_of_programs(path):
        return False
    file = path.rpartition("/")[2]
    return file.endswith("~") or suffix_of(file) in _WORK


def is_of_programs(path: str) -> bool:
    """Return whether a part of `path` has a name that only programs use."""
    return any(
        part in _OF_PROGRAMS or part.startswith(_OF_EDITORS) or part.endswith(_IGNORED_ENDINGS[1:])
        for part in path.split("/")
    )


def around_passed_over(path: str) -> str:
    """Return the outermost folder or file of `path` that is skipped."""
    before = before_passed_over(path)
    return "/".join(path.split("/")[: len(list(filter(None, before.split("/")))) + 1])


def is_of_git(path: str) -> bool:
    """Return whether `path` is in a `.git` folder, and so nobody's work."""
    return "/.git/" in f"/{path}/"


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file on disk or in an archive, read anew each time, as far as needed.

    It can be used as the `read` function of a leaf.
    """

    name: str
    """The file's name in messages to its student."""
    pieces: Callable[[], Iterator[bytes]]
    """Reads the file in pieces; raises `SubmissionError`, or `Damaged` if it is incomplete."""
    size_bytes: int | None = None
    """The size according to the archive."""
    opened: Callable[[], BinaryIO] | None = None
    """Opens the file, if it is on disk."""

    def __call__(self, most_bytes: int) -> bytes:
        """Return all of the file; raises `SubmissionError` if it is larger than `most_bytes`."""
        data = bytearray()
        if self.size_bytes is None or self.size_bytes <= most_bytes:
            for piece in self._told():
                data += piece
                if len(data) > most_bytes:  # whatever size the archive claims
                    break
            else:
                return bytes(data)
        kib = most_bytes // 1024
        raise SubmissionError(message("refused.large", file=one_line(self.name), kib=kib))

    def head(self) -> bytes:
        """Return the first piece of the file, empty if it cannot be read."""
        with suppress(SubmissionError):
            return next(self._told(), b"")
        return b""

    def _told(self) -> Iterator[bytes]:
        try:
            yield from self.pieces()
        except Damaged as error:
            raise SubmissionError(message("refused.damaged", file=one_line(self.name))) from error


def file_content(place: str, name: str) -> Content:
    """Return the content of the regular file `place`, which its student knows as `name`."""
    opened = partial(opened_file, place, name)
    return Content(name, partial(_pieces_on_disk, opened, name), opened=opened)


def _pieces_on_disk(opened: Callable[[], BinaryIO], name: str) -> Iterator[bytes]:
    try:
        with opened() as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
    except OSError as error:
        raise unreadable(name, error) from error


def opened_file(place: str, name: str) -> BinaryIO:
    """Return the regular file `place` open; raises `SubmissionError` for anything else."""
    try:
        fd = os.open(place, _OPEN_FLAGS)
    except OSError as error:
        if os.path.islink(place):  # ELOOP, because of O_NOFOLLOW
            raise SubmissionError(message("refused.link", file=one_line(name))) from error
        raise unreadable(name, error) from error
    file = os.fdopen(fd, "rb")
    if not stat.S_ISREG(os.fstat(fd).st_mode):  # of what is open: the path may have changed
        file.close()
        raise SubmissionError(message("refused.special", file=one_line(name)))
    return file


def unreadable(name: str, error: OSError) -> SubmissionError:
    """Return the error for a file `name` that the system cannot read."""
    reason = error.strerror or type(error).__name__
    return SubmissionError(message("refused.unreadable", file=one_line(name), reason=reason))
