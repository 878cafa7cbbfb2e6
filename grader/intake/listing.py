"""Collects the contents of a source, each path once, within limits."""

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
"""Limit on files, folders and other entries in one source, including archives in it."""
MAX_NESTED_ENTRIES: Final = 10_000
"""Limit for one archive in the source, which is one hand-in, or those of a class."""
MAX_UNPACKED_BYTES: Final = 2 * 1024**3
"""Limit on unpacking to list a source, including files that are skipped."""
MAX_KEPT_BYTES: Final = 256 * 1024**2
"""Limit on files kept in memory from archives that can be read only once, from the start."""
MAX_NESTED_BYTES: Final = 64 * 1024**2
"""Limit on an archive in an archive, which is unpacked into memory to read anything in it."""
_MAX_REFUSALS: Final = 10_000


@dataclass(slots=True)
class Room:
    """How much more of a source may be read, shared by all archives in it."""

    entries: int = MAX_ENTRIES
    unpacked_bytes: int = MAX_UNPACKED_BYTES
    kept_bytes: int = MAX_KEPT_BYTES
    refusals: int = _MAX_REFUSALS


class Listing:
    """The files found so far in a source, or in one archive of it."""

    def __init__(self, room: Room, name: str, folder: str = "") -> None:
        """List the source or archive `name`; `folder` is its place in the source, empty for all."""
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
        """The path of the archive that is listed, if it is one in the source."""
        return self.name if self.folder else None

    def path(self, name: str) -> str:
        """Return the path in the source for `name` in here."""
        return "/".join(filter(None, (self.folder, name)))

    def counts(self) -> bool:
        """Count one more entry; return False, and record a refusal, if it is one too many."""
        self.room.entries -= 1
        self._left -= 1
        may_be = min(self.room.entries, self._left) >= 0
        if not may_be:
            self.refuse(self.folder, message("refused.many", most=self._most))
        return may_be

    def add(self, leaf: Leaf, *, replaces: bool) -> None:
        """Add `leaf`; if its path is taken, one of the two is refused.

        In an archive the later one `replaces` the earlier one, as in unpacking.
        """
        if leaf.path in self.leaves:
            self.refuse(leaf.path, message("refused.twice", file=one_line(leaf.path)))
        if replaces or leaf.path not in self.leaves:
            self.leaves[leaf.path] = leaf

    def add_folder(self, path: str) -> None:
        """Record a folder, which may be empty."""
        if path and not is_of_git(path):
            self._folders.add(path)

    def pass_over(self, name: str) -> None:
        """Skip a file for its `name`, but record it if it may be a student's work."""
        self.add_folder(self.path(before_passed_over(name)))
        if hides_work(name):
            self.hide(around_passed_over(name))

    def hide(self, name: str) -> None:
        """Record that `name` is skipped and may be a student's work."""
        if name and len(self._hidden) < _MAX_REFUSALS:
            self._hidden[self.path(name)] = None

    def refuse(self, path: str, reason: Message) -> None:
        """Record that the file at `path` was refused."""
        if self.room.refusals > 0:
            self.room.refusals -= 1
            self._refusals.append((path, reason))

    def open(self, archive: Leaf, inner: Listing) -> None:
        """Replace `archive` by its contents; it stays a leaf if these are only refusals."""
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
        """Return all paths found so far."""
        refused = (path for path, _ in self._refusals)
        return _Paths([*self.leaves, *refused], self._folders)

    def source(self) -> Source:
        """Return the finished source."""
        return Source(
            name=self.name,
            leaves=tuple(leaf for _, leaf in sorted(self.leaves.items())),
            archives=self.archives,
            empty_folders=tuple(self.paths().empty_folders()),
            refusals=tuple(self._refusals),
            hidden=tuple(self._hidden),
        )


class _Paths:
    """Sorted paths, so that those below a folder are adjacent."""

    def __init__(self, files: Collection[str], folders: Iterable[str]) -> None:
        """Sort `files`, and those `folders` that are not among them."""
        self._folders: Final = sorted(set(folders).difference(files))
        self._files: Final = sorted(files)

    def is_folder(self, path: str) -> bool:
        """Return whether `path` is a folder, or there is a path below it."""
        place = bisect_left(self._folders, path)
        return self._folders[place : place + 1] == [path] or self._has_below(path)

    def empty_folders(self) -> Iterator[str]:
        """Yield the folders without anything in them."""
        return (path for path in self._folders if not self._has_below(path))

    def _has_below(self, path: str) -> bool:
        start = f"{path}/"
        for paths in (self._files, self._folders):
            place = bisect_left(paths, start)
            if place < len(paths) and paths[place].startswith(start):
                return True
        return False
