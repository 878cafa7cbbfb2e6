"""Reads the values that the decorators of gradescope-utils set on a test.

The decorators set attributes of the test's function, so any copy of the library works. Only real
functions of the tests are read, never proxies, as a submission chooses the attributes of a proxy.
All values except the score are read once, during collection.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, Final

from grader.errors import UsageError
from grader.plugins.own_tests.bridge.proxies import is_proxy
from grader.plugins.own_tests.proxying.handed_in import modules_wanted_by
from grader.plugins.own_tests.proxying.ledger import MAX_POINTS
from grader.values.foreign_text import one_line

_SCORE: Final = "__score__"
_DATED_VISIBILITIES: Final = ("after_due_date", "after_published")
_VISIBILITIES: Final = {
    "visible": False,
    "hidden": True,
    **dict.fromkeys(_DATED_VISIBILITIES, True),
}
_UNSUPPORTED: Final = {
    "leaderboard": "there is none here, and such a test is worth 0 points, as in Gradescope",
    "merge_subtests": "a test counts as one here, with all its subtests",
    "tags": "tags have no effect here",
}
"""Why a decorator is ignored, keyed by its name."""
_LIBRARY: Final = "gradescope_utils"
_MAX_CHARS: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoratorValues:
    """The values that decorators set on a test."""

    weight: float | None = None
    """The points of the test, or None if no decorator sets them."""
    number: str = ""
    is_hidden: bool = False
    failure_text: str = ""
    """The text that replaces the failure message for students, if not empty."""
    problem: str = ""
    """Why the values are invalid, if not empty."""


def read_decorated(test: object) -> DecoratorValues:
    """Return the values that decorators set on `test`, a function or a method.

    If a value is invalid, the result contains only the problem, and a weight of 0.
    """
    attribute_dicts = list(map(vars, _functions(test)))
    values: dict[str, Any] = {}
    # The outermost function wins, as with `functools.wraps`.
    for attributes in reversed(attribute_dicts):
        values |= {name: value for name, value in attributes.items() if value is not None}
    try:
        return DecoratorValues(
            weight=0.0 if "__leaderboard_column__" in values else _weight(attribute_dicts),
            number=_text(values, "__number__"),
            is_hidden=_is_hidden(values),
            failure_text=_text(values, "__hide_errors__"),
        )
    except ValueError as error:
        return DecoratorValues(weight=0.0, problem=str(error))


def read_score(test: object) -> float | None:
    """Return the score that `test` has set with `set_score`, or None.

    Raises `ValueError` if the score is not a number, or is a proxy.
    """
    for attributes in map(vars, _functions(test)):
        if _SCORE in attributes:
            return _number(attributes[_SCORE], "set_score was called with")
    return None


def forget_score(test: object) -> None:
    """Delete the score that `test` set when it last ran.

    A parametrized test runs several times, and all its runs share the attributes of one function.
    """
    for attributes in map(vars, _functions(test)):
        attributes.pop(_SCORE, None)


def _functions(test: object) -> Iterator[FunctionType]:
    """Yield the function of `test`, and the functions that it wraps, from the outermost inwards."""
    # `type` instead of `isinstance`, because a submission chooses the `__class__` of a proxy.
    function: object = test.__func__ if type(test) is MethodType else test
    while type(function) is FunctionType:
        yield function
        function = vars(function).get("__wrapped__")


def _weight(attribute_dicts: Iterable[dict[str, Any]]) -> float | None:
    """Return the weight in the functions' attributes, or None if no function has a weight.

    Raises `ValueError` if the weight is invalid, or if the functions have different weights.
    """
    values = (attributes.get("__weight__") for attributes in attribute_dicts)
    weights = {_number(value, "the weight is") for value in values if value is not None}
    if len(weights) > 1:
        numbers = " and ".join(f"{weight:g}" for weight in sorted(weights))
        raise ValueError(f"several weights are set, but only one can count: {numbers}")
    weight = next(iter(weights), None)
    if weight is not None and not 0 <= weight <= MAX_POINTS:
        raise ValueError(f"the weight is {weight:g}, but it must be from 0 to {MAX_POINTS:g}")
    return weight


def _number(value: object, subject: str) -> float:
    """Return `value` as a float; raises `ValueError` if it is not a finite number.

    `subject` begins the error message.
    """
    # Not a bool, although `bool` is a subclass of `Real`.
    if not is_proxy(value) and issubclass(type(value), Real) and type(value) is not bool:
        with suppress(OverflowError):  # an integer too large for a float
            number = float(value)  # type: ignore[arg-type]  # checked above
            if math.isfinite(number):
                return number
    raise ValueError(f"{subject} {_render(value)}, which is not a finite number")


def _text(values: dict[str, Any], name: str) -> str:
    """Return the attribute called `name` as text; raises `ValueError` if it is not text."""
    value = values.get(name, "")
    if type(value) not in {str, int, float}:
        raise ValueError(f"@{name.strip('_')} sets {_render(value)}, but it must set text")
    return one_line(str(value), _MAX_CHARS)


def _is_hidden(values: dict[str, Any]) -> bool:
    """Return whether the test is hidden; raises `ValueError` if the visibility is unknown."""
    value = values.get("__visibility__", "visible")
    if type(value) is not str or value not in _VISIBILITIES:
        raise ValueError(
            f"the visibility is {_render(value)}, but it must be one of {', '.join(_VISIBILITIES)}"
        )
    return _VISIBILITIES[value]


def _render(value: object) -> str:
    """Return `value` as text, without requesting the `repr` of a proxy."""
    if is_proxy(value):
        return "an object of the submission"
    is_plain = type(value) in {str, int, float, bool, type(None)}
    return one_line(repr(value) if is_plain else type(value).__name__, _MAX_CHARS)


# The source of the tests


def unsupported_decorators(files: Iterable[Path]) -> Iterator[str]:
    """Yield a warning for each decorator in the test `files` that is not supported."""
    names: dict[str, None] = {}
    for path in files:
        with suppress(OSError, SyntaxError, ValueError):  # pytest reports such a file itself
            names |= dict.fromkeys(_unsupported_in(ast.parse(path.read_bytes())))
    for name in sorted(names):
        if name in _DATED_VISIBILITIES:
            yield f'@visibility("{name}") counts as "hidden", as the date is not known here'
        else:
            yield f"@{name} is ignored: {_UNSUPPORTED[name]}"


def _unsupported_in(tree: ast.Module) -> Iterator[str]:
    """Yield the unsupported decorators and visibilities that the file in `tree` uses."""
    nodes = list(ast.walk(tree))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        alias.asname or alias.name.partition(".")[0]: alias.name
        for node in imports
        for alias in node.names
    }
    functions = [node.func for node in nodes if isinstance(node, ast.Call)]
    called_names = {_imported_name(function, names) for function in functions}
    yield from called_names & _UNSUPPORTED.keys()
    if "visibility" in called_names:
        constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
        yield from (visibility for visibility in _DATED_VISIBILITIES if visibility in constants)


def _imported_name(function: ast.expr, names: Mapping[str, str]) -> str:
    """Return the name that a called function has in its own module, or "" if it is not imported.

    `names` are the imported names, keyed by the names that the file gives them. With a star import,
    any name counts as imported.
    """
    if isinstance(function, ast.Name):
        return names.get(function.id, function.id if "*" in names else "")
    root, _, name = ast.unparse(function).partition(".")
    return name.rpartition(".")[2] if root in names else ""


def require_library(files: Iterable[Path]) -> None:
    """Raise `UsageError` if the test `files` import gradescope-utils and it is not installed."""
    if _LIBRARY in modules_wanted_by(list(files)):
        raise UsageError(
            f"the tests import {_LIBRARY}, which is not installed",
            help="pip install gradescope-utils, or put a copy of its decorators beside the tests",
        )
