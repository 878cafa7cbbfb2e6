"""Reads the heading of a function as a suite writes it: `Board.make_board(dimension=10)`.

The heading is the suite's own text; it is parsed and never run.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import Final

from grader.suite import texts
from grader.suite.diagnostics import Refusal, quoted

HEADING_PATTERN: Final = r"^[^\s(]+\([\s\S]*\)$"

_ADVICE: Final = "write a name and its parameters, such as Board.make_board(dimension=10)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a heading."""

    name: str
    has_default: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionHeading:
    """A function and the parameters that it must have."""

    function: str
    parameters: tuple[Parameter, ...]


def parse_heading(text: str) -> FunctionHeading:
    """Return the heading that `text` is; raises `Refusal` for anything else.

    A rule is about names and order, so `/`, `*` and what stands behind them have no place in it.
    """
    name, _, _ = text.partition("(")
    function = texts.function(name)
    arguments = _arguments(text[len(name) :])
    if arguments is None:
        raise Refusal(f"{quoted(text)} is no heading of a function", _ADVICE)
    starred = (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs)
    if arguments.posonlyargs or any(argument is not None for argument in starred):
        advice = "name each parameter, without / and *; `extra` says what may come behind them"
        raise Refusal("a heading knows plain parameters only", advice)
    names = [argument.arg for argument in arguments.args]
    if len(set(names)) < len(names):
        raise Refusal(f"{quoted(text)} has two parameters of one name", "rename one of them")
    first_default = len(names) - len(arguments.defaults)
    parameters = (
        Parameter(name=name, has_default=index >= first_default) for index, name in enumerate(names)
    )
    return FunctionHeading(function=function, parameters=tuple(parameters))


def _arguments(parameters: str) -> ast.arguments | None:
    """Return what `parameters`, with their parentheses, are; None if they are none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a default such as `1if x else 2`
            tree = ast.parse(f"def heading{parameters}: ...")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match tree.body:
        case [ast.FunctionDef(args=args, returns=None, body=[ast.Expr(ast.Constant(value))])]:
            return args if value is ... else None
        case _:
            return None
