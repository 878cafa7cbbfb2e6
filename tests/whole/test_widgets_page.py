"""The page on widgets is true: its suite grades its solution, and shows what the page shows."""

from __future__ import annotations

from typing import Final

import pytest
from builders import by_id
from documentation import BLOCKS, ROOT, SUITES

from grader.intake.submission import SourceFile, Submission
from grader.judging.judge import grade
from grader.judging.pictures import CallsPicture, LinePicture, PlotPicture, TablePicture
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.terminal import case_text
from grader.sandbox.zygote import Zygote
from grader.suite.loading import parse_suite

PAGE: Final = ROOT / "docs/how-to/widgets.md"
SHOWN: Final = {block.file: block for block in BLOCKS if block.page == PAGE and block.file}
KIND: Final = {"table": "ranking", "line": "free_hours", "plot": "orbit", "calls": "fib"}
"""The group that each widget of the page draws."""


@pytest.fixture(scope="module")
def record(zygote: Zygote) -> Record:
    """The record of the solution on the page."""
    (block,) = (each for each in SUITES if each.page == PAGE)
    suite = parse_suite(block.text.encode(), "widgets.yaml", KINDS)
    text = SHOWN["widgets.py"].text
    submission = Submission(
        student="student",
        modules={"widgets": SourceFile(name="widgets.py", text=text, encoding="utf-8")},
        data={},
        parts={"widgets": "widgets"},
        raw={"widgets.py": text.encode()},
    )
    return grade(suite, submission, zygote)


@pytest.mark.parametrize("kind", KIND)
def test_page_shows_what_a_terminal_shows(record: Record, kind: str) -> None:
    """Each text on the page stands in what a terminal shows of its case."""
    shown = case_text(by_id(record)[f"{KIND[kind]}/1"], record)
    assert SHOWN[kind].text.rstrip("\n") in shown


def test_each_case_of_the_page_has_its_picture(record: Record) -> None:
    """Each of the four groups is drawn by its widget."""
    kinds = (TablePicture, LinePicture, PlotPicture, CallsPicture)
    drawn = [[type(each) for each in case.pictures] for case in record.cases]
    assert [[kind] for kind in kinds] == drawn
