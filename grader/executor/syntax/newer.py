"""Finds syntax that is newer than a given version of Python.

Only syntax counts, not types: `dict | dict` is not distinguished from `int | int`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from grader.executor.syntax.names import Named
from grader.executor.syntax.source import ModuleText
from grader.executor.syntax.tree import Module

NEWER: Final = {
    "from __future__ import annotations": (3, 7),
    "walrus": (3, 8),
    "positional-only parameter": (3, 8),
    "f-string with =": (3, 8),
    "any expression as decorator": (3, 9),
    "parenthesized with": (3, 9),
    "match": (3, 10),
    "except*": (3, 11),
    "star in an index": (3, 11),
    "type statement": (3, 12),
    "type parameter": (3, 12),
    "quotes nested in an f-string": (3, 12),
}
"""The syntax to find, and the version that introduced it."""
_BY_NODE: Final = {
    "NamedExpr": "walrus",
    "Match": "match",
    "TryStar": "except*",
    "TypeAlias": "type statement",
    "TypeVar": "type parameter",
    "ParamSpec": "type parameter",
    "TypeVarTuple": "type parameter",
}
_COMMENT: Final = re.compile(r"#.*")
_EQUALS_AFTER: Final = re.compile(r"[\s)]*=(?!=)")  # after parentheses around the expression
_QUOTED: Final = re.compile(r"(?i)(f|fr|rf)(\"\"\"|'''|\"|')")


def too_new(module: Module, version: tuple[int, int]) -> Iterator[Named]:
    """Yield the syntax in `module` that is newer than `version`."""
    for visit in module.visits:
        yield from (
            each for each in _newer_syntax(visit.node, module.source) if NEWER[each.name] > version
        )


def _newer_syntax(node: Any, source: ModuleText) -> Iterator[Named]:
    """Yield each kind of `NEWER` syntax that `node` itself uses."""
    name = type(node).__name__
    if name in _BY_NODE:
        keyword = name in {"Match", "TryStar"}
        yield Named(_BY_NODE[name], source.keyword(node) if keyword else source.place(node))
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from _in_heading(node, source)
        case ast.Lambda(args=ast.arguments(posonlyargs=[first, *_])):
            yield Named("positional-only parameter", source.place(first))
        case ast.With() | ast.AsyncWith() if _is_parenthesized(node, source):
            yield Named("parenthesized with", source.keyword(node))
        case ast.Subscript(slice=ast.Tuple(elts=[first, *_] as parts) as index):
            # In parentheses it was allowed before.
            is_bare = index.col_offset == first.col_offset and index.lineno == first.lineno
            stars = [part for part in parts if isinstance(part, ast.Starred)]
            if is_bare and stars:
                yield Named("star in an index", source.place(stars[0]))
        case ast.ImportFrom(module="__future__", names=names):
            if any(alias.name == "annotations" for alias in names):
                yield Named("from __future__ import annotations", source.place(node))
        case ast.JoinedStr():
            yield from _in_f_string(node, source)


def _in_heading(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, source: ModuleText
) -> Iterator[Named]:
    for decorator in node.decorator_list:
        expression = decorator.func if isinstance(decorator, ast.Call) else decorator
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        if not isinstance(expression, ast.Name):
            yield Named("any expression as decorator", source.place(decorator))
    if not isinstance(node, ast.ClassDef) and node.args.posonlyargs:
        yield Named("positional-only parameter", source.place(node.args.posonlyargs[0]))


def _is_parenthesized(node: ast.With | ast.AsyncWith, source: ModuleText) -> bool:
    """Return whether parentheses enclose all of the items; without an `as`, that is a tuple.

    Counts parentheses between the items, where only parentheses, commas and `as` can be.
    """
    if all(item.optional_vars is None for item in node.items):
        return False
    position, depth = (node.lineno, node.col_offset), 0
    for item in node.items:
        for part in (item.context_expr, item.optional_vars):
            if part is None:
                continue
            for character in _COMMENT.sub(
                "", source.text(position, (part.lineno, part.col_offset))
            ):
                depth += (character == "(") - (character == ")")
                if character == ")" and not depth:
                    return False
            position = part.end_lineno or part.lineno, part.end_col_offset or part.col_offset
            if not depth:
                return False
    return True


def _in_f_string(node: ast.JoinedStr, source: ModuleText) -> Iterator[Named]:
    """Yield the newer syntax inside an f-string."""
    values = [each for each in node.values if isinstance(each, ast.FormattedValue)]
    for each in values:
        end_line, end = each.value.end_lineno, each.value.end_col_offset
        if end_line is None or end is None or end_line > (node.end_lineno or 0):
            continue
        rest = source.lines[end_line - 1][source.index(end_line, end) :]
        if _EQUALS_AFTER.match(rest):
            yield Named("f-string with =", source.place(node))
            break
    if _nests_quotes(node, values, source):
        yield Named("quotes nested in an f-string", source.place(node))


def _nests_quotes(
    node: ast.JoinedStr, values: list[ast.FormattedValue], source: ModuleText
) -> bool:
    """Return whether an expression in a single f-string contains the quotes of that f-string."""
    end = node.end_lineno, node.end_col_offset
    if end[0] is None or end[1] is None:
        return False
    text = source.text((node.lineno, node.col_offset), (end[0], end[1]))
    opening = _QUOTED.match(text)
    if opening is None or node.lineno != end[0]:
        return False
    quote = opening[2]
    inside = [_text(each.value, source) for each in values]
    return text.count(quote) - sum(part.count(quote) for part in inside) == 2 and any(
        quote in part for part in inside
    )


def _text(node: ast.expr, source: ModuleText) -> str:
    line, offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return source.text((node.lineno, node.col_offset), (line, offset))
