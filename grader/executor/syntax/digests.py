"""What a definition says, as a digest: the same for the same code, however it is laid out.

Comments, blanks, docstrings and the version of Python make no difference to it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import Final, NamedTuple

from grader.executor.syntax.source import Place, docstring_of
from grader.executor.syntax.tree import Module

_OF_A_VERSION: Final = frozenset({"kind", "type_comment", "type_ignores", "type_params"})
"""Fields of nodes that say nothing, or that not every Python knows."""


_MOST_BITS: Final = 10_000


class Digested(NamedTuple):
    """A definition at the top level of a module, and the digest of its code."""

    name: str
    place: Place
    digest: str


def digested(module: Module, wanted: Collection[str]) -> Iterator[Digested]:
    """Yield the definitions of `module` whose dotted names are `wanted`."""
    for statement in module.tree.body:
        for name in _names(statement):
            if f"{module.name}.{name}" in wanted:
                place = module.source.place(statement)
                yield Digested(f"{module.name}.{name}", place, digest_of(statement))


def _names(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case _:
            return []


def digest_of(definition: ast.stmt) -> str:
    """Return the digest of the code of `definition`."""
    digest = sha256()
    waiting: list[object] = [definition]
    while waiting:  # no recursion: a tree of a submission may be deep
        part = waiting.pop()
        if isinstance(part, ast.AST):
            digest.update(f"{type(part).__name__}(".encode())
            waiting.append(")")
            skipped = docstring_of(part)
            for name, value in reversed(list(ast.iter_fields(part))):
                if name not in _OF_A_VERSION and value is not None and value != []:
                    kept = value
                    if isinstance(value, list):
                        kept = [each for each in value if each is not skipped]
                    waiting += (kept, name)
        elif isinstance(part, list):
            digest.update(b"[")
            waiting += ("]", *reversed(part))
        else:
            # In decimals, Python refuses to write a number of thousands of digits.
            is_huge = isinstance(part, int) and part.bit_length() > _MOST_BITS
            shown = f"{part:x}" if is_huge else repr(part)
            digest.update(f"{shown},".encode(errors="surrogatepass"))
    return digest.hexdigest()
