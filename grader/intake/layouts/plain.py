"""The layout without a platform: one folder, file or archive per student, named after the student.

This is a guess without evidence, so an archive counts as a whole class only if it cannot be the
work of one student.
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
    AttemptBuilder,
    KnownExercise,
    Layout,
    LeftOut,
    Name,
    Recognition,
    names_of,
    read_text,
)
from grader.intake.names import squeeze
from grader.intake.people import Attempt, Person
from grader.intake.rescue import TEXT_SUFFIXES
from grader.intake.sources import Source

_PROJECT_FOLDERS: Final = frozenset({"src", "source", "lib", "tests", "test", "docs", "data"})
_TEACHER_FOLDERS: Final = frozenset(
    {"solution", "solutions", "template", "reference", "example", "oplossing", "oplossingen"}
    | {"voorbeeld", "sjabloon", "modeloplossing", "solucion", "soluciones", "plantilla", "ejemplo"}
)
"""Names of folders that are probably a teacher's, but might be a student's."""
_PROJECT_FILES: Final = frozenset({"setup.py", "conftest.py", "noxfile.py"})
"""Files that show, together with a folder such as `src`, that a folder is one project."""
_VERSION: Final = re.compile(r"(?:version|versie|versi[oó]n) (\d{1,4})", re.IGNORECASE)
_MAX_READ_BYTES: Final = 256 * 1024
_MAX_READ_FILES: Final = 100


def _recognise(source: Source, known: KnownExercise) -> Recognition | None:
    """Recognise an attempt in each folder or file at the students' level of `source`.

    Return None if there is no such folder or file. Also return None if the source might be the work
    of one unknown student, unless the user selected this layout.
    """
    names = names_of(source)
    in_archive = is_archive(source.name) and not known.is_forced
    depth = _find_student_depth(names, in_archive=in_archive)
    if in_archive:
        depth = _find_inner_depth(names, depth, known)
    units: dict[str, list[Name]] = {}
    other_names: list[Name] = []
    for name in names:
        if _is_file(source) or _is_hand_in(name, depth):
            units.setdefault(name.parts[depth], []).append(name)
        else:
            other_names.append(name)
    if not units or (not known.is_forced and _may_be_one_student(source, units, depth, known)):
        return None
    non_students = () if known.is_forced else tuple(_pop_non_students(units, depth))
    return Recognition(
        layout="plain",
        evidence=_evidence_text(len(units)),
        fitting=frozenset(name.path for unit in units.values() for name in unit),
        attempts=tuple(
            attempt
            for unit in sorted(units, key=os.fsencode)
            for attempt in _build_attempts(unit, units[unit], depth, known)
        ),
        left_out=(
            *non_students,
            *(
                LeftOut(name.path, name.refusal or "the path is neither a Python file nor a folder")
                for name in other_names
            ),
        ),
        guesses=tuple(_find_guesses(units, known)),
    )


def _evidence_text(count: int) -> str:
    if count == 1:
        return "one hand-in, named after a student"
    return f"{count} hand-ins are named after students, with one folder or file each"


def _is_file(source: Source) -> bool:
    """Return whether `source` is a single file, or an archive that cannot be opened."""
    return len(source.leaves) == 1 and source.leaves[0].path == source.name


def _is_hand_in(name: Name, depth: int) -> bool:
    """Return whether `name` is, or is inside, a possible hand-in at `depth`."""
    if len(name.parts) > depth + 1:
        return True
    if len(name.parts) <= depth:
        return False
    file = name.parts[-1]
    if suffix_of(file) in HAND_INS:
        return True
    # An empty folder is a possible hand-in, and so is a folder that could not be read.
    return name.leaf is None and (name.refusal is None or name.refusal.key == "refused.unreadable")


def _find_student_depth(names: Sequence[Name], *, in_archive: bool) -> int:
    """Return how many folders contain all `names`, not counting a student's own folder.

    Archives whose names differ only in their suffix count as the work of one student.
    """
    depth = 0
    while len({name.parts[depth] for name in names}) == 1:
        parts_below = [name.parts[depth + 1 :] for name in names]
        folders = {_stem(parts[0]) for parts in parts_below if len(parts) > 1}
        files = {parts[0] for parts in parts_below if len(parts) == 1}
        is_project = any(file.lower().endswith(".py") for file in files) or (
            not _PROJECT_FOLDERS.isdisjoint(map(str.lower, folders))
        )
        if not all(parts_below) or (not in_archive and (is_project or len(folders) <= 1)):
            break
        depth += 1
    return depth


def _find_inner_depth(names: Sequence[Name], depth: int, known: KnownExercise) -> int:
    """Return the depth of the students' folders if they are all in the only folder at `depth`.

    Otherwise, return `depth`. A student's folder is recognised by a file that is named after a
    module of the exercise.
    """
    folders = {name.parts[depth] for name in names if len(name.parts) > depth + 1}
    student_folders = {name.parts[:-1] for name in names if known.has_module(_stem(name.parts[-1]))}
    depths = {len(folder) - 1 for folder in student_folders}
    if len(folders) == 1 and len(student_folders) > 1 and len(depths) == 1:
        return max(depth, *depths)
    return depth


def _may_be_one_student(
    source: Source, units: Mapping[str, Sequence[Name]], depth: int, known: KnownExercise
) -> bool:
    """Return whether `source` might be the work of one unknown student."""
    files = [unit[0] for unit in units.values() if len(unit[0].parts) == depth + 1]
    stems = {_stem(name.parts[-1]).casefold() for name in files}
    module_stems = set(filter(known.has_module, stems))
    if _is_file(source):
        return suffix_of(source.name) not in (HAND_INS | TEXT_SUFFIXES) - PACKED
    is_project = bool(_PROJECT_FOLDERS & {unit.lower() for unit in units})
    if not is_archive(source.name):
        has_project_files = is_project and bool(_PROJECT_FILES & units.keys())
        return (
            len(module_stems) > 1
            or has_project_files
            or (bool(module_stems) and _import_each_other(files))
        )
    return bool(module_stems) or is_project or len(units) == 1 or _import_each_other(files)


def _import_each_other(files: Iterable[Name]) -> bool:
    """Return whether any Python file among `files` imports another one; reads the files."""
    leaf_by_stem = {
        _stem(name.parts[-1]): name.leaf
        for name in list(files)[:_MAX_READ_FILES]
        if name.leaf is not None and name.parts[-1].lower().endswith(".py")
    }
    stems = "|".join(map(re.escape, filter(str.isidentifier, leaf_by_stem)))
    if not stems:
        return False
    import_pattern = re.compile(rf"^\s*(?:from|import)\s+({stems})\b", re.MULTILINE)
    return any(
        imported[1] != stem
        for stem, leaf in leaf_by_stem.items()
        for imported in import_pattern.finditer(read_text(leaf, _MAX_READ_BYTES) or "")
    )


def _find_guesses(units: Mapping[str, Sequence[Name]], known: KnownExercise) -> Iterable[str]:
    """Yield warnings about units that might not be named after a student."""
    for unit in units:
        if squeeze(_stem(unit)) in _TEACHER_FOLDERS:
            yield (
                f"`{unit}` is assumed to be a student's work, but may be a teacher's;"
                " if so, ignore its result"
            )
        if unit.lower().endswith(PYTHON) and known.has_module(_stem(unit)):
            yield (
                f"`{unit}` is named like the module, but is assumed to be the work of a student"
                " with that name; to check a single hand-in, use `grader check`"
            )


def _stem(name: str) -> str:
    return without_suffix(name) if suffix_of(name) in HAND_INS else name


def _pop_non_students(units: dict[str, list[Name]], depth: int) -> Iterator[LeftOut]:
    """Remove from `units` those that cannot be named after a student, and yield their paths."""
    folders = {unit for unit, names in units.items() if len(names[0].parts) > depth + 1}
    for unit in sorted(units):
        kind = "" if unit in folders else suffix_of(unit)
        if kind in DOCUMENTS and len(folders) > 1 and len(folders) == len(units) - 1:
            reason = "it is a document beside the students' folders; --layout plain includes it"
        elif kind == COMPILED and f"{_stem(unit)}{PYTHON}" in units:
            reason = "it is compiled, and its source file is beside it"
        elif unit in folders and unit.lower() in _PROJECT_FOLDERS and len(folders) > 1:
            reason = "its name is not that of a student; --layout plain includes it"
        else:
            continue
        yield from (LeftOut(name.path, reason, is_hand_in=False) for name in units.pop(unit))


def _build_attempts(
    unit: str, names: Sequence[Name], depth: int, known: KnownExercise
) -> Iterator[Attempt]:
    """Yield the attempts in `unit`: one, or from Teams, one for each folder such as `Version 2`.

    If the unit is a file that is named like a module of the exercise, its student gets no name.
    """
    is_folder = any(len(name.parts) > depth + 1 for name in names)
    stem = unit if is_folder and not is_archive(unit) else _stem(unit)
    student_name = unicodedata.normalize("NFC", stem)
    builders: dict[int | None, AttemptBuilder] = {}
    for name in names:
        parts_below = name.parts[depth + 1 :]
        version = next(filter(None, map(_VERSION.fullmatch, parts_below[:-1])), None)
        if version is not None:
            parts_below = parts_below[parts_below.index(version[0]) + 1 :]
        builder = builders.setdefault(
            None if version is None else int(version[1]), AttemptBuilder()
        )
        builder.add_file(name, "/".join(parts_below) or name.parts[-1])
    is_module_name = not is_folder and known.has_module(stem)
    person = Person(name=None if is_module_name else student_name, handle=student_name)
    versions = [number for number in builders if number is not None]
    for number, builder in builders.items():
        is_oldest = number is None and versions  # files beside the version folders are older
        yield builder.attempt(person, number=min(versions) - 1 if is_oldest else number)


PLAIN: Final = Layout(name="plain", recognise=_recognise)
