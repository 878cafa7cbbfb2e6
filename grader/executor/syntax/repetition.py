"""Finds stretches of statements that are the same except for names and literals.

Each statement gets a number for its shape: statements of the same shape have the same number. A
repeated stretch is a run of numbers that occurs twice in the blocks of the modules. Docstrings and
imports are left out; a function or a class ends a stretch, and has its own.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from grader.executor.syntax.source import Place, docstring_of
from grader.executor.syntax.tree import Module

_MIN_STATEMENTS: Final = 5
_MIN_NODES: Final = 20
_MIN_FLAT_NODES: Final = 40
"""For stretches without nested blocks: five assignments of constants are not a repetition."""
_MAX_OCCURRENCES: Final = 50
_MAX_CANDIDATES: Final = 2_000
_MAX_STEPS: Final = 200_000
_IGNORED_STATEMENTS: Final = (ast.Import, ast.ImportFrom)
_OWN_BLOCK: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class RepeatedStretch(NamedTuple):
    """Two stretches of the same shape."""

    first: Place
    second: Place
    statements: int


class _Statement(NamedTuple):
    shape: int
    statements: int
    """How many statements it is, including those in its blocks."""
    nodes: int
    node: ast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Statements that follow one another."""

    module: Module
    statements: list[_Statement]


