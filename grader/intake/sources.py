"""The contents of a download, archive or folder: its files by name, not yet read.

Layouts and plans use only names; when a hand-in is graded, only its own files are read.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from grader.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One file of a source."""

    path: str
    """From the root of the source, with `/`, in NFC; no part is empty, `.` or `..`."""
    size_bytes: int | None = None
    """The size according to the source; None if it is known only by reading."""
    modified: datetime | None = None
    """The time according to the source, with its time zone if known."""
    archive: str | None = None
    """The path of the innermost archive in the source that contains it."""
    read: Callable[[int], bytes] = field(repr=False, compare=False)
    """Returns the content, given the maximum size; raises `SubmissionError` if it is not a plain
    file, is damaged, or is larger than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder, archive or file that was named on the command line."""

    name: str
    """Its name, without its parent folders; hostile text."""
    leaves: tuple[Leaf, ...] = ()
    """Sorted by path, each path once."""
    archives: Mapping[str, str] = field(default_factory=dict)
    """Archives that were opened: the path of the folder with their leaves, and their own path.

    The folder has the name of the archive without suffix, `ann` for `ann.zip`, or with it if that
    name is in use. Archives that cannot be opened, or are too deep, stay leaves."""
    empty_folders: tuple[str, ...] = ()
    """Folders without files: a student who handed in nothing may have one."""
    refusals: tuple[tuple[str, Message], ...] = ()
    """Paths that were refused (links, devices, names that lead elsewhere), and why."""
    hidden: tuple[str, ...] = ()
    """Paths that were skipped because of their name but may be a student's work; each is the
    outermost skipped folder or file."""

    def paths(self) -> Iterator[str]:
        """Yield all paths, including those of empty folders and refused files."""
        yield from (leaf.path for leaf in self.leaves)
        yield from self.empty_folders
        yield from (path for path, _ in self.refusals)

    def below(self, folder: str) -> Source:
        """Return the source with all its contents moved into a new `folder`."""
        return replace(
            self,
            leaves=tuple(replace(leaf, path=f"{folder}/{leaf.path}") for leaf in self.leaves),
            archives={f"{folder}/{key}": f"{folder}/{path}" for key, path in self.archives.items()},
            empty_folders=tuple(f"{folder}/{path}" for path in self.empty_folders)
            if any(self.paths())
            else (folder,),
            refusals=tuple(
                (f"{folder}/{path}".rstrip("/"), reason) for path, reason in self.refusals
            ),
            hidden=tuple(f"{folder}/{path}" for path in self.hidden),
        )

    def joined(self, other: Source) -> Source:
        """Return the contents of both; two leaves with the same path are both kept."""
        return replace(
            self,
            leaves=(*self.leaves, *other.leaves),
            archives={**self.archives, **other.archives},
            empty_folders=tuple(dict.fromkeys((*self.empty_folders, *other.empty_folders))),
            refusals=(*self.refusals, *other.refusals),
            hidden=(*self.hidden, *other.hidden),
        )

    def without(self, paths: Container[str]) -> Source:
        """Return the source without `paths`."""
        return replace(
            self,
            leaves=tuple(leaf for leaf in self.leaves if leaf.path not in paths),
            empty_folders=tuple(path for path in self.empty_folders if path not in paths),
            refusals=tuple(each for each in self.refusals if each[0] not in paths),
            hidden=tuple(path for path in self.hidden if path not in paths),
        )
