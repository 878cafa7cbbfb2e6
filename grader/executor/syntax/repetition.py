"""Finds stretches of statements that are the same except for names and literals.

Each statement gets a number for its shape, which it shares with all statements of the same shape.
A repeated stretch is a sequence of numbers that occurs twice in the blocks of the modules.
Docstrings and imports are left out; a function or a class ends a stretch, and its body is a block
of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple, TypeAlias

from grader.executor.syntax.nodes import docstring_of
from grader.executor.syntax.source import Span
from grader.executor.syntax.tree import Module

_MIN_STATEMENTS: Final = 5
_MIN_NODES: Final = 20
_MIN_FLAT_NODES: Final = 40
"""The minimum for stretches without nested blocks, so that five assignments of constants do not
count."""
# These bound the time for source that repeats itself thousands of times, as generated source can.
_MAX_OCCURRENCES: Final = 50
_MAX_CANDIDATES: Final = 2_000
_MAX_STEPS: Final = 200_000
_IGNORED_STATEMENTS: Final = (ast.Import, ast.ImportFrom)
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class RepeatedStretch(NamedTuple):
    """Two stretches of the same shape."""

    first: Span
    second: Span
    statement_count: int


class _Statement(NamedTuple):
    """A statement in a block, with its measurements."""

    shape: int
    """The number of its shape."""
    statement_count: int
    """How many statements it contains, including itself and those in its blocks."""
    node_count: int
    node: ast.stmt


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Consecutive statements, with no function or class in between."""

    module: Module
    statements: list[_Statement]


