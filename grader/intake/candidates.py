"""Finds the files of a hand-in that might be a module of an exercise, and compares their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import PurePosixPath
from typing import Final, TypeAlias

from grader.intake.kinds import PYTHON, suffix_of, unusable_kind
from grader.intake.names import squeeze
from grader.intake.notebooks import convert_notebook_export
from grader.intake.rescue import imported_modules, names_in, rescue_code
from grader.intake.submission import decode_source

_STAR: Final = "*"
_MAX_STEPS: Final = 3
"""How many imports from one file to the next are followed, because these can be circular."""
# Names in parentheses can span several lines.
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
    """Equal except for case."""
    SPELLING = 2
    """Equal except for accents, spaces, dashes, the suffix, or copy marks as in `board (1).py`."""
    FAR = 3


Order: TypeAlias = tuple[tuple[bool, int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A file that contains code."""

    path: PurePosixPath
    text: str
    defined_names: frozenset[str]
    """The names that the file seems to define."""
    imported_modules: frozenset[str]
    """The modules that the file seems to import, both as written and in lower case."""
    rescue_remark: str | None = None
    """The key of the remark about how the code was found, if the file has no Python suffix."""
    ran_in_order: bool = True
    """Whether the notebook's cells were run in order."""
    reexported_names: frozenset[str] = frozenset()
    """The names that the file imports with `from`, which its own importers can use too."""

    @property
    def is_package(self) -> bool:
        """Whether the file is the `__init__.py` of a folder, so that the folder is the module."""
        return self.path.name == INIT and bool(self.path.parent.name)

    @property
    def stem(self) -> str:
        """The name of the file as a module, which is the folder's name for a package."""
        return self.path.parent.name if self.is_package else self.path.stem

    @property
    def folder(self) -> PurePosixPath:
        """The folder from which the module is imported."""
        return self.path.parent.parent if self.is_package else self.path.parent

    @property
    def depth(self) -> int:
        """The number of parts of the path."""
        return len(self.path.parts)

    @property
    def order(self) -> Order:
        """The sort key, with numbers in natural order: 10 comes after 9."""
        parts = re.split(r"(\d{1,9})", self.path.name.casefold())
        return tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)

    def nearness(self, module: str) -> Nearness:
        """Return how well the name of the file, or of its package, matches `module`."""
        return nearness(f"{self.stem}{PYTHON}" if self.is_package else self.path.name, module)

    def available_names(self, wanted: Collection[str]) -> frozenset[str]:
        """Return the `wanted` names that the file defines or imports."""
        return (self.defined_names | self.reexported_names).intersection(wanted)

    def count_available(self, wanted: Collection[str]) -> int:
        """Return how many of the `wanted` names the file defines or imports."""
        return len(self.available_names(wanted))

    def imports(self, other: Candidate) -> bool:
        """Return whether the file seems to import `other`, or a folder that contains `other`."""
        names = (*other.path.with_suffix("").parts, _without_copy_marks(other.stem))
        return not self.imported_modules.isdisjoint(map(str.casefold, names))


def _without_copy_marks(stem: str) -> str:
    """Return a file's stem without the marks of a copy, such as `(1)` or `copy of`."""
    return _COPY_SUFFIX.sub("", _COPY_PREFIX.sub("", stem))


def nearness(name: str, module: str) -> Nearness:
    """Return how well the file name `name` matches `module`."""
    exact = f"{module}{PYTHON}"
    if name == exact:
        return Nearness.EXACT
    if name.casefold() == exact.casefold():
        return Nearness.CASE
    return Nearness.SPELLING if squeeze(module) in spellings(name) else Nearness.FAR


def spellings(name: str) -> tuple[str, str]:
    """Return the squeezed stem of the file name `name`, with and without the marks of a copy."""
    stem = _SUFFIXES.sub("", name)
    return squeeze(stem), squeeze(_without_copy_marks(stem))


def find_candidates(files: Mapping[str, bytes], wanted: Collection[str]) -> list[Candidate]:
    """Return the files that contain code, those with a Python suffix first.

    Other text files and web pages count only if they define a `wanted` name. Notebooks always
    count.
    """
    return _add_reexported_names([*_iterate_candidates(files, wanted)], wanted)


def _iterate_candidates(files: Mapping[str, bytes], wanted: Collection[str]) -> Iterator[Candidate]:
    """Yield the files that `find_candidates` returns, but without their `reexported_names`."""
    other_files = []
    for name, data in sorted(files.items()):
        path = PurePosixPath(name)
        if suffix_of(name) != PYTHON:
            other_files.append((path, data))
        elif unusable_kind(name, data) is None:
            text = convert_notebook_export(decode_source(data, name).text)
            yield Candidate(
                path=path,
                text=text,
                defined_names=names_in(text),
                imported_modules=_modules_with_lower_case(text),
            )
    for path, data in other_files:
        rescued = rescue_code(path.name, data)
        if rescued is not None:
            names = names_in(rescued.text)
            if names.intersection(wanted) or rescued.is_certain:
                yield Candidate(
                    path=path,
                    text=rescued.text,
                    defined_names=names,
                    imported_modules=_modules_with_lower_case(rescued.text),
                    rescue_remark=rescued.remark,
                    ran_in_order=rescued.ran_in_order,
                )


def _modules_with_lower_case(text: str) -> frozenset[str]:
    names = imported_modules(text)
    return names.union(map(str.casefold, names))


def _add_reexported_names(files: Sequence[Candidate], wanted: Collection[str]) -> list[Candidate]:
    """Return copies of `files`, each with the `wanted` names that it imports from other files.

    Chains of such imports are followed for a few steps.
    """
    imports = {file.path: set(_from_imports(file.text, wanted)) for file in files}
    names_by_path = {file.path: set(file.defined_names.intersection(wanted)) for file in files}
    for _ in range(_MAX_STEPS):
        names_by_stem: dict[str, set[str]] = {}
        for file in files:
            for stem in {file.stem.casefold(), _without_copy_marks(file.stem).casefold()}:
                names_by_stem.setdefault(stem, set()).update(names_by_path[file.path])
        for path, wanted_imports in imports.items():
            for origin, name in wanted_imports:
                names = names_by_stem.get(origin, set())
                names_by_path[path] |= names if name == _STAR else names & {name}
    return [
        replace(file, reexported_names=frozenset(names_by_path[file.path] - file.defined_names))
        for file in files
    ]


def _from_imports(text: str, wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the `from` imports in `text` as pairs of a module and a `wanted` name or `*`.

    A dotted module is reduced to its last part, in lower case.
    """
    for origin, imported_names in _FROM_IMPORT.findall(text):
        module = origin.rpartition(".")[2].casefold()
        names = _NAME.findall(imported_names)
        yield from ((module, name) for name in names if name in wanted or name == _STAR)
