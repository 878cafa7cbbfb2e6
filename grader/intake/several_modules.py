"""Finds the files of an exercise that is handed in as several modules, all in one folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.display import one_line
from grader.messages import Message, message


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Where the modules lie, as far as they are there."""

    folder: PurePosixPath
    files: Mapping[str, str]
    """The file of each module that was found, by the name of the module."""
    remarks: tuple[Message, ...]


def find_modules(sources: Iterable[str], modules: Sequence[str]) -> Found:
    """Return the files among `sources` that are `modules`, all of the same folder.

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
    return Found(folder=folder, files=ordered, remarks=remarks)


def _misnamed(files: Mapping[str, str]) -> Iterable[Message]:
    for module, file in files.items():
        if PurePosixPath(file).stem != module:
            yield message("remark.module_name", file=one_line(file), module=f"{module}.py")


def _elsewhere(files: list[str], folder: PurePosixPath) -> Iterable[Message]:
    if files:
        named = ", ".join(one_line(file, 60) for file in sorted(files)[:5])
        yield message("remark.other_folder", files=named, folder=one_line(folder.as_posix()))
