"""Finds the modules of an exercise among the files of a hand-in, whatever their names.

A wrong name costs no points: if no file has the right name, a file is chosen by a similar name, or
by what it defines. A remark tells the student so, and which files were left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from grader.intake.candidates import Candidate, Nearness, candidates
from grader.intake.kinds import PYTHON
from grader.messages import Message, message
from grader.values.foreign_text import one_line

_MAX_LISTED: Final = 5
_MAX_VERSIONS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The modules of an exercise that were found, all in one folder."""

    folder: PurePosixPath = field(default_factory=PurePosixPath)
    files: Mapping[str, Candidate] = field(default_factory=dict)
    """The file of each module that was found, by the name of the module."""
    imported_by: Mapping[str, str] = field(default_factory=dict)
    """The name under which each module that was found can be imported."""
    inside: Mapping[str, str] = field(default_factory=dict)
    """Modules without a file, each with the module whose file defines their names."""
    remarks: tuple[Message, ...] = ()


def find_modules(
    files: Mapping[str, bytes], modules: Sequence[str], defines: Iterable[str], *, may_differ: bool
) -> Found:
    """Find `modules` in `files`, by file name and by the names that they should define.

    `defines` has these names, dotted with their module. If `may_differ`, a wrong name of the only
    file gets no remark, as when it is named after its student.
    """
    if len(modules) == 1:
        wanted = {name.rpartition(".")[2] for name in defines}
        found = candidates(files, wanted)
        return _found_single(found, modules[0], wanted, may_differ=may_differ and len(files) == 1)
    by_module: dict[str, set[str]] = {module: set() for module in modules}
    for dotted in defines:
        module, _, name = dotted.rpartition(".")
        by_module.setdefault(module, set()).add(name)
    wanted = set().union(*by_module.values())
    return _found_several(candidates(files, wanted), by_module)


# One module


def _found_single(
    found: Sequence[Candidate], module: str, wanted: Collection[str], *, may_differ: bool
) -> Found:
    """Return the file of the only `module`, with remarks on its name and on other files."""
    main = _main_file(found, module, wanted)
    if main is None:
        return Found()
    remarks = []
    if main.rescue is not None or (main.nearness(module) and not may_differ):
        remarks.append(_name_remark(main, module))
    remarks += _cell_order_remarks([main])
    elsewhere = _elsewhere_remarks(main, found, wanted)
    remarks += elsewhere or _other_versions(main, found, wanted)
    is_meant = main.is_package and main.stem in main.imported and module not in main.imported
    return Found(
        folder=main.folder,
        files={module: main},
        imported_by={module: main.stem if is_meant and main.stem.isidentifier() else module},
        remarks=tuple(remarks),
    )


def _main_file(
    found: Sequence[Candidate], module: str, wanted: Collection[str]
) -> Candidate | None:
    """Return the file with the exercise, None if that is unclear.

    A file with the right name is chosen, unless it defines none of the `wanted` names but another
    file does. Files not named like Python come last.
    """
    named_python = [each for each in found if each.rescue is None]
    code = [each for each in found if each.rescue in {None, "remark.notebook"}]
    best = _best_defining(code, module, wanted) or _best_defining(found, module, wanted)
    named = [each for each in named_python if each.nearness(module) <= Nearness.CASE]
    if named:
        first = min(
            named,
            key=lambda each: (
                each.depth,
                each.nearness(module),
                -each.defined(wanted),
                each.is_package,
                each.path,
            ),
        )
        if best is None or first.defined(wanted) or first.imports(best):
            return first
    if best is not None:
        return best
    near = [each for each in found if each.nearness(module) <= Nearness.SPELLING]
    for files in (near, named_python, found):
        if len(files) == 1:
            return files[0]
    return None


def _best_defining(
    found: Iterable[Candidate], module: str, wanted: Collection[str]
) -> Candidate | None:
    """Return the file that defines most of the `wanted` names, None if none defines any.

    Ties go to the outermost file, then the best matching name, then the highest number. Return
    None if no name matches and there are more than two versions, from several students.
    """
    defining = [each for each in found if each.defined(wanted)]
    best = max(
        defining,
        key=lambda each: (
            each.defined(wanted),
            each.rescue is None,
            len(each.names.intersection(wanted)),
            -each.depth,
            -each.nearness(module),
            each.order,
        ),
        default=None,
    )
    if best is None or best.nearness(module) < Nearness.FAR:
        return best
    most = best.defined(wanted)
    versions = {each.text for each in defining if len(each.names.intersection(wanted)) == most}
    return best if len(versions) <= _MAX_VERSIONS else None


def _elsewhere_remarks(
    chosen: Candidate, found: Iterable[Candidate], wanted: Collection[str]
) -> list[Message]:
    """Return a remark on files that define `wanted` names missing in the `chosen` one, if any."""
    missing = {*wanted} - chosen.found(wanted)
    others = [each for each in found if each.names & missing and not chosen.imports(each)]
    if not others:
        return []
    names = missing.intersection(frozenset[str]().union(*(each.names for each in others)))
    parameters = {"file": one_line(str(chosen.path)), "files": _file_list(others)}
    return [message("remark.elsewhere", **parameters, names=", ".join(sorted(names)[:_MAX_LISTED]))]


