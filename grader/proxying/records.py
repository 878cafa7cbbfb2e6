"""The record of a submission that tests of an instructor have tried."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from grader import __version__
from grader.intake.submission import Submission
from grader.judging.record import CaseResult, Conditions, GroupResult, Record, SubmissionFile
from grader.judging.results import exact, shown
from grader.judging.source_texts import source_texts
from grader.messages import message
from grader.sandbox.executor import Isolation
from grader.suite.limits import Limits
from grader.values.display import one_line
from grader.verdict import Status, Verdict, Visibility

_MOST_SAID: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What came of one test."""

    file: str
    name: str
    verdict: Verdict
    points: float
    max_points: float
    said: str
    """Why it did not pass, as pytest tells it."""


def record_of(
    submission: Submission,
    tested: Sequence[Tested],
    *,
    exercise: str,
    tests: Iterable[Path],
    isolation: Isolation,
    limits: Limits,
    uncollected: Sequence[str] = (),
) -> Record:
    """Return the record of `submission`; of files that are `uncollected` no test could be run."""
    files = dict.fromkeys(each.file for each in tested)
    groups = tuple(_group(file, [each for each in tested if each.file == file]) for file in files)
    is_fault = bool(uncollected) or any(each.verdict is Verdict.FAULT for each in tested)
    return Record(
        id=submission.student,
        student=submission.student,
        exercise=exercise,
        title=exercise,
        language="en",
        spec=None,
        status=Status.FAULT if is_fault else Status.GRADED,
        score=shown(sum((exact(each.points) for each in groups), start=Fraction(0))),
        max_score=shown(sum((exact(each.max_points) for each in groups), start=Fraction(0))),
        remarks=((message("fault.ours"),) if is_fault else ()) + submission.remarks,
        groups=groups,
        files=tuple(
            SubmissionFile(name=name, size_bytes=len(data), sha256=_hash(data), encoding=None)
            for name, data in submission.raw.items()
        ),
        conditions=Conditions(
            suite_sha256=_hash(b"".join(path.read_bytes() for path in tests)),
            grader_version=__version__,
            python_version=isolation.python_version,
            isolation=isolation.level,
            layers=isolation.layers,
            limits=limits,
        ),
        sources=tuple(source_texts(list(submission.modules.values()))),
        staff_remarks=tuple(
            message("staff.uncollected", file=one_line(each)) for each in uncollected
        ),
    )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _group(file: str, tested: Sequence[Tested]) -> GroupResult:
    return GroupResult(
        id=file,
        title=file,
        points=shown(sum((exact(each.points) for each in tested), start=Fraction(0))),
        max_points=shown(sum((exact(each.max_points) for each in tested), start=Fraction(0))),
        cases=tuple(map(_case, tested)),
    )


def _case(tested: Tested) -> CaseResult:
    said = one_line(tested.said, _MOST_SAID)
    return CaseResult(
        id=f"{tested.file}::{tested.name}",
        group=tested.file,
        code=tested.name,
        verdict=tested.verdict,
        points=tested.points,
        max_points=tested.max_points,
        visibility=Visibility.PUBLIC,
        explanation=(message("test.said", text=said),) if said else (),
    )
