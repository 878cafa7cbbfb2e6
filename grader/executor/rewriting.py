"""Compiles source with a changed syntax tree, so that the code calls our objects when it runs.

These objects are constants of the code, without names that a program could look up. Marshalled code
has placeholders in their place: strings, or a value that no source can produce.
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


def compile_source(source: str, file: str, *rewritings: Rewriting, flags: int = 0) -> CodeType:
    """Return the code of `source`, whose tree the `rewritings` change, one after another.

    Raises what `compile`, with these `flags`, raises for the unchanged `source`: `SyntaxError`,
    `ValueError`, `OverflowError`, `RecursionError` or `MemoryError`. The `rewritings` can also
    cause the last two.
    """
    # Compiled unchanged first, so that errors and warnings are about the source itself.
    # `dont_inherit`, because the `__future__` imports of this file must not apply.
    code: CodeType = compile(source, file, "exec", flags, dont_inherit=True)
    if not rewritings:
        return code
    tree = compile(source, file, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
    for rewrite in rewritings:
        tree = rewrite(tree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns about calling a string
        rewritten: CodeType = compile(tree, file, "exec", flags, dont_inherit=True)
    return rewritten


def bind_objects(code: CodeType, objects: Mapping[Hashable, object]) -> CodeType:
    """Return a copy of `code` and its nested code with `objects` in place of their placeholders."""
    # Without recursion, because functions can be nested deeply.
    codes, pending = list[CodeType](), [code]
    while pending:
        inner = pending.pop()
        codes.append(inner)
        pending += (constant for constant in inner.co_consts if isinstance(constant, CodeType))
    bound_codes = dict[int, CodeType]()
    for inner in reversed(codes):  # nested code comes first, since outer code contains it
        constants = tuple(
            bound_codes[id(constant)]
            if isinstance(constant, CodeType)
            else _bind_constant(constant, objects)
            for constant in inner.co_consts
        )
        bound_codes[id(inner)] = inner.replace(co_consts=constants)
    return bound_codes[id(code)]


def _bind_constant(constant: object, objects: Mapping[Hashable, object]) -> object:
    return objects.get(constant, constant) if type(constant) in {str, tuple} else constant


def run_code(code: CodeType, names: dict[str, Any]) -> None:
    """Run `code` with the globals `names`.

    The code of a cell with `await` is a coroutine, which is resumed until it finishes. Exceptions
    that the code raises are not caught.
    """
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, names)
        return
    coroutine = _eval(code, names)
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass
