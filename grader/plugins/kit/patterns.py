"""Rewrites `match` as tests: the part of lowering that Python 3.8 and 3.9 have no syntax for.

A pattern becomes one expression that is true where it fits, and that binds names on the way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_TRUE = ast.Constant(value=True)


def lowered_match(cases: Sequence[ast.match_case], subject: str) -> list[ast.stmt]:
    """Return statements that do what `cases` do with the variable `subject`."""
    chain: list[ast.stmt] = []
    for case in reversed(cases):
        test = _test(case.pattern, _load(subject))
        if case.guard is not None:
            test = _all([test, case.guard])
        chain = [ast.If(test, case.body, chain)]
    return chain


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_load(name), [*arguments], [])


def _all(tests: Sequence[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), [*tests])


def _bind(name: str, value: ast.expr) -> ast.expr:
    """Return an expression that binds `name`, and that is true."""
    bound = ast.NamedExpr(ast.Name(name, ast.Store()), value)
    return ast.Compare(ast.Tuple([bound], ast.Load()), [ast.IsNot()], [ast.Constant(None)])


def _test(pattern: ast.pattern, value: ast.expr) -> ast.expr:
    """Return what is true where `pattern` fits `value`, an expression without effects."""
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(value, [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(value, [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchOr):
        return ast.BoolOp(ast.Or(), [_test(each, value) for each in pattern.patterns])
    if isinstance(pattern, ast.MatchAs):
        tests = [] if pattern.pattern is None else [_test(pattern.pattern, value)]
        if pattern.name is not None:
            tests.append(_bind(pattern.name, value))
        return _all(tests or [_TRUE])
    if isinstance(pattern, ast.MatchSequence):
        return _all([*_sequence(pattern, value)])
    if isinstance(pattern, ast.MatchMapping):
        return _all([*_mapping(pattern, value)])
    assert isinstance(pattern, ast.MatchClass), "a star stands in sequences only"
    return _all([*_class(pattern, value)])


def _sequence(pattern: ast.MatchSequence, value: ast.expr) -> Iterator[ast.expr]:
    parts = pattern.patterns
    star = next((n for n, each in enumerate(parts) if isinstance(each, ast.MatchStar)), None)
    least = len(parts) - (star is not None)
    yield _call("is_sequence_", value)
    compare = ast.Eq() if star is None else ast.GtE()
    yield ast.Compare(_call("len", value), [compare], [ast.Constant(least)])
    for number, part in enumerate(parts):
        if isinstance(part, ast.MatchStar):
            if part.name is not None:
                end = number + 1 - len(parts)
                rest = ast.Slice(ast.Constant(number), ast.Constant(end) if end else None)
                yield _bind(part.name, _call("list", ast.Subscript(value, rest, ast.Load())))
        else:
            index = number if star is None or number < star else number - len(parts)
            yield _test(part, ast.Subscript(value, ast.Constant(index), ast.Load()))


def _mapping(pattern: ast.MatchMapping, value: ast.expr) -> Iterator[ast.expr]:
    yield _call("is_mapping_", value)
    for key, part in zip(pattern.keys, pattern.patterns, strict=True):
        yield ast.Compare(key, [ast.In()], [value])
        yield _test(part, ast.Subscript(value, key, ast.Load()))
    if pattern.rest is not None:
        keys = ast.Tuple([*pattern.keys], ast.Load())
        yield _bind(pattern.rest, _call("rest_", value, keys))


def _class(pattern: ast.MatchClass, value: ast.expr) -> Iterator[ast.expr]:
    yield _call("isinstance", value, pattern.cls)
    for number, part in enumerate(pattern.patterns):
        yield _test(part, _call("positional_", value, pattern.cls, ast.Constant(number)))
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        yield _call("hasattr", value, ast.Constant(name))
        yield _test(part, ast.Attribute(value, name, ast.Load()))
