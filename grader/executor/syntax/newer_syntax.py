"""Finds syntax that is newer than a given version of Python.

It looks at the syntax only, not at types: it cannot distinguish `dict | dict` from `int | int`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from grader.executor.syntax.names import LocatedName
from grader.executor.syntax.source import ModuleText
from grader.executor.syntax.tree import Module

MIN_VERSIONS: Final = {
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
"""Names of the syntax to find, and the versions that introduced it."""
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
_F_STRING_START: Final = re.compile(r"(?i)(f|fr|rf)(\"\"\"|'''|\"|')")


def find_newer_syntax(module: Module, version: tuple[int, int]) -> Iterator[LocatedName]:
    """Yield each use in `module` of syntax that was introduced after `version`."""
    for visit in module.visits:
        yield from (
            syntax
            for syntax in _newer_syntax(visit.node, module.source)
            if MIN_VERSIONS[syntax.name] > version
        )


def _newer_syntax(node: Any, source: ModuleText) -> Iterator[LocatedName]:
    """Yield the uses of syntax in `MIN_VERSIONS` by `node` itself, without its children."""
    name = type(node).__name__
    if name in _BY_NODE:
        has_keyword = name in {"Match", "TryStar"}
        yield LocatedName(
            _BY_NODE[name], source.keyword_span(node) if has_keyword else source.span(node)
        )
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from _newer_in_header(node, source)
        case ast.Lambda(args=ast.arguments(posonlyargs=[first, *_])):
            yield LocatedName("positional-only parameter", source.span(first))
        case ast.With() | ast.AsyncWith() if _is_parenthesized(node, source):
            yield LocatedName("parenthesized with", source.keyword_span(node))
        case ast.Subscript(slice=ast.Tuple(elts=[first, *_] as parts) as index):
            # Older versions already allowed a star in a parenthesized tuple.
            is_bare = index.col_offset == first.col_offset and index.lineno == first.lineno
            stars = [part for part in parts if isinstance(part, ast.Starred)]
            if is_bare and stars:
                yield LocatedName("star in an index", source.span(stars[0]))
        case ast.ImportFrom(module="__future__", names=names):
            if any(alias.name == "annotations" for alias in names):
                yield LocatedName("from __future__ import annotations", source.span(node))
        case ast.JoinedStr():
            yield from _newer_in_f_string(node, source)


def _newer_in_header(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, source: ModuleText
) -> Iterator[LocatedName]:
    """Yield the newer syntax in the decorators and parameters of `node`."""
    for decorator in node.decorator_list:
        expression = decorator.func if isinstance(decorator, ast.Call) else decorator
        while isinstance(expression, ast.Attribute):
            expression = expression.value
        if not isinstance(expression, ast.Name):
            yield LocatedName("any expression as decorator", source.span(decorator))
    if not isinstance(node, ast.ClassDef) and node.args.posonlyargs:
        yield LocatedName("positional-only parameter", source.span(node.args.posonlyargs[0]))


def _is_parenthesized(node: ast.With | ast.AsyncWith, source: ModuleText) -> bool:
    """Return whether one pair of parentheses encloses all items of `node`.

    If no item has an `as`, the parentheses make a tuple, which is not newer syntax. Only the
    text between expressions and names is searched for parentheses: apart from comments, nothing but
    commas and `as` can occur there besides them.
    """
    if all(item.optional_vars is None for item in node.items):
        return False
    position, depth = (node.lineno, node.col_offset), 0
    for item in node.items:
        for part in (item.context_expr, item.optional_vars):
            if part is None:
                continue
            for character in _COMMENT.sub(
                "", source.text_between(position, (part.lineno, part.col_offset))
            ):
                depth += (character == "(") - (character == ")")
                if character == ")" and not depth:
                    return False
            position = part.end_lineno or part.lineno, part.end_col_offset or part.col_offset
            if not depth:
                return False
    return True


def _newer_in_f_string(node: ast.JoinedStr, source: ModuleText) -> Iterator[LocatedName]:
    """Yield the newer syntax inside the f-string `node`."""
    values = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    for part in values:
        end_line, end = part.value.end_lineno, part.value.end_col_offset
        # Before Python 3.12, the position of an expression in an f-string could be wrong.
        if end_line is None or end is None or end_line > (node.end_lineno or 0):
            continue
        rest = source.lines[end_line - 1][source.char_index(end_line, end) :]
        if _EQUALS_AFTER.match(rest):
            yield LocatedName("f-string with =", source.span(node))
            break
    if _nests_quotes(node, values, source):
        yield LocatedName("quotes nested in an f-string", source.span(node))


def _nests_quotes(
    node: ast.JoinedStr, values: list[ast.FormattedValue], source: ModuleText
) -> bool:
    """Return whether an expression in a one-line f-string contains the f-string's own quotes."""
    end = node.end_lineno, node.end_col_offset
    if end[0] is None or end[1] is None:
        return False
    text = source.text_between((node.lineno, node.col_offset), (end[0], end[1]))
    opening = _F_STRING_START.match(text)
    if opening is None or node.lineno != end[0]:
        return False
    quote = opening[2]
    expressions = [_expression_text(part.value, source) for part in values]
    # Outside the expressions, only the opening and the closing quote occur, unless the positions of
    # the expressions are wrong.
    return text.count(quote) - sum(part.count(quote) for part in expressions) == 2 and any(
        quote in part for part in expressions
    )


def _expression_text(node: ast.expr, source: ModuleText) -> str:
    line, offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return source.text_between((node.lineno, node.col_offset), (line, offset))
