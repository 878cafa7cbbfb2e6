"""Reads equations in comments, and assertions in test functions, as examples.

`double(3)  ==  6` in a comment and `assert double(3) == 6` show what a call returns. Helpers that a
test function defines are inlined, because submissions do not have them: with
`def rows(p): return p.tolist()` the assertion `rows(board(2)) == [[0, 0]]` tests `board(2)`. The
code of the spec is not run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from grader.plugins.authoring.code_blocks import SpecLines, indentation
from grader.plugins.authoring.deriving.doubts import Doubt
from grader.plugins.authoring.deriving.examples import Example
from grader.protocol import HIGHEST_CAPS
from grader.sandbox.planning import read_names
from grader.values.foreign_text import one_line
from grader.values.literals import LiteralError, parse_literal

_EQUALS_SIGN: Final = re.compile(r"\S\s+==(\s|$)")


@dataclass(frozen=True, slots=True)
class Equation:
    """Text that looks like an equation, joined into one line."""

    text: str
    line: int
    """The line of the spec on which it starts, 1-based."""


def find_equations(comments: SpecLines) -> Iterator[Equation]:
    """Yield the passages in `comments` that look like an equation.

    Lines that are indented deeper than the line with the `==` continue the equation.
    """
    lines = comments.texts
    for index, text in enumerate(lines):
        if not _EQUALS_SIGN.search(text):
            continue
        parts = [text.strip()]
        for following in lines[index + 1 :]:
            if not following.strip() or indentation(following) <= indentation(text):
                break
            parts.append(following.strip())
        yield Equation(" ".join(parts), comments.first_line + index)


def example_from_equation(passage: Equation) -> Example | Doubt:
    """Return the example that `passage` shows: a call, and the literal that it equals.

    Return a doubt if `passage` has another form.
    """
    match _parse(passage.text):
        case ast.Compare(left=ast.Call() as call, ops=[ast.Eq()], comparators=[right]):
            value = ast.get_source_segment(passage.text, right) or ""
            if is_literal(value):
                code = ast.get_source_segment(passage.text, call) or ""
                return Example(code=code, want=(value,), line=passage.line)
    return Doubt(
        passage.line,
        f"this equation is omitted: {one_line(passage.text, 60)!r}",
        "write an equation as a call, == and a literal, such as double(3) == 6",
    )


def _parse(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # before 3.12, null characters raise `ValueError`
        return None


def is_literal(text: str) -> bool:
    """Return whether `text` is a literal that a suite can expect."""
    try:
        parse_literal(text, HIGHEST_CAPS)
    except LiteralError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Helper:
    """A function defined in a test that only returns an expression."""

    parameters: tuple[str, ...]
    returns: ast.expr


def test_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions of `tree` that are named `test...` and contain assertions."""
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return [
        function
        for function in functions
        if function.name.startswith("test") and any(_assertions(function))
    ]


def examples_from_assertions(
    function: ast.FunctionDef, code: SpecLines
) -> Iterator[Example | Doubt]:
    """Yield an example or a doubt for each assertion of `function`, a test function in `code`."""
    helpers = dict(_helpers(function))
    local_names = frozenset(_local_names(function))
    for assertion in _assertions(function):
        line = code.first_line + assertion.lineno - 1
        example = _example(assertion.test, helpers, local_names, line)
        yield example or Doubt(
            line,
            f"this assertion is omitted: {one_line(ast.unparse(assertion.test), 60)!r}",
            "write an assertion as a call, == and a literal, such as double(3) == 6",
        )


def _assertions(function: ast.FunctionDef) -> Iterator[ast.Assert]:
    """Yield the assertions at the top level of `function`, not those in its inner blocks."""
    return (node for node in function.body if isinstance(node, ast.Assert))


def _helpers(function: ast.FunctionDef) -> Iterator[tuple[str, _Helper]]:
    """Yield the name and the definition of each helper that `function` defines."""
    for node in function.body:
        match node:
            case ast.FunctionDef(
                name=name,
                args=ast.arguments(
                    posonlyargs=[], args=parameters, vararg=None, kwonlyargs=[], kwarg=None
                ),
                body=[ast.Return(value=ast.expr() as returned)],
            ):
                yield name, _Helper(tuple(parameter.arg for parameter in parameters), returned)


def _local_names(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names that `function` and its helpers bind, which are undefined outside them."""
    for node in ast.walk(function):
        match node:
            case ast.FunctionDef(name=name) | ast.arg(arg=name) if node is not function:
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def _example(
    condition: ast.expr, helpers: Mapping[str, _Helper], local_names: frozenset[str], line: int
) -> Example | None:
    """Return the example that an asserted `condition` shows, or None if it shows none."""
    match condition:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            call, value = _inline_helper(left, helpers), ast.unparse(right)
        case _:
            return None
    match call, right:
        # With numpy, the call returns an array. The suite accepts a list of rows too.
        case ast.Call(func=ast.Attribute(value=array, attr="tolist"), args=[]), ast.List():
            return _equation(array, f"array({value})", local_names, line, as_lists=True)
        case _:
            return _equation(call, value, local_names, line)


def _equation(
    call: ast.expr, value: str, local_names: frozenset[str], line: int, *, as_lists: bool = False
) -> Example | None:
    """Return the example in which `call` returns `value`.

    Return None if a suite cannot contain it: if `call` is not a call or uses `local_names`, or if
    `value` is not a literal.
    """
    code = ast.unparse(call)
    if not isinstance(call, ast.Call) or not is_literal(value) or read_names(code) & local_names:
        return None
    return Example(code=code, want=(value,), line=line, as_lists=as_lists)


def _inline_helper(expression: ast.expr, helpers: Mapping[str, _Helper]) -> ast.expr:
    """Return the inlined body of a helper if `expression` calls one, or else `expression`."""
    match expression:
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in helpers:
            helper = helpers[name]
            if len(arguments) > len(helper.parameters):
                return expression  # the call raises, so `_equation` refuses the helper's name
            # Not strict: a parameter without an argument stays a local name, which `_equation`
            # refuses.
            replacements = dict(zip(helper.parameters, arguments, strict=False))
            # The visitor changes its tree, and the helper might be called again: copy the tree.
            copy = ast.parse(ast.unparse(helper.returns), mode="eval").body
            returned: ast.expr = _Substitution(replacements).visit(copy)
            return returned
        case _:
            return expression


class _Substitution(ast.NodeTransformer):
    """Replaces names with expressions."""

    def __init__(self, replacements: Mapping[str, ast.expr]) -> None:
        self._replacements = replacements

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._replacements.get(node.id, node)
