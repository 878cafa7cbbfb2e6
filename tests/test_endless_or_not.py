"""What is not explained as endless: what ends with more room, is caught, hidden or forged."""

from __future__ import annotations

from typing import Final

import pytest
from builders import by_id, graded
from deep_recursion import PLAIN, among, said, tried

from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

DEEP: Final = {
    "as it is": "def f(n):\n    return 6 if n == 0 else f(n - 1)",
    "wrong": "def f(n):\n    return 7 if n == 0 else f(n - 1)",
    "with an exception": "def f(n):\n    return 7 // n + f(n - 1)",
    "with too low a limit of its own": """
        import sys
        sys.setrecursionlimit(2_500)
        def f(n):
            return 6 if n == 0 else f(n - 1)
    """,
}


@pytest.mark.parametrize("kind", DEEP)
def test_deep_recursion_is_not_called_endless(zygote: Zygote, kind: str) -> None:
    """What ends when it has more room is told so, instead of what is said of endless ones."""
    (case,) = tried(zygote, DEEP[kind], "f(3_000)")
    assert Verdict.ERROR is case.verdict
    assert {"endless.deep": {"depth": 3_001}} == said(case)


def test_deep_recursion_of_two_functions_counts_the_calls_of_both(zygote: Zygote) -> None:
    """What is told is how many calls went on at the same time."""
    source = """
        def f(n): return 6 if n == 0 else g(n)
        def g(n): return f(n - 1)
        def h(n): return f(n) + f(n)
    """
    (case,) = tried(zygote, source, "h(3_000)")
    assert {"endless.deep": {"depth": 6_002}} == said(case)


def test_deep_recursion_with_room_of_its_own_passes(zygote: Zygote) -> None:
    """Who raises the limit may go deep."""
    source = f"import sys\nsys.setrecursionlimit(4_000)\n{DEEP['as it is']}"
    (case,) = tried(zygote, source, "f(3_000)")
    assert (Verdict.PASSED, {}) == (case.verdict, said(case))


def test_recursion_that_is_deeper_than_a_suite_allows_is_not_said_to_end(zygote: Zygote) -> None:
    """The room of the suite is all there is to find out in."""
    head = "limits: {recursion: 2000}"
    (case,) = tried(zygote, DEEP["as it is"], "f(3_000)", head=head)
    assert [PLAIN, "endless.itself"] == list(said(case))


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("def f(n):\n    raise RecursionError('no')", "f(3)"),
        (
            "def f(n):\n    xs = []\n    for _ in range(3_000): xs = [xs]\n    return repr(xs)",
            "f(3)",
        ),
    ],
    ids=["raised by hand", "in the interpreter"],
)
def test_nothing_is_said_of_what_is_no_recursion(zygote: Zygote, source: str, call: str) -> None:
    """Where no function calls itself there is no circle to tell of."""
    (case,) = tried(zygote, source, call)
    assert ["error.too_deep"] == list(said(case))


def test_recursion_error_that_is_caught_is_not_explained(zygote: Zygote) -> None:
    """Who catches it has an answer, right or wrong, or another exception."""
    source = """
        def g(n): return g(n + 1)
        def f(n):
            try:
                return g(n)
            except RecursionError:
                return n
        def h(n):
            try:
                return g(n)
            except RecursionError:
                raise ValueError(n) from None
    """
    right, wrong, raised = tried(zygote, source, "f(6)", "f(5)", "h(3)")
    assert Verdict.PASSED is right.verdict
    assert ["wrong.value"] == list(said(wrong))[:1]
    assert not any(key.startswith("endless.") for key in (*said(wrong), *said(raised)))
    assert Verdict.ERROR is raised.verdict


def test_refused_step_that_goes_too_deep_is_explained_or_not_but_judged(zygote: Zygote) -> None:
    """A step that must raise something else does not break the grading."""
    source = "def f(n): return f(n)\ndef g(): return 0"
    steps = [
        "- {do: x = g()}",
        "- {do: f(x), raises: ValueError, group: g, unchanged: [x]}",
        "- {do: f(4), raises: RecursionError, group: g}",
    ]
    refused, asked = among(zygote, source, steps)
    assert Verdict.PASSED is asked.verdict
    assert Verdict.PASSED is not refused.verdict


