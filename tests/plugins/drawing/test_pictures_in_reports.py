"""What pictures add to reports, and that they take no room from what is told in words."""

from __future__ import annotations

import re
from dataclasses import replace

from counterexample_samples import RIGHT, graded
from record_samples import case, group, record
from test_portions import PAGE_BYTES, drawn, hidden, parts_of, told, wrong
from test_reporting_student_page import shown_attributes

from grader.reporting.case_view import CaseView
from grader.reporting.mending import first_to_mend
from grader.reporting.portions import hints
from grader.reporting.student_page import student_page
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale
from grader.sandbox.zygote import Zygote
from grader.suite.board import BoardLayout, Cell, Drawing, Look, Picture
from grader.verdict import Verdict


def test_boards_of_unknown_size_have_none() -> None:
    """What is cut to the positions in it is not called a board of that many rows."""
    layout = BoardLayout(from_bottom=True, base=1, column_first=True)
    empty, dot = Cell("", Look(Drawing.EMPTY)), Cell("", Look(Drawing.EMPTY), chosen=True)
    cut = Picture(
        layout=layout, expected=((dot, empty),), got=((empty, dot),), first_row=1, first_column=1,
        of_positions=True, sized=False,
    )  # fmt: skip
    taller = replace(cut, sized=True, of_positions=False, expected=((dot, None),))
    pages = [
        shown_attributes(record(group("f", replace(case("f/1", Verdict.WRONG), pictures=(each,)))))
        for each in (cut, taller)
    ]
    assert "The expected positions" in pages[0]
    assert "1 by 2" not in pages[0]
    assert "The expected board, 1 by 1" in pages[1]
    assert "The board you got, 1 by 2" in pages[1]


def test_one_large_case_takes_nothing_from_others() -> None:
    """What is not told takes no room, and first failures are told without what is too large."""
    huge = "ab\n" * 3_000
    given = record(
        *(group(n, drawn(f"{n}/0"), wrong(f"{n}/1", huge)) for n in "ab"), group("c", wrong("c/0"))
    )
    parts = parts_of(given)
    assert {"a/0", "b/0", "c/0"} <= told(given)
    assert ((), ()) == tuple(parts.views[f"{n}/0"].pictures for n in "ab")
    assert len(student_page(given).encode()) < PAGE_BYTES


def test_the_example_of_what_to_mend_first_has_room_before_others() -> None:
    """A large one is there without its drawing, and it takes nothing where it is not told."""
    given = record(hidden("few", 1), hidden("many", 3))
    groups = visible_groups(given)
    found = hints(groups, given, Locale.for_language("en"), {}, first_to_mend(given, groups))
    example = found["many"]["example"]
    assert isinstance(example, CaseView)
    assert () == example.pictures
    assert "f(1)" in re.sub("<[^>]*>", "", student_page(given).partition('id="groups"')[0])


def test_board_of_a_counterexample_is_drawn(zygote: Zygote) -> None:
    """It is shown like any public case: also with its boards."""
    found = graded(zygote, RIGHT.replace("'ww\\n-w' if", "'w-\\n-w' if").replace("ww\\nw-", "--"))
    example = found.groups[2].counterexample
    assert example is not None
    assert 1 == len(example.pictures)
