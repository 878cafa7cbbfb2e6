"""What the heading of a function says, and how long and deep the function is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from grader.executor.syntax.source import Place, docstring_of
from grader.executor.syntax.tree import Function, Module


class _Parameter(NamedTuple):
    """One parameter."""

    name: str
    kind: str
    has_default: bool


class _Heading(NamedTuple):
    """What one function looks like."""

    function: Function
    place: Place
    parameters: list[_Parameter]
    has_docstring: bool
    code_lines: int
    nesting: int


def shapes(module: Module) -> Iterator[_Heading]:
    """Yield what each function of `module` looks like."""
    lines = module.source.code_lines([visit.node for visit in module.visits])
    for function in module.functions:
        node = function.node
        yield _Heading(
            function=function,
            place=module.source.place(node),
            parameters=list(_parameters(node.args)),
            has_docstring=docstring_of(node) is not None,
            code_lines=lines[node.end_lineno or node.lineno] - lines[node.lineno - 1],
            nesting=function.nesting,
        )


def _parameters(arguments: ast.arguments) -> Iterator[_Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    without_default = len(positional) - len(arguments.defaults)
    for number, each in enumerate(positional):
        kind = "positional only" if number < len(arguments.posonlyargs) else "positional"
        yield _Parameter(each.arg, kind, number >= without_default)
    if arguments.vararg is not None:
        yield _Parameter(arguments.vararg.arg, "*args", has_default=False)
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _Parameter(each.arg, "keyword only", default is not None)
    if arguments.kwarg is not None:
        yield _Parameter(arguments.kwarg.arg, "**kwargs", has_default=False)
