"""The keys of `board`: how what a program shows becomes cells of a drawing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field

from grader.display import plain
from grader.grids import Board, Drawing, Layout, Look
from grader.loading.document import NodePath
from grader.loading.fields import Form, parsed_by
from grader.loading.findings import Findings
from grader.loading.refusal import Refusal
from grader.loading.suggestions import quoted

MAX_MARK_CHARS: Final = 8
MAX_LABEL_CHARS: Final = 3

Marks: TypeAlias = tuple[tuple[str, str], ...]
"""Marks, each with the text that its cell shows."""


def _parse_marks(text: str) -> Marks:
    """Return the marks in `text`, which blanks set apart, with their labels."""
    marks = tuple(_parse_mark(word) for word in text.split())
    if not marks:
        raise Refusal("there is no mark here", "write the marks, with blanks between them")
    return marks


def _parse_mark(word: str) -> tuple[str, str]:
    mark, equals, label = word.partition("=")
    if not (mark and equals and label):
        mark, label = word, word[:MAX_LABEL_CHARS]
    if plain(word) != word:
        advice = "choose a mark that people can see"
        raise Refusal(f"the mark {quoted(word)} holds a character that cannot be seen", advice)
    if len(mark) > MAX_MARK_CHARS or len(label) > MAX_LABEL_CHARS:
        advice = (
            f"a mark has at most {MAX_MARK_CHARS} characters, and what is shown in its cell "
            f"at most {MAX_LABEL_CHARS}"
        )
        raise Refusal(f"{quoted(word)} is too long for a cell", advice)
    return mark, label


_Marks: TypeAlias = Annotated[Marks, parsed_by(_parse_marks)]
NumberWord: TypeAlias = Literal["digit", "number", "piece"]


class CellsForm(Form):
    """What the marks of a board are drawn as: marks by drawing, with blanks between them.

    A mark can be followed by what its cell is to show, as in `A=1`.
    """

    model_config = ConfigDict(title="cells")

    empty: _Marks | None = Field(
        default=None, description="An open cell with nothing in it.", examples=["-", "."]
    )
    white: _Marks | None = Field(default=None, description="A white stone.", examples=["w"])
    white_given: _Marks | None = Field(
        default=None,
        description="A white stone that was there from the start; its ring is heavier.",
        examples=["W"],
    )
    black: _Marks | None = Field(default=None, description="A black stone.", examples=["b"])
    black_given: _Marks | None = Field(
        default=None,
        description="A black stone that was there from the start; it has a ring.",
        examples=["B"],
    )
    lamp: _Marks | None = Field(default=None, description="A lamp.", examples=["L"])
    lit: _Marks | None = Field(default=None, description="A cell in the light.", examples=["*"])
    digit: _Marks | None = Field(
        default=None,
        description="The mark itself, in an open cell.",
        examples=["1 2 3 4 5 6 7 8 9"],
    )
    wall: _Marks | None = Field(default=None, description="A black cell.", examples=["#"])
    number: _Marks | None = Field(
        default=None,
        description="The mark itself, in white on a black cell.",
        examples=["0 1 2 3 4 ?", "A=1 B=2 C=3"],
    )
    block: _Marks | None = Field(default=None, description="A filled cell.", examples=["X"])
    piece: _Marks | None = Field(
        default=None,
        description="A part of the piece that the mark names: cells of one mark share a tone, "
        "and have thick borders to the others.",
        examples=["A B C"],
    )
    hatched: _Marks | None = Field(
        default=None, description="A cell that is no part of the board.", examples=["-1"]
    )


class BoardForm(Form):
    """How the boards of an exercise look, so that reports can draw them."""

    model_config = ConfigDict(title="board")

    cells: CellsForm = Field(
        default_factory=CellsForm,
        description="What the marks of the board are drawn as.",
        examples=[{"white": "w", "black": "b", "empty": "-"}],
    )
    numbers: NumberWord | None = Field(
        default=None,
        description="How whole numbers are drawn that are not among the marks: digit, number or "
        "piece. Default: they are no marks.",
        examples=["piece"],
    )
    positions: bool = Field(
        default=False,
        description="Whether a set or a list of pairs of whole numbers is drawn, as positions on "
        "the board.",
        examples=[True],
    )
    origin: Literal["top-left", "bottom-left"] = Field(
        default="top-left",
        description="Where the first row is: at the top, or at the bottom.",
        examples=["bottom-left"],
    )
    base: int = Field(
        default=0,
        ge=0,
        le=1,
        description="The number of the first row and of the first column.",
        examples=[1],
    )
    order: Literal["row-column", "column-row"] = Field(
        default="row-column",
        description="What a position gives first. A list of lists is a list of that as well: of "
        "rows, or of columns.",
        examples=["column-row"],
    )

    def as_written(self) -> dict[str, Any]:
        """Return what a suite says to get this form."""
        written = self.model_dump(exclude_unset=True, exclude={"cells"})
        cells = {
            drawing: " ".join(map(_word, getattr(self.cells, drawing)))
            for drawing in CellsForm.model_fields
            if drawing in self.cells.model_fields_set
        }
        return {"cells": cells, **written} if cells else written


def _word(marked: tuple[str, str]) -> str:
    mark, label = marked
    return mark if label == mark[:MAX_LABEL_CHARS] else f"{mark}={label}"


def built_board(form: BoardForm | None, findings: Findings) -> Board | None:
    """Return the board that `form` stands for; what is wrong with it goes to `findings`."""
    if form is None:
        return None
    looks: dict[str, Look] = {}
    for drawing, mark, label in _marks(form.cells):
        if mark in looks:
            at: NodePath = ("board", "cells", drawing.value)
            message = f"the mark {quoted(mark)} is given twice"
            findings.at_value(at, message, "a mark is drawn in one way")
        looks[mark] = Look(drawing, label)
    if not (looks or form.numbers or form.positions):
        advice = "give it cells, numbers or positions"
        findings.at_key(("board",), "there is nothing that this board can show", advice)
    return Board(
        looks=looks,
        numbers=None if form.numbers is None else Drawing(form.numbers),
        positions=form.positions,
        layout=Layout(
            from_bottom=form.origin == "bottom-left",
            base=form.base,
            column_first=form.order == "column-row",
        ),
    )


def _marks(cells: CellsForm) -> Iterator[tuple[Drawing, str, str]]:
    for drawing in Drawing:
        if drawing is not Drawing.UNKNOWN:
            for mark, label in getattr(cells, drawing.value) or ():
                yield drawing, mark, label if drawing in _LABELLED else ""


_LABELLED: Final = frozenset({Drawing.DIGIT, Drawing.NUMBER, Drawing.PIECE})
