"""Does with an accepted reply what the judge does: compares it, explains and shows it.

An executor may lie about its own session as it likes, so nothing is asked of what it says. But
whatever was accepted has to go through the judge without harm, and within the caps.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from fuzzing.honest import Exchange
from grader.judging.matching import match
from grader.sandbox.observation import Observation, Returned
from grader.sandbox.session_runs import SessionRun
from grader.suite.expectations import Completes, Expectation, Prints, Raises, Returns, SameAs
from grader.values.display import render_value
from grader.values.equality import comparison_key, equal
from grader.values.expressions import ExpressionError, expression
from grader.values.foreign_text import MAX_SHOWN_CHARS
from grader.values.literals import parse_literal
from grader.values.tree import Opaque, TooLarge, Value, caps_for

_LITERALS: Final = (
    *("None", "True", "1", "0.5", "'a'", "b'a'", "[1, [2]]", "(1, 'a')", "{1, 2.5}", "{'a': {1}}"),
    *("frozenset({1})", "range(3)", "Fraction(1, 2)", "Decimal('1.5')", "Point(x=1, y=0)"),
    *("Colour.RED", "array([[1, 2], [3, 4]])", "np.int64(5)", "set()", "{(1, 2): [0.1]}"),
)
EXPECTATIONS: Final[tuple[Expectation, ...]] = (
    *(
        Returns(parse_literal(text), text, as_lists=as_lists)
        for text in _LITERALS
        for as_lists in (False, True)
    ),
    Prints("a\nb"),
    Raises(type_name="ValueError", message="a"),
    SameAs("x"),
    Completes(),
)
_EXPECTED: Final = tuple(each.value for each in EXPECTATIONS if isinstance(each, Returns))


def faults(exchange: Exchange, run: SessionRun | None) -> Iterator[str]:
    """Yield what the judge cannot do with the observations of `run`, apart from what it raises."""
    if run is None:
        return
    for observation in (run.imported.observation, *run.observations):
        yield from _of_observation(exchange, observation)


def _of_observation(exchange: Exchange, observation: Observation) -> Iterator[str]:
    once, again = ([match(each, observation, {"x": 0}) for each in EXPECTATIONS] for _ in range(2))
    if once != again:
        yield "an outcome that differs from time to time"
    if isinstance(observation.outcome, Returned):
        yield from _of_value(exchange, observation.outcome.value)


def _of_value(exchange: Exchange, value: Value) -> Iterator[str]:
    needed, caps = caps_for(value), exchange.caps
    if needed.value_items > caps.value_items or needed.value_depth > caps.value_depth:
        yield "a value over the caps"
    if len(render_value(value)) > 7 * MAX_SHOWN_CHARS:
        yield "a value that is shown without end"
    if len({comparison_key(each) for each in _EXPECTED if equal(each, value)}) > 1:
        yield "a value that is several right answers"
    with suppress(ExpressionError):
        ast.parse(expression(value), mode="eval")
    if not isinstance(value, TooLarge | Opaque) and equal(value, value) != equal(value, value):
        yield "a value that equals itself at times"
