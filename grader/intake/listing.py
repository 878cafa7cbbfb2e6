"""Gathers what a source holds, each path once and all of it within bounds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.intake.files import around_passed_over, before_passed_over, hides_work, is_of_git
from grader.intake.sources import Leaf, Source
from grader.messages import Message, message
from grader.values.foreign_text import one_line

MAX_ENTRIES: Final = 200_000
"""Files, folders and all else that is looked at in one source, archives in it included."""
MAX_NESTED_ENTRIES: Final = 10_000
"""Of these, in one archive that lies in the source: it is one hand-in, or those of a class."""
MAX_UNPACKED_BYTES: Final = 2 * 1024**3
"""What is unpacked to see what a source holds; what is skipped counts too."""
MAX_KEPT_BYTES: Final = 256 * 1024**2
"""What is held in memory of archives that can only be read from one end to the other."""
MAX_NESTED_BYTES: Final = 64 * 1024**2
"""An archive in an archive is unpacked into memory, whenever something in it is read."""
_MAX_REFUSALS: Final = 10_000


@dataclass(slots=True)
class Room:
    """How much of a source may yet be looked at, whatever archives are in it."""

    entries: int = MAX_ENTRIES
    unpacked_bytes: int = MAX_UNPACKED_BYTES
    kept_bytes: int = MAX_KEPT_BYTES
    refusals: int = _MAX_REFUSALS


class Listing:
    """What was found so far below one folder of a source, or in one archive."""

    def __init__(self, room: Room, name: str, folder: str = "") -> None:
        """Begin with what is called `name`, below the `folder` of the source, empty for all."""
        self.room: Final = room
        self.name: Final = name
        self.folder: Final = folder
        self._most: Final = MAX_NESTED_ENTRIES if folder else MAX_ENTRIES
        self._left = self._most
        self.leaves: Final[dict[str, Leaf]] = {}
        self.archives: Final[dict[str, str]] = {}
        self._folders: Final[set[str]] = set()
        self._refusals: Final[list[tuple[str, Message]]] = []
        self._hidden: Final[dict[str, None]] = {}

    @property
    def archive(self) -> str | None:
        """The archive that is listed, if it is one in the source."""
        return self.name if self.folder else None

    def path(self, name: str) -> str:
        """Return the path in the source of what is called `name` here."""
        return "/".join(filter(None, (self.folder, name)))

    def counts(self) -> bool:
        """Count one more entry; return whether it may be looked at, and tell where it may not."""
        self.room.entries -= 1
        self._left -= 1
        may_be = min(self.room.entries, self._left) >= 0
        if not may_be:
            self.refuse(self.folder, message("refused.many", most=self._most))
        return may_be

    def add(self, leaf: Leaf, *, replaces: bool) -> None:
        """Take `leaf`; where its path is taken, one of the two is told as left out.

        In an archive the later one `replaces` the other, as it does when it is unpacked.
        """
        if leaf.path in self.leaves:
            self.refuse(leaf.path, message("refused.twice", file=one_line(leaf.path)))
        if replaces or leaf.path not in self.leaves:
            self.leaves[leaf.path] = leaf

    def add_folder(self, path: str) -> None:
        """Take note of a folder, in which there may be nothing."""
        if path and not is_of_git(path):
            self._folders.add(path)

    def pass_over(self, name: str) -> None:
        """Take note of what has the `name` of what is left behind, where it may be work."""
        self.add_folder(self.path(before_passed_over(name)))
        if hides_work(name):
            self.hide(around_passed_over(name))

    def hide(self, name: str) -> None:
        """Take note that there may be work in what is called `name`, and is not looked into."""
        if name and len(self._hidden) < _MAX_REFUSALS:
            self._hidden[self.path(name)] = None

    def refuse(self, path: str, reason: Message) -> None:
        """Take note that what is at `path` was not taken."""
        if self.room.refusals > 0:
            self.room.refusals -= 1
            self._refusals.append((path, reason))

    def open(self, archive: Leaf, inner: Listing) -> None:
        """Take what was found in `archive`; it stays a leaf where that is nothing but trouble."""
        if inner._refusals and not inner.leaves:
            self._refusals.extend((archive.path, reason) for _, reason in inner._refusals)
            return
        self._refusals.extend(inner._refusals)
        self._hidden.update(inner._hidden)
        del self.leaves[archive.path]
        self.leaves.update(inner.leaves)
        self.archives.update({inner.folder: archive.path}, **inner.archives)
        self._folders.update({inner.folder}, inner._folders)

    def paths(self) -> _Paths:
        """Return all paths that are known by now."""
        refused = (path for path, _ in self._refusals)
        return _Paths([*self.leaves, *refused], self._folders)

    def source(self) -> Source:
        """Return all that was found."""
        return Source(
            name=self.name,
            leaves=tuple(leaf for _, leaf in sorted(self.leaves.items())),
            archives=self.archives,
            empty_folders=tuple(self.paths().empty_folders()),
            refusals=tuple(self._refusals),
            hidden=tuple(self._hidden),
        )


class _Paths:
    """Paths in their order, so that what lies below a folder stands together."""

    def __init__(self, files: Collection[str], folders: Iterable[str]) -> None:
        """Order `files`, and the `folders` that are none of them."""
        self._folders: Final = sorted(set(folders).difference(files))
        self._files: Final = sorted(files)

    def is_folder(self, path: str) -> bool:
        """Return whether `path` is a folder, or something has a path below it."""
        place = bisect_left(self._folders, path)
        return self._folders[place : place + 1] == [path] or self._has_below(path)

    def empty_folders(self) -> Iterator[str]:
        """Yield the folders in which there is nothing."""
        return (path for path in self._folders if not self._has_below(path))

    def _has_below(self, path: str) -> bool:
        start = f"{path}/"
        for paths in (self._files, self._folders):
            place = bisect_left(paths, start)
            if place < len(paths) and paths[place].startswith(start):
                return True
        return False
