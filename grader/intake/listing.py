"""Gathers what a source holds: names are made whole or refused, and there are bounds."""

from __future__ import annotations

import unicodedata
from typing import Final

from grader.intake.files import SubmissionError
from grader.intake.sources import Leaf, Source
from grader.messages import Message, message
from grader.values.display import one_line

MAX_ENTRIES: Final = 200_000
"""Files, folders and all else that is looked at in one source, archives in it included."""
_MAX_REFUSALS: Final = 10_000


class Listing:
    """What was found so far."""

    def __init__(self) -> None:
        self._leaves: Final[dict[str, Leaf]] = {}
        self._refusals: Final[list[tuple[str, Message]]] = []
        self._empty_folders: Final[list[str]] = []
        self._entries = 0

    def has_room(self) -> bool:
        """Return whether more may be looked at."""
        return self._entries <= MAX_ENTRIES

    def counts(self) -> bool:
        """Count one more entry; return whether it may be looked at, and tell where it may not."""
        self._entries += 1
        if self._entries == MAX_ENTRIES + 1:
            self._refusals.append(("", message("refused.many", most=MAX_ENTRIES)))
        return self.has_room()

    def has(self, path: str) -> bool:
        """Return whether a leaf has this path."""
        return path in self._leaves

    def add(self, leaf: Leaf) -> None:
        """Take `leaf`, in the place of one that has its path."""
        self._leaves[leaf.path] = leaf

    def refuse(self, path: str, reason: Message) -> None:
        """Take note that what is at `path` was not taken."""
        if len(self._refusals) < _MAX_REFUSALS:
            self._refusals.append((path, reason))

    def add_empty_folder(self, path: str) -> None:
        """Take note of a folder in which there is nothing."""
        self._empty_folders.append(path)

    def source(self, name: str) -> Source:
        """Return all that was found, as the source `name`."""
        return Source(
            name=name,
            leaves=tuple(leaf for _, leaf in sorted(self._leaves.items())),
            empty_folders=tuple(sorted(self._empty_folders)),
            refusals=tuple(self._refusals),
        )


def path_on_disk(name: str) -> str:
    r"""Return the path that the file `name` is meant to have; raises `SubmissionError` for none.

    An archive that was made on Windows may unpack `data\words.txt` to a file of that very name,
    and the program that was handed in asks for `words.txt` in `data`.
    """
    path = "/".join(filter(None, name.replace("\\", "/").split("/")))
    if not path:
        raise SubmissionError(message("refused.backslash", file=one_line(name)))
    return unicodedata.normalize("NFC", path)
