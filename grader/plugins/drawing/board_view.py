"""Boards that were expected and got: drawn for pages, with what differs in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from grader.plugins.drawing.boards import drawn
from grader.plugins.drawing.shapes import Side
from grader.reporting.wording import Locale
from grader.suite.board import Cell, Grid, Picture

MAX_LISTED: Final = 10
"""Of the cells that differ, so many are listed."""


def board_view(picture: Picture, locale: Locale) -> dict[str, object]:
    """Return what a template reads of two boards."""
    wanted, given = _titles(picture, locale)
    sides = [(Side.GOT.value, drawn(picture, Side.GOT, given))]
    if picture.expected is not None:
        sides.insert(0, (Side.EXPECTED.value, drawn(picture, Side.EXPECTED, wanted)))
    return {
        "label": None if picture.part is None else locale("board_part", index=picture.part),
        "sides": sides,
        # For those who do not see the picture, and for those who like to read.
        "sentences": list(_sentences(picture, locale)),
    }


def _titles(picture: Picture, locale: Locale) -> tuple[str, str]:
    """Return what both boards are called; one that is cut to what is needed has no size."""
    if not picture.sized:
        return locale("board_expected_part"), locale("board_got_part")
    return (
        locale("board_expected", **_size(picture.expected or picture.got)),
        locale("board_got", **_size(picture.got)),
    )


def _size(grid: Grid) -> dict[str, int]:
    """Return how many rows and columns of `grid` have a cell: one side may have more than both."""
    rows = sum(any(cell is not None for cell in row) for row in grid)
    columns = sum(any(cell is not None for cell in column) for column in zip(*grid, strict=True))
    return {"rows": rows, "columns": columns}


def _sentences(picture: Picture, locale: Locale) -> Iterator[str]:
    if picture.expected is None:
        return
    places = list(picture.differing())
    if picture.of_positions:
        extra = [at for at in places if _is_chosen(picture.got[at[0]][at[1]])]
        missing = [at for at in places if at not in set(extra)]
        if missing:
            yield locale(
                "board_missing", count=len(missing), cells=_listed(picture, missing, locale)
            )
        if extra:
            yield locale("board_extra", count=len(extra), cells=_listed(picture, extra, locale))
        return
    cells = (_told(picture, at, locale) for at in islice(places, MAX_LISTED))
    yield locale(
        "board_differ", count=len(places), cells=and_more("; ".join(cells), len(places), locale)
    )


def _is_chosen(cell: Cell | None) -> bool:
    return cell is not None and cell.chosen


def _listed(picture: Picture, places: list[tuple[int, int]], locale: Locale) -> str:
    named = ", ".join(_position(picture, at) for at in places[:MAX_LISTED])
    return and_more(named, len(places), locale)


def _position(picture: Picture, at: tuple[int, int]) -> str:
    """Return a position that is not broken at the end of a line."""
    return picture.position(*at).replace(" ", "\N{NO-BREAK SPACE}")


def and_more(listed: str, count: int, locale: Locale) -> str:
    """Return what is `listed` of a `count` of things, with how many more there are."""
    more = count - MAX_LISTED
    return f"{listed} {locale('more', count=more)}" if more > 0 else listed


def _told(picture: Picture, at: tuple[int, int], locale: Locale) -> str:
    """Return what was expected of one cell, and what came."""
    assert picture.expected is not None, "only what was expected can differ"
    row, column = at
    return locale(
        "board_cell",
        position=_position(picture, at),
        expected=_mark(picture.expected[row][column], locale),
        got=_mark(picture.got[row][column], locale),
    )


def _mark(cell: Cell | None, locale: Locale) -> str:
    return code_of(cell.mark if cell else None, locale)


def code_of(text: str | None, locale: Locale) -> str:
    """Return a short `text` as code in a sentence; a word for nothing where there is none."""
    if not text:
        return locale("board_nothing")
    shown = text.replace("`", "'")  # which would end the code
    return f"`{shown}`" if shown.strip() else f"`'{shown}'`"
