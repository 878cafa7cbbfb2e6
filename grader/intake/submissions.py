"""Finds the submissions in a folder, and reads each into a `Submission`.

A folder of hand-ins has one Python file or one folder per student. Everything that looks like a
hand-in becomes a submission, also when nothing in it can be run: then it has an obstacle, which
its student reads in plain words.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from grader.display import one_line, plain
from grader.errors import NothingToGrade, UsageError
from grader.intake.files import Refused, ignored, read_file, read_folder
from grader.intake.several_modules import Found, find_modules
from grader.intake.source_text import decode_source
from grader.messages import Message, message
from grader.submission import SourceFile, Submission

_MAX_STUDENT_CHARS: Final = 120
_SUFFIX: Final = ".py"
_OTHER_SUFFIXES: Final = frozenset(
    {".7z", ".doc", ".docx", ".gz", ".ipynb", ".odt", ".pdf", ".rar", ".rtf", ".tar", ".zip"}
)
"""What students hand in instead of a Python file; they are told, rather than passed over."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where one student's work lies; nothing of it has been read yet."""

    student: str
    path: Path
    remarks: tuple[Message, ...] = ()


def discover(folder: Path) -> list[Entry]:
    """Return the entries of a file or a folder of hand-ins, in the order of their names.

    Raises `UsageError` when `folder` does not exist, and `NothingToGrade` when it holds no
    hand-in.
    """
    if not os.path.lexists(folder):
        raise UsageError(
            f"no such file or folder: {one_line(str(folder))}",
            help="name the folder that holds one file or one folder per student",
        )
    if not os.path.isdir(folder):  # unlike `Path.is_dir`, it never raises
        return [Entry(_student(folder), folder)]
    try:
        children = sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name))
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(folder))}: {error.strerror}") from error
    entries = [Entry(_student(path), path) for path in children if _is_hand_in(path)]
    if not entries:
        raise NothingToGrade(
            f"nothing to grade in {one_line(str(folder))}: no Python file and no folder",
            help="a hand-in is a .py file or a folder with .py files, one per student",
        )
    return list(distinct(entries))


def single_entry(path: Path) -> Entry:
    """Return the one submission at `path`, a file or a folder.

    Raises `UsageError` when there is no such path, and `NothingToGrade` for a folder without
    Python files.
    """
    if not os.path.isdir(path):
        (entry,) = discover(path)
        return entry
    files, refusals = read_folder(path)
    # What was refused may be the Python file; its student is told why.
    if not refusals and not any(name.lower().endswith(_SUFFIX) for name in files):
        raise NothingToGrade(f"no Python file in {one_line(str(path))}")
    return Entry(_student(path.resolve()), path)


def left_out(folder: Path) -> list[str]:
    """Return the names of the files in a folder of hand-ins that do not look like one."""
    if not os.path.isdir(folder):
        return []
    paths = sorted(folder.iterdir())
    return [path.name for path in paths if not _is_hand_in(path) and not ignored(path.name)]


def _is_hand_in(path: Path) -> bool:
    if ignored(path.name):
        return False
    if path.suffix.lower() in {_SUFFIX, *_OTHER_SUFFIXES}:
        return True
    return os.path.isdir(path) and not path.is_symlink()


def _student(path: Path) -> str:
    is_file = path.suffix.lower() in {_SUFFIX, *_OTHER_SUFFIXES} and not os.path.isdir(path)
    name = unicodedata.normalize("NFC", path.stem if is_file else path.name)
    return plain(name).replace("\n", " ").strip()[:_MAX_STUDENT_CHARS] or "?"


def distinct(entries: Iterable[Entry]) -> Iterable[Entry]:
    """Yield the entries with students that differ by more than case; mark those that did not."""
    taken: set[str] = set()
    for entry in entries:
        student, number = entry.student, 1
        while student.casefold() in taken:
            number += 1
            student = f"{entry.student} ({number})"
        taken.add(student.casefold())
        same = message("remark.same_name", name=entry.student)
        yield entry if number == 1 else Entry(student, entry.path, (same,))


def read(entry: Entry, module: str | tuple[str, ...], defines: Iterable[str]) -> Submission:
    """Return the submission that lies at `entry`, for an exercise handed in as `module`.py.

    With several files and none of that name, the one that defines a name of `defines` is taken.
    Of several modules each has to have its name.
    """
    if os.path.isdir(entry.path) and not entry.path.is_symlink():
        raw, refusals = read_folder(entry.path)
    else:
        raw, refusals = _read_single(entry.path)
    remarks = [*entry.remarks, *refusals]
    sources = {name: data for name, data in raw.items() if name.lower().endswith(_SUFFIX)}
    if not isinstance(module, str):
        return _with_modules(entry, raw, sources, module, remarks)
    main_name = _main(sources, module, tuple(defines))
    if main_name is None:
        obstacle = _no_main(raw, sources, refusals, module + _SUFFIX)
        return _submission(entry, raw, remarks, obstacle=obstacle)
    if PurePosixPath(main_name).name != module + _SUFFIX and len(raw) > 1:
        remarks.append(
            message("remark.file_name", file=one_line(main_name), module=module + _SUFFIX)
        )
    return _with_main(entry, raw, sources, main_name, module, remarks)


def _read_single(path: Path) -> tuple[dict[str, bytes], list[Message]]:
    try:
        return {plain(path.name): read_file(path, path.name)}, []
    except Refused as refused:
        return {}, [refused.reason]


