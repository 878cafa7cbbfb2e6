"""The `board` of a suite, which defines how the output of a program is drawn as cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from grader.suite.diagnostics import Refusal, quote
from grader.suite.fields import Form, FunctionName, flag, key, one_of_words, optional, parsed_by
from grader.values.foreign_text import escape_controls

if TYPE_CHECKING:  # importing it loads YAML, and most suites come from the cache
    from grader.suite.document import Findings, NodePath

MAX_SIDE: Final = 40
"""The maximum number of rows, and of columns, of a board that is drawn."""
MAX_PICTURES: Final = 12
"""The maximum number of pictures in one record; later cases have only text."""
MAX_CELLS: Final = 6_000
"""The maximum number of cells of all boards in one record together."""


@unique
class Drawing(StrEnum):
    """A drawing in a cell of a board."""

    EMPTY = "empty"
    WHITE = "white"
    """A white stone."""
    WHITE_GIVEN = "white_given"
    """A white stone that was on the board from the start."""
    BLACK = "black"
    BLACK_GIVEN = "black_given"
    LAMP = "lamp"
    LIT = "lit"
    """A cell in the light of a lamp."""
    DIGIT = "digit"
    """The label, on an open cell."""
    WALL = "wall"
    """A black cell."""
    NUMBER = "number"
    """The label, in white on a black cell."""
    BLOCK = "block"
    """A filled cell."""
    PIECE = "piece"
    """A part of a piece, with the label on the piece's own tone and thick borders to other
    pieces."""
    HATCHED = "hatched"
    UNKNOWN = "unknown"
    """A mark that the board does not define; it is never in a suite."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a mark is drawn, and the `label` in its cell, or "" if it has none."""

    drawing: Drawing
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLayout:
    """How an exercise numbers the rows and columns of its boards."""

    from_bottom: bool = False
    """Whether the bottom row has the lowest number."""
    base: int = 0
    """The number of the first row and of the first column."""
    column_first: bool = False
    """Whether positions are (column, row), and lists of lists are lists of columns."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, with its mark in the output and how that mark is drawn."""

    mark: str
    look: Look
    chosen: bool = False
    """Whether the cell is in a collection of positions."""


Grid: TypeAlias = tuple[tuple[Cell | None, ...], ...]
"""The rows from top to bottom, all of the same length, with None where there is no cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The expected and the actual board, of the same size."""

    layout: BoardLayout
    expected: Grid | None
    """None if many boards are right."""
    got: Grid
    first_row: int
    """The lowest number of a row."""
    first_column: int
    of_positions: bool = False
    """Whether the boards show collections of positions."""
    sized: bool = True
    """Whether the boards have their real size, and not one just large enough for their cells."""
    part: int | None = None
    """The index of the element that the boards come from, if the value has several."""

    @property
    def weight(self) -> int:
        """The number of cells of both boards together."""
        return self.height * self.width * (1 if self.expected is None else 2)

    @property
    def is_telling(self) -> bool:
        """Whether the picture shows all differences, so that text need not repeat them."""
        return self.part is None and any(self.differing_cells())

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.got)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.got[0])

    def row_number(self, row: int) -> int:
        """Return the number that the exercise gives to `row`, which counts from 0 at the top."""
        return self.first_row + (self.height - 1 - row if self.layout.from_bottom else row)

    def position(self, row: int, column: int) -> str:
        """Return the position of a cell, counted from 0, as the exercise writes it."""
        position = self.row_number(row), self.first_column + column
        first, second = position[::-1] if self.layout.column_first else position
        return f"({first}, {second})"

    def differing_cells(self) -> Iterator[tuple[int, int]]:
        """Yield the row and column of each differing cell, counted from 0 at the top left."""
        if self.expected is None:
            return
        for row, (expected_row, got_row) in enumerate(zip(self.expected, self.got, strict=True)):
            for column, (expected, got) in enumerate(zip(expected_row, got_row, strict=True)):
                if expected != got:
                    yield row, column


MAX_MARK_CHARS: Final = 8
MAX_LABEL_CHARS: Final = 3

Marks: TypeAlias = tuple[tuple[str, str], ...]
"""Marks, each paired with the text in its cell."""


def _parse_marks(text: str) -> Marks:
    """Return the marks that whitespace separates in `text`, each paired with its label.

    Raises `Refusal` if there are none, or if one is invalid.
    """
    marks = tuple(_parse_mark(word) for word in text.split())
    if not marks:
        raise Refusal("there is no mark here", "write the marks, separated by spaces")
    return marks


