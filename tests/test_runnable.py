"""The session of a case as a program: it runs, and it shows what the session showed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from read_pages import Reader
from record_samples import (
    HOSTILE_TEXTS,
    case,
    group,
    hostile_record,
    line,
    record,
    submitted_file,
    yinyang_record,
)

from grader.judging.record import CaseResult, LineStatus, TranscriptLine
from grader.reporting.case_view import anchor
from grader.reporting.parts_view import MAX_PROGRAM_CHARS
from grader.reporting.runnable import runnable_program
from grader.reporting.student_page import student_page
from grader.reporting.wording import Locale
from grader.verdict import Verdict

REFUSED = "Traceback (most recent call last):\nAssertionError: no"


def failing(*steps: TranscriptLine, expected: str | None = None) -> CaseResult:
    """Return a case that failed in the session `steps`."""
    return case(verdict=Verdict.WRONG, transcript=steps, expected=expected)


def program(*steps: TranscriptLine, files: tuple[str, ...] = ("bag.py",)) -> str:
    """Return the program of a session with the modules `files`."""
    given = record(group("f", failing(*steps)), files=tuple(map(submitted_file, files)))
    found = runnable_program(given.cases[0], given, Locale.for_language("en"))
    assert found is not None
    return found


def run(source: str, folder: Path, **modules: str) -> str:
    """Return what the program `source` prints beside `modules`."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(dedent(text), encoding="utf-8")
    (folder / "session.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "session.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


BAG = """
    class Bag:
        def __init__(self):
            self.size = 0

        def add(self, many):
            assert many > 0, "no"
            self.size += many
            return self
"""


def test_a_session_runs_to_its_end_and_shows_the_last_step(tmp_path: Path) -> None:
    """What was refused on the way ends nothing, and what the last step gives is printed."""
    source = program(
        line("bag = Bag()", ""),
        line("bag.add(0)", REFUSED),
        line("for i in range(2):\n    _ = bag.add(2)", ""),
        line("str(bag.size)", "'4'", LineStatus.FAILED),
    )
    assert "AssertionError('no')\n'4'\n" == run(source, tmp_path, bag=BAG)


def test_modules_that_a_session_names_are_imported_by_name(tmp_path: Path) -> None:
    """Of several modules those that are used, and their names stay in front."""
    source = program(
        line("print(Bag.Bag().size)", "0", LineStatus.FAILED), files=("Shop.py", "Bag.py", "a.txt")
    )
    assert ["import Bag", "", "print(Bag.Bag().size)"] == source.splitlines()
    assert "0\n" == run(source, tmp_path, Bag=BAG)


@pytest.mark.parametrize(
    "name", ["yin yang (2).py", "x\nimport os.py", "import.py", "x;y.py", "é.py", "data.csv"]
)
def test_names_of_files_that_are_no_modules_are_left_out(name: str) -> None:
    """What a student calls a file never becomes code."""
    source = program(line("f(1)", "1", LineStatus.FAILED), files=(name,))
    assert "print(repr(f(1)))\n" == source


@pytest.mark.parametrize(
    ("code", "statement"),
    [
        ("f(1)", "print(repr(f(1)))"),
        ("print(f(1))", "print(f(1))"),
        ("x = f(1)", "x = f(1)"),
        ("f(1)  # comment", "f(1)  # comment"),
        ("assert f(1)", "assert f(1)"),
        ("f(", "f("),
        ("(" * 1_000, "(" * 1_000),
    ],
)
def test_only_values_are_printed(code: str, statement: str) -> None:
    """A prompt shows what an expression gives; anything else stays as it is."""
    source = program(line(code, "", LineStatus.FAILED), files=())
    assert f"{statement}\n" == source


def test_what_is_expected_is_a_comment() -> None:
    """Each line of it, so that none is run."""
    given = record(group("f", failing(line(state=LineStatus.FAILED), expected="a\nimport os")))
    source = runnable_program(given.cases[0], given, Locale.for_language("nl"))
    assert source is not None
    assert ["# Verwacht:", "# a", "# import os"] == source.splitlines()[-3:]


@pytest.mark.parametrize(
    "steps",
    [(), (line(),) * 151, (line("x" * 6_001),), (line("'\u202e'"),), (line("'\x00'"),)],
    ids=["none", "many", "long", "bidi", "nul"],
)
def test_what_would_not_be_the_whole_session_is_not_offered(
    steps: tuple[TranscriptLine, ...],
) -> None:
    """Half a session, or one with characters that a page cannot hold, is no program."""
    given = record(group("f", failing(*steps)))
    assert runnable_program(given.cases[0], given, Locale.for_language("en")) is None


def test_pages_hold_the_program_of_each_failure() -> None:
    """Of cases that failed only, and exactly as it is."""
    given = yinyang_record()
    held = Reader(student_page(given)).values("data-python")
    failures = [each for each in given.cases if each.transcript]
    assert [runnable_program(each, given, Locale.for_language("nl")) for each in failures] == held
    assert 3 == len(held)


def test_programs_do_not_fill_a_page() -> None:
    """A page with thousands of failures has programs for the first ones."""
    steps = (line("x" * 1_500, "", LineStatus.FAILED),)
    cases = (case(f"f/{n}", Verdict.WRONG, transcript=steps) for n in range(100))
    page = student_page(record(group("f", *cases)))
    held = Reader(page).values("data-python")
    assert 0.8 * MAX_PROGRAM_CHARS < sum(map(len, held)) <= MAX_PROGRAM_CHARS
    assert page.index(f'id="{anchor("f/0")}"') < page.index("data-python")


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_records_make_programs_or_none(name: str) -> None:
    """Whatever stands in a record, nobody's page fails for it."""
    given = hostile_record(HOSTILE_TEXTS[name])
    for each in given.cases:
        found = runnable_program(each, given, Locale.for_language("en"))
        assert found is None or len(found) < 20_000
