"""Classes of any size: what stays in memory of each submission, and what is written is the same."""

from __future__ import annotations

import gc
import os
import tracemalloc
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from filed_runs import begun, filed, keep
from record_samples import case, group, line, record
from ruled_records import advice, rule, ruled

from grader.errors import OutputError
from grader.judging.record import Record, to_json
from grader.plugins.ci.junit import junit_xml
from grader.reporting import output
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


def peak(folder: Path, count: int) -> int:
    """Return how many bytes the reports on a class of so many take in memory at most."""
    records = [wordy(number) for number in range(count)]
    with begun(folder, *records) as store:
        for index, each in enumerate(records):
            keep(store, index, each)
        tracemalloc.start()
        write_reports(folder, store, junit=folder / "ci.xml")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return most


def test_little_of_a_submission_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reports on a class are made with one record in memory, and a few facts about the others."""
    monkeypatch.setattr(output, "_KEPT_BYTES", 1_000)
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


@pytest.mark.parametrize("room", [100, 1_000_000])
def test_junit_is_the_same_wherever_it_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """Suites wait in memory or on the disk until the totals are known, and leave nothing there."""
    monkeypatch.setattr(output, "_KEPT_BYTES", room)
    records = [wordy(number) for number in range(3)]
    filed(tmp_path / "out", *records, junit=tmp_path / "ci.xml")
    assert junit_xml(records) == (tmp_path / "ci.xml").read_bytes()
    assert {"index.html", "results.json", "run.db", "run.lock", "yinyang"} == {
        path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith("page-")
    }


@pytest.mark.parametrize("count", [0, 1, 3])
def test_junit_in_pieces_is_one_document(count: int) -> None:
    """It is what the whole tree would be written as, and its totals are those of its suites."""
    written = junit_xml([wordy(number) for number in range(count)])
    root = ET.fromstring(written)
    assert [count * (CASES + 1), count] == [
        int(root.attrib[name]) for name in ("tests", "failures")
    ]
    ET.indent(root)
    assert written == ET.tostring(root, encoding="utf-8", xml_declaration=True)


def test_no_room_for_what_waits_is_told(
    tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full when suites are to wait on it ends as any full disk does."""
    monkeypatch.setattr(output, "_KEPT_BYTES", 100)
    failing = case(verdict=Verdict.WRONG, expected="1", transcript=(line(output="x" * 12_000),) * 3)
    given = record(group("f", failing))
    with begun(small_disk, given) as store:
        keep(store, 0, given)
        left = os.statvfs(small_disk)
        (small_disk / "filling").write_bytes(b"x" * (left.f_bavail - 2) * left.f_frsize)
        write_reports(small_disk, store, index=False)
        (small_disk / "results.json").unlink()
        with pytest.raises(OutputError, match="No space left on device"):
            write_reports(small_disk, store, junit=tmp_path / "ci.xml", index=False)
    assert not (small_disk / "results.json").exists()
    assert not (tmp_path / "ci.xml").exists()
