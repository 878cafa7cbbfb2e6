"""Compiles source with a changed syntax tree, so that the code calls our objects as it runs.

These objects have no names that a program could look up; they are constants of the code. In
marshalled code they are replaced by placeholders: text, or a value that no source can produce.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Callable, Hashable, Mapping
from types import CodeType
from typing import Any, Final, TypeAlias

_eval: Final = eval
Rewriting: TypeAlias = Callable[[ast.Module], ast.Module]


def code_of(source: str, file: str, *rewritings: Rewriting, flags: int = 0) -> CodeType:
    """Return the code of `source`, with its tree changed by `rewritings`, one after the other.

    Raises the errors of `compile` for the unchanged `source`, with these `flags`.
    """
    # `dont_inherit`: the `from __future__` imports of this file are not the submission's.
    code: CodeType = compile(source, file, "exec", flags, dont_inherit=True)
    if not rewritings:
        return code
    tree = compile(source, file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    for rewrite in rewritings:
        tree = rewrite(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns that the text of a placeholder is called
        rewritten: CodeType = compile(tree, file, "exec", flags, dont_inherit=True)
    return rewritten


def bound(code: CodeType, objects: Mapping[Hashable, object]) -> CodeType:
    """Return `code` with `objects` in place of their placeholders.

    This avoids recursion, as functions may be nested deeply.
    """
    codes, pending = list[CodeType](), [code]
    while pending:
        inner = pending.pop()
        codes.append(inner)
        pending += (each for each in inner.co_consts if isinstance(each, CodeType))
    bound_codes = dict[int, CodeType]()
    for inner in reversed(codes):
        constants = tuple(
            bound_codes[id(each)] if isinstance(each, CodeType) else _bound_constant(each, objects)
            for each in inner.co_consts
        )
        bound_codes[id(inner)] = inner.replace(co_consts=constants)
    return bound_codes[id(code)]


def _bound_constant(constant: object, objects: Mapping[Hashable, object]) -> object:
    return objects.get(constant, constant) if type(constant) in {str, tuple} else constant


def run_code(code: CodeType, names: dict[str, Any]) -> None:
    """Run `code`; if it is a coroutine, from a cell with `await`, resume it until it ends."""
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, names)
        return
    coroutine = _eval(code, names)
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass
