"""Samples as they are told: the boards on their pages, and their screens of `grader check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Final

import pytest
from catalogue import ROOT, seen
from drawn_pages import check_dialect
from test_reporting_screen import printed

from grader.intake.submission import Submission
from grader.intake.submissions import Entry, read_submission
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.solutions import submission_of
from grader.reporting.screen import SCREEN_LINES
from grader.reporting.student_page import student_page
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.files import load_suite
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.verdict import Visibility

pytestmark = pytest.mark.corpus(one_in=None)  # all samples are graded for any of the tests

LEAST_DRAWN: Final = {"1010": 1, "akari": 4, "str8ts": 1, "triomino": 4, "yinyang": 4}
"""So many of the samples of an exercise have a board drawn, at least."""


def hand_ins(exercise: str, suite: Suite) -> Iterator[Submission]:
    """Yield the samples of an exercise."""
    if exercise == "1010":
        for name in ("de_smet_jonas", "maes_noor"):
            path = ROOT / "submissions" / exercise / name
            yield read_submission(Entry(name, path), suite.modules, suite.defines)
    else:
        for _, program in seen("faulty", exercise)[1::3]:
            yield submission_of(suite, program.sources, program.name)


@pytest.fixture(scope="module")
def samples(zygote: Zygote) -> Iterator[Mapping[str, Sequence[Record]]]:
    """The records of the samples by exercise, on the public sessions of their suites."""
    with ExitStack() as sandboxes:
        started: dict[tuple[str, ...], Sandbox] = {(): zygote}
        records = {}
        for exercise in LEAST_DRAWN:
            given = load_suite(ROOT / "testsuites" / f"{exercise}.yaml", KINDS)
            packages = optional_packages(given.imports)
            if packages not in started:
                for package in packages:
                    pytest.importorskip(package)
                started[packages] = sandboxes.enter_context(new_sandbox(packages))
            public = tuple(one for one in given.sessions if one.visibility is Visibility.PUBLIC)
            ids = {each.group for session in public for each in session.cases}
            suite = given.with_changes(
                limits=given.limits.with_changes(cpu_s=0.2, session_cpu_s=0.5, timeouts=1),
                groups=tuple(one for one in given.groups if one.id in ids),
                sessions=public,
                rules=(),
                advice=False,
            )
            records[exercise] = [
                grade(suite, each, started[packages]) for each in hand_ins(exercise, suite)
            ]
        yield records


def test_boards_of_samples(samples: Mapping[str, Sequence[Record]]) -> None:
    """Every board of a sample stays within the small part of SVG, and there are many."""
    drawn_of = {
        exercise: sum(check_dialect(student_page(each)) > 0 for each in records)
        for exercise, records in samples.items()
    }
    assert {} == {name: n for name, n in drawn_of.items() if n < LEAST_DRAWN[name]}


def test_samples_fit_on_a_screen(samples: Mapping[str, Sequence[Record]]) -> None:
    """Whatever was handed in, no more lines than that are printed."""
    lengths = [printed(each).count("\n") for records in samples.values() for each in records]
    assert max(lengths) <= SCREEN_LINES