def _other_versions(
    chosen: Candidate, found: Iterable[Candidate], wanted: Collection[str]
) -> Iterable[Message]:
    """Yield a remark on other versions of the `chosen` file, if any."""
    others = [
        each
        for each in found
        if each.rescue == chosen.rescue
        and each.text != chosen.text
        and 2 * len(each.names.intersection(wanted)) >= max(1, chosen.defined(wanted))
        and not chosen.imports(each)
    ]
    if others:
        shown = _file_list(others)
        yield message("remark.other_files", file=one_line(str(chosen.path)), files=shown)


def _file_list(found: Iterable[Candidate]) -> str:
    names = sorted(one_line(str(each.path), 60) for each in found)
    more = f" (+{len(names) - _MAX_LISTED})" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more


def _cell_order_remarks(chosen: Iterable[Candidate]) -> Iterator[Message]:
    for each in chosen:
        if not each.in_order:
            yield message("remark.cell_order", file=one_line(str(each.path)))


def _name_remark(chosen: Candidate, module: str) -> Message:
    key = chosen.rescue or "remark.file_name"
    return message(key, file=one_line(str(chosen.path)), module=f"{module}{PYTHON}")


# Several modules


class _Fit(NamedTuple):
    """How well a file fits a module; a smaller tuple is better."""

    is_guess: bool
    """Whether only the names that it defines match."""
    defines_none: bool
    nearness: Nearness
    is_rescued: bool
    missing: int
    path: PurePosixPath
    module: str


def _found_several(found: Sequence[Candidate], wanted: Mapping[str, Collection[str]]) -> Found:
    """Return the files of several modules, all from the same folder.

    Copies are never mixed: the folder with most of the modules is chosen, counting matching names
    first; ties go to the least deep folder.
    """
    by_folder: dict[PurePosixPath, list[Candidate]] = {}
    for each in found:
        by_folder.setdefault(each.folder, []).append(each)
    fits = {folder: _best_files(inside, wanted) for folder, inside in by_folder.items()}

    def badness(folder: PurePosixPath) -> tuple[int, int, int, str]:
        named = sum(each.nearness(module) < Nearness.FAR for module, each in fits[folder].items())
        # The path comes last, so that no two are equal.
        return -named, -len(fits[folder]), len(folder.parts), folder.as_posix()

    folder = min(fits, key=badness, default=PurePosixPath())
    files = fits.pop(folder, {})
    inside = {
        module: home
        for module in wanted
        for home, each in files.items()
        if module not in files and each.defined(wanted[module])
    }
    remarks = [
        message("remark.module_name", file=one_line(str(each.path)), module=f"{module}{PYTHON}")
        if each.nearness(module) is Nearness.CASE
        else _name_remark(each, module)
        for module, each in files.items()
        if each.nearness(module)
    ]
    remarks += _cell_order_remarks(files.values())
    named = {each.path for each in files.values()}
    others = [each for each in by_folder.get(folder, ()) if each.path not in named]
    for module, each in files.items():
        near = [other for other in others if other.nearness(module) < Nearness.FAR]
        elsewhere = _elsewhere_remarks(each, others, wanted[module])
        remarks += elsewhere or _other_versions(each, near, wanted[module])
    outside = [
        each
        for files_by_module in fits.values()
        for module, each in files_by_module.items()
        if files and each.nearness(module) < Nearness.FAR
        if not any(importer.imports(each) for importer in files.values())
    ]
    if outside:
        shown = one_line(folder.as_posix())
        remarks.append(message("remark.other_folder", files=_file_list(outside), folder=shown))
    imported = frozenset().union(*(each.imported for each in found))
    imported_by = {module: _import_name(module, each, imported) for module, each in files.items()}
    remarks += [_name_remark(files[home], module) for module, home in inside.items()]
    imported_by |= {module: module for module in inside}
    return Found(
        folder=folder, files=files, imported_by=imported_by, inside=inside, remarks=tuple(remarks)
    )


def _best_files(
    inside: Sequence[Candidate], wanted: Mapping[str, Collection[str]]
) -> dict[str, Candidate]:
    """Return the best file of one folder for each module, each file once."""
    by_path = {each.path: each for each in inside}
    files: dict[str, Candidate] = {}
    used: set[PurePosixPath] = set()
    for fit in sorted(_fit(each, module, wanted[module]) for each in inside for module in wanted):
        is_likely = not (fit.is_guess and fit.defines_none)
        if is_likely and fit.module not in files and fit.path not in used:
            files[fit.module] = by_path[fit.path]
            used.add(fit.path)
    return {module: files[module] for module in wanted if module in files}


def _fit(each: Candidate, module: str, wanted: Collection[str]) -> _Fit:
    nearness = each.nearness(module)
    return _Fit(
        is_guess=nearness is Nearness.FAR,
        defines_none=each.names.isdisjoint(wanted),
        nearness=nearness,
        is_rescued=each.rescue is not None,
        missing=len(wanted) - each.defined(wanted),
        path=each.path,
        module=module,
    )


def _import_name(module: str, file: Candidate, imported: Collection[str]) -> str:
    """Return the name by which to import `module`: its file's name, if the other files use that."""
    stem = file.stem
    is_meant = stem in imported and module not in imported
    uses_stem = is_meant or file.nearness(module) is Nearness.CASE
    return stem if uses_stem and stem.isidentifier() else module