def _parse_mark(word: str) -> tuple[str, str]:
    """Return the mark in `word` and its label, or raise `Refusal` if one of them is invalid."""
    mark, equals, label = word.partition("=")
    if not (mark and equals and label):
        # Without a label, the mark itself is shown.
        mark, label = word, word[:MAX_LABEL_CHARS]
    if escape_controls(word) != word:
        advice = "choose a mark with visible characters"
        raise Refusal(f"the mark {quote(word)} contains an invisible character", advice)
    if len(mark) > MAX_MARK_CHARS:
        advice = f"a mark can have at most {MAX_MARK_CHARS} characters"
        raise Refusal(f"the mark {quote(mark)} is too long", advice)
    if len(label) > MAX_LABEL_CHARS:
        advice = f"write at most {MAX_LABEL_CHARS} characters after the equals sign"
        raise Refusal(f"{quote(label)} is too long to be shown in a cell", advice)
    return mark, label


_Marks: TypeAlias = Annotated[Marks, parsed_by(_parse_marks)]
_NUMBERS: Final = (Drawing.DIGIT, Drawing.NUMBER, Drawing.PIECE)


class Cells(Form, title="cells"):
    """What the marks of a board are drawn as: marks by drawing, with blanks between them.

    A mark can be followed by what its cell is to show, as in `A=1`.
    """

    form_name = "cells"

    empty: _Marks | None = optional("An open cell with nothing in it.", "-", ".")
    white: _Marks | None = optional("A white stone.", "w")
    white_given: _Marks | None = optional("A white stone from the start, with a heavier ring.", "W")
    black: _Marks | None = optional("A black stone.", "b")
    black_given: _Marks | None = optional("A black stone from the start, with a ring.", "B")
    lamp: _Marks | None = optional("A lamp.", "L")
    lit: _Marks | None = optional("A lit cell.", "*")
    digit: _Marks | None = optional("The mark itself, in an open cell.", "1 2 3 4 5 6 7 8 9")
    wall: _Marks | None = optional("A black cell.", "#")
    number: _Marks | None = optional(
        "The mark itself, in white on a black cell.", "0 1 2 3 4 ?", "A=1 B=2 C=3"
    )
    block: _Marks | None = optional("A filled cell.", "X")
    piece: _Marks | None = optional(
        "Part of a piece: cells of one mark share a tone and a thick border.",
        "A B C",
    )
    hatched: _Marks | None = optional("A cell outside the board.", "-1")

    def marks(self) -> Iterator[tuple[Drawing, str, str]]:
        """Yield the drawing, the mark and the text in its cell for each mark."""
        for drawing in Drawing:
            if drawing is not Drawing.UNKNOWN:
                for mark, label in getattr(self, drawing.value) or ():
                    yield drawing, mark, label if drawing in _NUMBERS else ""


class Board(Form, title="board"):
    """How the boards of an exercise look, so that reports can draw them."""

    form_name = "a board"

    cells: Cells = key(
        "How to draw the marks of the board.",
        {"white": "w", "black": "b", "empty": "-"},
        default_factory=Cells,
    )
    numbers: Annotated[Drawing, one_of_words(Drawing, *_NUMBERS)] | None = optional(
        "How to draw other whole numbers: digit, number or piece. Default: they are not marks.",
        "piece",
    )
    positions: bool = flag(
        "Whether to draw sets and lists of pairs of whole numbers as positions.",
        example=True,
        default=False,
    )
    made_by: FunctionName | None = optional(
        "The function or class that makes a board from the number of its rows, and perhaps "
        "columns. It gives the size for drawing positions.",
        "Board.make_board",
    )
    origin: Literal["top-left", "bottom-left"] = key(
        "Whether the first row is at the top or at the bottom.", "bottom-left", default="top-left"
    )
    base: int = key(
        "The number of the first row and column. Lists and arrays always count from 0.",
        1,
        default=0,
        ge=0,
        le=1,
    )
    order: Literal["row-column", "column-row"] = key(
        "What a position gives first, and what a list of lists contains: rows or columns.",
        "column-row",
        default="row-column",
    )

    @cached_property
    def looks(self) -> Mapping[str, Look]:
        """The look of each mark, keyed by mark."""
        return {mark: Look(drawing, label) for drawing, mark, label in self.cells.marks()}

    @cached_property
    def layout(self) -> BoardLayout:
        """The numbering of rows and columns."""
        return BoardLayout(
            from_bottom=self.origin == "bottom-left",
            base=self.base,
            column_first=self.order == "column-row",
        )


def check_board(board: Board | None, findings: Findings) -> None:
    """Report marks that have two drawings, and a board that cannot show anything.

    Do nothing if the suite has no `board`.
    """
    if board is None:
        return
    known: set[str] = set()
    for drawing, mark, _ in board.cells.marks():
        if mark in known:
            path: NodePath = ("board", "cells", drawing.value)
            message = f"the mark {quote(mark)} is given twice"
            findings.report_value(path, message, "list each mark under only one drawing")
        known.add(mark)
    if not (known or board.numbers or board.positions):
        advice = "give it cells, numbers or positions"
        findings.report_key(("board",), "this board cannot show anything", advice)
