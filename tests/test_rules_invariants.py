"""What rules must never do, whatever a submission is like: invariants of the architecture."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from builders import HEAD, submission, suite
from hypothesis import given
from hypothesis import strategies as st

from grader.judging.judge import grade
from grader.judging.results import penalties
from grader.judging.rules.source import Python
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite
from grader.suite.rules import Rule
from grader.verdict import RuleVerdict

ROOT: Final = Path(__file__).resolve().parents[1]
PARSERS: Final = {"ast", "codeop", "dis", "pickle", "runpy", "symtable", "tokenize"}
"""Modules of Python that read source or code."""
BUILT_IN_PARSERS: Final = {"__import__", "compile", "eval", "exec"}
GRADER: Final = ROOT / "grader"
OF_STEPS: Final = GRADER / "sandbox/planning.py"
"""What compiles the steps of a suite, of which no submission has a part."""
LITERALS: Final = ("literals.py", "literal_source.py", "array_literals.py")
OF_AUTHORS: Final = (
    *(OF_STEPS, GRADER / "judging/rules/named_arguments.py", GRADER / "suite"),
    *(GRADER / "reporting" / each for each in ("runnable.py", "session_view.py")),
    *(GRADER / "values" / each for each in LITERALS),
)
"""What reads the code that the author of a suite wrote, and nothing of a submission."""
SENT: Final = GRADER / "judging/remaking.py"
"""What is sent to an executor as text, and runs nowhere else."""
TO_WORKERS: Final = (GRADER / "run/chunks.py", GRADER / "run/pages.py")
"""They pickle what a judge sends to its workers; what comes back is JSON."""
RULES: Final = """\
defines: [total]
rules:
  recursion:
    - {function: total, sizes: [3, 12], call: total(list(range(n))), cap: 0}
  loops:
    - {functions: [total], forbid: [for, while], points: 1}
  cost:
    - {function: total, time: linear, sizes: [4, 64], call: total(list(range(n))), points: 1}
    - {function: total, memory: constant, sizes: [4, 64], call: total(list(range(n))), points: 1}
  docstrings:
    - {functions: [total], points: 1}
"""
CASES: Final = """\
groups:
  - {id: total, points: 4}
sessions:
  - id: all
    steps:
      - {do: "total([1, 2])", returns: "3", group: total}
      - {do: "total([])", returns: "0", group: total}
      - {do: "total([5] * 30)", returns: "150", group: total}