_Start: TypeAlias = tuple[_Block, int]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two equal stretches, each `length` statements of a block."""

    first: _Start
    second: _Start
    length: int

    @property
    def statement_count(self) -> int:
        """The number of statements in each stretch, including nested ones."""
        return sum(statement.statement_count for statement in self._stretch())

    @property
    def has_substance(self) -> bool:
        """Whether the stretches are large enough to be reported."""
        is_flat = self.statement_count == self.length
        nodes = sum(statement.node_count for statement in self._stretch())
        return nodes >= (_MIN_FLAT_NODES if is_flat else _MIN_NODES)

    def _stretch(self) -> list[_Statement]:
        block, start = self.first
        return block.statements[start : start + self.length]

    def span(self, position: _Start) -> Span:
        """Return the span of the stretch that begins at `position`."""
        block, start = position
        first, last = block.statements[start], block.statements[start + self.length - 1]
        return block.module.source.span_between(first.node, last.node)


def find_repetitions(modules: Iterable[Module], max_count: int) -> list[RepeatedStretch]:
    """Return at most `max_count` pairs of repeated stretches, the longest first.

    Stretches do not overlap, but the first stretch of a pair can be a stretch of an earlier pair.
    """
    shapes: dict[object, int] = {}
    blocks = [block for module in modules for block in _statement_blocks(module, shapes)]
    pairs = [pair for pair in _find_pairs(blocks) if pair.has_substance]
    pairs.sort(key=lambda pair: -pair.statement_count)  # stable: otherwise in source order
    results: list[RepeatedStretch] = []
    for pair in pairs[:_MAX_CANDIDATES]:
        first, second = pair.span(pair.first), pair.span(pair.second)
        used_spans = [span for result in results for span in (result.first, result.second)]
        is_unused = not any(_overlap(second, span) for span in used_spans)
        if is_unused and not any(_overlap(first, span) and first != span for span in used_spans):
            results.append(RepeatedStretch(first, second, pair.statement_count))
            if len(results) == max_count:
                break
    return results


def _overlap(first: Span, second: Span) -> bool:
    return first[0] == second[0] and first[1:3] < second[3:5] and second[1:3] < first[3:5]


def _statement_blocks(module: Module, shapes: dict[object, int]) -> Iterator[_Block]:
    """Yield the blocks of `module`, and add the shapes of its nodes to `shapes`."""
    measurements = _measure_nodes(module, shapes)
    for visit in module.visits:
        docstring = docstring_of(visit.node)
        for block in _statement_lists(visit.node):
            stretch: list[_Statement] = []
            for node in block:
                if isinstance(node, _DEFINITIONS):
                    yield _Block(module, stretch)
                    stretch = []
                elif node is not docstring and not isinstance(node, _IGNORED_STATEMENTS):
                    stretch.append(_Statement(*measurements[node], node))
            yield _Block(module, stretch)


def _statement_lists(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield the non-empty lists of statements that `node` has as fields."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block


def _measure_nodes(
    module: Module, shapes: dict[object, int]
) -> dict[ast.AST, tuple[int, int, int]]:
    """Return for each node the number of its shape, and how many statements and nodes it contains.

    `shapes` has a number for each shape seen so far; new shapes are added to it.
    """
    measurements: dict[ast.AST, tuple[int, int, int]] = {}
    for visit in reversed(module.visits):  # in reverse, children come before their parents
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
                    # For nodes that are not visited, such as operators, the type is the shape.
                    default = type(child).__name__, 0, 0
                    number, more_statements, more_nodes = measurements.get(child, default)
                    shape.append(number)
                    statements += more_statements
                    nodes += more_nodes
        measurements[node] = shapes.setdefault(tuple(shape), len(shapes)), statements, nodes
    return measurements


def _find_pairs(blocks: list[_Block]) -> Iterator[_Pair]:
    """Yield pairs of equal stretches, each as long as possible, up to a limit on the work."""
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
            if length and pair.statement_count >= _MIN_STATEMENTS:
                yield pair


def _shortest_stretch(block: _Block, start: int) -> tuple[int, ...] | None:
    """Return the shapes of the shortest stretch from `start` that is long enough, or None."""
    count = 0
    for end in range(start, min(start + _MIN_STATEMENTS, len(block.statements))):
        count += block.statements[end].statement_count
        if count >= _MIN_STATEMENTS:
            return tuple(statement.shape for statement in block.statements[start : end + 1])
    return None


def _common_length(first: _Start, second: _Start) -> int:
    """Return the length of the common stretch from both starts.

    Return 0 if the statements before them are also equal, because the stretch then began earlier.
    """
    (block, start), (second_block, second_start) = first, second
    statements, second_statements = block.statements, second_block.statements
    if (
        start
        and second_start
        and statements[start - 1].shape == second_statements[second_start - 1].shape
    ):
        return 0
    max_length = min(len(statements) - start, len(second_statements) - second_start)
    if block is second_block:  # a stretch must not overlap with its repetition
        max_length = min(max_length, second_start - start)
    length = 0
    while (
        length < max_length
        and statements[start + length].shape == second_statements[second_start + length].shape
    ):
        length += 1
    return length


# Digests of definitions, which are equal for equal code, however it is formatted.
#
# They do not depend on comments, whitespace, docstrings or the version of Python.

_IGNORED_FIELDS: Final = frozenset({"kind", "type_comment", "type_ignores", "type_params"})
"""Fields of nodes that do not affect the code, or that only some versions of Python have."""
_MAX_BITS: Final = 10_000
"""Larger integers are converted to hexadecimal, because Python may refuse to convert them to
decimal."""


class DefinitionDigest(NamedTuple):
    """A definition at the top level of a module, and the digest of its code."""

    name: str
    span: Span
    digest: str


def digest_definitions(module: Module, wanted: Collection[str]) -> Iterator[DefinitionDigest]:
    """Yield the top-level definitions of `module` whose dotted names are in `wanted`."""
    for statement in module.tree.body:
        for name in _defined_names(statement):
            if f"{module.name}.{name}" in wanted:
                span = module.source.span(statement)
                yield DefinitionDigest(f"{module.name}.{name}", span, compute_digest(statement))


def _defined_names(statement: ast.stmt) -> list[str]:
    """Return the names that `statement` defines with `def`, `class` or a plain assignment."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case _:
            return []


def compute_digest(definition: ast.stmt) -> str:
    """Return a digest of the code of `definition`, in hexadecimal."""
    digest = sha256()
    pending: list[object] = [definition]
    while pending:  # no recursion, because the tree of a submission can be deep
        part = pending.pop()
        if isinstance(part, ast.AST):
            digest.update(f"{type(part).__name__}(".encode())
            pending.append(")")
            docstring = docstring_of(part)
            for name, value in reversed(list(ast.iter_fields(part))):
                if name not in _IGNORED_FIELDS and value is not None and value != []:
                    content = value
                    if isinstance(value, list):
                        content = [child for child in value if child is not docstring]
                    pending += (content, name)
        elif isinstance(part, list):
            digest.update(b"[")
            pending += ("]", *reversed(part))
        else:
            is_huge = isinstance(part, int) and part.bit_length() > _MAX_BITS
            text = f"{part:x}" if is_huge else repr(part)
            digest.update(f"{text},".encode(errors="surrogatepass"))
    return digest.hexdigest()
