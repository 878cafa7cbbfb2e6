"""The files of a hand-in that may be a module of an exercise, and how well their names match."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from grader.intake.kinds import PYTHON, suffix_of, unusable_kind
from grader.intake.names import squeezed
from grader.intake.notebooks import exported
from grader.intake.rescue import imported_in, names_in, rescued
from grader.intake.submission import decode_source

_STAR: Final = "*"
_MAX_STEPS: Final = 3
# Names in parentheses may be on several lines.
_FROM_IMPORT: Final = re.compile(
    r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^()]*\)|[^\n#]*)", re.MULTILINE
)
_NAME: Final = re.compile(r"\w+|[*]")
INIT: Final = f"__init__{PYTHON}"
_SUFFIXES: Final = re.compile(r"([.](py\w?|txt|text|ipynb|html?|bak))+$", re.IGNORECASE)
_COPY_PREFIX: Final = re.compile(
    r"^(copy of|copy|kopie van|kopie|copia de|copia)[\s_-]+", re.IGNORECASE
)
_COPY_SUFFIX: Final = re.compile(
    r"[\s_-]*[(]\d+[)]$|[\s_-]+(v?\d+|copy|kopie|copia|final|finaal|definitief|def)$",
    re.IGNORECASE,
)


class Nearness(IntEnum):
    """How well the name of a file matches that of a module."""

    EXACT = 0
    CASE = 1
    """The same except for case."""
    SPELLING = 2
    """The same except for accents, spaces, dashes, suffix, or marks of a copy: `board (1).py`."""
    FAR = 3


Order: TypeAlias = tuple[tuple[bool, int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file with code in it."""

    path: PurePosixPath
    text: str
    names: frozenset[str]
    """The names that it seems to define."""
    imported: frozenset[str]
    """The modules that it seems to import, each also in lower case."""
    rescue: str | None = None
    """The key of a remark if the file is not named like Python."""
    in_order: bool = True
    """Whether the cells of a notebook were run in their order."""
    given: frozenset[str] = frozenset()
    """The names that it imports from other files with `from`, for its own importers to use too."""

    @property
    def is_package(self) -> bool:
        """Whether it is the `__init__` of a folder, which then counts as the module."""
        return self.path.name == INIT and bool(self.path.parent.name)

    @property
    def stem(self) -> str:
        """Its name as a module."""
        return self.path.parent.name if self.is_package else self.path.stem

    @property
    def folder(self) -> PurePosixPath:
        """The folder from which it is imported."""
        return self.path.parent.parent if self.is_package else self.path.parent

    @property
    def depth(self) -> int:
        """The number of parts of its path."""
        return len(self.path.parts)

    @property
    def order(self) -> Order:
        """Its sort key, with numbers in natural order: 10 comes after 9."""
        parts = re.split(r"(\d{1,9})", self.path.name.casefold())
        return tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)

    def nearness(self, module: str) -> Nearness:
        """Return how well its name matches that of `module`."""
        return nearness(f"{self.stem}{PYTHON}" if self.is_package else self.path.name, module)

    def found(self, wanted: Collection[str]) -> frozenset[str]:
        """Return the `wanted` names that it defines or imports."""
        return (self.names | self.given).intersection(wanted)

    def defined(self, wanted: Collection[str]) -> int:
        """Return how many of the `wanted` names it defines or imports."""
        return len(self.found(wanted))

    def imports(self, other: Candidate) -> bool:
        """Return whether it seems to import `other`, or the package of `other`."""
        names = (*other.path.with_suffix("").parts, _without_copy_marks(other.stem))
        return not self.imported.isdisjoint(map(str.casefold, names))


def _without_copy_marks(stem: str) -> str:
    """Return the name of a file without the marks of a copy."""
    return _COPY_SUFFIX.sub("", _COPY_PREFIX.sub("", stem))


def nearness(name: str, module: str) -> Nearness:
    """Return how well the `name` of a file matches that of `module`."""
    exact = f"{module}{PYTHON}"
    if name == exact:
        return Nearness.EXACT
    if name.casefold() == exact.casefold():
        return Nearness.CASE
    return Nearness.SPELLING if squeezed(module) in spellings(name) else Nearness.FAR


def spellings(name: str) -> tuple[str, str]:
    """Return the stem of a file's `name`, squeezed, with and without the marks of a copy."""
    stem = _SUFFIXES.sub("", name)
    return squeezed(stem), squeezed(_without_copy_marks(stem))


def candidates(files: Mapping[str, bytes], wanted: Collection[str]) -> list[Candidate]:
    """Return the files with code, those named like Python first.

    Other text counts as code if it defines a `wanted` name; a notebook always does.
    """
    return _with_imported_names([*_candidates(files, wanted)], wanted)


def _candidates(files: Mapping[str, bytes], wanted: Collection[str]) -> Iterator[Candidate]:
    """Yield the files with code, those named like Python first."""
    others = []
    for name, data in sorted(files.items()):
        path = PurePosixPath(name)
        if suffix_of(name) != PYTHON:
            others.append((path, data))
        elif unusable_kind(name, data) is None:
            text = exported(decode_source(data, name).text)
            yield Candidate(
                path=path, text=text, names=names_in(text), imported=_imported_modules(text)
            )
    for path, data in others:
        found = rescued(path.name, data)
        if found is not None:
            names = names_in(found.text)
            if names.intersection(wanted) or found.is_certain:
                yield Candidate(
                    path=path,
                    text=found.text,
                    names=names,
                    imported=_imported_modules(found.text),
                    rescue=found.remark,
                    in_order=found.in_order,
                )


def _imported_modules(text: str) -> frozenset[str]:
    names = imported_in(text)
    return names.union(map(str.casefold, names))


def _with_imported_names(files: Sequence[Candidate], wanted: Collection[str]) -> list[Candidate]:
    """Return the `files` files, each with the `wanted` names that it imports from others of them.

    Chains of such imports are followed for a few steps.
    """
    imports = {each.path: set(_from_imports(each.text, wanted)) for each in files}
    names_by_path = {each.path: set(each.names.intersection(wanted)) for each in files}
    for _ in range(_MAX_STEPS):
        names_by_stem: dict[str, set[str]] = {}
        for each in files:
            for stem in {each.stem.casefold(), _without_copy_marks(each.stem).casefold()}:
                names_by_stem.setdefault(stem, set()).update(names_by_path[each.path])
        for path, wanted_imports in imports.items():
            for origin, name in wanted_imports:
                names = names_by_stem.get(origin, set())
                names_by_path[path] |= names if name == _STAR else names & {name}
    return [replace(each, given=frozenset(names_by_path[each.path] - each.names)) for each in files]


def _from_imports(text: str, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the `from` imports in `text`, as (module, name or star)."""
    for origin, listed in _FROM_IMPORT.findall(text):
        module = origin.rpartition(".")[2].casefold()
        names = _NAME.findall(listed)
        yield from ((module, name) for name in names if name in wanted or name == _STAR)
