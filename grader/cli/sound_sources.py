"""Rejects unusable sources before grading: broken downloads, and sources without students.

If only half of a class were graded, nobody might notice that the other half is missing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Final

from grader.cli.terminal import join_names, join_people
from grader.errors import NothingToGrade, UsageError
from grader.intake.files import MAX_FILE_BYTES, SubmissionError
from grader.intake.kinds import (
    ARCHIVES,
    PACKED,
    is_archive,
    is_web_page,
    suffix_of,
    unusable_kind,
    without_suffix,
)
from grader.intake.layouts.recognition import LeftOut
from grader.intake.people import Attempt
from grader.intake.plan import Plan
from grader.intake.roster import Roster
from grader.intake.sources import Source
from grader.reporting.plan_text import reason_text
from grader.suite.model import Suite
from grader.values.foreign_text import count_noun, one_line

_MAX_LISTED: Final = 10
_MAY_BE_DOWNLOADS: Final = PACKED | {".html", ".htm", ".php", ".aspx", ""}
"""Suffixes of files that might be downloads, including failed ones."""


def require_complete(source: Source) -> None:
    """Raise `NothingToGrade` for a download that failed, is incomplete or cannot be read."""
    _reject_failed_download(source)
    name = one_line(source.name)
    if any(
        not path and reason.key == "refused.damaged_archive" for path, reason in source.refusals
    ):
        raise NothingToGrade(
            f"{name} is damaged or incomplete, so hand-ins may be missing",
            help="download it again, or unpack what is readable and pass that folder",
        )
    if not source.leaves and any(reason.key == "refused.locked" for _, reason in source.refusals):
        raise NothingToGrade(
            f"{name} is encrypted, so nothing in it can be read",
            help="unpack it with its password, and pass the folder",
        )


def _reject_failed_download(source: Source) -> None:
    """Raise `NothingToGrade` if `source` is an empty file, or a web page instead of a download."""
    name, leaves = one_line(source.name), source.leaves
    # An archive or a folder has leaves with other paths, even if it is the only source.
    if [leaf.path for leaf in leaves] != [source.name]:
        return
    if suffix_of(source.name) not in _MAY_BE_DOWNLOADS:
        return
    try:
        data = leaves[0].read(MAX_FILE_BYTES)
    except SubmissionError:
        return  # too large to be empty or a login page
    if not data:
        raise NothingToGrade(f"the download {name} is empty", help="download it again")
    if is_web_page(data):
        raise NothingToGrade(
            f"{name} is a web page instead of an archive, probably a login page",
            help="log in, download it again, and check that it opens as an archive",
        )


def require_students(plan: Plan) -> None:
    """Raise `NothingToGrade` if a source of `plan` is damaged, or nobody is recognised in it."""
    for source in plan.sources:
        name = one_line(source.name)
        if any(_is_source_damage(omitted) for omitted in source.left_out):
            raise NothingToGrade(
                f"{name} is damaged or incomplete, so hand-ins may be missing",
                help="download it again, or unpack what is readable and pass that folder",
            )
        if source.person_count:
            continue
        # The guesses of a plan are about all its sources, and start with the name of one.
        start = f"{source.name}: "
        guesses = [guess.removeprefix(start) for guess in plan.guesses if guess.startswith(start)]
        reasons = guesses[:1] or [_reason_with_path(omitted) for omitted in source.left_out[:3]]
        explanation = f": {'; '.join(reasons)}" if reasons else ""
        if suffix_of(source.name) in PACKED - set(ARCHIVES):
            raise NothingToGrade(
                f"no student was found in {name}, an archive of an unsupported kind{explanation}",
                help="unpack the archive, and pass the folder",
            )
        if is_archive(source.name) or source.has_python:
            way_out = (
                "unpack it into a folder with one folder or file per student, named after the"
                if is_archive(source.name)
                else "put each student's files in one folder or file, named after the"
            )
            raise NothingToGrade(
                f"no student was found in {name}{explanation}",
                help="for one student's work, use `grader check`; for a class, add --layout or"
                f" --pattern, or {way_out} student",
            )
        raise NothingToGrade(
            f"there is no Python file and no folder in {name}{explanation}",
            help="pass a folder with one .py file, or one folder with .py files, per student",
        )


def require_majority(plan: Plan) -> None:
    """Raise `NothingToGrade` if half of a class might be missing, which is easily overlooked."""
    for source in plan.sources:
        if source.is_half_lost:
            lost = source.lost_paths
            raise NothingToGrade(
                f"only {count_noun(source.person_count, 'hand-in')} in {one_line(source.name)}"
                f" would be graded; {count_noun(len(lost), 'possible hand-in')} would be left out:"
                f" {join_people(lost, _MAX_LISTED)}",
                help="see `grader plan` for the reasons; add --layout or --pattern, pass the"
                " missing hand-ins as another source, or leave them out with --partial",
            )


def _reason_with_path(left_out: LeftOut) -> str:
    """Return the reason why a path was left out, together with the path.

    A reason that is a message already names the path.
    """
    if isinstance(left_out.reason, str):
        return f"{one_line(left_out.path, 60)}: {left_out.reason}"
    return reason_text(left_out.reason)


def require_course(plan: Plan, roster: Roster | None) -> None:
    """Raise `UsageError` if there is a `roster`, but nobody who handed in is on it.

    It is then probably the roster of another course.
    """
    if roster is not None and len(plan.missing or ()) == len(roster.lines):
        names = [line.person.short_name for line in roster.lines]
        raise UsageError(
            "nobody who handed in is on the roster; the first hand-in is by"
            f" {plan.entries[0].person.short_name}",
            help="check that it is the roster of this course: it lists"
            f" {join_people(names, 3) or 'nobody'}",
        )


def _is_source_damage(left_out: LeftOut) -> bool:
    """Return whether `left_out` is about damage to the whole source, not to a file in it."""
    reason = left_out.reason
    if left_out.path or isinstance(reason, str):
        return False
    return reason.key == "refused.damaged_archive"


def require_python(plan: Plan, suite: Suite) -> None:
    """Raise `NothingToGrade` if no hand-in has a file that might be for the exercise."""
    # Only the last part of a dotted name, because code rarely writes a method's class before it.
    words = {name.rpartition(".")[2] for name in suite.defines}
    modules = {module.casefold() for module in suite.modules}
    if any(
        _has_module_file(entry.attempt, modules) or _mentions(entry.attempt, words)
        for entry in plan.entries
    ):
        return
    listed = join_names(sorted(words)[:3])
    expected = f"file that mentions {listed}" if words else "text file"
    count = len(plan.entries)
    raise NothingToGrade(
        f"the only hand-in for {suite.exercise} has no {expected}"
        if count == 1
        else f"none of the {count} hand-ins for {suite.exercise} has a {expected}",
        help="check that this is the exercise: see `grader plan` for the files found",
    )


def _has_module_file(attempt: Attempt, modules: Container[str]) -> bool:
    """Return whether a file of `attempt` is named like one of `modules`, in whatever case."""
    return any(without_suffix(Path(path).name).casefold() in modules for path in attempt.leaves)


def _mentions(attempt: Attempt, words: Iterable[str]) -> bool:
    """Return whether a file of `attempt`, of any kind, mentions one of `words`."""
    alternatives = b"|".join(re.escape(word.encode()) for word in words)
    pattern = re.compile(rb"\b(?:%s)\b" % alternatives)
    for leaf in attempt.leaves.values():
        try:
            data = leaf.read(MAX_FILE_BYTES)
        except SubmissionError:
            continue
        is_text = unusable_kind(leaf.path, data) is None
        if is_text and (b"\0" in data or pattern.search(data)):  # UTF-16 hides words
            return True
    return False
