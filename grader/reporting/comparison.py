"""Compares the expected and the actual text side by side, and marks the differences.

Boards and other text are compared by position, so that a wrong cell is one marked cell. Values are
compared by element: a missing `(0, 1)` is marked as a whole, not as a bracket here and a digit
there.

Either text might be crafted to make the comparison extremely slow. `difflib` is cubic in the worst
case, so it gets a budget; once the budget is spent, differing parts are marked as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Final

from grader.reporting.wording import excerpt_lines

MAX_LINES: Final = 100
"""How many lines of each text are shown."""
_MORE_LINES: Final = 8
"""How many more lines of the actual text are shown than the expected text has.

Further lines rarely show anything new.
"""
MAX_CHARS: Final = 6_000
"""How many characters of each text are shown.

This exceeds the limit of `display`, so that the note which `display` adds about omitted text is
kept.
"""
_MATCHING_BUDGET: Final = 400_000
"""Pairs of tokens that `difflib` is allowed to compare per comparison: well under 0.1 s."""
_MIN_SHARED: Final = 0.3
"""If two texts have a smaller share of elements in common, the match is ignored."""

# Alternatives in order: innermost brackets, a string, a word, a separator, whitespace, anything.
_TOKEN: Final = re.compile(r"\([^()]*\)|'[^']*'|\"[^\"]*\"|\w+|,\s*|\s+|.", re.DOTALL)
_CHARACTER: Final = re.compile(r"\s+|\S")
"""Tokens for lines that differ only in whitespace, which then needs tokens of its own."""
_BRACKET: Final = re.compile(r"[(\[{]")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a line, and whether it differs from the other side."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class ComparedLine:
    """One line of one side; a line without pieces is padding that keeps the sides aligned."""

    pieces: tuple[_Piece, ...] = ()

    @property
    def length(self) -> int:
        """The number of its characters."""
        return sum(len(piece.text) for piece in self.pieces)

    @property
    def differs(self) -> bool:
        """Whether any part of it differs from the other side."""
        return any(piece.differs for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts side by side, line by line; if only one is known, the other is empty."""

    expected: tuple[ComparedLine, ...]
    got: tuple[ComparedLine, ...]

    @property
    def is_multiline(self) -> bool:
        """Whether a side has several lines, in which case wrapping would break columns."""
        return len(self.expected) > 1 or len(self.got) > 1


def longest(lines: Iterable[ComparedLine]) -> int:
    """Return the number of characters in the longest of `lines`, or 0 if there are none."""
    return max((line.length for line in lines), default=0)


def unmarked_lines(text: str | None) -> tuple[ComparedLine, ...]:
    """Return the lines of `text` without marks, for a text that is not compared."""
    lines = [] if text is None else _lines(text)
    return tuple(ComparedLine((_Piece(line, differs=False),)) for line in lines)


def compare(expected: str | None, got: str | None) -> Comparison:
    """Return `expected` and `got` side by side, with the differences marked.

    If either is None, the other is returned without marks.
    """
    if expected is None or got is None:
        return Comparison(unmarked_lines(expected), unmarked_lines(got))
    # Whitespace in a value only aligns columns, unless it is all that differs.
    is_value = bool(_BRACKET.search(expected)) and (
        _strip_whitespace(expected) != _strip_whitespace(got)
    )
    marker = _Marker(whitespace_matters=not is_value)
    max_got_lines = _MORE_LINES + expected.count("\n") + 1
    pairs = _line_pairs(_lines(expected), _lines(got, max_got_lines))
    left, right = zip(*(marker.mark(left, right) for left, right in pairs), strict=True)
    return Comparison(_strip_padding(left), _strip_padding(right))


def _strip_padding(lines: Sequence[ComparedLine]) -> tuple[ComparedLine, ...]:
    """Return `lines` without padding at the end, but at least the first line."""
    end = max((number for number, line in enumerate(lines, 1) if line.pieces), default=1)
    return tuple(lines[:end])


def _lines(text: str, max_lines: int = MAX_LINES) -> list[str]:
    return excerpt_lines(text, MAX_CHARS, min(max_lines, MAX_LINES))


def _line_pairs(left: list[str], right: list[str]) -> Iterator[tuple[str | None, str | None]]:
    """Pair the lines of two texts; None stands for a line that the other side lacks."""
    if len(left) == len(right):
        # For instance a board with wrong cells: rows are paired whatever they contain.
        yield from zip(left, right, strict=True)
        return
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for _, left_start, left_end, right_start, right_end in matcher.get_opcodes():
        yield from zip_longest(left[left_start:left_end], right[right_start:right_end])


