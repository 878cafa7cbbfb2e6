"""Compiles source with a changed syntax tree, so that the code calls our objects as it runs.

These objects have no names, which a program could look up; they are constants of the code. While it
is marshalled, placeholders stand for them: text, or a value that no source can produce.
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
        changed: CodeType = compile(tree, file, "exec", flags, dont_inherit=True)
    return changed


def bound(code: CodeType, objects: Mapping[Hashable, object]) -> CodeType:
    """Return `code` with `objects` in place of their placeholders.

    Done without recursion, as functions may be nested deeply.
    """
    parts, waiting = list[CodeType](), [code]
    while waiting:
        part = waiting.pop()
        parts.append(part)
        waiting += (each for each in part.co_consts if isinstance(each, CodeType))
    ready = dict[int, CodeType]()
    for part in reversed(parts):
        constants = tuple(
            ready[id(each)] if isinstance(each, CodeType) else _object(each, objects)
            for each in part.co_consts
        )
        ready[id(part)] = part.replace(co_consts=constants)
    return ready[id(code)]


def _object(constant: object, objects: Mapping[Hashable, object]) -> object:
    return objects.get(constant, constant) if type(constant) in {str, tuple} else constant


def run_code(code: CodeType, names: dict[str, Any]) -> None:
    """Run `code`; a coroutine, from a cell with top-level `await`, is resumed until it ends."""
    if not code.co_flags & inspect.CO_COROUTINE:
        exec(code, names)
        return
    coroutine = _eval(code, names)
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        pass
