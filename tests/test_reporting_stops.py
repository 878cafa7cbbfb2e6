"""What the page tells of a submission of which nothing could be run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from record_samples import case, group, record

from grader.judging.record import Record, SourceText
from grader.messages import Message, message
from grader.reporting.student_page import stop_views, student_page
from grader.reporting.wording import LANGUAGES, Locale
from grader.verdict import Status, Verdict

SYNTAX = message(
    "ungradable.syntax", file="f.py", line=3, column=9, message="expected ':'", text="if x == 1"
)
CODE = "def f(x):\n    y = x\n    if y\n        return 1\n    return 2\n    # far away\n"


def stopped(*remarks: Message, code: str = CODE) -> Record:
    """Return the record of `f.py`, of which nothing was run."""
    given = record(group("f", case(verdict=Verdict.SKIPPED)), status=Status.UNGRADABLE)
    return replace(given, remarks=remarks, sources=(SourceText(name="f.py", text=code),))


def test_lines_around_the_place_are_shown_with_a_caret() -> None:
    """Two before, two after, and a caret below the column that Python names."""
    (view,) = stop_views(stopped(SYNTAX), Locale.for_language("en"))
    assert ["1", "2", "3", "4", "5"] == [line.number for line in view.lines]
    assert [None, None, " " * 8 + "^", None, None] == [line.caret for line in view.lines]
    assert "Python cannot read line 3 of f.py: expected ':'" == view.said
    assert view.to_do is not None
    assert "a colon" in view.to_do


@pytest.mark.parametrize(
    ("line", "column"), [(0, 1), (-1, 1), (99, 1), (3, 0), (3, -5), (3, 10**9)]
)
def test_odd_places_have_no_caret(line: int, column: int) -> None:
    """What a parser says of a place may be anything."""
    remark = message(
        "ungradable.syntax", file="f.py", line=line, column=column, message="m", text="t"
    )
    (view,) = stop_views(stopped(remark), Locale.for_language("en"))
    assert not any(each.caret for each in view.lines)
    assert bool(view.lines) == (line == 3)


def test_the_caret_stands_below_what_is_shown() -> None:
    """A character that is shown as several moves it; below tabs nobody knows where it would be."""
    odd = replace(SYNTAX, parameters=tuple({**dict(SYNTAX.parameters), "line": 1}.items()))
    (escaped,) = stop_views(stopped(odd, code="\u202e 'abcdefgh\n"), Locale.for_language("en"))
    shown, caret = escaped.lines[0].text, escaped.lines[0].caret
    assert caret is not None
    assert shown[len(caret) - 1] == "f"
    (tabbed,) = stop_views(stopped(odd, code="\tif a\n"), Locale.for_language("en"))
    assert "" == tabbed.lines[0].caret


def test_the_place_is_in_sight() -> None:
    """Indentation that all lines share is left out, and what lies far before the place."""
    remark = replace(SYNTAX, parameters=tuple({**dict(SYNTAX.parameters), "column": 105}.items()))
    code = "    if a:\n\n        " + "x" * 96 + "!\n        y\n"
    (view,) = stop_views(stopped(remark, code=code), Locale.for_language("en"))
    assert ["if a:", "", "…" + "x" * 60 + "!", "    y", ""] == [line.text for line in view.lines]
    assert " " * 61 + "^" == view.lines[2].caret


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_has_the_reason_and_nothing_to_wade_through(language: str) -> None:
    """No parts that were never tried: the reason, the points, the code and the conditions."""
    page = student_page(replace(stopped(SYNTAX), language=language))
    for anchor in ("notice", "result", "code", "how"):
        assert f'<h2 id="{anchor}"' in page
    assert '<h2 id="groups"' not in page
    assert '<ul class="parts">' not in page


def test_reason_without_a_place_says_what_to_do() -> None:
    """There are no lines to show of a file that is empty."""
    (view,) = stop_views(
        stopped(message("ungradable.empty", file="f.py")), Locale.for_language("en")
    )
    assert ("f.py is empty.", ()) == (view.said, view.lines)
    assert "Check which file you handed in, and hand in the right one." == view.to_do
