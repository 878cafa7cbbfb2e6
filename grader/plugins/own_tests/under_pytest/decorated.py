"""Reads what the decorators of gradescope-utils set on a test.

They set attributes of its function, so any copy of the library works. Only real functions of the
tests are read, never proxies, whose attributes a submission chooses. All but the score are read
once, at collection.
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
_LATER: Final = ("after_due_date", "after_published")
_VISIBLE: Final = {"visible": False, "hidden": True, **dict.fromkeys(_LATER, True)}
_UNREAD: Final = {
    "leaderboard": "there is none here, and such a test is worth nothing, as there",
    "merge_subtests": "a test is one here, whatever subtests it has",
    "tags": "nothing here is sorted by them",
}
_LIBRARY: Final = "gradescope_utils"
_MAX_CHARS: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorated:
    """The values that decorators set on a test."""

    weight: float | None = None
    """Its points; None if they are not set."""
    number: str = ""
    is_hidden: bool = False
    failure_text: str = ""
    """What a student reads instead of what went wrong, if not empty."""
    wrong: str = ""
    """Why the values are invalid, if not empty."""


def decorated(test: object) -> Decorated:
    """Return the values that decorators set on `test`, a function or a method."""
    functions = list(map(vars, _functions(test)))
    values: dict[str, Any] = {}
    for each in reversed(functions):  # the outermost wins, as with `functools.wraps`
        values |= {name: value for name, value in each.items() if value is not None}
    try:
        return Decorated(
            weight=0.0 if "__leaderboard_column__" in values else _weight(functions),
            number=_text(values, "__number__"),
            is_hidden=_is_hidden(values),
            failure_text=_text(values, "__hide_errors__"),
        )
    except ValueError as error:
        return Decorated(weight=0.0, wrong=str(error))


def score_of(test: object) -> float | None:
    """Return the score that `test` has set with `set_score`, or None.

    Raises `ValueError` if it is not a number, or a proxy.
    """
    for each in map(vars, _functions(test)):
        if _SCORE in each:
            return _number(each[_SCORE], "set_score was given")
    return None


def forget_score(test: object) -> None:
    """Delete the score that `test` has set with other parameters."""
    for each in map(vars, _functions(test)):
        each.pop(_SCORE, None)


def _functions(test: object) -> Iterator[FunctionType]:
    """Yield the function of `test`, and the functions that it wraps."""
    function: object = test.__func__ if type(test) is MethodType else test
    while type(function) is FunctionType:
        yield function
        function = vars(function).get("__wrapped__")


def _weight(functions: Iterable[dict[str, Any]]) -> float | None:
    found = (each.get("__weight__") for each in functions)
    weights = {_number(each, "it has the weight") for each in found if each is not None}
    if len(weights) > 1:
        raise ValueError(f"it has two weights: {' and '.join(f'{w:g}' for w in sorted(weights))}")
    weight = next(iter(weights), None)
    if weight is not None and not 0 <= weight <= MAX_POINTS:
        raise ValueError(f"it has the weight {weight:g}, and that is from 0 to {MAX_POINTS:g}")
    return weight


def _number(value: object, what: str) -> float:
    # Not a bool, which is a `Real`, too.
    if not is_proxy(value) and issubclass(type(value), Real) and type(value) is not bool:
        with suppress(OverflowError):  # a number beyond all floats
            number = float(value)  # type: ignore[arg-type]  # it is a real number
            if math.isfinite(number):
                return number
    raise ValueError(f"{what} {_shown(value)}, which is not a number")


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name, "")
    if type(value) not in {str, int, float}:
        raise ValueError(f"its {name} is {_shown(value)}, which is not text")
    return one_line(str(value), _MAX_CHARS)


def _is_hidden(values: dict[str, Any]) -> bool:
    value = values.get("__visibility__", "visible")
    if type(value) is not str or value not in _VISIBLE:
        raise ValueError(f"its visibility is {_shown(value)}, and not one of {', '.join(_VISIBLE)}")
    return _VISIBLE[value]


def _shown(value: object) -> str:
    """Return `value` as text, without asking a proxy for its `repr`."""
    if is_proxy(value):
        return "something of the submission"
    is_plain = type(value) in {str, int, float, bool, type(None)}
    return one_line(repr(value) if is_plain else type(value).__name__, _MAX_CHARS)


# The source of the tests


def unread_in(files: Iterable[Path]) -> Iterator[str]:
    """Yield a sentence for each decorator in `files` of tests that is not read."""
    found: dict[str, None] = {}
    for path in files:
        with suppress(OSError, SyntaxError, ValueError):
            found |= dict.fromkeys(_mentioned(ast.parse(path.read_bytes())))
    for name in sorted(found):
        if name in _LATER:
            yield f'@visibility("{name}") counts as "hidden": no date is known here'
        else:
            yield f"@{name} is not read: {_UNREAD[name]}"


def _mentioned(tree: ast.Module) -> Iterator[str]:
    """Yield the unread decorators and values that a file uses, if they are imported."""
    nodes = list(ast.walk(tree))
    imports = [each for each in nodes if isinstance(each, ast.Import | ast.ImportFrom)]
    names = {
        each.asname or each.name.partition(".")[0]: each.name
        for node in imports
        for each in node.names
    }
    functions = [each.func for each in nodes if isinstance(each, ast.Call)]
    called = {_imported_name(each, names) for each in functions}
    yield from called & _UNREAD.keys()
    if "visibility" in called:
        constants = (each.value for each in nodes if isinstance(each, ast.Constant))
        yield from (each for each in _LATER if each in constants)


def _imported_name(called: ast.expr, names: Mapping[str, str]) -> str:
    """Return the name of a `called` function in its module, empty if it is not imported."""
    if isinstance(called, ast.Name):
        return names.get(called.id, called.id if "*" in names else "")
    root, _, name = ast.unparse(called).partition(".")
    return name.rpartition(".")[2] if root in names else ""


def require_library(files: Iterable[Path]) -> None:
    """Raise `UsageError` if `files` of tests import gradescope-utils, and it is not installed."""
    if _LIBRARY in modules_wanted_by(list(files)):
        raise UsageError(
            f"the tests import {_LIBRARY}, which is not installed",
            help="pip install gradescope-utils, or lay a copy of its decorators beside the tests",
        )
