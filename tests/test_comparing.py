"""What a suite says of a comparison is what a submission meets."""

from __future__ import annotations

import pytest
from builders import by_id, graded

from grader.reporting.wording import format_message
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

CLASS = "class A:\n    def __repr__(self):\n        return 'A({})'\n"


@pytest.mark.parametrize(
    ("step", "right", "wrong"),
    [
        ("do: f(), returns: '2.33', tolerance: 0.01", "7 / 3", "2.35"),
        ("do: f(), returns: '[1000.0, 2]', tolerance: 1%", "[995.0, 2]", "[980.0, 2]"),
        ("do: f(), returns: '2', also: ['-2', '0']", "-2", "3"),
        ("do: f(), returns: '[1, 2]', ignore: [order, types]", "(2, True)", "(2, 2)"),
        ("do: 'print(f())', stdout: a b, ignore: [blanks]", "'a  b'", "'ab'"),
        ("do: 'print(f())', stdout: 'mean 0.5', tolerance: 0.1", "'mean 0.501'", "'mean 1'"),
        ("do: 'print(f())', stdout: \"b\\na\", ignore: [order]", "'a\\nb'", "'a\\na'"),
        ("do: f(), returns: \"'Dear ..., bye'\", ellipsis: true", "'Dear Ann, bye'", "'Dear Ann'"),
        ("do: f(), shows: '[1, 2]'", "[1, 2]", "[1,  3]"),
        ("do: 'x = f(); x', shows: '3'", "3", "None"),
        ('do: "for i in \'ab\': f()", shows: "1\\n1"', "1", "2"),
        ("do: 1 / f(), raises: 'ZeroDivisionError: ... zero', ellipsis: true", "0", "'a'"),
        ("do: 'f()[0]', raises: IndexError, also: ['KeyError: 0']", "{}", "1"),
    ],
)
def test_a_step_is_compared_as_it_says(zygote: Zygote, step: str, right: str, wrong: str) -> None:
    """What it lets pass passes, and no more."""
    body = f"groups: [{{id: g, points: 1}}]\nsessions: [{{id: s, steps: [{{{step}, group: g}}]}}]\n"
    for value, verdict in ((right, True), (wrong, False)):
        record = graded(zygote, body, f"def f():\n    return {value}\n")
        assert verdict is (by_id(record)["g/1"].verdict is Verdict.PASSED), value


def test_what_is_shown_is_the_word_of_the_executor(zygote: Zygote) -> None:
    """The `repr` of a submission's class is text that differs as text does."""
    step = "{do: A(), shows: A(1), group: g}"
    body = f"groups: [{{id: g, points: 1}}]\nsessions: [{{id: s, steps: [{step}]}}]"
    case = by_id(graded(zygote, body, CLASS.format(2)))["g/1"]
    assert (Verdict.WRONG, "A(1)", "A(2)") == (case.verdict, case.expected, case.got)
    assert "The text is not what was expected." == format_message(case.explanation[0], "en")
    assert Verdict.PASSED is by_id(graded(zygote, body, CLASS.format(1)))["g/1"].verdict


def test_an_explanation_names_only_what_counts(zygote: Zygote) -> None:
    """The first two elements are near enough, or in another order."""
    step = "{do: f(), returns: '[1.0, 2.0, 3.0]', tolerance: 0.1, ignore: [order], group: g}"
    body = f"groups: [{{id: g, points: 1}}]\nsessions: [{{id: s, steps: [{step}]}}]"
    case = by_id(graded(zygote, body, "def f():\n    return [2.05, 1.01, 9.0]\n"))["g/1"]
    assert ["At [2]: expected 3.0, but your code gives 9.0."] == [
        format_message(each, "en") for each in case.explanation
    ]