def _main(sources: Mapping[str, bytes], module: str, defines: tuple[str, ...]) -> str | None:
    """Return the name of the file that holds the exercise, None when that is not clear."""
    exact = module + _SUFFIX
    by_depth = sorted(
        sources, key=lambda name: (name.count("/"), PurePosixPath(name).name != exact, name)
    )
    wanted = exact.casefold()
    named = [name for name in by_depth if PurePosixPath(name).name.casefold() == wanted]
    if named:
        return named[0]
    if len(by_depth) == 1:
        return by_depth[0]
    pattern = re.compile(
        rb"^(?:class|def)\s+(?:" + b"|".join(re.escape(n.encode()) for n in defines) + rb")\b",
        re.MULTILINE,
    )
    defining = [name for name in by_depth if defines and pattern.search(sources[name])]
    return defining[0] if len(defining) == 1 else None


def _no_main(
    raw: Mapping[str, bytes],
    sources: Mapping[str, bytes],
    refusals: list[Message],
    wanted: str,
    key: str = "ungradable.which_file",
) -> Message:
    """Return why there is nothing to grade, `key` when there are sources and none is `wanted`."""
    names = ", ".join(one_line(name, 60) for name in sorted(sources or raw)[:5])
    if sources:
        return message(key, files=names, module=wanted)
    if refusals:
        return refusals[0]
    key = "ungradable.no_python_only" if names else "ungradable.no_python"
    return message(key, files=names, module=wanted)


def _with_modules(
    entry: Entry,
    raw: Mapping[str, bytes],
    sources: Mapping[str, bytes],
    modules: tuple[str, ...],
    remarks: list[Message],
) -> Submission:
    """Return the submission for an exercise of several `modules`, as far as they are there."""
    found = find_modules(sources, modules)
    if not found.files:
        refusals = [remark for remark in remarks if remark.key.startswith("refused.")]
        wanted = ", ".join(name + _SUFFIX for name in modules)
        obstacle = _no_main(raw, sources, refusals, wanted, "ungradable.no_modules")
        return _submission(entry, raw, remarks, obstacle=obstacle)
    remarks += found.remarks
    _, others, data = _loadable(found.folder, raw, sources, remarks, main_name=None)
    return _submission(entry, raw, remarks, modules=others, data=data, parts=_parts(found))


def _parts(found: Found) -> Mapping[str, str]:
    return {module: PurePosixPath(file).stem for module, file in found.files.items()}


def _with_main(
    entry: Entry,
    raw: Mapping[str, bytes],
    sources: Mapping[str, bytes],
    main_name: str,
    module: str,
    remarks: list[Message],
) -> Submission:
    folder = PurePosixPath(main_name).parent
    main, modules, data = _loadable(folder, raw, sources, remarks, main_name)
    modules.pop(module, None)
    empty = main is not None and not main.text.strip()
    obstacle = message("ungradable.empty", file=one_line(main_name)) if empty else None
    return _submission(
        entry, raw, remarks, main=main, modules=modules, data=data, obstacle=obstacle
    )


def _loadable(
    folder: PurePosixPath,
    raw: Mapping[str, bytes],
    sources: Mapping[str, bytes],
    remarks: list[Message],
    main_name: str | None,
) -> tuple[SourceFile | None, dict[str, SourceFile], dict[str, bytes]]:
    """Return what lies in `folder` or deeper: the main file, the other modules, the other files."""
    main, modules, data = None, {}, {}
    for path, content in _below(folder, raw):
        if str(folder / path) not in sources:
            data[str(path)] = content
            continue
        source = _decoded(path, content, remarks)
        name = _module_name(path)
        if str(folder / path) == main_name:
            main = source
        elif name is not None:
            modules[name] = source  # a package hides a file of its name: it comes later
            if name in sys.stdlib_module_names:
                remarks.append(message("remark.shadows", module=name))
    return main, modules, data


def _below(
    folder: PurePosixPath, raw: Mapping[str, bytes]
) -> Iterable[tuple[PurePosixPath, bytes]]:
    """Yield what lies in `folder` or deeper, by its path from there, shallow files first."""
    for name, content in raw.items():
        path = PurePosixPath(name)
        if path.is_relative_to(folder):
            yield path.relative_to(folder), content


def _decoded(path: PurePosixPath, content: bytes, remarks: list[Message]) -> SourceFile:
    decoded = decode_source(content, str(path))
    if decoded.remark is not None:
        remarks.append(decoded.remark)
    return SourceFile(name=plain(str(path)), text=decoded.text, encoding=decoded.encoding)


def _module_name(path: PurePosixPath) -> str | None:
    """Return the name under which the file at `path` can be imported, None if there is none."""
    parts = path.with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def _submission(
    entry: Entry,
    raw: Mapping[str, bytes],
    remarks: Iterable[Message],
    *,
    main: SourceFile | None = None,
    modules: Mapping[str, SourceFile] | None = None,
    data: Mapping[str, bytes] | None = None,
    parts: Mapping[str, str] | None = None,
    obstacle: Message | None = None,
) -> Submission:
    return Submission(
        student=entry.student,
        main=main,
        modules=modules or {},
        data=data or {},
        parts=parts or {},
        raw={plain(name): content for name, content in raw.items()},
        # A refusal that is the obstacle itself is not said twice.
        remarks=tuple(remark for remark in remarks if remark != obstacle),
        obstacle=obstacle,
    )
