"""Classes of any size: what stays in memory of each submission, and what is written is the same."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from filed_runs import begun, keep
from record_samples import case, group, line, record
from ruled_records import advice, rule, ruled

from grader.judging.record import Record, to_json
from grader.reporting.output import write_reports
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.verdict import RuleVerdict, Verdict

CASES = 100
KEPT_BYTES = 10_000
"""What may stay of a submission of which the record has more than ten times as much."""


def wordy(number: int) -> Record:
    """Return a record of many cases, each of which says more than enough."""
    text = f"{number:>1000}"
    steps = (line(output=text),)
    passed = (case(f"f/{n}", code=f"f({n})", transcript=steps) for n in range(CASES))
    failed = case("g/1", Verdict.WRONG, expected="1", got=text, transcript=steps)
    student = f"student-{number:04}"
    return replace(record(group("f", *passed), group("g", failed)), id=student, student=student)


def peak(folder: Path, count: int, junit: Path | None = None) -> int:
    """Return how many bytes the reports on a class of so many take in memory at most."""
    records = [wordy(number) for number in range(count)]
    with begun(folder, *records) as store:
        for index, each in enumerate(records):
            keep(store, index, each)
        tracemalloc.start()
        write_reports(folder, store, junit=junit)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return most


def test_little_of_a_submission_stays_in_memory(tmp_path: Path) -> None:
    """Reports on a class are made with one record in memory, and a few facts about the others."""
    few, many = tmp_path / "few", tmp_path / "many"
    peak(few, 10)  # what is loaded and laid out once is no matter of this
    growth = (peak(many, 60) - peak(few, 10)) / 50
    assert growth < KEPT_BYTES
    assert len(to_json(wordy(1))) > 10 * KEPT_BYTES


@pytest.mark.parametrize("page", [student_page, defence_sheet])
def test_a_page_leaves_nothing_to_be_collected(page: Callable[[Record], str]) -> None:
    """What a page is made of goes when it is written, also while collections are rare."""
    given = ruled(rule(), rule("loops", RuleVerdict.PASSED), tips=(advice(),))
    page(given)
    gc.collect()
    gc.disable()
    try:
        page(given)
        assert 0 == gc.collect()
    finally:
        gc.enable()
