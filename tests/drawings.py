"""Values that are boards, and what is seen in their pictures."""

from __future__ import annotations

from grader.suite.board import BoardLayout, Picture
from grader.values.literals import parse_literal
from grader.values.tree import Value

PLANE = BoardLayout(from_bottom=True, base=1, column_first=True)


def value(literal: str) -> Value:
    """Return the value that `literal` writes."""
    return parse_literal(literal)


def marks(picture: Picture) -> list[str]:
    """Return the marks of what came, row by row; a blank where there is no cell."""
    return ["".join(cell.mark if cell else " " for cell in row) for row in picture.got]


def chosen(picture: Picture) -> list[str]:
    """Return what came of a collection of positions: `x` where there is one."""
    rows = picture.got
    return ["".join("x" if cell and cell.chosen else "." for cell in row) for row in rows]


def differing(picture: Picture | None) -> list[str]:
    """Return the positions of the cells that differ, as the exercise writes them."""
    assert picture is not None
    return [picture.position(*at) for at in picture.differing_cells()]
