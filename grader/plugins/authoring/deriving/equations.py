"""Reads equations in comments, and assertions in test functions, as examples.

`double(3)  ==  6` in a comment and `assert double(3) == 6` say what a call returns. Helpers that a
test function defines are inlined, as students do not write them: with
`def rows(p): return p.tolist()` the assertion `rows(board(2)) == [[0, 0]]` is about `board(2)`. The
code is not run.
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
from grader.sandbox.planning import names_read
from grader.values.foreign_text import one_line
from grader.values.literals import LiteralError, parse_literal

_SIGN: Final = re.compile(r"\S\s+==(\s|$)")


@dataclass(frozen=True, slots=True)
class Equation:
    """Text that looks like an equation, on one line."""

    text: str
    line: int


def passages(comments: SpecLines) -> Iterator[Equation]:
    """Yield the texts in `comments` that look like an equation.

    Lines that are indented deeper than the one with the sign continue it.
    """
    lines = comments.texts
    for index, text in enumerate(lines):
        if not _SIGN.search(text):
            continue
        parts = [text.strip()]
        for following in lines[index + 1 :]:
            if not following.strip() or indentation(following) <= indentation(text):
                break
            parts.append(following.strip())
        yield Equation(" ".join(parts), comments.first + index)


def equation(passage: Equation) -> Example | Doubt:
    """Return `passage` as an example, a call and the literal that it equals, or a doubt."""
    match _parsed(passage.text):
        case ast.Compare(left=ast.Call() as call, ops=[ast.Eq()], comparators=[right]):
            value = ast.get_source_segment(passage.text, right) or ""
            if is_literal(value):
                code = ast.get_source_segment(passage.text, call) or ""
                return Example(code=code, want=(value,), line=passage.line)
    return Doubt(
        passage.line,
        f"this equation is left out: {one_line(passage.text, 60)!r}",
        "an equation is a call, == and a literal, such as double(3) == 6",
    )


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # `ValueError`: null characters, before 3.12
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
    """A function that only returns an expression."""

    parameters: tuple[str, ...]
    returns: ast.expr


def test_functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions of `tree` that are named `test...` and have assertions."""
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return [
        function
        for function in functions
        if function.name.startswith("test") and any(_assertions(function))
    ]


def asserted(function: ast.FunctionDef, code: SpecLines) -> Iterator[Example | Doubt]:
    """Yield an example for each assertion of `function`, a test function of `code`, or a doubt."""
    helpers = dict(_helpers(function))
    own_names = frozenset(_own_names(function))
    for assertion in _assertions(function):
        line = code.first + assertion.lineno - 1
        example = _example(assertion.test, helpers, own_names, line)
        yield example or Doubt(
            line,
            f"this assertion is left out: {one_line(ast.unparse(assertion.test), 60)!r}",
            "only a call that equals a literal can be tried, such as double(3) == 6",
        )


def _assertions(function: ast.FunctionDef) -> Iterator[ast.Assert]:
    """Yield the assertions of `function`, but not those of inner functions."""
    return (node for node in function.body if isinstance(node, ast.Assert))


def _helpers(function: ast.FunctionDef) -> Iterator[tuple[str, _Helper]]:
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


def _own_names(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names that `function` binds, which are undefined outside of it."""
    for node in ast.walk(function):
        match node:
            case ast.FunctionDef(name=name) | ast.arg(arg=name) if node is not function:
                yield name
            case ast.Name(id=name, ctx=ast.Store()):
                yield name


def _example(
    asserted: ast.expr, helpers: Mapping[str, _Helper], own_names: frozenset[str], line: int
) -> Example | None:
    match asserted:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            tried, value = _without_helpers(left, helpers), ast.unparse(right)
        case _:
            return None
    match tried, right:
        # numpy: the array is asked for, as a list that the suite accepts too.
        case ast.Call(func=ast.Attribute(value=board, attr="tolist"), args=[]), ast.List():
            return _equation(board, f"array({value})", own_names, line, as_lists=True)
        case _:
            return _equation(tried, value, own_names, line)


def _equation(
    tried: ast.expr, value: str, own_names: frozenset[str], line: int, *, as_lists: bool = False
) -> Example | None:
    code = ast.unparse(tried)
    if not isinstance(tried, ast.Call) or not is_literal(value) or names_read(code) & own_names:
        return None
    return Example(code=code, want=(value,), line=line, as_lists=as_lists)


def _without_helpers(tried: ast.expr, helpers: Mapping[str, _Helper]) -> ast.expr:
    """Return `tried`, with a call of a helper inlined."""
    match tried:
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in helpers:
            helper = helpers[name]
            given = dict(zip(helper.parameters, arguments, strict=False))
            # A copy, as the visitor changes it, and the helper may be called again.
            copy = ast.parse(ast.unparse(helper.returns), mode="eval").body
            returned: ast.expr = _Substitution(given).visit(copy)
            return returned
        case _:
            return tried


class _Substitution(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)
