"""Makes the record of a submission from the results of an instructor's tests."""

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
from grader.judging.results import exact, shown
from grader.judging.source_texts import source_texts
from grader.messages import Message, message
from grader.plugins.own_tests.proxying.own_settings import OwnSettings, Shown
from grader.sandbox.isolation import Isolation
from grader.values.foreign_text import one_line
from grader.verdict import Status, Verdict, Visibility

_MAX_EVIDENCE: Final = 2_000
_MAX_LINES: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """The result of one test."""

    file: str
    name: str
    verdict: Verdict
    points: float
    max_points: float
    evidence: str
    """pytest's whole report of its failure, with the code of the test."""
    title: str = ""
    """The first sentence of its docstring."""
    summary: str = ""
    """pytest's message in a few lines, with the values that were compared."""
    raised: RaisedInTest | None = None
    """The exception that it ended with."""
    number: str = ""
    """A number to sort by, which is shown before its name."""
    is_hidden: bool = False
    instead: str = ""
    """What a student reads instead of what went wrong."""
    called: str = ""
    """What a student reads instead of `name`, which may contain values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedInTest:
    """An exception that a test ended with."""

    type: str
    summary: str
    """Its text, if the submission raised it."""
    is_own: bool
    """Whether the submission raised it."""
    file: str
    """The file of the innermost line of the submission; empty if there is none."""
    line: int
    function: str


def record_of(
    submission: Submission,
    tested: Sequence[Tested],
    own: OwnSettings,
    *,
    isolation: Isolation,
    uncollected: Sequence[str] = (),
    reasons: Sequence[Message] = (),
) -> Record:
    """Return the record of `submission`; in `uncollected` files no test could be collected.

    If there are `reasons` why it cannot be run at all, its tests count as skipped.
    """
    if reasons:
        tested = [
            replace(each, verdict=Verdict.SKIPPED, points=0.0, raised=None) for each in tested
        ]
    sources = tuple(source_texts(list(submission.modules.values())))
    files: dict[str, list[Tested]] = {}
    for each in tested:
        files.setdefault(each.file, []).append(each)
    groups = tuple(
        _group(file, [_case(each, own.show, sources) for each in sorted(tests, key=_place)])
        for file, tests in files.items()
    )
    is_fault = bool(uncollected) or any(each.verdict is Verdict.FAULT for each in tested)
    return Record(
        id=submission.student,
        student=submission.student,
        exercise=own.exercise,
        title=own.title,
        language=own.language,
        spec=None,
        status=Status.FAULT if is_fault else Status.UNGRADABLE if reasons else Status.GRADED,
        score=shown(sum((exact(each.points) for each in groups), start=Fraction(0))),
        max_score=shown(sum((exact(each.max_points) for each in groups), start=Fraction(0))),
        remarks=(*((message("fault.ours"),) if is_fault else reasons), *submission.remarks),
        groups=groups,
        files=tuple(
            SubmissionFile(name=name, size_bytes=len(data), sha256=_hash(data), encoding=None)
            for name, data in submission.raw.items()
        ),
        conditions=Conditions(
            suite_sha256=own.sha256(),
            grader_version=__version__,
            python_version=isolation.python_version,
            isolation=isolation.level,
            layers=isolation.layers,
            limits=own.limits,
        ),
        sources=sources,
        staff_remarks=tuple(
            message("staff.uncollected", file=one_line(each)) for each in uncollected
        ),
    )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _group(file: str, cases: Sequence[CaseResult]) -> GroupResult:
    return GroupResult(
        id=file,
        title=PurePath(file).name,
        points=shown(sum((exact(each.points) for each in cases), start=Fraction(0))),
        max_points=shown(sum((exact(each.max_points) for each in cases), start=Fraction(0))),
        cases=tuple(cases),
        hidden=_tally([each for each in cases if each.visibility is Visibility.HIDDEN]),
    )


def _tally(hidden: Sequence[CaseResult]) -> HiddenTally | None:
    if not hidden:
        return None
    met = sum(map(_part_met, hidden), start=Fraction(0))
    return HiddenTally(demands=len(hidden), met=shown(met))


def _part_met(case: CaseResult) -> Fraction:
    if case.verdict is Verdict.PASSED or not case.max_points:
        return Fraction(case.verdict is Verdict.PASSED)
    return min(max(exact(case.points) / exact(case.max_points), Fraction(0)), Fraction(1))


def _place(tested: Tested) -> tuple[bool, list[object]]:
    """Return a sort key: 1.10 comes after 1.9, and tests without a number last."""
    parts = re.split(r"(\d+)", tested.number)
    return not tested.number, [int(each) if at % 2 else each for at, each in enumerate(parts)]


def _case(tested: Tested, show: Shown, sources: Sequence[SourceText]) -> CaseResult:
    is_wrong = tested.verdict is not Verdict.PASSED
    name = name_in(show, tested)
    evidence = tested.evidence[-_MAX_EVIDENCE:]  # the exception comes last
    if name != tested.name:
        evidence = f"{one_line(tested.name)}\n{evidence}"
    if tested.instead:
        tested, show = replace(tested, raised=None, summary=tested.instead), Shown.MESSAGES
    return CaseResult(
        id=f"{tested.file}::{name}",
        group=tested.file,
        code=f"{tested.number}) {name}" if tested.number else name,
        verdict=tested.verdict,
        points=tested.points,
        max_points=tested.max_points,
        visibility=Visibility.HIDDEN if tested.is_hidden else Visibility.PUBLIC,
        explanation=tuple(_explanation(tested, show)) if is_wrong else (),
        source=_source(tested.raised, sources) if is_wrong else None,
        staff_evidence=evidence if is_wrong else None,
    )


def name_in(show: Shown, tested: Tested) -> str:
    """Return the name of a test that a student sees at this level."""
    return tested.name if show is Shown.MESSAGES else tested.called or tested.name


def _explanation(tested: Tested, show: Shown) -> Iterator[Message]:
    """Yield the messages to a student on a failed test: why it failed, and what it is about."""
    yield from _reason(tested, show)
    if tested.title:
        yield message("test.title", text=one_line(tested.title))
    if show is Shown.MESSAGES:
        for line in tested.summary.splitlines()[:_MAX_LINES]:
            yield message("test.said", text=one_line(line))


def _reason(tested: Tested, show: Shown) -> Iterator[Message]:
    raised = tested.raised
    match tested.verdict:
        case Verdict.WRONG if raised is None or not raised.is_own:
            yield message("test.wrong")
        case Verdict.SKIPPED if raised is None:
            yield message("skipped.ungradable")
        case Verdict.WRONG | Verdict.ERROR | Verdict.SKIPPED if raised is not None:
            key = "test.absent" if tested.verdict is Verdict.SKIPPED else "test.raised"
            is_told = raised.is_own and show is not Shown.NAMES
            text = one_line(raised.summary if is_told else raised.type)
            yield message(key if raised.is_own else "test.unusable", text=text)


def _source(raised: RaisedInTest | None, sources: Sequence[SourceText]) -> SourceLine | None:
    """Return the innermost line of the submission in the traceback, or None."""
    if raised is None or not raised.file:
        return None
    lines = next((each.text.splitlines() for each in sources if each.name == raised.file), [])
    text = lines[raised.line - 1] if 0 < raised.line <= len(lines) else ""
    return SourceLine(file=raised.file, line=raised.line, function=raised.function, text=text)
