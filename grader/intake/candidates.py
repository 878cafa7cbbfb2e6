"""The files of a hand-in that may be a module of an exercise, and how near each comes to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from grader.intake.names import squeezed
from grader.intake.rescue import imported_in, names_in, rescued
from grader.intake.submission import decode_source
from grader.intake.suffixes import PYTHON, suffix_of
from grader.intake.unusable import unusable_kind

_SUFFIXES: Final = re.compile(r"([.](py\w?|txt|text|ipynb|html?|bak))+$", re.IGNORECASE)
_BEFORE: Final = re.compile(r"^(copy of|copy|kopie van|kopie|copia de|copia)[\s_-]+", re.IGNORECASE)
_BEHIND: Final = re.compile(
    r"[\s_-]*[(]\d+[)]$|[\s_-]+(v?\d+|copy|kopie|copia|final|finaal|definitief|def)$",
    re.IGNORECASE,
)


class Nearness(IntEnum):
    """How near the name of a file comes to that of a module."""

    EXACT = 0
    CASE = 1
    """But for capitals."""
    SPELLING = 2
    """But for accents, spaces and dashes, the suffix, or what marks a copy: `board (1).py`."""
    FAR = 3


Order: TypeAlias = tuple[tuple[bool, int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file with code in it."""

    path: PurePosixPath
    text: str
    names: frozenset[str]
    """What it seems to define."""
    imported: frozenset[str]
    """The modules that it seems to import."""
    rescue: str | None = None
    """What to remark where the file is not named as Python."""

    @property
    def depth(self) -> int:
        """How many folders it lies in."""
        return len(self.path.parts)

    @property
    def order(self) -> Order:
        """Its place in a list of files as people number them: 10 comes after 9."""
        parts = re.split(r"(\d{1,9})", self.path.name.casefold())
        return tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)

    def nearness(self, module: str) -> Nearness:
        """Return how near its name comes to that of `module`."""
        name, exact = self.path.name, f"{module}{PYTHON}"
        if name == exact:
            return Nearness.EXACT
        if name.casefold() == exact.casefold():
            return Nearness.CASE
        stem = _SUFFIXES.sub("", name)
        bare = _BEHIND.sub("", _BEFORE.sub("", stem))
        return (
            Nearness.SPELLING if squeezed(module) in map(squeezed, (stem, bare)) else Nearness.FAR
        )

    def defined(self, wanted: Collection[str]) -> int:
        """Return how many of the names that are `wanted` it defines."""
        return len(self.names.intersection(wanted))

    def imports(self, other: Candidate) -> bool:
        """Return whether it seems to import `other`, or the package that this one lies in."""
        return not self.imported.isdisjoint(other.path.with_suffix("").parts)


def candidates(files: Mapping[str, bytes], wanted: Collection[str]) -> Iterator[Candidate]:
    """Yield the files with code, those first that are named as Python.

    Other text is code when it defines a name that is `wanted`; a notebook is code anyway.
    """
    others = []
    for name, data in sorted(files.items()):
        path = PurePosixPath(name)
        if suffix_of(name) != PYTHON:
            others.append((path, data))
        elif unusable_kind(name, data) is None:
            text = decode_source(data, name).text
            imported = imported_in(text)
            yield Candidate(path=path, text=text, names=names_in(text), imported=imported)
    for path, data in others:
        found = rescued(path.name, data)
        if found is not None:
            names, imported = names_in(found.text), imported_in(found.text)
            if names.intersection(wanted) or found.is_certain:
                yield Candidate(
                    path=path,
                    text=found.text,
                    names=names,
                    imported=imported,
                    rescue=found.remark,
                )