"""
LOOP: Final = """
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found
"""
SOURCES: Final = {
    "recursive": "def total(ns): return ns[0] + total(ns[1:]) if ns else 0",
    "loop": LOOP,
    "wrong": "def total(ns): return 3",
    "endless": "def total(ns): return ns[0] + total(ns)",
    "raises": "def total(ns): raise OSError",
    "ends": "import os\ndef total(ns): os._exit(0)",
    "remembers": "seen = []\ndef total(ns):\n    seen.append(1)\n    return sum(ns) * len(seen)",
    "notices its name": "def total(ns): return sum(ns) if total.__code__.co_names else 0",
    "notices instruments": (
        "import sys\ndef total(ns):\n"
        "    return 0 if any('probe' in str(name) for name in list(sys.modules)) else sum(ns)"
    ),
}


def asked(rules: str) -> Suite:
    """Return the suite with `rules` before its cases."""
    return suite(rules + CASES, head=HEAD.replace("defines: []\n", ""))


@pytest.mark.parametrize("kind", SOURCES)
def test_rules_change_no_verdict_of_a_case(zygote: Zygote, kind: str) -> None:
    """The cases of a submission come out the same whether its suite has rules or not."""
    source = submission(SOURCES[kind])
    with_rules = grade(asked(RULES), source, zygote)
    without = grade(asked("defines: [total]\n"), source, zygote)
    assert without.groups == with_rules.groups
    assert len(asked(RULES).rules) == len(with_rules.rules)
    assert without.score - sum(rule.penalty for rule in with_rules.rules) == with_rules.score


def test_doubt_costs_nothing(zygote: Zygote) -> None:
    """What would cost all points costs none while a person has to decide, whatever it says."""
    rules = "defines: [total]\n" + RULES[RULES.index("rules:") : RULES.index("  loops:")]
    plain = grade(asked(rules), submission(LOOP), zygote)
    doubtful = grade(asked(rules), submission(f"import inspect\n{LOOP}"), zygote)
    assert [(RuleVerdict.BROKEN, 4)] == [(each.verdict, each.penalty) for each in plain.rules]
    assert [(RuleVerdict.REVIEW, 0)] == [(each.verdict, each.penalty) for each in doubtful.rules]
    assert (0, 4) == (plain.score, doubtful.score)


POINTS: Final = st.integers(1, 200).map(lambda tenths: tenths / 10)


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", None]), POINTS, st.booleans()), max_size=8),
    st.tuples(POINTS, POINTS),
)
def test_rules_take_no_more_than_was_earned(
    costs: list[tuple[str | None, float, bool]], points: tuple[float, float]
) -> None:
    """No rule gives points, and together they leave each group and the whole at 0 or more."""
    earned = {name: Fraction(str(each)) for name, each in zip("ab", points, strict=True)}
    rules = [_rule(number, *cost) for number, cost in enumerate(costs)]
    taken = penalties(rules, earned)
    assert [rule.id for rule in rules] == list(taken)
    assert all(cost >= 0 for cost in taken.values())
    assert sum(taken.values()) <= sum(earned.values())
    for group, most in earned.items():
        assert sum(taken[rule.id] for rule in rules if rule.group == group) <= most


def _rule(number: int, group: str | None, points: float, capped: bool) -> Rule:
    cost = "cap" if capped and group is not None else "points"
    keys = {"id": f"r{number}", "version": "3.6", "group": group, cost: points}
    return Python.validate(keys)


# The judge parses no source of a submission


def test_no_parser_is_within_reach_of_the_judge() -> None:
    """What grades a submission, and whatever that imports, has nothing that reads Python code."""
    reached = _reached("run")
    assert {"judging", "sandbox", "intake", "values"} < reached
    assert "executor" not in reached
    for path in (path for top in reached for path in _files(top)):
        if not any(map(path.is_relative_to, (*OF_AUTHORS, SENT, *TO_WORKERS))):
            assert PARSERS.isdisjoint(_imported(path)), path
            assert BUILT_IN_PARSERS.isdisjoint(_called(path)), path


def test_a_parser_would_be_found() -> None:
    """The test above finds the parsers of what may have them."""
    assert "ast" in _imported(OF_STEPS)
    assert "compile" in _called(OF_STEPS)


def _reached(start: str) -> set[str]:
    """Return the modules and packages of ours that `start` imports, directly or in turn."""
    reached, waiting = set[str](), [start]
    while waiting:
        top = waiting.pop()
        if top not in reached and _files(top):
            reached.add(top)
            names = (name for path in _files(top) for name in _imported(path))
            parts = (name.split(".") for name in names)
            waiting += [each[1] for each in parts if each[0] == "grader" and len(each) > 1]
    return reached


def _files(top: str) -> list[Path]:
    module = ROOT / f"grader/{top}.py"
    return [module] if module.exists() else list((ROOT / "grader" / top).rglob("*.py"))


def _imported(path: Path) -> set[str]:
    """Return what a file imports: full names, and what is taken from packages of ours."""
    return {name for node in _nodes(path) for name in _names(node)}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and node.module is not None:
        yield node.module
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


def _called(path: Path) -> set[str]:
    calls = (node.func for node in _nodes(path) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


@cache
def _nodes(path: Path) -> list[ast.AST]:
    """Return the imports and calls of a file."""
    kinds = ast.Import | ast.ImportFrom | ast.Call
    every = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in every if isinstance(node, kinds)]