class _Marker:
    """Marks differences between lines, with one budget for all pairs of lines."""

    def __init__(self, *, whitespace_matters: bool) -> None:
        """Prepare to mark differences, including those in whitespace if `whitespace_matters`."""
        self._budget = _MATCHING_BUDGET
        self._whitespace_matters = whitespace_matters

    def mark(self, left: str | None, right: str | None) -> tuple[ComparedLine, ComparedLine]:
        """Return both lines with their differences marked.

        Marking might use up part of the budget. None stands for a line that one side lacks.
        """
        if left is None or right is None:
            return _differing_line(left), _differing_line(right)
        if left == right:
            same = ComparedLine((_Piece(left, differs=False),))
            return same, same
        # For instance a row of a board, where a matcher would shift cells to align others.
        if len(left) == len(right) and not _BRACKET.search(left):
            return _mark_by_position(left, right)
        if self._whitespace_matters and _strip_whitespace(left) == _strip_whitespace(right):
            return self._mark_by_token(_CHARACTER.findall(left), _CHARACTER.findall(right), str)
        key = str if self._whitespace_matters else str.strip
        return self._mark_by_token(_TOKEN.findall(left), _TOKEN.findall(right), key)

    def _mark_by_token(
        self, left: list[str], right: list[str], key: Callable[[str], str]
    ) -> tuple[ComparedLine, ComparedLine]:
        """Return both lines with differing tokens marked; tokens with the same `key` are equal.

        Uses part of the budget. If too little of it is left, none is used, and each side is marked
        from the first to the last difference.
        """
        left_keys, right_keys = [*map(key, left)], [*map(key, right)]
        start = _common_prefix(left_keys, right_keys)
        end = _common_prefix(left_keys[start:][::-1], right_keys[start:][::-1])
        left_middle = left[start : len(left) - end]
        right_middle = right[start : len(right) - end]
        cost = len(left_middle) * len(right_middle)
        if cost > self._budget:
            return (
                _line_around(left, start, end, [_Piece("".join(left_middle), differs=True)]),
                _line_around(right, start, end, [_Piece("".join(right_middle), differs=True)]),
            )
        self._budget -= cost
        left_pieces, right_pieces = _match_pieces(left_middle, right_middle, key)
        return _line_around(left, start, end, left_pieces), _line_around(
            right, start, end, right_pieces
        )


def _strip_whitespace(text: str) -> str:
    return "".join(text.split())


def _differing_line(text: str | None) -> ComparedLine:
    return ComparedLine() if text is None else _line([_Piece(text, differs=True)])


def _mark_by_position(left: str, right: str) -> tuple[ComparedLine, ComparedLine]:
    """Return two lines of equal length with differing characters marked."""
    left_pieces: list[_Piece] = []
    right_pieces: list[_Piece] = []
    pairs = zip(left, right, strict=True)
    for differs, run in groupby(pairs, key=lambda pair: pair[0] != pair[1]):
        characters = list(run)
        left_pieces.append(_Piece("".join(a for a, _ in characters), differs))
        right_pieces.append(_Piece("".join(b for _, b in characters), differs))
    return _line(left_pieces), _line(right_pieces)


def _match_pieces(
    left: list[str], right: list[str], key: Callable[[str], str]
) -> tuple[list[_Piece], list[_Piece]]:
    """Return the pieces of both sides; if the sides share too little, each is one piece."""
    # autojunk would ignore tokens that are frequent in a long text, such as commas.
    matcher = SequenceMatcher(None, [*map(key, left)], [*map(key, right)], autojunk=False)
    blocks = matcher.get_matching_blocks()
    shared = sum(_element_count(left[block.a : block.a + block.size]) for block in blocks)
    if shared < _MIN_SHARED * min(_element_count(left), _element_count(right)):
        return [_Piece("".join(left), differs=True)], [_Piece("".join(right), differs=True)]
    left_pieces: list[_Piece] = []
    right_pieces: list[_Piece] = []
    for tag, left_start, left_end, right_start, right_end in matcher.get_opcodes():
        left_text = "".join(left[left_start:left_end])
        right_text = "".join(right[right_start:right_end])
        # If the key strips whitespace, a change of whitespace is not a difference.
        differs = tag != "equal" and bool(key(left_text) or key(right_text))
        left_pieces.append(_Piece(left_text, differs))
        right_pieces.append(_Piece(right_text, differs))
    return left_pieces, right_pieces


def _element_count(tokens: list[str]) -> int:
    """Return how many of `tokens` contain a letter or digit, not only separators."""
    return sum(any(map(str.isalnum, token)) for token in tokens)


def _line_around(tokens: list[str], start: int, end: int, middle: list[_Piece]) -> ComparedLine:
    """Return a line made of the first `start` of `tokens`, `middle`, and the last `end` tokens."""
    prefix = _Piece("".join(tokens[:start]), differs=False)
    suffix = _Piece("".join(tokens[len(tokens) - end :]), differs=False)
    return _line([prefix, *middle, suffix])


def _line(pieces: Sequence[_Piece]) -> ComparedLine:
    return ComparedLine(tuple(_show_whitespace(piece) for piece in pieces if piece.text))


def _show_whitespace(piece: _Piece) -> _Piece:
    """Return `piece`, with its whitespace made visible if the piece differs.

    Tabs become arrows. If the piece is nothing but whitespace, spaces become dots.
    """
    if not piece.differs:
        return piece
    text = piece.text.replace("\t", "⇥")
    return _Piece(text.replace(" ", "·") if piece.text.isspace() else text, differs=True)


def _common_prefix(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the length of the prefix that `left` and `right` have in common."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(left), len(right)))