def test_set_up_that_goes_too_deep_is_not_explained(zygote: Zygote) -> None:
    """A case that was never reached says so, and no more."""
    source = "def f(n): return f(n)"
    steps = ["- {do: x = f(3)}", "- {do: x + 1, returns: '6', group: g}"]
    (case,) = among(zygote, source, steps)
    assert Verdict.SKIPPED is case.verdict
    assert ["skipped.step"] == list(said(case))


def test_set_up_of_a_case_is_no_part_of_its_explanation(zygote: Zygote) -> None:
    """What went deep before, and came to its end, is not what went too deep."""
    source = """
        def g(n): return 0 if n == 0 else g(n - 1)
        class C:
            def __repr__(self): return f"{self!r}"
    """
    steps = ["- {do: x = g(900)}", "- {do: 'repr(C()) + x', returns: '6', group: g}"]
    (case,) = among(zygote, source, steps)
    assert "C.__repr__" == said(case)["endless.itself"]["function"]


@pytest.mark.parametrize("visibility", ["hidden", "staff"])
def test_nothing_is_explained_of_hidden_sessions(zygote: Zygote, visibility: str) -> None:
    """What hidden cases call a function with stays hidden."""
    body = f"""
        groups: [{{id: g, points: 1}}]
        sessions:
        - id: s
          visibility: {visibility}
          steps:
          - {{do: f(3), returns: '6', group: g}}
    """
    record = graded(zygote, body, "def f(n): return f(n)")
    (case,) = by_id(record).values()
    assert Verdict.ERROR is case.verdict
    assert [PLAIN] == list(said(case))


def test_three_cases_are_explained(zygote: Zygote) -> None:
    """Those beyond keep the plain message: most often they fail for the same reason."""
    cases = tried(zygote, "def f(n): return f(n - 1)", *(f"f({n})" for n in range(5)))
    explained = [PLAIN, "endless.itself", "endless.past"]
    assert [explained] * 3 + [[PLAIN]] * 2 == [list(said(case)) for case in cases]


def test_other_cases_are_as_they_would_be(zygote: Zygote) -> None:
    """What an explanation runs counts for no other case."""
    source = "def f(n): return 6 if n == 6 else f(n - 1)"
    verdicts = [case.verdict for case in tried(zygote, source, "f(6)", "f(5)", "f(8)", "f(3)")]
    assert [Verdict.PASSED, Verdict.ERROR, Verdict.PASSED, Verdict.ERROR] == verdicts


TRICKS: Final = {
    "takes its time with more room": """
        import sys
        def f(n):
            while sys.getrecursionlimit() > 5_000: pass
            return f(n + 1)
    """,
    "ends the program with more room": """
        import os, sys
        def f(n):
            if sys.getrecursionlimit() > 5_000: os._exit(0)
            return f(n + 1)
    """,
}


@pytest.mark.parametrize("trick", TRICKS)
def test_session_that_dies_with_more_room_takes_nothing_away(zygote: Zygote, trick: str) -> None:
    """What was traced is told all the same, and other cases are explained without that session."""
    head = "limits: {cpu_s: 0.3}"
    cases = tried(zygote, TRICKS[trick], "f(1)", "f(2)", head=head)
    explained = [PLAIN, "endless.itself", "endless.rises"]
    assert [explained] * 2 == [list(said(case)) for case in cases]


RUBBISH: Final = {
    "rubbish": "lambda: 'no JSON'",
    "a number": "lambda: 5",
    "other JSON": "lambda: '[1]'",
    "nothing in it": "lambda: '{}'",
    "other shapes": """lambda: '{"sites": 1, "edges": 2, "cuts": 3, "spread": 4, "calls": 5}'""",
    "an exception": "lambda: 1 // 0",
    "the end": "lambda: __import__('os')._exit(0)",
    "nested lists": "lambda: '[' * 50_000",
    "endless depth": '''lambda: """{"sites": [["sample.f:9", 9, 8, 9]], "edges": [], "cuts": 0,
        "spread": [], "calls": [], "depth": 1e999}"""''',
}


@pytest.mark.parametrize("kind", RUBBISH)
def test_forged_evidence_explains_nothing(zygote: Zygote, kind: str) -> None:
    """A submission that finds the instruments can only take the explanation away from itself."""
    source = f"""
import sys
forged = {RUBBISH[kind]}
def f(n):
    known = sys._getframe(1).f_globals
    for name in [name for name in known if name.endswith("_evidence__")]:
        known[name] = forged
    return f(n + 1)
"""
    (case,) = tried(zygote, source, "f(3)")
    assert Verdict.ERROR is case.verdict
    assert [PLAIN] == list(said(case))
