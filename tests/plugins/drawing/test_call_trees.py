"""Calls are drawn as a tree: what an executor tells of them, and what becomes a picture."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import Any, Final

import pytest
from builders import by_id, submission, suite
from instrumented_programs import look, told

from grader.judging.judge import grade
from grader.judging.pictures import AnyPicture, CallsPicture
from grader.judging.preparing import build_program
from grader.judging.record import Record
from grader.judging.results import Result
from grader.plugins.drawing.call_trees import (
    MAX_CALLS,
    MAX_DRAWN,
    CallDrawer,
    build_picture,
    parse_calls,
)
from grader.sandbox.budget import Budget, units
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.verdict import Verdict

HEAD: Final = "exercise: sample\ntitle: Sample\nlanguage: en\nmodule: sample\ndefines: [f]\n"


def tree(zygote: Zygote, source: str, call: str = "f(n)", size: int = 3) -> list[str]:
    """Return the calls that are told, each with an indent, what it gave and whether it is cut."""
    facts = told(look(zygote, source, size, call=call, tree=["sample.f"]))
    found = build_picture(parse_calls(facts), "sample.f", "f")
    return lines(found)


def lines(found: AnyPicture | None) -> list[str]:
    """Return a picture of calls as lines; none without one."""
    calls = found.calls if isinstance(found, CallsPicture) else ()
    return [f"{' ' * c.depth}{c.text} {c.gave}{' cut' * c.is_cut}" for c in calls]


def test_calls_stand_below_what_made_them(zygote: Zygote) -> None:
    """Each call is told with what it was given and what it gave, in the order of the calls."""
    source = "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)"
    assert ["f(3) 2", " f(2) 1", "  f(1) 1", "  f(0) 0", " f(1) 1"] == tree(zygote, source)


TREES: Final = {
    "helpers are passed over": (
        "def less(n): return n - 1\ndef f(n): return 0 if n == 0 else f(less(n))",
        ["f(4) 0", " f(3) 0", "  f(2) 0", "   f(1) 0", "    f(0) 0"],
    ),
    "helpers that recur are not": (
        """
        def f(n): return g(n, 0)
        def g(n, found): return found if n == 0 else g(n - 2, found + n)
        """,
        ["f(4) 6", " g(4, 0) 6", "  g(2, 4) 6", "   g(0, 6) 6"],
    ),
    "an exception gives nothing": (
        """
        def f(n):
            if n == 2: raise ValueError
            try: f(n - 1)
            except ValueError: return 'caught'
        """,
        ["f(4) None", " f(3) 'caught'", "  f(2) None"],
    ),
    "generators are calls": (
        """
        def f(n): return [*g(n)]
        def g(n):
            if n: yield from g(n - 2)
            yield n
        """,
        ["f(4) [0, 2, 4]", " g(4) None", "  g(2) None", "   g(0) None"],
    ),
    "a call alone is nothing to see": ("def f(n): return n", []),
    "a loop of calls is no recursion": (
        "def g(n): return n\ndef f(n): return [g(k) for k in range(n)]",
        [],
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_trees_of_calls(zygote: Zygote, name: str) -> None:
    """What stands between two calls is left out, unless it recurs itself."""
    source, expected = TREES[name]
    found = [each.replace("f.<locals>.", "") for each in tree(zygote, source, size=4)]
    assert expected == found


def test_many_calls_are_cut_to_the_nearest(zygote: Zygote) -> None:
    """Of very many calls those nearest to the first are shown, and it is said where more were."""
    source = "def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)"
    found = tree(zygote, source, size=20)
    assert MAX_CALLS == len(found)
    assert found[0] == "f(20) 10946 cut"
    few = tree(zygote, source, size=6)
    assert MAX_CALLS == len(few)
    assert not few[0].endswith("cut")
    assert any(line.endswith("cut") for line in few)


def test_all_calls_of_the_step_are_trees(zygote: Zygote) -> None:
    """A step may ask several times, and any of the answers may be the wrong one."""
    source = "def f(n): return n if n == 0 else f(n - 1)\ndef g(n): return f(n)"
    called = tree(zygote, source, "[f(1), f(0), g(1)]")
    assert ["f(1) 0", " f(0) 0", "f(0) 0", "f(1) 0", " f(0) 0"] == called
    many = tree(zygote, source, "[f(k) for k in range(40)]")
    assert [f"f({k}) 0{' cut' * (k > 0)}" for k in range(MAX_CALLS)] == many
    facts = told(look(zygote, source, 3, call="[f(k) for k in range(40)]", tree=["sample.f"]))
    found = build_picture(parse_calls(facts), "sample.f", "f")
    assert found is not None
    assert found.is_cut


def test_endless_calls_are_a_path(zygote: Zygote) -> None:
    """A recursion without an end is drawn by its first calls."""
    found = tree(zygote, "def f(n): return f(n - 1)")
    assert ["f(3) None", " f(2) None", "  f(1) None"] == found[:3]
    assert found[-1].endswith("cut")


SUMMARY: Final = ["int", 1]


@pytest.mark.parametrize(
    "told_tree",
    [
        None,
        {},
        "text",
        [[-1, "sample.f:1", [SUMMARY], None, False]] * 3_001,
        [[0, "sample.f:1", [SUMMARY], None, False]],
        [[-2, "sample.f:1", [SUMMARY], None, False]],
        [[-1, 5, [SUMMARY], None, False]],
        [[-1, "x" * 1_001, [SUMMARY], None, False]],
        [[-1, "sample.f:1", [[["int"]]], None, False]],
        [[-1, "sample.f:1", SUMMARY, None, False]],
        [[-1, "sample.f:1", [], {"int": 1}, False]],
        [[-1, "sample.f:1", [], None, 1]],
        [[-1, "sample.f:1", [], None]],
    ],
)
def test_forged_trees_are_no_calls(told_tree: Any) -> None:
    """What has not the shape of calls is nothing at all."""
    assert [] == parse_calls({"tree": told_tree})
    assert [] == parse_calls(None)


def test_a_deep_forged_tree_is_drawn_in_time() -> None:
    """A path as long as can be told takes no recursion of ours."""
    path = [[at - 1, "sample.f:1", [["int", at]], None, False] for at in range(3_000)]
    found = build_picture(parse_calls({"tree": path}), "sample.f", "f")
    assert found is not None
    assert MAX_CALLS == len(found.calls)
    assert sys.getrecursionlimit() < 3_000


BODY: Final = """
    widgets: {calls: [{groups: [g], function: f}]}
    groups: [{id: g, points: 4}, {id: other, points: 1}]
    sessions:
    - id: open
      steps:
      - {do: before = 4}
      - {do: f(before), returns: "0", group: g}
      - {do: f(3), returns: "0", group: g}
      - {do: x = f(2), group: g}
      - {do: print(f(2)), stdout: "0", group: g}
      - {do: "[f(2)]", returns: "[0]", group: g}
      - {do: f(2), returns: "0", group: other}
    - id: closed
      visibility: hidden
      steps:
      - {do: f(5), returns: "0", group: g}
    """
WRONG: Final = "def f(n): return 1 if n == 0 else f(n - 1)"


def record_of(zygote: Zygote, source: str) -> Record:
    """Return the record of `source`."""
    return grade(suite(dedent(BODY), HEAD), submission(source), zygote)


def test_public_cases_of_the_group_that_failed_are_drawn(zygote: Zygote) -> None:
    """So many are, and nothing of hidden cases, of other groups, or of what passed."""
    found = {name: case.pictures for name, case in by_id(record_of(zygote, WRONG)).items()}
    drawn = {name: lines(each[0]) for name, each in found.items() if each}
    assert MAX_DRAWN == len(drawn)
    assert {"g/1", "g/2", "g/4"} == drawn.keys()
    assert ["f(4) 1", " f(3) 1", "  f(2) 1", "   f(1) 1", "    f(0) 1"] == drawn["g/1"]
    assert ["f(2) 1", " f(1) 1", "  f(0) 1"] == drawn["g/4"]


def test_what_passes_or_never_ends_is_not_run_again(zygote: Zygote) -> None:
    """A right answer needs no drawing, and one that never came costs too much."""
    right = record_of(zygote, "def f(n): return 0 if n == 0 else f(n - 1)")
    assert {Verdict.PASSED} == {case.verdict for case in right.cases}
    assert not any(case.pictures for case in right.cases)


def test_verdicts_are_the_same_with_calls_and_without(zygote: Zygote) -> None:
    """To draw calls changes no verdict and no point, even where a program looks for instruments."""
    source = """
        import sys
        def f(n):
            if 'probe' in str([*sys._getframe().f_back.f_code.co_names]): return 0
            return 1 if n == 0 else f(n - 1)
        """
    without = BODY.replace("widgets:", "# widgets:")
    plain = grade(suite(dedent(without), HEAD), submission(source), zygote)
    drawn = record_of(zygote, source)
    assert [(c.verdict, c.points) for c in plain.cases] == [
        (c.verdict, c.points) for c in drawn.cases
    ]


def drawn_with(zygote: Zygote, usage: Budget) -> tuple[list[AnyPicture], Budget]:
    """Return what is drawn of a submission that has used so much, and what it has used then."""
    asked, given = suite(dedent(BODY), HEAD), submission(WRONG)
    runner = SessionRunner(zygote, build_program(asked, given), asked.limits, usage)
    (session, *_) = asked.sessions
    wrong = dict.fromkeys((case.id for case in session.cases), Result(verdict=Verdict.WRONG))
    drawn = CallDrawer(asked, runner, {"sample": "sample"}).draw_calls(session, wrong)
    return [each.calls for each in drawn.values() if each.calls is not None], usage


def test_to_draw_calls_costs_a_submission_nothing(zygote: Zygote) -> None:
    """What a drawing takes is not used by the submission, of which later cases need it."""
    pictures, usage = drawn_with(zygote, Budget())
    assert pictures
    assert Budget() == usage


def test_nothing_is_drawn_when_time_is_short(zygote: Zygote) -> None:
    """Who has used most of the time keeps the rest for what counts."""
    pictures, _ = drawn_with(zygote, Budget(units=int(0.6 * units(Limits().submission_cpu_s))))
    assert not pictures
