"""The contents of a download, archive or folder: its files with their names, not yet read.

Layouts and plans use only names. When a hand-in is graded, only its own files are read.
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
    """The path relative to the source, with `/`, in NFC; no part is empty, `.` or `..`."""
    size_bytes: int | None = None
    """The size that the source declares; None if only reading the file reveals it."""
    modified: datetime | None = None
    """The modification time that the source declares, with its time zone if known."""
    archive: str | None = None
    """The path of the innermost archive in the source that contains the file."""
    read: Callable[[int], bytes] = field(repr=False, compare=False)
    """Returns the content, given a maximum size; raises `SubmissionError` if the file is larger,
    damaged, or not a regular file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder, archive or file that was named on the command line."""

    name: str
    """The name without its parent folders; hostile text."""
    leaves: tuple[Leaf, ...] = ()
    """Sorted by path, each path once."""
    archives: Mapping[str, str] = field(default_factory=dict)
    """The paths of the archives that were opened, keyed by the folder that contains their leaves.

    The folder is named after the archive without its suffix (`ann` for `ann.zip`), or with it if
    that name is in use. Archives that cannot be opened, or are nested too deeply, stay leaves."""
    empty_folders: tuple[str, ...] = ()
    """Folders without files: a student who handed in nothing can still have a folder."""
    refusals: tuple[tuple[str, Message], ...] = ()
    """Paths that were refused (links, devices, names that escape the source), with the reason."""
    hidden_paths: tuple[str, ...] = ()
    """Paths that were skipped because of their name but might be a student's work. Each is the
    outermost skipped folder or file."""

    def paths(self) -> Iterator[str]:
        """Yield all paths, including those of empty folders and refused files."""
        yield from (leaf.path for leaf in self.leaves)
        yield from self.empty_folders
        yield from (path for path, _ in self.refusals)

    def move_into(self, folder: str) -> Source:
        """Return a copy of the source with all its contents moved into a new `folder`.

        If there are no contents, the folder itself is an empty folder of the copy.
        """
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
            hidden_paths=tuple(f"{folder}/{path}" for path in self.hidden_paths),
        )

    def merge_with(self, other: Source) -> Source:
        """Return a source with the contents of this one and `other`, under the name of this one.

        Leaves with equal paths are both kept.
        """
        return replace(
            self,
            leaves=(*self.leaves, *other.leaves),
            archives={**self.archives, **other.archives},
            empty_folders=tuple(dict.fromkeys((*self.empty_folders, *other.empty_folders))),
            refusals=(*self.refusals, *other.refusals),
            hidden_paths=(*self.hidden_paths, *other.hidden_paths),
        )

    def without(self, paths: Container[str]) -> Source:
        """Return a copy of the source that does not mention `paths`, except among its archives."""
        return replace(
            self,
            leaves=tuple(leaf for leaf in self.leaves if leaf.path not in paths),
            empty_folders=tuple(path for path in self.empty_folders if path not in paths),
            refusals=tuple(refusal for refusal in self.refusals if refusal[0] not in paths),
            hidden_paths=tuple(path for path in self.hidden_paths if path not in paths),
        )
