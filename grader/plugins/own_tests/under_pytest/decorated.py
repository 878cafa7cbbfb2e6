"""What the decorators of gradescope-utils say of a test.

They set attributes of its function, so it does not matter whose copy of them a course has. They are
read of functions of the tests alone, never of what stands for something of a submission: its
attributes are whatever it says. All but the score are read once, when the tests are collected.
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
from grader.plugins.own_tests.proxying.handed_in import wanted_by
from grader.plugins.own_tests.proxying.ledger import MOST_POINTS
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
_MOST_CHARS: Final = 150


@dataclass(frozen=True, slots=True, kw_only=True)
class Decorated:
    """What decorators say of a test."""

    weight: float | None = None
    """None where they do not say what it is worth."""
    number: str = ""
    is_hidden: bool = False
    instead: str = ""
    """What a student reads instead of what went wrong; empty where nobody says so."""
    wrong: str = ""
    """Why nothing can be made of it; empty where all is well."""


def decorated(test: object) -> Decorated:
    """Return what decorators say of `test`, a function or a method."""
    functions = list(map(vars, _functions(test)))
    said: dict[str, Any] = {}
    for each in reversed(functions):  # the outermost counts, as `functools.wraps` copies it anyway
        said |= {name: value for name, value in each.items() if value is not None}
    try:
        return Decorated(
            weight=0.0 if "__leaderboard_column__" in said else _weight(functions),
            number=_text(said, "__number__"),
            is_hidden=_is_hidden(said),
            instead=_text(said, "__hide_errors__"),
        )
    except ValueError as error:
        return Decorated(weight=0.0, wrong=str(error))


def score_of(test: object) -> float | None:
    """Return what `test` has given to `set_score`, None where it has given nothing.

    Raises `ValueError` for what is no number of the tests.
    """
    for each in map(vars, _functions(test)):
        if _SCORE in each:
            return _number(each[_SCORE], "set_score was given")
    return None


def forget_score(test: object) -> None:
    """Have nothing stand that `test` has given to `set_score` with other parameters."""
    for each in map(vars, _functions(test)):
        each.pop(_SCORE, None)


def _functions(test: object) -> Iterator[FunctionType]:
    """Yield the function of `test`, and what it wraps."""
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
    if weight is not None and not 0 <= weight <= MOST_POINTS:
        raise ValueError(f"it has the weight {weight:g}, and that is from 0 to {MOST_POINTS:g}")
    return weight


def _number(value: object, what: str) -> float:
    if not is_proxy(value) and issubclass(type(value), Real) and type(value) is not bool:
        with suppress(OverflowError):
            number = float(value)  # type: ignore[arg-type]  # it is a real number
            if math.isfinite(number):
                return number
    raise ValueError(f"{what} {_shown(value)}, which is no number")


def _text(said: dict[str, Any], name: str) -> str:
    value = said.get(name, "")
    if type(value) not in {str, int, float}:
        raise ValueError(f"its {name} is {_shown(value)}, which is no text")
    return one_line(str(value), _MOST_CHARS)


def _is_hidden(said: dict[str, Any]) -> bool:
    value = said.get("__visibility__", "visible")
    if type(value) is not str or value not in _VISIBLE:
        raise ValueError(f"its visibility is {_shown(value)}, and not one of {', '.join(_VISIBLE)}")
    return _VISIBLE[value]


def _shown(value: object) -> str:
    """Return `value` as the tests may show it: what a submission says of itself is not asked."""
    if is_proxy(value):
        return "something of the submission"
    is_plain = type(value) in {str, int, float, bool, type(None)}
    return one_line(repr(value) if is_plain else type(value).__name__, _MOST_CHARS)


# What files of tests say


def unread_in(files: Iterable[Path]) -> Iterator[str]:
    """Yield a sentence for each thing that decorators in `files` of tests say, and nobody reads."""
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
    """Yield what a file mentions of what is not read, where it has that from elsewhere."""
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
    """Return what is `called`, as its module calls it; nothing where that is not imported."""
    if isinstance(called, ast.Name):
        return names.get(called.id, called.id if "*" in names else "")
    root, _, name = ast.unparse(called).partition(".")
    return name.rpartition(".")[2] if root in names else ""


def require_library(files: Iterable[Path]) -> None:
    """Raise `UsageError` where `files` of tests import gradescope-utils, which is not there."""
    if _LIBRARY in wanted_by(list(files)):
        raise UsageError(
            f"the tests import {_LIBRARY}, which is not installed",
            help="pip install gradescope-utils, or lay a copy of its decorators beside the tests",
        )
