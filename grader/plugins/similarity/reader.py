"""Computes the fingerprints of programs in an executor.

This module parses the programs, which might attack the parser, but does not run them. A fragment is
sent as a hash with its lines. Words, which are the author's names, comments and strings, are sent
as text.

The fragments of a row of normalized statements are its statements, parts of their expressions, and
stretches of statements. Of the hashes of long stretches, only the lowest in each window is kept, as
in Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting" (SIGMOD
2003). So for each common part that is long enough, both programs keep the same hash.
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

from grader.executor.compiling import split_cells
from grader.plugins.similarity.blocks import walk_nodes
from grader.plugins.similarity.normalizing import Statement, rows

_MIN_NODES: Final = 4
"""Smaller statements are fragments only as part of a stretch."""
_STRETCHES: Final = (2, 3)
"""The lengths of stretches that are kept without winnowing."""
_WINNOWED_LENGTH: Final = 5
_WINDOW: Final = 4
_MAX_FRAGMENTS: Final = 6_000
"""The limit on fragments of a hand-in, so that the reply fits into a frame."""
_MAX_WORDS: Final = 1_500
_WORD_CHARS: Final = 120
_MIN_TEXT_CHARS: Final = 4
_DEFINITION_START: Final = re.compile(r"\s*(?:async\s+)?(?:def|class)\b")
_COMMENT: Final = re.compile(r"[^'\"#]*#(.*)")
_PIECE: Final = re.compile(
    r"(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|(?P<text>'[^']*'|\"[^\"]*\")"
)

Fragment: TypeAlias = tuple[int, int, int, int]
"""The hash of a fragment, the index of its file, its first line and its last line."""
Word: TypeAlias = tuple[str, str, int]
"""The kind of a word, its text, and a line that contains it."""


def serve(channel: Any, first: Any, _surroundings: object, _files: object) -> None:
    """Send the fingerprint of the hand-in in the `first` message over `channel`."""
    # `ast.parse` warns about invalid escapes, for example. Nobody reads these warnings.
    warnings.simplefilter("ignore")
    channel.send(compute_fingerprint(first["sources"]))


def compute_fingerprint(sources: Sequence[tuple[str, str]]) -> dict[str, object]:
    """Return the fingerprint of a hand-in, as it is sent in a reply.

    `sources` has the name and the text of each file. Fragments and words beyond the limits are
    omitted.
    """
    fragments: dict[int, Fragment] = {}
    words: dict[tuple[str, str], Word] = {}
    unparsed_files = statement_count = 0
    for file_index, (name, text) in enumerate(sources):
        # These lines are used if the text cannot be parsed.
        file_rows = [list(_normalize_lines(text))]
        file_words = list[tuple[str, str, int]]()
        is_read = False
        # Hostile text can have null characters, huge numbers, or nesting too deep for the parser.
        with suppress(SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            tree, is_whole = _parse_file(name, text)
            nodes = list(walk_nodes(tree))
            file_rows = list(rows(tree, nodes)) or file_rows
            file_words = [*_words(nodes), *_comments(text)]
            is_read = is_whole
        unparsed_files += not is_read
        for row in file_rows:
            statement_count += len(row)
            for hash_value, line, end_line in _fragments(row):
                fragments.setdefault(hash_value, (hash_value, file_index, line, end_line))
        for word in file_words:
            words.setdefault(word[:2], word)
    return {
        "fragments": list(fragments.values())[:_MAX_FRAGMENTS],
        "words": list(words.values())[:_MAX_WORDS],
        "statements": statement_count,
        "unparsed": unparsed_files,
    }


def _parse_file(name: str, text: str) -> tuple[ast.Module, bool]:
    """Return the syntax tree of a file, and whether it is complete.

    The tree of a notebook contains the Python cells that can be parsed, and counts as complete. The
    tree of another file with syntax errors contains its valid definitions.
    """
    is_notebook = name.endswith(".ipynb")
    parts = [(start, cell) for start, _, cell in split_cells(text)] if is_notebook else []
    if not is_notebook:
        with suppress(SyntaxError, ValueError):
            return ast.parse(text), True
        parts = list(_definitions(text))
    module = ast.Module([], [])
    for start, part in parts:
        with suppress(SyntaxError, ValueError):
            # Lines are numbered as in the whole file.
            module.body += ast.increment_lineno(ast.parse(part), start).body
    return module, is_notebook


def _definitions(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line's index and the dedented text of each part of a file with syntax errors.

    The first part precedes all definitions. Each other part begins with a definition, and ends
    before the next one.
    """
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _DEFINITION_START.match(line)]
    for start, end in pairwise([0, *starts, len(lines)]):
        yield start, dedent("\n".join(lines[start:end]))


def _normalize_lines(text: str) -> Iterator[Statement]:
    """Yield the lines of a file that cannot be parsed, with names and literals normalized."""
    for number, line in enumerate(text.split("\n"), start=1):
        code = _PIECE.sub(lambda piece: str(piece.lastgroup), line.partition("#")[0])
        if code := "".join(code.split()):
            # The number of nodes is estimated, as there is no tree.
            yield Statement(code, len(code) // 4, number, number, ())


def _fragments(row: Sequence[Statement]) -> Iterator[tuple[int, int, int]]:
    """Yield the hashes of the fragments of a row of statements, each with its lines."""
    for statement in row:
        if statement.nodes >= _MIN_NODES:
            yield _hash(statement.text), statement.line, statement.end_line
        for part in statement.parts:
            yield _hash(part), statement.line, statement.end_line
    for length in _STRETCHES:
        yield from _stretches(row, length)
    yield from winnow(list(_stretches(row, _WINNOWED_LENGTH)), _WINDOW)


def _stretches(row: Sequence[Statement], length: int) -> Iterator[tuple[int, int, int]]:
    """Yield the hash, first line and last line of each stretch of this `length` in `row`."""
    for start in range(len(row) - length + 1):
        stretch = row[start : start + length]
        text = "\n".join(statement.text for statement in stretch)
        lines = [line for statement in stretch for line in (statement.line, statement.end_line)]
        yield _hash(text), min(lines), max(lines)


def winnow(hashes: list[tuple[int, int, int]], window: int) -> Iterator[tuple[int, int, int]]:
    """Yield the lowest of each `window` consecutive hashes, without repetitions.

    Of equal hashes, the rightmost is yielded.
    """
    last = None
    for start in range(max(1, len(hashes) - window + 1)):
        part = hashes[start : start + window]
        # Compared by identity, as an equal hash of other lines is another fragment.
        if part and (least := min(reversed(part), key=lambda fragment: fragment[0])) is not last:
            yield least
            last = least


def _hash(text: str) -> int:
    """Return a 48-bit hash, which is the same in all processes and exact as a JSON number."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=6).digest(), "big")


def _words(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str, int]]:
    """Yield the names and strings that a program's author chose, each with its kind and line."""
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
        # Special names such as `__init__` are not chosen by the author.
        if word[:2] != "__" and len(word := " ".join(word.split())) >= _MIN_TEXT_CHARS:
            yield kind, word[:_WORD_CHARS], getattr(node, "lineno", 1)


def _comments(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the comments of a program, each with its kind and line.

    Comments that follow a quote are omitted, as their `#` might be in a string.
    """
    if "#" in text:
        for number, line in enumerate(text.split("\n"), start=1):
            if (match := _COMMENT.match(line)) is not None:
                # Spaces are normalized, so that other indentation does not hide a copied comment.
                comment = " ".join(match[1].strip("#").split())
                if len(comment) >= _MIN_TEXT_CHARS:
                    yield "comment", comment[:_WORD_CHARS], number
