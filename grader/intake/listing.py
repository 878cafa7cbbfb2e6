"""Collects the contents of a source, each path once, and counts what is unpacked against limits."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.intake.files import hides_work, is_in_git_folder, part_before_skipped, skipped_root
from grader.intake.sources import Leaf, Source
from grader.messages import Message, message
from grader.values.foreign_text import one_line

MAX_ENTRIES: Final = 200_000
"""Limit on the files, folders and other entries in a source, including its archives."""
MAX_NESTED_ENTRIES: Final = 10_000
"""Limit for one archive in the source, which contains one hand-in or those of a class."""
MAX_UNPACKED_BYTES: Final = 2 * 1024**3
"""Limit on the bytes unpacked to list a source, including skipped files."""
MAX_KEPT_BYTES: Final = 256 * 1024**2
"""Limit on the bytes kept in memory from archives that can be read only sequentially."""
MAX_NESTED_BYTES: Final = 64 * 1024**2
"""Limit on an archive inside an archive, which is unpacked into memory to read its files."""
_MAX_REFUSALS: Final = 10_000
"""Limit on the recorded refusals and skipped paths: a hostile archive might hold nothing else."""


@dataclass(slots=True)
class ReadingBudget:
    """How much can still be read from a source; all its archives share this budget."""

    entries: int = MAX_ENTRIES
    unpacked_bytes: int = MAX_UNPACKED_BYTES
    kept_bytes: int = MAX_KEPT_BYTES
    refusals: int = _MAX_REFUSALS


class Listing:
    """The files found so far in a source, or in one of its archives."""

    def __init__(self, budget: ReadingBudget, name: str, folder: str = "") -> None:
        """Start an empty listing of the source `name`.

        If `folder` is given, `name` is an archive, whose contents become that folder of the source.
        """
        self.budget: Final = budget
        self.name: Final = name
        self.folder: Final = folder
        self._max_entries: Final = MAX_NESTED_ENTRIES if folder else MAX_ENTRIES
        self._entries_left = self._max_entries
        self.leaves: Final[dict[str, Leaf]] = {}
        self.archives: Final[dict[str, str]] = {}
        self._folders: Final[set[str]] = set()
        self._refusals: Final[list[tuple[str, Message]]] = []
        self._hidden: Final[dict[str, None]] = {}

    @property
    def archive(self) -> str | None:
        """The path of the listed archive, None if the source itself is listed."""
        return self.name if self.folder else None

    def path(self, name: str) -> str:
        """Return the path within the source of the listed `name`."""
        return "/".join(filter(None, (self.folder, name)))

    def count_entry(self) -> bool:
        """Count one more entry; if a limit is exceeded, record a refusal and return False."""
        self.budget.entries -= 1
        self._entries_left -= 1
        is_allowed = min(self.budget.entries, self._entries_left) >= 0
        if not is_allowed:
            self.refuse(self.folder, message("refused.many", most=self._max_entries))
        return is_allowed

    def add(self, leaf: Leaf, *, replaces: bool) -> None:
        """Add `leaf`; if its path is in use, record a refusal and keep one of the two leaves.

        If `replaces`, the new leaf is kept, because unpacking an archive would overwrite the
        earlier file. Otherwise, the earlier leaf is kept.
        """
        if leaf.path in self.leaves:
            self.refuse(leaf.path, message("refused.twice", file=one_line(leaf.path)))
        if replaces or leaf.path not in self.leaves:
            self.leaves[leaf.path] = leaf

    def add_folder(self, path: str) -> None:
        """Record the folder at `path`, which might turn out to be empty, unless it is in `.git`."""
        if path and not is_in_git_folder(path):
            self._folders.add(path)

    def skip(self, name: str) -> None:
        """Skip a file because of its `name`, but record it if it might be a student's work.

        The folder before the skipped part of the name is recorded too.
        """
        self.add_folder(self.path(part_before_skipped(name)))
        if hides_work(name):
            self.record_hidden(skipped_root(name))

    def record_hidden(self, name: str) -> None:
        """Record that `name` is skipped but might be a student's work, unless `name` is empty.

        Above a limit, nothing more is recorded.
        """
        if name and len(self._hidden) < _MAX_REFUSALS:
            self._hidden[self.path(name)] = None

    def refuse(self, path: str, reason: Message) -> None:
        """Record that the file at `path` was refused, unless the budget for refusals is spent."""
        if self.budget.refusals > 0:
            self.budget.refusals -= 1
            self._refusals.append((path, reason))

    def replace_archive(self, archive: Leaf, inner: Listing) -> None:
        """Replace `archive` with its contents, which are listed in `inner`.

        If all of them were refused, `archive` is kept as a leaf, so that its student is found, and
        the refusals are recorded for its path.
        """
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
        """Return all paths found so far, including refused ones."""
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
            hidden_paths=tuple(self._hidden),
        )


class _Paths:
    """Paths, sorted so that the paths below a folder are adjacent."""

    def __init__(self, files: Collection[str], folders: Iterable[str]) -> None:
        """Sort `files`, and the `folders` that are not among them."""
        self._folders: Final = sorted(set(folders).difference(files))
        self._files: Final = sorted(files)

    def is_folder(self, path: str) -> bool:
        """Return whether `path` is a recorded folder, or has another path below it."""
        index = bisect_left(self._folders, path)
        return self._folders[index : index + 1] == [path] or self._has_paths_below(path)

    def empty_folders(self) -> Iterator[str]:
        """Yield the folders without anything below them."""
        return (path for path in self._folders if not self._has_paths_below(path))

    def _has_paths_below(self, path: str) -> bool:
        """Return whether any path is below the folder `path`."""
        start = f"{path}/"
        for paths in (self._files, self._folders):
            index = bisect_left(paths, start)
            if index < len(paths) and paths[index].startswith(start):
                return True
        return False
