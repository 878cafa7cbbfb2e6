"""Widgets of a suite: what they can draw, and what is refused with the place of the mistake."""

from __future__ import annotations

from typing import Final

import pytest
from builders import suite

from grader.suite.diagnostics import InvalidSuite
from grader.suite.drawable import MAX_COLUMNS, MAX_MARKS, MAX_POINTS, MAX_ROWS
from grader.suite.model import Suite

HEAD: Final = "exercise: sample\ntitle: Sample\nlanguage: en\nmodule: sample\ndefines: [f]\n"


def loaded(widgets: str, *answers: str) -> Suite:
    """Return a suite with these widgets, of which the group `g` expects these answers."""
    steps = "".join(
        f'\n  - {{do: "f({n})", returns: "{a}", group: g}}' for n, a in enumerate(answers)
    )
    body = f"groups: [{{id: g, points: 1}}]\nsessions:\n- id: s\n  steps:{steps}\n"
    return suite(f"widgets: {{{widgets}}}\n{body}", HEAD)


def mistakes(widgets: str, *answers: str) -> list[str]:
    """Return what is wrong with such a suite, each with its line and column."""
    with pytest.raises(InvalidSuite) as refused:
        loaded(widgets, *answers)
    return [f"{each.line}:{each.column} {each.message}" for each in refused.value.diagnostics]


@pytest.mark.parametrize(
    ("widgets", "answer"),
    [
        ("table: [{groups: [g]}]", "[[1, 2], [3]]"),
        ("table: [{groups: [g], columns: [a, b]}]", "[{'x': 1, 'y': None}]"),
        ("table: [{groups: [g]}]", "{'a': 1, (1, 2): 'b'}"),
        ("table: [{groups: [g]}]", "array([[1, 2], [3, 4]])"),
        ("line: [{groups: [g], low: 0, high: 9}]", "{0, 9}"),
        ("line: [{groups: [g]}]", "[(1, 2.5), (0, 4)]"),
        ("line: [{groups: [g]}]", "[]"),
        ("plot: [{groups: [g]}]", "[1, 2.5, -3]"),
        ("plot: [{groups: [g]}]", "{0.5: 1, 2: 3}"),
        ("plot: [{groups: [g]}]", "array([[0, 1], [2, 3]])"),
        ("calls: [{groups: [g], function: f}]", "'anything'"),
    ],
)
def test_answers_that_widgets_draw(widgets: str, answer: str) -> None:
    """Each kind of widget draws several kinds of values."""
    assert [*loaded(widgets, answer).widgets.widgets_with_paths()]


def test_some_answers_of_a_group_may_be_of_another_kind() -> None:
    """A function may give None for nothing; where no answer at all can be drawn, that is wrong."""
    assert [*loaded("line: [{groups: [g]}]", "None", "[1]").widgets.widgets_with_paths()]
    assert ["6:28 no public case of the group 'g' returns anything to draw"] == mistakes(
        "line: [{groups: [g]}]", "None", "True", "[True]", "[1, (2, 3)]", "['1']", "[1e300]"
    )


@pytest.mark.parametrize(
    ("kind", "answer", "why"),
    [
        ("table", repr([[1]] * (MAX_ROWS + 1)), "it has 41 rows, and at most 40 are drawn"),
        ("table", repr([[1] * (MAX_COLUMNS + 1)]), "it has 13 columns, and at most 12 are drawn"),
        ("line", repr([*range(MAX_MARKS + 1)]), "it has 61 marks, and at most 60 are drawn"),
        ("plot", repr([*range(MAX_POINTS + 1)]), "it has 401 points, and at most 400 are drawn"),
    ],
)
def test_answers_that_are_too_large(kind: str, answer: str, why: str) -> None:
    """What a drawing has no room for is refused where it stands."""
    article = f"a {kind}"
    assert [f"11:27 {article} cannot show this answer: {why}"] == mistakes(
        f"{kind}: [{{groups: [g]}}]", answer
    )


@pytest.mark.parametrize(
    ("widgets", "answer", "found"),
    [
        (
            "table: [{groups: [g], columns: [a]}]",
            "[[1, 2]]",
            "11:27 a table cannot show this answer: it has 2 columns, but `columns` names 1",
        ),
        (
            "line: [{groups: [g], low: 3}]",
            "[2, 4]",
            "11:27 a line cannot show this answer: 2 is before 3, where the line begins (`low`)",
        ),
        (
            "line: [{groups: [g], high: 3}]",
            "[(2, 4)]",
            "11:27 a line cannot show this answer: 4 is after 3, where the line ends (`high`)",
        ),
        (
            "line: [{groups: [g], low: 3, high: 3}]",
            "[3]",
            "6:46 a line cannot end at 3, as it begins at 3",
        ),
        ("table: [{groups: [h]}]", "[[1]]", "6:29 unknown group 'h'"),
        ("table: [{groups: [g, g]}]", "[[1]]", "6:32 the group 'g' is drawn in two ways"),
        (
            "line: [{groups: [g]}], plot: [{groups: [g]}]",
            "[1]",
            "6:51 the group 'g' is drawn in two ways",
        ),
        ("calls: [{groups: [g], function: k}]", "1", "6:43 unknown function 'k'"),
        (
            "table: [{groups: [g], columns: [' ']}]",
            "[[1]]",
            "6:43 ' ' is not a visible name",
        ),
        (
            "plot: [{groups: [g], x: abcdefghijklmnopq}]",
            "[1]",
            "6:35 'abcdefghijklmnopq' is too long for a drawing",
        ),
        ("bars: [{groups: [g]}]", "[1]", "6:11 unknown key 'bars'"),
    ],
)
def test_mistakes_have_their_place(widgets: str, answer: str, found: str) -> None:
    """Whatever cannot be drawn is an error that names the line and the column."""
    assert [found] == mistakes(widgets, answer)


def test_hidden_cases_are_nothing_to_draw() -> None:
    """A group is drawn for its public cases alone."""
    hidden = "sessions: [{id: s, visibility: hidden, steps: [{do: f(), returns: '[1]', group: g}]}]"
    body = f"widgets: {{line: [{{groups: [g]}}]}}\ngroups: [{{id: g, points: 1}}]\n{hidden}\n"
    with pytest.raises(InvalidSuite, match="no public case of the group 'g'"):
        suite(body, HEAD)
