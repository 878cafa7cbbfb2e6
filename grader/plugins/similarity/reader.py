"""Computes the fingerprints of programs in an executor.

It parses the programs, which may attack the parser, but does not run them. A fragment is sent as a
hash with its lines; words, which are names, comments and strings of the author, as text.

The fragments of a row of levelled statements are its statements, parts of their expressions, and
stretches of statements. Of long stretches, only the least of each window of hashes is kept, as in
Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD
2003): for each common part that is long enough, both programs keep the same hash.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import pairwise
from textwrap import dedent
from typing import Any, Final, TypeAlias

from grader.executor.compiling import cells_in
from grader.plugins.similarity.blocks import nodes_of
from grader.plugins.similarity.levelling import Statement, rows

_LEAST_NODES: Final = 4
"""Smaller statements are only fragments as part of a stretch."""
_STRETCHES: Final = (2, 3)
"""The lengths of stretches that are all kept."""
_WINNOWED: Final = 5
_WINDOW: Final = 4
_MAX_FRAGMENTS: Final = 6_000
"""The limit per hand-in, so that the reply fits into a frame."""
_MAX_WORDS: Final = 1_500
_WORD_CHARS: Final = 120
_LEAST_TEXT_CHARS: Final = 4
_HEADING: Final = re.compile(r"\s*(?:async\s+)?(?:def|class)\b")
_COMMENT: Final = re.compile(r"[^'\"#]*#(.*)")
_PIECE: Final = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<text>'[^']*'|\"[^\"]*\")"
)

Fragment: TypeAlias = tuple[int, int, int, int]
"""Its hash, the index of its file, its first line and its last line."""
Word: TypeAlias = tuple[str, str, int]
"""Its kind, its text, and a line with it."""


def serve(channel: Any, first: Any, _surroundings: object, _files: object) -> None:
    """Send the fingerprints of the hand-in in the `first` message over `channel`."""
    # `ast.parse` warns of invalid escapes and the like.
    warnings.simplefilter("ignore")
    channel.send(read(first["sources"]))


def read(sources: Sequence[tuple[str, str]]) -> dict[str, object]:
    """Return the fingerprints of a hand-in; `sources` are names and texts of files."""
    fragments: dict[int, Fragment] = {}
    words: dict[tuple[str, str], Word] = {}
    unparsed = statements = 0
    for number, (name, text) in enumerate(sources):
        # Kept if the text cannot be parsed.
        found, chosen, is_read = [list(_lines(text))], list[tuple[str, str, int]](), False
        # Hostile text: null characters, huge numbers, deep nesting, even for the parser in C.
        with suppress(SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            tree, is_whole = _tree(name, text)
            nodes = list(nodes_of(tree))
            found = list(rows(tree, nodes)) or found
            chosen = [*_words(nodes), *_comments(text)]
            is_read = is_whole
        unparsed += not is_read
        for row in found:
            statements += len(row)
            for hashed, line, end_line in _fragments(row):
                fragments.setdefault(hashed, (hashed, number, line, end_line))
        for word in chosen:
            words.setdefault(word[:2], word)
    return {
        "fragments": list(fragments.values())[:_MAX_FRAGMENTS],
        "words": list(words.values())[:_MAX_WORDS],
        "statements": statements,
        "unparsed": unparsed,
    }


def _tree(name: str, text: str) -> tuple[ast.Module, bool]:
    """Return the tree of a file, and whether it is complete.

    A notebook gives its Python cells; a file with syntax errors gives its valid definitions.
    """
    is_notebook = name.endswith(".ipynb")
    parts = [(start, cell) for start, _, cell in cells_in(text)] if is_notebook else []
    if not is_notebook:
        with suppress(SyntaxError, ValueError):
            return ast.parse(text), True
        parts = list(_definitions(text))
    whole = ast.Module([], [])
    for start, part in parts:
        with suppress(SyntaxError, ValueError):
            # Line numbers are those of the whole file.
            whole.body += ast.increment_lineno(ast.parse(part), start).body
    return whole, is_notebook


def _definitions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the dedented parts of `text` that start at the heading of a definition."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _HEADING.match(line)]
    for start, end in pairwise([0, *starts, len(lines)]):
        yield start, dedent("\n".join(lines[start:end]))


def _lines(text: str) -> Iterator[Statement]:
    """Yield the lines of a file that cannot be parsed, with names, numbers and strings levelled."""
    for number, line in enumerate(text.split("\n"), start=1):
        code = _PIECE.sub(lambda found: str(found.lastgroup), line.partition("#")[0])
        if code := "".join(code.split()):
            # An estimate, as there is no tree with nodes to count.
            yield Statement(code, len(code) // 4, number, number, ())


def _fragments(row: Sequence[Statement]) -> Iterator[tuple[int, int, int]]:
    """Yield the hashes of the fragments of a row of statements, each with its lines."""
    for each in row:
        if each.nodes >= _LEAST_NODES:
            yield _hash(each.text), each.line, each.end_line
        for part in each.parts:
            yield _hash(part), each.line, each.end_line
    for length in _STRETCHES:
        yield from _stretches(row, length)
    yield from winnowed(list(_stretches(row, _WINNOWED)), _WINDOW)


def _stretches(row: Sequence[Statement], length: int) -> Iterator[tuple[int, int, int]]:
    for start in range(len(row) - length + 1):
        stretch = row[start : start + length]
        text = "\n".join(each.text for each in stretch)
        lines = [line for each in stretch for line in (each.line, each.end_line)]
        yield _hash(text), min(lines), max(lines)


def winnowed(hashed: list[tuple[int, int, int]], window: int) -> Iterator[tuple[int, int, int]]:
    """Yield the least hash of each `window`, the rightmost of equal ones, without repeats."""
    last = None
    for start in range(max(1, len(hashed) - window + 1)):
        part = hashed[start : start + window]
        # By identity: an equal hash of other lines is another fragment.
        if part and (least := min(reversed(part), key=lambda each: each[0])) is not last:
            yield least
            last = least


def _hash(text: str) -> int:
    """Return a hash that is the same in all processes, and exact as a JSON number (48 bits)."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=6).digest(), "big")


def _words(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str, int]]:
    """Yield the names and strings in a program that its author chose."""
    for node in nodes:
        match node:
            case (
                ast.Name(id=word, ctx=ast.Store())
                | ast.arg(arg=word)
                | ast.FunctionDef(name=word)
                | ast.ClassDef(name=word)
                | ast.Attribute(attr=word, ctx=ast.Store())
            ):
                kind = "name"
            case ast.Constant(value=str() as word):
                kind = "text"
            case _:
                continue
        # Special names are not the author's choice.
        if word[:2] != "__" and len(word := " ".join(word.split())) >= _LEAST_TEXT_CHARS:
            yield kind, word[:_WORD_CHARS], getattr(node, "lineno", 1)


def _comments(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the comments of lines without quotes before them, where `#` may be in a string."""
    if "#" in text:
        for number, line in enumerate(text.split("\n"), start=1):
            if (found := _COMMENT.match(line)) is not None:
                said = " ".join(found[1].strip("#").split())
                if len(said) >= _LEAST_TEXT_CHARS:
                    yield "comment", said[:_WORD_CHARS], number
