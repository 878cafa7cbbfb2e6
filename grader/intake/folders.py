"""Lists what lies below a folder on disk: regular files only, and never through a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from grader.intake.files import SubmissionError, ignored, read_file
from grader.intake.listing import Listing, path_on_disk
from grader.intake.sources import Leaf
from grader.messages import Message, message
from grader.values.display import one_line

MAX_LEVELS: Final = 16
"""Folders within folders that are looked into; a hand-in has fewer, whatever it lies in."""


@dataclass(frozen=True, slots=True)
class _FileOnDisk:
    """Where the content of a leaf is."""

    place: str
    name: str

    def __call__(self, most_bytes: int) -> bytes:
        """Return the content."""
        return read_file(Path(self.place), self.name, most_bytes)


def list_file(place: Path, name: str, listing: Listing) -> None:
    """Add the one file at `place`, under `name`."""
    try:
        _add(os.fspath(place), name, os.lstat(place), listing)
    except OSError as error:
        listing.refuse(name, _unreadable(name, error))
    except SubmissionError as refused:
        listing.refuse(name, refused.reason)


def list_folder(folder: Path, listing: Listing) -> None:
    """Add what lies below `folder`, that of the outer folders first."""
    level = [(os.fspath(folder), "")]
    for depth in range(MAX_LEVELS + 1):
        below: list[tuple[str, str]] = []
        for place, path in level:
            if depth == MAX_LEVELS:
                deep = message("refused.deep", file=one_line(path), most=MAX_LEVELS)
                listing.refuse(path, deep)
            elif listing.has_room():
                below += _list_one(place, path, listing)
        level = below


def _list_one(place: str, path: str, listing: Listing) -> Iterator[tuple[str, str]]:
    """Add the files in the one folder `place`; yield the folders in it, and their paths."""
    try:
        with os.scandir(place) as entries:
            names = sorted(entry.name for entry in entries if not ignored(entry.name))
    except OSError as error:
        listing.refuse(path, _unreadable(path, error))
        return
    if not names and path:
        listing.add_empty_folder(path)
    # Names with a backslash come last: a file that really lies in a folder keeps its name.
    for name in sorted(names, key=lambda name: "\\" in name):
        if not listing.counts():
            return
        inner = os.path.join(place, name)
        shown = f"{path}/{name}" if path else name
        try:
            status = os.lstat(inner)
            if stat.S_ISDIR(status.st_mode):
                yield inner, path_on_disk(shown)
            else:
                _add(inner, shown, status, listing)
        except OSError as error:
            listing.refuse(shown, _unreadable(shown, error))
        except SubmissionError as refused:
            listing.refuse(shown, refused.reason)


def _add(place: str, name: str, status: os.stat_result, listing: Listing) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise SubmissionError(message("refused.link", file=one_line(name)))
    if not stat.S_ISREG(status.st_mode):
        raise SubmissionError(message("refused.special", file=one_line(name)))
    path = path_on_disk(name)
    if listing.has(path):
        key = "refused.backslash" if "\\" in name else "refused.twice"
        raise SubmissionError(message(key, file=one_line(name)))
    leaf = Leaf(
        path=path,
        size_bytes=status.st_size,
        modified=datetime.fromtimestamp(status.st_mtime, UTC),
        read=_FileOnDisk(place, path),
    )
    listing.add(leaf)


def _unreadable(name: str, error: OSError) -> Message:
    reason = error.strerror or type(error).__name__
    return message("refused.unreadable", file=one_line(name), reason=reason)
