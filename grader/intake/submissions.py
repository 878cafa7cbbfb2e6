"""Reads a hand-in and finds the exercise in it, which makes it a `Submission`.

Every hand-in becomes a submission. If nothing can be run, the submission has a reason for the
student.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Final

from grader.errors import NothingToGrade
from grader.intake.candidates import INIT, Nearness, nearness
from grader.intake.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_SUBMISSION_BYTES,
    SubmissionError,
    is_in_git_folder,
)
from grader.intake.import_names import find_import_names, find_imported_modules
from grader.intake.kinds import HAND_INS, PYTHON, suffix_of, unusable_kind
from grader.intake.lateness import Lateness
from grader.intake.modules import FoundModules, find_modules
from grader.intake.notebooks import convert_notebook_export
from grader.intake.opening import list_source, open_source
from grader.intake.rescue import TEXT_SUFFIXES, defined_names
from grader.intake.sources import Leaf
from grader.intake.submission import SourceFile, Submission, decode_source
from grader.messages import Message, message
from grader.values.foreign_text import escape_controls, one_line

_MAX_STUDENT_CHARS: Final = 120
_MAX_ARCHIVES: Final = 5
_NAME_NUMBER: Final = re.compile(r"( [(]\d+[)])?")
"""The number that distinguishes students with the same name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's work, which has not been read yet."""

    student: str
    path: Path
    remarks: tuple[Message, ...] = ()


def single_entry(path: Path) -> Entry:
    """Return the entry for the single submission at `path`, a file, folder or archive.

    Raises `UsageError` if the path does not exist, and `NothingToGrade` for a folder without Python
    files.
    """
    source = open_source(path)
    if not os.path.isdir(path):  # unlike `Path.is_dir`, it never raises
        return Entry(_student_from_file(path), path)
    # A refused file might be the Python file: continue, so that the student reads the reason.
    if not source.refusals and not any(map(_may_be_work, source.leaves)):
        raise NothingToGrade(
            f"there is no Python file in {one_line(str(path))}",
            help="give the path of the hand-in's Python file, or of the folder that contains it",
        )
    return Entry(student_name(path.resolve().name), path)


def _may_be_work(leaf: Leaf) -> bool:
    """Return whether `leaf` might be a program.

    Text counts only if it seems to define names, or cannot be read.
    """
    suffix = suffix_of(leaf.path)
    if is_in_git_folder(leaf.path) or suffix not in HAND_INS | TEXT_SUFFIXES:
        return False
    try:
        return suffix not in TEXT_SUFFIXES or bool(defined_names(leaf.read(MAX_FILE_BYTES)))
    except SubmissionError:
        return True  # keep it, so that the student reads the reason


def _student_from_file(path: PurePath) -> str:
    """Return the student's name from the name of the file at `path`."""
    return student_name(path.stem if suffix_of(path.name) in HAND_INS else path.name)


def student_name(text: str) -> str:
    """Return `text` as a student's name for a run: escaped, on one line, and short."""
    name = escape_controls(unicodedata.normalize("NFC", text)).replace("\n", " ").strip()
    return name[:_MAX_STUDENT_CHARS] or "?"


def number_duplicates(students: Iterable[str]) -> Iterable[tuple[str, tuple[Message, ...]]]:
    """Yield each name with its remarks; one that occurred before, ignoring case, gets a number."""
    used: set[str] = set()
    for name in students:
        student, number = name, 1
        while student.casefold() in used:
            number += 1
            student = f"{name} ({number})"
        used.add(student.casefold())
        yield student, () if number == 1 else (message("remark.same_name", name=name),)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """One student's files as handed in, before the exercise is found in them."""

    student: str
    files: Mapping[str, bytes]
    """The contents, keyed by path within the hand-in."""
    remarks: tuple[Message, ...] = ()
    refusals: tuple[Message, ...] = ()
    """Reasons why other files were not read."""
    is_named_after_student: bool = False
    """Whether there is only one file, which somebody else named after the student."""
    lateness: Lateness | None = None
    """Set if the files were handed in after the deadline."""


def read_submission(entry: Entry, modules: Sequence[str], defines: Iterable[str]) -> Submission:
    """Read the submission at `entry` for an exercise; see `build_submission` for the arguments."""
    return build_submission(collect_hand_in(entry), modules, defines)


