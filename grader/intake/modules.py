"""Finds the modules of an exercise among what was handed in, whatever the files are called.

A wrong name costs nobody points: where the right one is missing, a file is taken for what its name
comes near to, or for what it defines. Its student is told, and so is what was left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import PurePosixPath
from typing import Final, NamedTuple, TypeAlias

from grader.intake.kinds import PYTHON, suffix_of, unusable_kind
from grader.intake.names import squeezed
from grader.intake.notebooks import exported
from grader.intake.rescue import imported_in, names_in, rescued
from grader.intake.submission import decode_source
from grader.messages import Message, message
from grader.values.foreign_text import one_line

# The files of a hand-in that may be a module of an exercise, and how near each comes to it.


_SUFFIXES: Final = re.compile(r"([.](py\w?|txt|text|ipynb|html?|bak))+$", re.IGNORECASE)
_BEFORE: Final = re.compile(r"^(copy of|copy|kopie van|kopie|copia de|copia)[\s_-]+", re.IGNORECASE)
_BEHIND: Final = re.compile(
    r"[\s_-]*[(]\d+[)]$|[\s_-]+(v?\d+|copy|kopie|copia|final|finaal|definitief|def)$",
    re.IGNORECASE,
)


class _Nearness(IntEnum):
    """How near the name of a file comes to that of a module."""

    EXACT = 0
    CASE = 1
    """But for capitals."""
    SPELLING = 2
    """But for accents, spaces and dashes, the suffix, or what marks a copy: `board (1).py`."""
    FAR = 3


Order: TypeAlias = tuple[tuple[bool, int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A file with code in it."""

    path: PurePosixPath
    text: str
    names: frozenset[str]
    """What it seems to define."""
    imported: frozenset[str]
    """The modules that it seems to import."""
    rescue: str | None = None
    """What to remark where the file is not named as Python."""
    in_order: bool = True
    """Whether the cells of a notebook were run in the order in which they stand."""

    @property
    def depth(self) -> int:
        """How many folders it lies in."""
        return len(self.path.parts)

    @property
    def order(self) -> Order:
        """Its place in a list of files as people number them: 10 comes after 9."""
        parts = re.split(r"(\d{1,9})", self.path.name.casefold())
        return tuple((part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts)

    def nearness(self, module: str) -> _Nearness:
        """Return how near its name comes to that of `module`."""
        name, exact = self.path.name, f"{module}{PYTHON}"
        if name == exact:
            return _Nearness.EXACT
        if name.casefold() == exact.casefold():
            return _Nearness.CASE
        stem = _SUFFIXES.sub("", name)
        bare = _BEHIND.sub("", _BEFORE.sub("", stem))
        return (
            _Nearness.SPELLING if squeezed(module) in map(squeezed, (stem, bare)) else _Nearness.FAR
        )

    def defined(self, wanted: Collection[str]) -> int:
        """Return how many of the names that are `wanted` it defines."""
        return len(self.names.intersection(wanted))

    def imports(self, other: _Candidate) -> bool:
        """Return whether it seems to import `other`, or the package that this one lies in."""
        return not self.imported.isdisjoint(other.path.with_suffix("").parts)


def candidates(files: Mapping[str, bytes], wanted: Collection[str]) -> Iterator[_Candidate]:
    """Yield the files with code, those first that are named as Python.

    Other text is code when it defines a name that is `wanted`; a notebook is code anyway.
    """
    others = []
    for name, data in sorted(files.items()):
        path = PurePosixPath(name)
        if suffix_of(name) != PYTHON:
            others.append((path, data))
        elif unusable_kind(name, data) is None:
            text = exported(decode_source(data, name).text)
            imported = imported_in(text)
            yield _Candidate(path=path, text=text, names=names_in(text), imported=imported)
    for path, data in others:
        found = rescued(path.name, data)
        if found is not None:
            names, imported = names_in(found.text), imported_in(found.text)
            if names.intersection(wanted) or found.is_certain:
                yield _Candidate(
                    path=path,
                    text=found.text,
                    names=names,
                    imported=imported,
                    rescue=found.remark,
                    in_order=found.in_order,
                )


_MOST_NAMED: Final = 5
_MOST_VERSIONS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Where the modules of an exercise lie, as far as they are there: all in one folder."""

    folder: PurePosixPath = field(default_factory=PurePosixPath)
    files: Mapping[str, _Candidate] = field(default_factory=dict)
    """The file of each module that was found, by the name of the module."""
    imported_by: Mapping[str, str] = field(default_factory=dict)
    """The name under which each module that was found can be imported."""
    remarks: tuple[Message, ...] = ()


def find_modules(
    files: Mapping[str, bytes], modules: Sequence[str], defines: Iterable[str], *, may_differ: bool
) -> Found:
    """Return where `modules` are in `files`, by their names and by those that they define.

    The names that are asked for, `defines`, say of which of several modules each is. The only file
    `may_differ` in its name where it is called after its student.
    """
    if len(modules) == 1:
        wanted = {name.rpartition(".")[2] for name in defines}
        found = list(candidates(files, wanted))
        return _single(found, modules[0], wanted, may_differ=may_differ and len(files) == 1)
    by_module: dict[str, set[str]] = {module: set() for module in modules}
    for dotted in defines:
        module, _, name = dotted.rpartition(".")
        by_module.setdefault(module, set()).add(name)
    return _several(list(candidates(files, set().union(*by_module.values()))), by_module)


# One module


def _single(
    found: Sequence[_Candidate], module: str, wanted: Collection[str], *, may_differ: bool
) -> Found:
    main = _main(found, module, wanted)
    if main is None:
        return Found()
    remarks = []
    if main.rescue is not None or (main.nearness(module) and not may_differ):
        remarks.append(_remark(main, module))
    remarks += _out_of_order([main])
    remarks += _left_out(main, found, wanted)
    return Found(
        folder=main.path.parent,
        files={module: main},
        imported_by={module: module},
        remarks=tuple(remarks),
    )


def _main(found: Sequence[_Candidate], module: str, wanted: Collection[str]) -> _Candidate | None:
    """Return the file that holds the exercise, None when that is not clear.

    Who names a file as asked means it, unless nothing in it is what is asked and another file has
    it. What is not even named as Python comes last.
    """
    own = [each for each in found if each.rescue is None]
    best = _best(own, module, wanted) or _best(found, module, wanted)
    named = [each for each in own if each.nearness(module) <= _Nearness.CASE]
    if named:
        first = min(named, key=lambda each: (each.depth, each.nearness(module), each.path))
        if best is None or first.defined(wanted) or first.imports(best):
            return first
    if best is not None:
        return best
    near = [each for each in found if each.nearness(module) <= _Nearness.SPELLING]
    for few in (near, own, found):
        if len(few) == 1:
            return few[0]
    return None


def _best(found: Iterable[_Candidate], module: str, wanted: Collection[str]) -> _Candidate | None:
    """Return the file that defines most of what is `wanted`, None if none defines any.

    Of several it is the outermost, the one whose name is nearest, the one that is numbered last.
    Where no name is near, and there are more than two versions, they are those of several students.
    """
    defining = [each for each in found if each.defined(wanted)]
    best = max(
        defining,
        key=lambda each: (each.defined(wanted), -each.depth, -each.nearness(module), each.order),
        default=None,
    )
    if best is None or best.nearness(module) < _Nearness.FAR:
        return best
    versions = {each.text for each in defining if each.defined(wanted) == best.defined(wanted)}
    return best if len(versions) <= _MOST_VERSIONS else None


def _left_out(
    taken: _Candidate, found: Iterable[_Candidate], wanted: Collection[str]
) -> Iterable[Message]:
    """Yield what to say of other versions of the file that was `taken`."""
    others = [
        each
        for each in found
        if each.rescue == taken.rescue
        and each.text != taken.text
        and 2 * each.defined(wanted) >= max(1, taken.defined(wanted))
        and not taken.imports(each)
    ]
    if others:
        shown = _shown(others)
        yield message("remark.other_files", file=one_line(str(taken.path)), files=shown)


def _shown(found: Iterable[_Candidate]) -> str:
    names = sorted(one_line(str(each.path), 60) for each in found)
    more = f" (+{len(names) - _MOST_NAMED})" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def _out_of_order(taken: Iterable[_Candidate]) -> Iterator[Message]:
    for each in taken:
        if not each.in_order:
            yield message("remark.cell_order", file=one_line(str(each.path)))


def _remark(taken: _Candidate, module: str) -> Message:
    key = taken.rescue or "remark.file_name"
    return message(key, file=one_line(str(taken.path)), module=f"{module}{PYTHON}")


# Several modules


class _Fit(NamedTuple):
    """How well a file may be a module: the lowest is best."""

    is_guess: bool
    """Only what it defines says so."""
    defines_none: bool
    nearness: _Nearness
    is_rescued: bool
    missing: int
    path: PurePosixPath
    module: str


def _several(found: Sequence[_Candidate], wanted: Mapping[str, Collection[str]]) -> Found:
    """Return the files of several modules, all of the same folder.

    Two copies are never mixed: the folder with most of the modules is taken, by their names first,
    and the least deep of several.
    """
    by_folder: dict[PurePosixPath, list[_Candidate]] = {}
    for each in found:
        by_folder.setdefault(each.path.parent, []).append(each)
    fits = {folder: _fitting(inside, wanted) for folder, inside in by_folder.items()}

    def badness(folder: PurePosixPath) -> tuple[int, int, int, str]:
        named = sum(each.nearness(module) < _Nearness.FAR for module, each in fits[folder].items())
        return -named, -len(fits[folder]), len(folder.parts), folder.as_posix()

    folder = min(fits, key=badness, default=PurePosixPath())
    files = fits.pop(folder, {})
    remarks = [
        message("remark.module_name", file=one_line(str(each.path)), module=f"{module}{PYTHON}")
        if each.nearness(module) is _Nearness.CASE
        else _remark(each, module)
        for module, each in files.items()
        if each.nearness(module)
    ]
    remarks += _out_of_order(files.values())
    named = {each.path for each in files.values()}
    others = [each for each in by_folder.get(folder, ()) if each.path not in named]
    for module, each in files.items():
        near = [other for other in others if other.nearness(module) < _Nearness.FAR]
        remarks += _left_out(each, near, wanted[module])
    elsewhere = [
        each
        for fit in fits.values()
        for module, each in fit.items()
        if files and each.nearness(module) < _Nearness.FAR
    ]
    if elsewhere:
        shown = one_line(folder.as_posix())
        remarks.append(message("remark.other_folder", files=_shown(elsewhere), folder=shown))
    imported = frozenset().union(*(each.imported for each in found))
    imported_by = {module: _imported_by(module, each, imported) for module, each in files.items()}
    return Found(folder=folder, files=files, imported_by=imported_by, remarks=tuple(remarks))


def _fitting(
    inside: Sequence[_Candidate], wanted: Mapping[str, Collection[str]]
) -> dict[str, _Candidate]:
    """Return the files of one folder that are modules, each file once."""
    by_path = {each.path: each for each in inside}
    files: dict[str, _Candidate] = {}
    used: set[PurePosixPath] = set()
    for fit in sorted(_fit(each, module, wanted[module]) for each in inside for module in wanted):
        is_likely = not (fit.is_guess and fit.defines_none)
        if is_likely and fit.module not in files and fit.path not in used:
            files[fit.module] = by_path[fit.path]
            used.add(fit.path)
    return {module: files[module] for module in wanted if module in files}


def _fit(each: _Candidate, module: str, wanted: Collection[str]) -> _Fit:
    nearness = each.nearness(module)
    return _Fit(
        is_guess=nearness is _Nearness.FAR,
        defines_none=not each.defined(wanted),
        nearness=nearness,
        is_rescued=each.rescue is not None,
        missing=len(wanted) - each.defined(wanted),
        path=each.path,
        module=module,
    )


def _imported_by(module: str, file: _Candidate, imported: Collection[str]) -> str:
    """Return what `module` is imported by: the name of its file, where the others mean that."""
    stem = file.path.stem
    is_meant = stem in imported and module not in imported
    is_it = is_meant or file.nearness(module) is _Nearness.CASE
    return stem if is_it and stem.isidentifier() else module
