"""Finds the modules of an exercise among the files of a hand-in, whatever their names.

A wrong name costs no points: if no file has the right name, a file is chosen by a similar name, or
by what it defines. Remarks inform the student of the choice and of the files left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.candidates import Candidate, Nearness, find_candidates
from grader.intake.kinds import PYTHON
from grader.messages import Message, message
from grader.values.foreign_text import one_line

_MAX_LISTED: Final = 5
_MAX_VERSIONS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModules:
    """The modules of an exercise that were found in a hand-in, all in one folder."""

    folder: PurePosixPath = field(default_factory=PurePosixPath)
    files: Mapping[str, Candidate] = field(default_factory=dict)
    """The files that were found, keyed by module name."""
    imported_by: Mapping[str, str] = field(default_factory=dict)
    """The names under which the modules can be imported, keyed by module name."""
    defining_modules: Mapping[str, str] = field(default_factory=dict)
    """For each module without a file of its own, the module whose file defines its names."""
    remarks: tuple[Message, ...] = ()


def find_modules(
    files: Mapping[str, bytes],
    modules: Sequence[str],
    defines: Iterable[str],
    *,
    is_named_after_student: bool,
) -> FoundModules:
    """Find `modules` in `files` by file name, and by the names that they should define.

    `defines` lists these names, each prefixed with its module. If `is_named_after_student`, there
    is no remark on a wrong name of the only file, because the student did not choose it.
    """
    if len(modules) == 1:
        wanted = {name.rpartition(".")[2] for name in defines}
        files_with_code = find_candidates(files, wanted)
        may_have_other_name = is_named_after_student and len(files) == 1
        return _find_single(
            files_with_code, modules[0], wanted, may_have_other_name=may_have_other_name
        )
    wanted_by_module: dict[str, set[str]] = {module: set() for module in modules}
    for dotted_name in defines:
        module, _, name = dotted_name.rpartition(".")
        wanted_by_module.setdefault(module, set()).add(name)
    wanted = set().union(*wanted_by_module.values())
    return _find_several(find_candidates(files, wanted), wanted_by_module)


# One module


def _find_single(
    candidates: Sequence[Candidate],
    module: str,
    wanted: Collection[str],
    *,
    may_have_other_name: bool,
) -> FoundModules:
    """Return the file of the only `module`, if any, with remarks on its name and on other files.

    If `may_have_other_name`, there is no remark on a Python file whose name is wrong.
    """
    chosen = _choose_main_file(candidates, module, wanted)
    if chosen is None:
        return FoundModules()
    remarks = []
    if chosen.rescue_remark is not None or (chosen.nearness(module) and not may_have_other_name):
        remarks.append(_name_remark(chosen, module))
    remarks += _cell_order_remarks([chosen])
    elsewhere = _elsewhere_remarks(chosen, candidates, wanted)
    remarks += elsewhere or _other_version_remarks(chosen, candidates, wanted)
    # A package that imports itself by its own name works under no other name.
    imports_own_stem = (
        chosen.is_package
        and chosen.stem in chosen.imported_modules
        and module not in chosen.imported_modules
    )
    keeps_stem = imports_own_stem and chosen.stem.isidentifier()
    return FoundModules(
        folder=chosen.folder,
        files={module: chosen},
        imported_by={module: chosen.stem if keeps_stem else module},
        remarks=tuple(remarks),
    )


def _choose_main_file(
    candidates: Sequence[Candidate], module: str, wanted: Collection[str]
) -> Candidate | None:
    """Return the file with the exercise, or None if the choice is unclear.

    A file with the right name is chosen, unless it has none of the `wanted` names, and another file
    that it does not import has some. Files without a Python suffix come last.
    """
    named_python = [file for file in candidates if file.rescue_remark is None]
    code = [file for file in candidates if file.rescue_remark in {None, "remark.notebook"}]
    best = _best_defining(code, module, wanted) or _best_defining(candidates, module, wanted)
    well_named = [file for file in named_python if file.nearness(module) <= Nearness.CASE]
    if well_named:
        best_named = min(
            well_named,
            key=lambda file: (
                file.depth,
                file.nearness(module),
                -file.count_available(wanted),
                file.is_package,
                file.path,
            ),
        )
        if best is None or best_named.count_available(wanted) or best_named.imports(best):
            return best_named
    if best is not None:
        return best
    # The defined names decide nothing, so a file is chosen by its name, or if it is the only one.
    similarly_named = [file for file in candidates if file.nearness(module) <= Nearness.SPELLING]
    for files in (similarly_named, named_python, candidates):
        if len(files) == 1:
            return files[0]
    return None


def _best_defining(
    candidates: Iterable[Candidate], module: str, wanted: Collection[str]
) -> Candidate | None:
    """Return the file with the most `wanted` names, or None if no file has any.

    Names that a file imports count too. Ties go to a file with a Python suffix, then to the one
    that imports the fewest of the names, then to the outermost file, the best matching file name,
    and the highest number in the file name. Also returns None if the name of that file does not
    match and more than two different files define as many names as it does: they are probably from
    several students.
    """
    defining = [file for file in candidates if file.count_available(wanted)]
    best = max(
        defining,
        key=lambda file: (
            file.count_available(wanted),
            file.rescue_remark is None,
            len(file.defined_names.intersection(wanted)),
            -file.depth,
            -file.nearness(module),
            file.order,
        ),
        default=None,
    )
    if best is None or best.nearness(module) < Nearness.FAR:
        return best
    most = best.count_available(wanted)
    versions = {
        file.text for file in defining if len(file.defined_names.intersection(wanted)) == most
    }
    return best if len(versions) <= _MAX_VERSIONS else None


def _elsewhere_remarks(
    chosen: Candidate, candidates: Iterable[Candidate], wanted: Collection[str]
) -> list[Message]:
    """Return a remark if other files define `wanted` names that `chosen` neither has nor imports.

    The list is empty if there are no such files.
    """
    missing = {*wanted} - chosen.available_names(wanted)
    elsewhere = [
        file for file in candidates if file.defined_names & missing and not chosen.imports(file)
    ]
    if not elsewhere:
        return []
    names = missing.intersection(
        frozenset[str]().union(*(file.defined_names for file in elsewhere))
    )
    parameters = {"file": one_line(str(chosen.path)), "files": _file_list(elsewhere)}
    return [message("remark.elsewhere", **parameters, names=", ".join(sorted(names)[:_MAX_LISTED]))]


def _other_version_remarks(
    chosen: Candidate, candidates: Iterable[Candidate], wanted: Collection[str]
) -> Iterable[Message]:
    """Yield a remark if `candidates` contains other versions of the `chosen` file."""
    versions = [
        file
        for file in candidates
        if file.rescue_remark == chosen.rescue_remark
        and file.text != chosen.text
        # With half of the names, a file looks like an older or unfinished version.
        and 2 * len(file.defined_names.intersection(wanted))
        >= max(1, chosen.count_available(wanted))
        and not chosen.imports(file)
    ]
    if versions:
        listed = _file_list(versions)
        yield message("remark.other_files", file=one_line(str(chosen.path)), files=listed)


def _file_list(files: Iterable[Candidate]) -> str:
    names = sorted(one_line(str(file.path), 60) for file in files)
    more = f" (+{len(names) - _MAX_LISTED})" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more


def _cell_order_remarks(files: Iterable[Candidate]) -> Iterator[Message]:
    for file in files:
        if not file.ran_in_order:
            yield message("remark.cell_order", file=one_line(str(file.path)))


def _name_remark(chosen: Candidate, module: str) -> Message:
    key = chosen.rescue_remark or "remark.file_name"
    return message(key, file=one_line(str(chosen.path)), module=f"{module}{PYTHON}")


# Several modules


class _Fit(NamedTuple):
    """How well a file fits a module; a smaller tuple is better."""

    is_guess: bool
    """Whether only the defined names match, and the file name does not."""
    defines_none: bool
    nearness: Nearness
    is_rescued: bool
    missing_count: int
    path: PurePosixPath
    module: str


def _find_several(
    candidates: Sequence[Candidate], wanted_by_module: Mapping[str, Collection[str]]
) -> FoundModules:
    """Find the files of several modules, all in the same folder, so that copies are never mixed.

    The folder with the most files named after a module is chosen, or if there are several, the one
    in which the most modules are found. Further ties go to the shallowest folder.
    """
    by_folder: dict[PurePosixPath, list[Candidate]] = {}
    for file in candidates:
        by_folder.setdefault(file.folder, []).append(file)
    best_files_by_folder = {
        folder: _best_files(inner, wanted_by_module) for folder, inner in by_folder.items()
    }

    def badness(folder: PurePosixPath) -> tuple[int, int, int, str]:
        well_named_count = sum(
            file.nearness(module) < Nearness.FAR
            for module, file in best_files_by_folder[folder].items()
        )
        # The path comes last, so that no two folders are equal.
        return (
            -well_named_count,
            -len(best_files_by_folder[folder]),
            len(folder.parts),
            folder.as_posix(),
        )

    folder = min(best_files_by_folder, key=badness, default=PurePosixPath())
    files = best_files_by_folder.pop(folder, {})
    defining_modules = {
        module: defining_module
        for module, wanted in wanted_by_module.items()
        for defining_module, file in files.items()
        if module not in files and file.count_available(wanted)
    }
    imported = frozenset().union(*(file.imported_modules for file in candidates))
    imported_by = {module: _import_name(module, file, imported) for module, file in files.items()}
    remarks = [
        *_module_name_remarks(files),
        *_cell_order_remarks(files.values()),
        *_unused_file_remarks(files, by_folder.get(folder, ()), wanted_by_module),
        *_other_folder_remarks(folder, files, best_files_by_folder.values()),
        *(_name_remark(files[definer], module) for module, definer in defining_modules.items()),
    ]
    return FoundModules(
        folder=folder,
        files=files,
        imported_by={**imported_by, **{module: module for module in defining_modules}},
        defining_modules=defining_modules,
        remarks=tuple(remarks),
    )


def _module_name_remarks(files: Mapping[str, Candidate]) -> Iterator[Message]:
    """Yield a remark on each file whose name is not exact; `files` are keyed by module."""
    for module, file in files.items():
        if file.nearness(module) is Nearness.CASE:
            file_name, module_file = one_line(str(file.path)), f"{module}{PYTHON}"
            yield message("remark.module_name", file=file_name, module=module_file)
        elif file.nearness(module):
            yield _name_remark(file, module)


def _unused_file_remarks(
    files: Mapping[str, Candidate],
    candidates: Iterable[Candidate],
    wanted_by_module: Mapping[str, Collection[str]],
) -> Iterator[Message]:
    """Yield remarks on `candidates` that are not used, but were perhaps meant to be.

    `files` are the ones that are used, keyed by module.
    """
    used_paths = {file.path for file in files.values()}
    unused = [file for file in candidates if file.path not in used_paths]
    for module, file in files.items():
        similar = [candidate for candidate in unused if candidate.nearness(module) < Nearness.FAR]
        elsewhere = _elsewhere_remarks(file, unused, wanted_by_module[module])
        yield from elsewhere or _other_version_remarks(file, similar, wanted_by_module[module])


def _other_folder_remarks(
    folder: PurePosixPath,
    files: Mapping[str, Candidate],
    other_folders: Iterable[Mapping[str, Candidate]],
) -> Iterator[Message]:
    """Yield a remark if `other_folders` contain files named after a module.

    A file is not mentioned if one of the `files` chosen in `folder` imports it. There is no remark
    if nothing was chosen.
    """
    outside_files = [
        file
        for files_by_module in other_folders
        for module, file in files_by_module.items()
        if files and file.nearness(module) < Nearness.FAR
        if not any(importer.imports(file) for importer in files.values())
    ]
    if outside_files:
        listed = _file_list(outside_files)
        yield message("remark.other_folder", files=listed, folder=one_line(folder.as_posix()))


def _best_files(
    candidates: Sequence[Candidate], wanted_by_module: Mapping[str, Collection[str]]
) -> dict[str, Candidate]:
    """Return the best file for each module that some file fits, using each file only once."""
    by_path = {file.path: file for file in candidates}
    files: dict[str, Candidate] = {}
    used: set[PurePosixPath] = set()
    for fit in sorted(
        _fit(file, module, wanted)
        for file in candidates
        for module, wanted in wanted_by_module.items()
    ):
        is_likely = not (fit.is_guess and fit.defines_none)
        if is_likely and fit.module not in files and fit.path not in used:
            files[fit.module] = by_path[fit.path]
            used.add(fit.path)
    return {module: files[module] for module in wanted_by_module if module in files}


def _fit(file: Candidate, module: str, wanted: Collection[str]) -> _Fit:
    """Return how well `file` fits `module`, which should define the `wanted` names."""
    nearness = file.nearness(module)
    return _Fit(
        is_guess=nearness is Nearness.FAR,
        defines_none=file.defined_names.isdisjoint(wanted),
        nearness=nearness,
        is_rescued=file.rescue_remark is not None,
        missing_count=len(wanted) - file.count_available(wanted),
        path=file.path,
        module=module,
    )


def _import_name(module: str, file: Candidate, imported: Collection[str]) -> str:
    """Return the name under which to import `module`.

    This is the name of the module's file if other files import that name instead of `module`, or
    if the two names differ only in case. Otherwise, it is `module`.
    """
    stem = file.stem
    is_only_name = stem in imported and module not in imported
    uses_stem = is_only_name or file.nearness(module) is Nearness.CASE
    return stem if uses_stem and stem.isidentifier() else module
