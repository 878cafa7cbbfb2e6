"""Builds the record of a submission from the results of an instructor's tests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Final

from grader import __version__
from grader.intake.submission import Submission
from grader.judging.record import (
    CaseResult,
    Conditions,
    GroupResult,
    HiddenTally,
    Record,
    SourceLine,
    SourceText,
    SubmissionFile,
)
from grader.judging.results import exact, round_points
from grader.judging.source_texts import source_texts
from grader.messages import Message, message
from grader.plugins.own_tests.proxying.own_settings import DetailLevel, OwnSettings
from grader.sandbox.isolation import Isolation
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict, Visibility

_MAX_EVIDENCE_CHARS: Final = 2_000
_MAX_SUMMARY_LINES: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedTest:
    """The result of one test."""

    file: str
    name: str
    verdict: Verdict
    points: float
    max_points: float
    evidence: str
    """pytest's complete report of the failure, with the code of the test."""
    title: str = ""
    """The first sentence of the test's docstring."""
    summary: str = ""
    """pytest's message in a few lines, with the values that were compared."""
    raised: RaisedInTest | None = None
    """The exception with which the test ended, or None if it ended with none."""
    number: str = ""
    """The number by which tests are sorted, such as `1.10`; it is shown before the name."""
    is_hidden: bool = False
    failure_text: str = ""
    """The text that replaces the failure message for students."""
    display_name: str = ""
    """The name that students see, as `name` may contain values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedInTest:
    """The exception with which a test ended."""

    type: str
    summary: str
    """The text of the exception, if the submission raised it."""
    is_own: bool
    """Whether the submission raised the exception."""
    file: str
    """The file with the innermost line of the submission, or an empty string."""
    line: int
    function: str


def build_record(
    submission: Submission,
    graded: Sequence[GradedTest],
    settings: OwnSettings,
    *,
    isolation: Isolation,
    uncollected: Sequence[str] = (),
    reasons: Sequence[Message] = (),
) -> Record:
    """Return the record of `submission`.

    `uncollected` are the files in which no test could be collected. If there are `reasons` why the
    submission cannot be run at all, its tests count as skipped.
    """
    if reasons:
        graded = [
            replace(test, verdict=Verdict.SKIPPED, points=0.0, raised=None) for test in graded
        ]
    sources = tuple(source_texts(list(submission.modules.values())))
    groups = tuple(_group_results(graded, settings.show, sources))
    is_fault = bool(uncollected) or any(test.verdict is Verdict.FAULT for test in graded)
    return Record(
        id=submission.student,
        student=submission.student,
        exercise=settings.exercise,
        title=settings.title,
        language=settings.language,
        spec=None,
        status=Status.FAULT if is_fault else Status.UNGRADABLE if reasons else Status.GRADED,
        score=round_points(sum((exact(group.points) for group in groups), start=Fraction(0))),
        max_score=round_points(
            sum((exact(group.max_points) for group in groups), start=Fraction(0))
        ),
        remarks=(*((message("fault.ours"),) if is_fault else reasons), *submission.remarks),
        groups=groups,
        files=tuple(
            SubmissionFile(name=name, size_bytes=len(data), sha256=_hash(data), encoding=None)
            for name, data in submission.raw.items()
        ),
        conditions=_conditions(settings, isolation),
        sources=sources,
        staff_remarks=tuple(
            message("staff.uncollected", file=one_line(file)) for file in uncollected
        ),
    )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _conditions(settings: OwnSettings, isolation: Isolation) -> Conditions:
    """Return the conditions under which the tests in `settings` were run."""
    return Conditions(
        suite_sha256=settings.sha256(),
        grader_version=__version__,
        python_version=isolation.python_version,
        isolation=isolation.level,
        layers=isolation.layers,
        limits=settings.limits,
    )


def _group_results(
    graded: Sequence[GradedTest], show: DetailLevel, sources: Sequence[SourceText]
) -> Iterator[GroupResult]:
    """Yield a group for each test file, with its tests sorted by their numbers."""
    files: dict[str, list[GradedTest]] = {}
    for test in graded:
        files.setdefault(test.file, []).append(test)
    for file, tests in files.items():
        tests.sort(key=_number_sort_key)
        yield _group_result(file, [_case_result(test, show, sources) for test in tests])


def _group_result(file: str, cases: Sequence[CaseResult]) -> GroupResult:
    """Return the group for one test file, whose tests became `cases`."""
    return GroupResult(
        id=file,
        title=PurePath(file).name,
        points=round_points(sum((exact(case.points) for case in cases), start=Fraction(0))),
        max_points=round_points(sum((exact(case.max_points) for case in cases), start=Fraction(0))),
        cases=tuple(cases),
        hidden=_tally_hidden([case for case in cases if case.visibility is Visibility.HIDDEN]),
    )


def _tally_hidden(hidden: Sequence[CaseResult]) -> HiddenTally | None:
    """Return how many hidden cases there are and how many were met; None if there are none.

    A case that earned a share of its points counts as that share.
    """
    if not hidden:
        return None
    met = sum(map(_share_earned, hidden), start=Fraction(0))
    return HiddenTally(demands=len(hidden), met=round_points(met))


def _share_earned(case: CaseResult) -> Fraction:
    """Return the share of a case's points that was earned, from 0 to 1."""
    if case.verdict is Verdict.PASSED or not case.max_points:
        return Fraction(case.verdict is Verdict.PASSED)
    return min(max(exact(case.points) / exact(case.max_points), Fraction(0)), Fraction(1))


