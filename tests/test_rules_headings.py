"""Headings of functions and versions of Python that rules ask for."""

from __future__ import annotations

import sys

import pytest

from grader.suite.diagnostics import Refusal
from grader.suite.texts import parse_heading, python_version


@pytest.mark.parametrize(
    ("text", "function", "parameters"),
    [
        ("f()", "f", []),
        ("Board.f(a, b)", "Board.f", [("a", False), ("b", False)]),
        ("f(a, b=(1, [2, 3]), c=g(x)[0])", "f", [("a", False), ("b", True), ("c", True)]),
        ("f(a: int, b: str = ')(')", "f", [("a", False), ("b", True)]),
        ("f(a,\n  b,)", "f", [("a", False), ("b", False)]),
        ("f(a=1if x else 2)", "f", [("a", True)]),
        ("Board.Solver.solve(self)", "Board.Solver.solve", [("self", False)]),
    ],
)
def test_headings(text: str, function: str, parameters: list[tuple[str, bool]]) -> None:
    """A heading is a name and its parameters, of which only some have a default."""
    heading = parse_heading(text)

    assert function == heading.function
    assert parameters == [(each.name, each.has_default) for each in heading.parameters]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f", "'f' is not the heading of a function"),
        ("", "'' is not the name of a function"),
        ("def f(a)", "'def f' is not the name of a function"),
        ("f (a)", "'f ' is not the name of a function"),
        ("f(a", "'f(a' is not the heading of a function"),
        ("f(a):", "'f(a):' is not the heading of a function"),
        ("f(a): x; y", "'f(a): x; y' is not the heading of a function"),
        ("f(a): y", "'f(a): y' is not the heading of a function"),
        ("f(a): pass\ng()", "'f(a): pass⏎g()' is not the heading of a function"),
        ("f(a) -> int", "'f(a) -> int' is not the heading of a function"),
        ("f(1)", "'f(1)' is not the heading of a function"),
        ("f(a=1, b)", "'f(a=1, b)' is not the heading of a function"),
        ("f(\0)", "'f(␀)' is not the heading of a function"),
        ("f(a, a)", "'f(a, a)' has two parameters with the same name"),
        ("f(a, /)", "'f(a, /)' has a / among its parameters"),
        ("f(*, a)", "'f(*, a)' has a * among its parameters"),
        ("f(*a)", "'f(*a)' has a * among its parameters"),
        ("f(**a)", "'f(**a)' has a * among its parameters"),
        ("f[T](a)", "'f[T]' is not the name of a function"),
        ("a.b.c.d()", "'a.b.c.d' is not the name of a function"),
    ],
)
def test_no_headings(text: str, said: str) -> None:
    """What is no heading, or more than one, is refused; so is what no rule can compare."""
    with pytest.raises(Refusal) as caught:
        parse_heading(text)

    assert said == caught.value.problem
    assert caught.value.advice


@pytest.mark.parametrize(
    "text", ["3", "3.", "4.0", "3.06", "2.7", "3.6.1", "3.99", " 3.6", "py3.6"]
)
def test_no_versions(text: str) -> None:
    """Only versions of Python 3 that this one knows of can be asked for."""
    with pytest.raises(Refusal):
        python_version(text)


def test_versions() -> None:
    """The oldest version and the one that is running can be asked for."""
    newest = sys.version_info[:2]

    assert (3, 0) == python_version("3.0")
    assert newest == python_version(f"{newest[0]}.{newest[1]}")
