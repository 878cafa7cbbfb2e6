"""What is done with records that are kept: taken, scored again, or made anew."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import RIGHT, SUITE, WRONG, grader, write
from graded_classes import TERMS

from grader.intake.submissions import HandIn
from grader.judging.rules import KINDS
from grader.run.chunks import (
    Job,
    close_thread_worker,
    grade_chunk,
    pack_chunk,
    pack_suite,
)
from grader.run.outcomes import Outcome, parse_outcomes
from grader.store.graded import KnownRecord
from grader.store.keys import environment
from grader.suite.exercises import find_suite

pytestmark = pytest.mark.usefixtures("here")

PLAIN = SUITE.format(name="double", defines="double", call="double(2)")
COMMAND = ("grade", "double", "--jobs", "1")


@pytest.fixture
def graded(here: Path, capfd: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001 - all is there
    """A run over two hand-ins."""
    write("testsuites/double.yaml", PLAIN)
    write("double/an.py", RIGHT)
    write("double/bo.py", WRONG)
    assert 0 == grader(capfd, *COMMAND, "--out", "run").code


def changed(command: str) -> None:
    """Change the store of the run."""
    with sqlite3.connect("run/run.db") as store:
        store.execute(command)


@pytest.mark.usefixtures("graded")
def test_higher_walls_than_a_record_has_are_asked_for_anew(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Who asks for less takes what there is, and so does who asks for nothing."""
    changed("UPDATE record SET isolation = 1 WHERE student = 'an'")
    told = [
        grader(capfd, *COMMAND, "--out", "run", *asked).err
        for asked in ((), ("--isolation", "1"), ("--isolation", "2"), ("--isolation", "2"))
    ]
    assert ["2 of the submissions" in each for each in told] == [True, True, False, True]
    assert "1 of the submissions were graded before" in told[2]
    with sqlite3.connect("run/run.db") as store:
        levels = store.execute("SELECT isolation FROM record WHERE student = 'an' ORDER BY id")
        first, second = [level for (level,) in levels]
    assert first == 1 < second


@pytest.mark.usefixtures("graded")
@pytest.mark.parametrize("harm", ["data = x'00'", "pattern = 'odd'"])
def test_damaged_record_is_not_scored_again(capfd: pytest.CaptureFixture[str], harm: str) -> None:
    """On a suite with other points its submission is graded as if there were none."""
    changed("INSERT INTO pattern VALUES ('odd', x'00')")
    changed(f"UPDATE record SET {harm}")
    write("testsuites/double.yaml", PLAIN.replace("points: 2", "points: 3"))
    assert 0 == grader(capfd, *COMMAND, "--out", "run").code
    assert 0 == grader(capfd, *COMMAND, "--out", "whole").code
    results = [json.loads(Path(f"{out}/results.json").read_bytes()) for out in ("run", "whole")]
    assert results[0] == results[1]
    assert 3.0 == results[0]["submissions"][0]["score"]


@pytest.mark.parametrize("is_lasting", [True, False])
def test_what_is_known_lasts_as_it_did(is_lasting: bool) -> None:
    """That only a page is missing makes no record of a time-out one of everybody."""
    write("testsuites/double.yaml", PLAIN)
    suite = find_suite("double", None, KINDS)
    hand_in = HandIn(student="an", files={"an.py": RIGHT.encode()}, is_named_after_student=True)
    job = Job(index=0, suite=suite.sha256, hand_in=hand_in)

    def outcome_of(job: Job) -> Outcome:
        chunk = pack_chunk(environment(()), TERMS, lambda _: pack_suite(suite), [job])
        (outcome,) = parse_outcomes(grade_chunk(chunk))
        return outcome

    graded = outcome_of(job).graded
    known = KnownRecord(graded.data, is_lasting=is_lasting)
    again = outcome_of(replace(job, known_record=known))
    close_thread_worker()
    assert (graded.data, is_lasting, None) == (
        *(again.graded.data, again.graded.is_lasting),
        again.seconds,
    )
