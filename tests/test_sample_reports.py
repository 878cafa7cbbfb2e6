"""Samples as they are told: the boards on their pages, and their screens of `grader check`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest
from drawn_pages import check_dialect
from test_reporting_screen import printed

from grader.intake.submissions import Entry, read
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.screen import SCREEN_LINES
from grader.reporting.student_page import student_page
from grader.sandbox.gate import Gate
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.zygote import Zygote
from grader.suite.loading import load_suite
from grader.suite.vocabulary import packages_among
from grader.verdict import Visibility

pytestmark = pytest.mark.corpus(one_in=None)  # all samples are graded for any of the tests

ROOT: Final = Path(__file__).resolve().parents[1]
SAMPLES: Final = tuple(
    path
    for exercise in ("akari", "str8ts", "triomino", "yinyang")
    for path in sorted((ROOT / "reference" / exercise / "faulty").glob("*.py"))[1::3]
) + tuple(ROOT / "submissions" / "1010" / name for name in ("de_smet_jonas", "maes_noor"))
LEAST_DRAWN: Final = {"1010": 1, "akari": 4, "str8ts": 1, "triomino": 4, "yinyang": 4}
"""So many of the samples of an exercise have a board drawn, at least."""


def exercise_of(path: Path) -> str:
    """Return the exercise that the sample at `path` is for."""
    return path.relative_to(ROOT).parts[1]


@pytest.fixture(scope="module")
def samples(zygote: Zygote) -> Iterator[Mapping[Path, Record]]:
    """The records of the samples, on the public sessions of their suites."""
    with ExitStack() as sandboxes:
        started: dict[tuple[str, ...], Sandbox] = {(): zygote}
        records = {}
        for path in SAMPLES:
            given = load_suite(ROOT / "testsuites" / f"{exercise_of(path)}.yaml", KINDS)
            packages = packages_among(given.imports)
            if packages not in started:
                for package in packages:
                    pytest.importorskip(package)
                started[packages] = sandboxes.enter_context(new_sandbox(packages))
            public = tuple(one for one in given.sessions if one.visibility is Visibility.PUBLIC)
            ids = {each.group for session in public for each in session.cases}
            suite = given.changed(
                limits=given.limits.changed(cpu_s=0.2, session_cpu_s=0.5, timeouts=1),
                groups=tuple(one for one in given.groups if one.id in ids),
                sessions=public,
                rules=(),
                advice=False,
            )
            submission = read(Entry(path.stem, path), suite.modules, suite.defines)
            records[path] = grade(suite, submission, started[packages], Gate())
        yield records


def test_boards_of_samples(samples: Mapping[Path, Record]) -> None:
    """Every board of a sample stays within the small part of SVG, and there are many."""
    drawn_of = dict.fromkeys(LEAST_DRAWN, 0)
    for path, found in samples.items():
        drawn_of[exercise_of(path)] += check_dialect(student_page(found)) > 0
    assert {} == {name: n for name, n in drawn_of.items() if n < LEAST_DRAWN[name]}


def test_samples_fit_on_a_screen(samples: Mapping[Path, Record]) -> None:
    """Whatever was handed in, no more lines than that are printed."""
    too_long = [p.name for p, found in samples.items() if printed(found).count("\n") > SCREEN_LINES]
    assert not too_long
