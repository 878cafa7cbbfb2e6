"""No platform: one folder, file or archive per student, named after the student.

This is a guess, without evidence. So an archive is taken for a whole class only if it cannot be
the work of one student.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from grader.intake.kinds import (
    COMPILED,
    DOCUMENTS,
    HAND_INS,
    PACKED,
    PYTHON,
    is_archive,
    suffix_of,
    without_suffix,
)
from grader.intake.layouts.recognition import (
    Layout,
    LeftOut,
    Name,
    Pile,
    Recognition,
    Wanted,
    names_of,
    text_of,
)
from grader.intake.names import squeezed
from grader.intake.people import Attempt, Person
from grader.intake.rescue import TEXT_SUFFIXES
from grader.intake.sources import Source

_FOLDERS_OF_A_PROJECT: Final = frozenset({"src", "source", "lib", "tests", "test", "docs", "data"})
_OF_TEACHERS: Final = frozenset(
    {"solution", "solutions", "template", "reference", "example", "oplossing", "oplossingen"}
    | {"voorbeeld", "sjabloon", "modeloplossing", "solucion", "soluciones", "plantilla", "ejemplo"}
)
"""Names that a teacher's folder among those of students may have; a student's could, too."""
_FILES_OF_A_PROJECT: Final = frozenset({"setup.py", "conftest.py", "noxfile.py"})
_VERSION: Final = re.compile(r"(?:version|versie|versi[oó]n) (\d{1,4})", re.IGNORECASE)
_MAX_READ_BYTES: Final = 256 * 1024
_MAX_READ_FILES: Final = 100


def _recognise(source: Source, wanted: Wanted) -> Recognition | None:
    names = names_of(source)
    in_archive = is_archive(source.name) and not wanted.is_forced
    depth = _depth(names, in_archive=in_archive)
    if in_archive:
        depth = _inner_depth(names, depth, wanted)
    units: dict[str, list[Name]] = {}
    others: list[Name] = []
    for name in names:
        if _is_file(source) or _is_hand_in(name, depth):
            units.setdefault(name.parts[depth], []).append(name)
        else:
            others.append(name)
    if not units or (not wanted.is_forced and _is_one(source, units, depth, wanted)):
        return None
    nobody = () if wanted.is_forced else tuple(_pop_non_students(units, depth))
    return Recognition(
        layout="plain",
        evidence=_evidence(len(units)),
        fitting=frozenset(name.path for unit in units.values() for name in unit),
        attempts=tuple(
            attempt
            for unit in sorted(units, key=os.fsencode)
            for attempt in _attempts(unit, units[unit], depth, wanted)
        ),
        left_out=(
            *nobody,
            *(
                LeftOut(name.path, name.refusal or "it is neither a Python file nor a folder")
                for name in others
            ),
        ),
        guesses=tuple(_guesses(units, wanted)),
    )


def _evidence(count: int) -> str:
    if count == 1:
        return "one hand-in, named after a student"
    return f"{count} hand-ins are named after students, one folder or file for each"


def _is_file(source: Source) -> bool:
    """Return whether the source is a single file, or an archive that cannot be opened."""
    return len(source.leaves) == 1 and source.leaves[0].path == source.name


def _is_hand_in(name: Name, depth: int) -> bool:
    if len(name.parts) > depth + 1:
        return True
    if len(name.parts) <= depth:
        return False
    file = name.parts[-1]
    if suffix_of(file) in HAND_INS:
        return True
    # An empty folder, or one that could not be looked into.
    return name.leaf is None and (name.refusal is None or name.refusal.key == "refused.unreadable")


def _depth(names: Sequence[Name], *, in_archive: bool) -> int:
    """Return how many folders enclose all names, not counting a student's own folder.

    Archives with the same name but different suffixes are the work of one student.
    """
    depth = 0
    while len({name.parts[depth] for name in names}) == 1:
        below = [name.parts[depth + 1 :] for name in names]
        folders = {_stem(parts[0]) for parts in below if len(parts) > 1}
        files = {parts[0] for parts in below if len(parts) == 1}
        is_project = any(file.lower().endswith(".py") for file in files) or (
            not _FOLDERS_OF_A_PROJECT.isdisjoint(map(str.lower, folders))
        )
        if not all(below) or (not in_archive and (is_project or len(folders) <= 1)):
            break
        depth += 1
    return depth


def _inner_depth(names: Sequence[Name], depth: int, wanted: Wanted) -> int:
    """Return the depth of students' files if they are all in the only folder, else `depth`."""
    folders = {name.parts[depth] for name in names if len(name.parts) > depth + 1}
    of_students = {name.parts[:-1] for name in names if wanted.names(_stem(name.parts[-1]))}
    depths = {len(folder) - 1 for folder in of_students}
    if len(folders) == 1 and len(of_students) > 1 and len(depths) == 1:
        return max(depth, *depths)
    return depth