_Start: TypeAlias = tuple[_Block, int]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two equal stretches of `length` statements of their blocks."""

    first: _Start
    second: _Start
    length: int

    @property
    def statements(self) -> int:
        return sum(each.statements for each in self._stretch())

    @property
    def has_substance(self) -> bool:
        is_flat = self.statements == self.length
        nodes = sum(each.nodes for each in self._stretch())
        return nodes >= (_MIN_FLAT_NODES if is_flat else _MIN_NODES)

    def _stretch(self) -> list[_Statement]:
        block, start = self.first
        return block.statements[start : start + self.length]

    def place(self, position: _Start) -> Place:
        block, start = position
        first, last = block.statements[start], block.statements[start + self.length - 1]
        return block.module.source.between(first.node, last.node)


def repetitions(modules: Iterable[Module], max_count: int) -> list[RepeatedStretch]:
    """Return the longest repeated stretches without overlaps, at most `max_count`."""
    shapes: dict[object, int] = {}
    blocks = [block for module in modules for block in _blocks(module, shapes)]
    pairs = [pair for pair in _pairs(blocks) if pair.has_substance]
    pairs.sort(key=lambda pair: -pair.statements)  # stable: otherwise in source order
    results: list[RepeatedStretch] = []
    for pair in pairs[:_MAX_CANDIDATES]:
        first, second = pair.place(pair.first), pair.place(pair.second)
        used_places = [place for each in results for place in (each.first, each.second)]
        is_unused = not any(_overlap(second, place) for place in used_places)
        if is_unused and not any(
            _overlap(first, place) and first != place for place in used_places
        ):
            results.append(RepeatedStretch(first, second, pair.statements))
            if len(results) == max_count:
                break
    return results


def _overlap(one: Place, other: Place) -> bool:
    return one[0] == other[0] and one[1:3] < other[3:5] and other[1:3] < one[3:5]


def _blocks(module: Module, shapes: dict[object, int]) -> Iterator[_Block]:
    """Yield the stretches of statements without functions in between."""
    measurements = _measurements(module, shapes)
    for visit in module.visits:
        docstring = docstring_of(visit.node)
        for block in _statement_lists(visit.node):
            run: list[_Statement] = []
            for node in block:
                if isinstance(node, _OWN_BLOCK):
                    yield _Block(module, run)
                    run = []
                elif node is not docstring and not isinstance(node, _IGNORED_STATEMENTS):
                    run.append(_Statement(*measurements[node], node))
            yield _Block(module, run)


def _statement_lists(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block


def _measurements(module: Module, shapes: dict[object, int]) -> dict[ast.AST, tuple[int, int, int]]:
    """Return the shape of each node, and how many statements and nodes it contains."""
    measurements: dict[ast.AST, tuple[int, int, int]] = {}
    for visit in reversed(module.visits):  # the children of a node are visited after it
        node = visit.node
        statements = 1 if isinstance(node, ast.stmt) else 0
        nodes = 1
        shape: list[object] = [type(node).__name__]
        for name in node._fields:
            value = getattr(node, name, None)
            children = value if isinstance(value, list) else [value]
            shape.append(len(children) if isinstance(value, list) else value is None)
            for child in children:
                if isinstance(child, ast.AST):
                    kind = type(child).__name__  # for nodes that are not visited, such as operators
                    number, more_statements, more_nodes = measurements.get(child, (kind, 0, 0))
                    shape.append(number)
                    statements += more_statements
                    nodes += more_nodes
        measurements[node] = shapes.setdefault(tuple(shape), len(shapes)), statements, nodes
    return measurements


def _pairs(blocks: list[_Block]) -> Iterator[_Pair]:
    """Yield equal stretches, each as long as it can be."""
    starts: dict[tuple[int, ...], list[_Start]] = {}
    for block in blocks:
        for start in range(len(block.statements)):
            if shapes := _shortest_stretch(block, start):
                starts.setdefault(shapes, []).append((block, start))
    steps = 0
    for occurrences in starts.values():
        first = occurrences[0]
        for second in occurrences[1:_MAX_OCCURRENCES]:
            length = _common_length(first, second)
            steps += length + 1
            if steps > _MAX_STEPS:
                return
            pair = _Pair(first, second, length)
            if length and pair.statements >= _MIN_STATEMENTS:
                yield pair


def _shortest_stretch(block: _Block, start: int) -> tuple[int, ...] | None:
    """Return the shapes of the shortest stretch from `start` that is long enough, or None."""
    count = 0
    for end in range(start, min(start + _MIN_STATEMENTS, len(block.statements))):
        count += block.statements[end].statements
        if count >= _MIN_STATEMENTS:
            return tuple(each.shape for each in block.statements[start : end + 1])
    return None


def _common_length(first: _Start, second: _Start) -> int:
    """Return the length of the common stretch, or 0 if it already began earlier."""
    (block, start), (other, other_start) = first, second
    statements, other_statements = block.statements, other.statements
    if (
        start
        and other_start
        and statements[start - 1].shape == other_statements[other_start - 1].shape
    ):
        return 0
    max_length = min(len(statements) - start, len(other_statements) - other_start)
    if block is other:
        max_length = min(max_length, other_start - start)
    length = 0
    while (
        length < max_length
        and statements[start + length].shape == other_statements[other_start + length].shape
    ):
        length += 1
    return length


# Digests of definitions: the same for the same code, however it is formatted.
#
# Comments, whitespace, docstrings and the version of Python make no difference.


_IGNORED_FIELDS: Final = frozenset({"kind", "type_comment", "type_ignores", "type_params"})
"""Fields of nodes that do not matter, or that only some versions of Python have."""


_MAX_BITS: Final = 10_000


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
    pending: list[object] = [definition]
    while pending:  # no recursion: a tree of a submission may be deep
        part = pending.pop()
        if isinstance(part, ast.AST):
            digest.update(f"{type(part).__name__}(".encode())
            pending.append(")")
            docstring = docstring_of(part)
            for name, value in reversed(list(ast.iter_fields(part))):
                if name not in _IGNORED_FIELDS and value is not None and value != []:
                    content = value
                    if isinstance(value, list):
                        content = [each for each in value if each is not docstring]
                    pending += (content, name)
        elif isinstance(part, list):
            digest.update(b"[")
            pending += ("]", *reversed(part))
        else:
            # Python refuses to convert thousands of digits to decimal.
            is_huge = isinstance(part, int) and part.bit_length() > _MAX_BITS
            text = f"{part:x}" if is_huge else repr(part)
            digest.update(f"{text},".encode(errors="surrogatepass"))
    return digest.hexdigest()
