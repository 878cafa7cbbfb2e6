"""Finds the files of the modules that an exercise is handed in as: all in one folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.messages import Message, message
from grader.values.display import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionModules:
    """Where the modules lie, as far as they are there."""

    folder: PurePosixPath
    files: Mapping[str, str]
    """The file of each module that was found, by the name of the module."""
    imported_by: Mapping[str, str]
    """The name under which each module that was found can be imported."""
    remarks: tuple[Message, ...]


def find_modules(
    sources: Mapping[str, bytes], modules: Sequence[str], defines: tuple[str, ...], *, alone: bool
) -> SubmissionModules:
    """Return the files among `sources` that are `modules`.

    A single one may have any name, which is worth a remark unless its file was handed in `alone`:
    with several files and none of its name, the one that defines a name of `defines` is taken.
    """
    if len(modules) == 1:
        return _single(sources, modules[0], defines, alone=alone)
    return _several(sources, modules)


def _single(
    sources: Mapping[str, bytes], module: str, defines: tuple[str, ...], *, alone: bool
) -> SubmissionModules:
    file = _main(sources, f"{module}.py", defines)
    if file is None:
        return SubmissionModules(folder=PurePosixPath(), files={}, imported_by={}, remarks=())
    path = PurePosixPath(file)
    remarks: tuple[Message, ...] = ()
    if path.name != f"{module}.py" and not alone:
        remarks = (message("remark.file_name", file=one_line(file), module=f"{module}.py"),)
    return SubmissionModules(
        folder=path.parent, files={module: file}, imported_by={module: module}, remarks=remarks
    )


def _main(sources: Mapping[str, bytes], exact: str, defines: tuple[str, ...]) -> str | None:
    """Return the name of the file that holds the exercise, None when that is not clear."""
    by_depth = sorted(
        sources, key=lambda name: (name.count("/"), PurePosixPath(name).name != exact, name)
    )
    wanted = exact.casefold()
    named = [name for name in by_depth if PurePosixPath(name).name.casefold() == wanted]
    if named:
        return named[0]
    if len(by_depth) == 1:
        return by_depth[0]
    names = (re.escape(name.rpartition(".")[2].encode()) for name in defines)
    pattern = re.compile(rb"^(?:class|def)\s+(?:" + b"|".join(names) + rb")\b", re.MULTILINE)
    defining = [name for name in by_depth if defines and pattern.search(sources[name])]
    return defining[0] if len(defining) == 1 else None


def _several(sources: Iterable[str], modules: Sequence[str]) -> SubmissionModules:
    """Return the files of several modules, all of the same folder.

    Two copies are never mixed: the folder with most of the modules is taken, the least deep of
    several. A name that differs by case will do where none is exact.
    """
    wanted = {f"{name}.py".casefold(): name for name in modules}
    by_folder: dict[PurePosixPath, dict[str, str]] = {}
    for source in sorted(sources):
        path = PurePosixPath(source)
        name = wanted.get(path.name.casefold())
        if name is not None:
            files = by_folder.setdefault(path.parent, {})
            if name not in files or path.name == f"{name}.py":
                files[name] = source
    folder = min(
        by_folder,
        key=lambda each: (-len(by_folder[each]), len(each.parts), each.as_posix()),
        default=PurePosixPath(),
    )
    files = by_folder.pop(folder, {})
    ordered = {name: files[name] for name in modules if name in files}
    left_out = [file for others in by_folder.values() for file in others.values()]
    remarks = (*_misnamed(ordered), *_elsewhere(left_out, folder))
    return SubmissionModules(
        folder=folder,
        files=ordered,
        imported_by={module: PurePosixPath(file).stem for module, file in ordered.items()},
        remarks=remarks,
    )


def _misnamed(files: Mapping[str, str]) -> Iterable[Message]:
    for module, file in files.items():
        if PurePosixPath(file).stem != module:
            yield message("remark.module_name", file=one_line(file), module=f"{module}.py")


def _elsewhere(files: list[str], folder: PurePosixPath) -> Iterable[Message]:
    if files:
        named = ", ".join(one_line(file, 60) for file in sorted(files)[:5])
        yield message("remark.other_folder", files=named, folder=one_line(folder.as_posix()))
