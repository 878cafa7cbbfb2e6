"""Runs to export marks and pages of: Zoë and Jan, as the platform knows them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from command_line import Done, grader
from filed_runs import PATTERNS, keep, run_of
from record_samples import case, group, record
from worksheets import JAN, ZOE

from grader.intake.people import Person
from grader.judging.record import Record
from grader.store.store import Store
from grader.verdict import Verdict


def of(student: str, passed: int, cases: int = 4, **facts: object) -> Record:
    """Return the record of `student`, with so many of the cases passed."""
    verdicts = [Verdict.PASSED] * passed + [Verdict.WRONG] * (cases - passed)
    done = [case(f"f/{n}", each, expected="2", got="3") for n, each in enumerate(verdicts)]
    return replace(
        record(group("f", *done, title="move"), id=student, student=student),
        **facts,  # type: ignore[arg-type]
    )


def leave(
    *given: tuple[Record, Person | None], ungraded: int = 0, sources: tuple[str, ...] = ()
) -> None:
    """Leave a run of these records; the last ones are not graded."""
    records = [each for each, _ in given]
    run = run_of(*records)
    run = replace(run, settings=replace(run.settings, sources=sources))
    entries = zip(run.entries, given, strict=True)
    run = replace(run, entries=tuple(replace(each, person=who) for each, (_, who) in entries))
    with Store.writing(Path("run")) as store:
        store.begin(run, PATTERNS)
        for index, each in enumerate(records[: len(records) - ungraded]):
            keep(store, index, each)


def leave_class_of_two() -> None:
    """Leave a run with Zoë, who has 3 of 4, and Jan, who has all."""
    leave((of("zoe", 3), ZOE), (of("jan", 4), JAN))


def export(capfd: pytest.CaptureFixture[str], *args: str) -> Done:
    """Run `grader export run` with more."""
    return grader(capfd, "export", "run", *args)
