"""Reads files that strangers named and made: regular files only, bounded, never through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from grader.messages import Message, message
from grader.values.display import one_line

MAX_FILE_BYTES: Final = 1024 * 1024
MAX_SUBMISSION_BYTES: Final = 8 * 1024 * 1024
MAX_FILES: Final = 200
MAX_DEPTH: Final = 4
_IGNORED: Final = frozenset(
    {"__pycache__", "__MACOSX", "node_modules", "venv", "env", "site-packages", "Thumbs.db"}
)
_OPEN_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a FIFO must not keep us waiting for its writer
    | getattr(os, "O_CLOEXEC", 0)
)


class SubmissionError(Exception):
    """A file of a submission is not taken; `reason` says why, for its student."""

    def __init__(self, reason: Message) -> None:
        """Keep the reason."""
        super().__init__(reason.key)
        self.reason = reason


def ignored(name: str) -> bool:
    """Return whether `name` is one that editors and systems leave behind, backslashes or not."""
    return any(
        part.startswith(".") or part in _IGNORED or part.endswith((".pyc", "~"))
        for part in name.split("\\")
    )


def read_file(path: Path, name: str, most_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the bytes of the regular file `path`; raises `SubmissionError` for anything else."""
    shown = one_line(name)
    try:
        fd = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        if os.path.islink(path):
            raise SubmissionError(message("refused.link", file=shown)) from error
        reason = error.strerror or type(error).__name__
        raise SubmissionError(message("refused.unreadable", file=shown, reason=reason)) from error
    with os.fdopen(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise SubmissionError(message("refused.special", file=shown))
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise SubmissionError(message("refused.large", file=shown, kib=most_bytes // 1024))
    return data


def read_folder(folder: Path) -> tuple[dict[str, bytes], list[Message]]:
    """Return the files below `folder` by relative name, and why others were not taken."""
    found: dict[str, bytes] = {}
    refusals: list[Message] = []
    total = 0
    for name, path in _named(folder):
        if len(found) + len(refusals) == MAX_FILES:
            refusals.append(message("refused.many", most=MAX_FILES))
            break
        try:
            if name.count("/") >= MAX_DEPTH and os.path.isdir(path):
                raise SubmissionError(message("refused.deep", file=one_line(name), most=MAX_DEPTH))
            meant = _meant(name)
            if not meant or meant in found:
                raise SubmissionError(message("refused.backslash", file=one_line(name)))
            data = read_file(path, meant)
        except SubmissionError as refused:
            refusals.append(refused.reason)
            continue
        total += len(data)
        if total > MAX_SUBMISSION_BYTES:
            refusals.append(message("refused.total", mib=MAX_SUBMISSION_BYTES // 1024 // 1024))
            break
        found[meant] = data
    return found, refusals


def _named(folder: Path) -> list[tuple[str, Path]]:
    """Return what is to be read below `folder`, by relative name.

    Names with a backslash come last: a file that really lies in a folder keeps its name.
    """
    named = [
        (path.relative_to(folder.parent if path == folder else folder).as_posix(), path)
        for path in _walk(folder, MAX_DEPTH)
    ]
    return sorted(named, key=lambda pair: "\\" in pair[0])


def _meant(name: str) -> str:
    r"""Return `name` with the folders that its backslashes stand for.

    An archive that was made on Windows may unpack `data\words.txt` to a file of that very name,
    and the program that was handed in asks for `words.txt` in `data`.
    """
    return "/".join(filter(None, name.replace("\\", "/").split("/")))


def _walk(folder: Path, depth: int) -> list[Path]:
    """Return the entries below `folder` that are no folders, shallow ones first, in name order."""
    try:
        entries = sorted(entry for entry in folder.iterdir() if not ignored(entry.name))
    except OSError:
        return [folder]  # whoever tries to read it is told why
    # Unlike `Path.is_dir`, this raises nothing where a folder may be listed and not entered.
    folders = {entry for entry in entries if os.path.isdir(entry) and not entry.is_symlink()}
    if not depth:
        return [*sorted(set(entries) - folders), *sorted(folders)]  # these are refused by name
    below = [path for inner in sorted(folders) for path in _walk(inner, depth - 1)]
    return [entry for entry in entries if entry not in folders] + below