def _is_one(
    source: Source, units: Mapping[str, Sequence[Name]], depth: int, wanted: Wanted
) -> bool:
    """Return whether `source` may be the work of one unknown student."""
    files = [unit[0] for unit in units.values() if len(unit[0].parts) == depth + 1]
    stems = {_stem(name.parts[-1]).casefold() for name in files}
    named = set(filter(wanted.names, stems))
    if _is_file(source):
        return suffix_of(source.name) not in (HAND_INS | TEXT_SUFFIXES) - PACKED
    is_project = bool(_FOLDERS_OF_A_PROJECT & {unit.lower() for unit in units})
    if not is_archive(source.name):
        has_files = is_project and bool(_FILES_OF_A_PROJECT & units.keys())
        return len(named) > 1 or has_files or (bool(named) and _import_each_other(files))
    return bool(named) or is_project or len(units) == 1 or _import_each_other(files)


def _import_each_other(files: Iterable[Name]) -> bool:
    sources = {
        _stem(name.parts[-1]): name.leaf
        for name in list(files)[:_MAX_READ_FILES]
        if name.leaf is not None and name.parts[-1].lower().endswith(".py")
    }
    stems = "|".join(map(re.escape, filter(str.isidentifier, sources)))
    if not stems:
        return False
    form = re.compile(rf"^\s*(?:from|import)\s+(?:{stems})\b", re.MULTILINE)
    return any(form.search(text_of(leaf, _MAX_READ_BYTES) or "") for leaf in sources.values())


def _guesses(units: Mapping[str, Sequence[Name]], wanted: Wanted) -> Iterable[str]:
    for unit in units:
        if squeezed(_stem(unit)) in _OF_TEACHERS:
            yield f"`{unit}` is taken for the work of a student: it may be a teacher's"
        if unit.lower().endswith(PYTHON) and wanted.names(_stem(unit)):
            yield (
                f"`{unit}` is named like the module, and is taken for the work of a student of"
                f" that name; `grader check` is for a hand-in of one's own"
            )


def _stem(name: str) -> str:
    return without_suffix(name) if suffix_of(name) in HAND_INS else name


def _pop_non_students(units: dict[str, list[Name]], depth: int) -> Iterator[LeftOut]:
    """Remove names that no student has from `units`, if others are left; yield them."""
    folders = {unit for unit, names in units.items() if len(names[0].parts) > depth + 1}
    for unit in sorted(units):
        kind = "" if unit in folders else suffix_of(unit)
        if kind in DOCUMENTS and len(folders) > 1 and len(folders) == len(units) - 1:
            reason = "it is a document beside the folders of students; --layout plain takes it"
        elif kind == COMPILED and f"{_stem(unit)}{PYTHON}" in units:
            reason = "it is compiled, and its source lies beside it"
        elif unit in folders and unit.lower() in _FOLDERS_OF_A_PROJECT and len(folders) > 1:
            reason = "no student is called so; --layout plain takes it"
        else:
            continue
        yield from (LeftOut(name.path, reason, is_hand_in=False) for name in units.pop(unit))


def _attempts(unit: str, names: Sequence[Name], depth: int, wanted: Wanted) -> Iterator[Attempt]:
    """Yield the attempts in `unit`: Teams has a folder for each, such as `Version 2`.

    A file named like the module gives no name for its student.
    """
    is_folder = any(len(name.parts) > depth + 1 for name in names)
    stem = unit if is_folder and not is_archive(unit) else _stem(unit)
    called = unicodedata.normalize("NFC", stem)
    piles: dict[int | None, Pile] = {}
    for name in names:
        below = name.parts[depth + 1 :]
        version = next(filter(None, map(_VERSION.fullmatch, below[:-1])), None)
        if version is not None:
            below = below[below.index(version[0]) + 1 :]
        pile = piles.setdefault(None if version is None else int(version[1]), Pile())
        pile.put(name, "/".join(below) or name.parts[-1])
    is_anybody = not is_folder and wanted.names(stem)
    person = Person(name=None if is_anybody else called, handle=called)
    versions = [number for number in piles if number is not None]
    for number, pile in piles.items():
        is_beside = number is None and versions  # files beside the versions are older
        yield pile.attempt(person, number=min(versions) - 1 if is_beside else number)


PLAIN: Final = Layout(name="plain", recognise=_recognise)
