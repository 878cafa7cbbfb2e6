"""What a download, an archive or a folder holds: its files by name, none of them read yet.

Layouts and plans are made of names; bytes are read when a hand-in is graded, and then only its own.
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
    """As the source has it; None where that is known only by reading."""
    modified: datetime | None = None
    """As the source has it, with its time zone where that is known."""
    archive: str | None = None
    """The path of the archive in the source that it lies in, the innermost if there are several."""
    read: Callable[[int], bytes] = field(repr=False, compare=False)
    """Given the most bytes to take, returns the content; raises `SubmissionError` where it is not
    a plain file, is damaged, or is larger than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One thing that was named on the command line: a folder, an archive or a file."""

    name: str
    """What it is called, without the folders that it lies in; it is a stranger's text."""
    leaves: tuple[Leaf, ...] = ()
    """In the order of their paths, each path once."""
    archives: Mapping[str, str] = field(default_factory=dict)
    """Folders that are archives: the path that leaves in it begin with, and its own path.

    The folder has the name of the archive without suffix, `ann` for `ann.zip`, or with it where
    something else has that name. What cannot be opened, or is not looked into, stays a leaf."""
    empty_folders: tuple[str, ...] = ()
    """Folders in which there is nothing: who handed in nothing may have one."""
    refusals: tuple[tuple[str, Message], ...] = ()
    """Paths of what was not taken, links and devices and names that lead elsewhere, and why."""
    hidden: tuple[str, ...] = ()
    """Paths of what may be work and is called as programs call what they leave behind, each the
    outermost folder or file of that name."""

    def paths(self) -> Iterator[str]:
        """Yield all paths, those of empty folders and of what was refused too."""
        yield from (leaf.path for leaf in self.leaves)
        yield from self.empty_folders
        yield from (path for path, _ in self.refusals)

    def below(self, folder: str) -> Source:
        """Return the source with all that is in it in a `folder`."""
        return replace(
            self,
            leaves=tuple(replace(leaf, path=f"{folder}/{leaf.path}") for leaf in self.leaves),
            archives={f"{folder}/{key}": f"{folder}/{path}" for key, path in self.archives.items()},
            empty_folders=tuple(f"{folder}/{path}" for path in self.empty_folders)
            if any(self.paths())
            else (folder,),
            refusals=tuple((f"{folder}/{path}".rstrip("/"), why) for path, why in self.refusals),
            hidden=tuple(f"{folder}/{path}" for path in self.hidden),
        )

    def joined(self, other: Source) -> Source:
        """Return what is in both; of two leaves of one path, both are there."""
        return replace(
            self,
            leaves=(*self.leaves, *other.leaves),
            archives={**self.archives, **other.archives},
            empty_folders=tuple(dict.fromkeys((*self.empty_folders, *other.empty_folders))),
            refusals=(*self.refusals, *other.refusals),
            hidden=(*self.hidden, *other.hidden),
        )

    def without(self, paths: Container[str]) -> Source:
        """Return what is left without `paths`."""
        return replace(
            self,
            leaves=tuple(leaf for leaf in self.leaves if leaf.path not in paths),
            empty_folders=tuple(path for path in self.empty_folders if path not in paths),
            refusals=tuple(each for each in self.refusals if each[0] not in paths),
            hidden=tuple(path for path in self.hidden if path not in paths),
        )
