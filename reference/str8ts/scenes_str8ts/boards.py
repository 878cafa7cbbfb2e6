"""Boards of Str8ts, in both directions.

A board is a tuple of its lines, as its file has them: rows, or columns where a scene is about what
is vertical. What is known of it here is only there to steer by: what a line gives is for the
reference to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

Board: TypeAlias = tuple[str, ...]
SIZE = 9
DIGITS = "123456789"
LETTERS = "ABCDEFGHI"
WHITE = DIGITS + "."
BLACKENED = str.maketrans(DIGITS + ".", LETTERS + "#")
WHITENED = str.maketrans(LETTERS, DIGITS)
GIVEN: Board = (
    "##..5..C#",
    ".6..##1..",
    "...#H....",
    "9..D...#E",
    "#....3..#",
    "##...I.4.",
    "4.3.##.6.",
    "..1##....",
    "##8....#B",
)
"""The board of the text, which students have in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A direction, and what its lines are called."""

    name: str
    line: str
    crossing: str

    @property
    def numbers(self) -> str:
        """The method that tells the numbers of a line."""
        return f"{self.name}_getallen"

    @property
    def digits(self) -> str:
        """The method that tells the digits of a line."""
        return f"{self.name}_cijfers"

    @property
    def fill(self) -> str:
        """The method that fills a number in."""
        return f"{self.name}_invullen"

    @property
    def other(self) -> Way:
        """The other direction."""
        return DOWN if self is ACROSS else ACROSS

    def seen(self, board: Board) -> Board:
        """Return the lines of `board` in this direction, or `board` of its lines."""
        return board if self is ACROSS else transposed(board)


ACROSS = Way(name="horizontaal", line="rij", crossing="kolom")
DOWN = Way(name="verticaal", line="kolom", crossing="rij")
WAYS = (ACROSS, DOWN)


def transposed(board: Board) -> Board:
    """Return the columns of a board of rows, or the other way round."""
    return tuple(map("".join, zip(*board, strict=True)))


def numbers_in(line: str) -> dict[int, str]:
    """Return the pattern of each number in a line, by where it begins."""
    return {found.start(): found.group() for found in re.finditer("[.1-9]+", line)}


def is_plain(line: str) -> bool:
    """Return whether no pattern of a number of a line is found before that number."""
    return all(line.find(pattern) == at for at, pattern in numbers_in(line).items())


def long_mask(length: int) -> str:
    """Return a line with one number of this length, in its middle."""
    return ("." * length).center(SIZE, "#")


def has_digit(line: str) -> bool:
    """Return whether a digit is on a line."""
    return not {*line} <= {*".#"}


def put(board: Board, line: int, place: int, sign: str) -> Board:
    """Return `board` with another sign in a cell."""
    signs = board[line][:place] + sign + board[line][place + 1 :]
    return (*board[:line], signs, *board[line + 1 :])


def has_room(board: Board, line: int, place: int, digit: str) -> bool:
    """Return whether a digit may come in a cell: it is on no line through it, in no colour."""
    signs = {digit, digit.translate(BLACKENED)}
    return not signs & {*board[line], *(each[place] for each in board)}


def without_ones(board: Board) -> Board:
    """Return `board` with nothing where a 1 was, in a white cell or a black one."""
    return tuple(line.translate(str.maketrans("1A", ".#")) for line in board)


def with_diagonal(board: Board) -> Board:
    """Return `board` with a number that begins where its row and its column are the same."""
    at = max(range(1, SIZE - 1), key=lambda line: board[line].count("."))
    return put(put(board, at, at - 1, "#"), at, at, ".")


def text_of(board: Board) -> str:
    """Return an expression for the text of a file with `board`."""
    runs = [(row, len([*same])) for row, same in groupby(board)]
    parts = []
    for is_single, group in groupby(runs, key=lambda run: run[1] == 1):
        if is_single:
            parts.append("'" + "".join(rf"{row}\n" for row, _ in group) + "'")
        else:
            parts += [rf"{count} * '{row}\n'" for row, count in group]
    return " + ".join(parts)