def _number_sort_key(test: GradedTest) -> tuple[bool, list[object]]:
    """Return a sort key for the number of a test.

    1.10 comes after 1.9, and tests without a number come last.
    """
    parts = re.split(r"(\d+)", test.number)
    return not test.number, [int(part) if index % 2 else part for index, part in enumerate(parts)]


def _case_result(test: GradedTest, show: DetailLevel, sources: Sequence[SourceText]) -> CaseResult:
    """Return the case result of a test; `show` limits what the student sees.

    A test with a `failure_text` always shows that text.
    """
    is_wrong = test.verdict is not Verdict.PASSED
    name = name_shown_at(show, test)
    evidence = test.evidence[-_MAX_EVIDENCE_CHARS:]  # the exception is at the end
    if name != test.name:
        evidence = f"{one_line(test.name)}\n{evidence}"
    if test.failure_text:  # its author has written it for students, so no level hides it
        test, show = replace(test, raised=None, summary=test.failure_text), DetailLevel.MESSAGES
    return CaseResult(
        id=f"{test.file}::{name}",
        group=test.file,
        code=f"{test.number}) {name}" if test.number else name,
        verdict=test.verdict,
        points=test.points,
        max_points=test.max_points,
        visibility=Visibility.HIDDEN if test.is_hidden else Visibility.PUBLIC,
        explanation=tuple(_explain(test, show)) if is_wrong else (),
        source=_source_line(test.raised, sources) if is_wrong else None,
        staff_evidence=evidence if is_wrong else None,
    )


def name_shown_at(show: DetailLevel, test: GradedTest) -> str:
    """Return the name of a test that a student sees at the level `show`."""
    return test.name if show is DetailLevel.MESSAGES else test.display_name or test.name


def _explain(test: GradedTest, show: DetailLevel) -> Iterator[Message]:
    """Yield the messages to the student about a failed test: why it failed, and what it tests.

    At the level `MESSAGES`, they end with the first lines of pytest's message.
    """
    yield from _explain_reason(test, show)
    if test.title:
        yield message("test.title", text=one_line(test.title))
    if show is DetailLevel.MESSAGES:
        for line in test.summary.splitlines()[:_MAX_SUMMARY_LINES]:
            yield message("test.said", text=one_line(line))


def _explain_reason(test: GradedTest, show: DetailLevel) -> Iterator[Message]:
    """Yield the message that says why a test did not pass; for some verdicts there is none."""
    raised = test.raised
    match test.verdict:
        case Verdict.WRONG if raised is None or not raised.is_own:
            yield message("test.wrong")
        case Verdict.SKIPPED if raised is None:
            yield message("skipped.ungradable")
        case Verdict.WRONG | Verdict.ERROR | Verdict.SKIPPED if raised is not None:
            key = "test.absent" if test.verdict is Verdict.SKIPPED else "test.raised"
            is_text_shown = raised.is_own and show is not DetailLevel.NAMES
            text = one_line(raised.summary if is_text_shown else raised.type)
            yield message(key if raised.is_own else "test.unusable", text=text)


def _source_line(raised: RaisedInTest | None, sources: Sequence[SourceText]) -> SourceLine | None:
    """Return the innermost line of the submission in the traceback, or None if there is none."""
    if raised is None or not raised.file:
        return None
    lines = next((source.text.splitlines() for source in sources if source.name == raised.file), [])
    text = lines[raised.line - 1] if 0 < raised.line <= len(lines) else ""
    return SourceLine(file=raised.file, line=raised.line, function=raised.function, text=text)