def collect_hand_in(entry: Entry) -> HandIn:
    """Read the hand-in at `entry`, a folder, file or archive; a link is refused with a reason."""
    if os.path.islink(entry.path):
        refused = message("refused.link", file=one_line(entry.path.name))
        return HandIn(student=entry.student, files={}, remarks=entry.remarks, refusals=(refused,))
    source = list_source(entry.path)
    return read_hand_in(
        entry.student,
        {leaf.path: leaf for leaf in source.leaves if not is_in_git_folder(leaf.path)},
        remarks=entry.remarks,
        refusals=[reason for _, reason in source.refusals],
    )


def read_hand_in(
    student: str,
    leaves: Mapping[str, Leaf],
    *,
    remarks: Iterable[Message] = (),
    refusals: Iterable[Message] = (),
) -> HandIn:
    """Read the hand-in of `student`, whose `leaves` are keyed by the student's own names.

    Outer folders are read first, until the hand-in exceeds a limit. `refusals` are the reasons why
    other files are not among the leaves; the reasons why leaves cannot be read are added to them.
    """
    files: dict[str, bytes] = {}
    reasons = [*refusals]
    remaining = MAX_SUBMISSION_BYTES
    for count, name in enumerate(sorted(leaves, key=lambda name: (name.count("/"), name))):
        # The second limit is for files that are refused: reading each of them takes time too.
        if len(files) == MAX_FILES or count == 2 * MAX_FILES:
            reasons.append(message("refused.many", most=MAX_FILES))
            break
        try:
            data = leaves[name].read(MAX_FILE_BYTES)
        except SubmissionError as refused:
            reasons.append(refused.with_file(name))
            continue
        remaining -= len(data)
        if remaining < 0:
            reasons.append(message("refused.total", mib=MAX_SUBMISSION_BYTES // 1024**2))
            break
        files[name] = data
    if len(reasons) > MAX_FILES:
        reasons[MAX_FILES - 1 :] = [message("refused.many", most=MAX_FILES)]
    return HandIn(
        student=student,
        files=files,
        remarks=(*remarks, *_archive_remarks(leaves)),
        refusals=tuple(reasons),
        is_named_after_student=len(leaves) == 1 and _is_named_after(student, next(iter(leaves))),
    )


def _archive_remarks(leaves: Mapping[str, Leaf]) -> Iterable[Message]:
    """Yield remarks on archives that were made by the student rather than by the platform."""
    # The folders in front of the student's own `name` for a file are the platform's.
    archives = {
        leaf.archive
        for name, leaf in leaves.items()
        if leaf.archive and leaf.archive.count("/") >= leaf.path.count("/") - name.count("/")
    }
    for archive in sorted(archives)[:_MAX_ARCHIVES]:
        yield message("remark.unpacked", file=one_line(PurePosixPath(archive).name))


def _is_named_after(student: str, file_name: str) -> bool:
    """Return whether a file is named after `student`, whose name can end in a number."""
    name = _student_from_file(PurePosixPath(file_name))
    return student.startswith(name) and _NAME_NUMBER.fullmatch(student, len(name)) is not None


def build_submission(hand_in: HandIn, modules: Sequence[str], defines: Iterable[str]) -> Submission:
    """Find the `modules` of an exercise in `hand_in`, and return it as a submission.

    `defines` lists the names that each module should define, as in `module.name`. These names
    identify the file of a module if no file has the right name.
    """
    raw, refusals = hand_in.files, hand_in.refusals
    is_named_after_student = hand_in.is_named_after_student
    found = find_modules(raw, modules, defines, is_named_after_student=is_named_after_student)
    remarks = [*hand_in.remarks, *refusals, *found.remarks]
    exercise_modules, other_modules, data = _sort_files(found, raw, modules, remarks)
    by_import_name = {found.imported_by[name]: file for name, file in exercise_modules.items()}
    ungradable = None
    if not exercise_modules:
        ungradable = _why_no_modules(hand_in, modules)
    elif not any(file.text.strip() for file in exercise_modules.values()):
        files = ", ".join(str(file.path) for file in found.files.values())
        ungradable = message("ungradable.empty", file=one_line(files))
    return Submission(
        student=hand_in.student,
        modules=other_modules | by_import_name,
        data=data,
        parts=found.imported_by,
        raw={escape_controls(name): content for name, content in raw.items()},
        # The reason might itself be a refusal, which must not be repeated.
        remarks=tuple(remark for remark in remarks if remark != ungradable),
        ungradable=ungradable,
        lateness=hand_in.lateness,
    )


def _why_no_modules(hand_in: HandIn, modules: Sequence[str]) -> Message:
    """Return the message that explains why `hand_in` has none of `modules`."""
    files, wanted_files = hand_in.files, ", ".join(name + PYTHON for name in modules)
    kinds = {name: unusable_kind(name, data) for name, data in files.items()}
    sources = [name for name in files if name.lower().endswith(PYTHON) and kinds[name] is None]
    listed_files = ", ".join(one_line(name, 60) for name in sorted(sources or files)[:5])
    if sources:
        key = "ungradable.which_file" if len(modules) == 1 else "ungradable.no_modules"
        return message(key, files=listed_files, module=wanted_files)
    for reason in hand_in.refusals:
        file = str(dict(reason.parameters).get("file", ""))
        # For a large file of another kind, such as a video, the kind explains more than the size.
        if reason.key != "refused.large" or not (kind := unusable_kind(file)):
            return reason
        return message(f"ungradable.{kind}", file=file, module=wanted_files)
    for name, kind in kinds.items():
        if kind is not None:
            key = f"ungradable.{kind}" if files[name] else "ungradable.empty"
            return message(key, file=one_line(name), module=wanted_files)
    key = "ungradable.no_python_only" if listed_files else "ungradable.no_python"
    return message(key, files=listed_files, module=wanted_files)


def _sort_files(
    found: FoundModules, files: Mapping[str, bytes], modules: Sequence[str], remarks: list[Message]
) -> tuple[dict[str, SourceFile], dict[str, SourceFile], dict[str, bytes]]:
    """Sort `files` into exercise modules, other importable modules, and data files.

    These are keyed by name in the suite, import name, and path, respectively. Files outside the
    folder of the `found` modules are dropped, except for modules that files in the folder import.
    Remarks are appended to `remarks`.
    """
    exercise_modules: dict[str, SourceFile] = {}
    data: dict[str, bytes] = {}
    modules_by_path = {file.path: module for module, file in found.files.items()}
    helpers: list[tuple[PurePosixPath, SourceFile]] = []
    outside_modules: dict[PurePosixPath, SourceFile] = {}
    for file, content in files.items() if modules_by_path else ():
        full_path = PurePosixPath(file)
        is_inside, module = full_path.is_relative_to(found.folder), modules_by_path.get(full_path)
        path = full_path.relative_to(found.folder) if is_inside else full_path
        if module is None and (suffix_of(file) != PYTHON or unusable_kind(file, content)):
            data.update({str(path): content} if is_inside else {})
        elif module is not None:
            exercise_modules[module] = _decode_file(
                path, content, remarks, found.files[module].text
            )
        elif is_inside:
            helpers.append((path, _decode_file(path, content, remarks)))
        elif all(nearness(full_path.name, module_name) is Nearness.FAR for module_name in modules):
            outside_modules[full_path] = _decode_file(PurePosixPath("..", path), content, [])
    for module, defining_module in found.defining_modules.items():
        text = f"from {found.imported_by[defining_module]} import *\n"
        exercise_modules[module] = SourceFile(name=f"{module}{PYTHON}", text=text, encoding="utf-8")
    names = find_import_names(found, exercise_modules, helpers)
    other_modules = names.named_modules(helpers, remarks)
    missing_names = {*names.missing_by_spelling.values()}
    for name, source in find_imported_modules(outside_modules, missing_names):
        other_modules.setdefault(name, source)
    # The files import their own folder, so it must exist even if there is no helper in it.
    if names.package and not any(name.startswith(f"{names.package}.") for name in other_modules):
        other_modules.setdefault(names.package, SourceFile(name=INIT, text="", encoding="utf-8"))
    return exercise_modules, other_modules, data


def _decode_file(
    path: PurePosixPath, content: bytes, remarks: list[Message], text: str | None = None
) -> SourceFile:
    """Return the source file at `path`; its `text` is given if it has already been decoded.

    A remark about the encoding is appended to `remarks`.
    """
    decoded = decode_source(content, str(path))
    remarks += [decoded.remark] if decoded.remark else []
    text = convert_notebook_export(decoded.text) if text is None else text
    return SourceFile(name=escape_controls(str(path)), text=text, encoding=decoded.encoding)
