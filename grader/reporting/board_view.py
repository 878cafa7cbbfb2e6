"""The boards of a case: expected and got as pictures, and what differs in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from grader.boards.drawing import Drawn, Side, drawn
from grader.grids import Cell, Picture
from grader.reporting.voice import Voice

MAX_LISTED: Final = 10
"""Of the cells that differ, so many are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """One picture, ready to be laid out."""

    part: str | None
    """Which part of the value it shows, when that has several."""
    expected: Drawn | None
    got: Drawn
    sentences: tuple[str, ...]
    """What differs, for those who do not see the picture, and for those who like to read."""


def board_views(pictures: tuple[Picture, ...], voice: Voice) -> tuple[BoardView, ...]:
    """Return the views of the pictures of one case."""
    return tuple(_view(picture, voice) for picture in pictures)


def _view(picture: Picture, voice: Voice) -> BoardView:
    size = {"rows": picture.height, "columns": picture.width}
    expected = None
    if picture.expected is not None:
        expected = drawn(picture, Side.EXPECTED, voice("board_expected", **size))
    return BoardView(
        part=None if picture.part is None else voice("board_part", index=picture.part),
        expected=expected,
        got=drawn(picture, Side.GOT, voice("board_got", **size)),
        sentences=tuple(_sentences(picture, voice)),
    )


def _sentences(picture: Picture, voice: Voice) -> Iterator[str]:
    if picture.expected is None:
        return
    places = list(picture.differing())
    if picture.of_positions:
        extra = [at for at in places if _is_chosen(picture.got[at[0]][at[1]])]
        missing = [at for at in places if at not in set(extra)]
        if missing:
            yield voice("board_missing", count=len(missing), cells=_listed(picture, missing, voice))
        if extra:
            yield voice("board_extra", count=len(extra), cells=_listed(picture, extra, voice))
        return
    cells = (_told(picture, at, voice) for at in islice(places, MAX_LISTED))
    yield voice("board_differ", count=len(places), cells=_and_more("; ".join(cells), places, voice))


def _is_chosen(cell: Cell | None) -> bool:
    return cell is not None and cell.chosen


def _listed(picture: Picture, places: list[tuple[int, int]], voice: Voice) -> str:
    named = ", ".join(_position(picture, at) for at in places[:MAX_LISTED])
    return _and_more(named, places, voice)


def _position(picture: Picture, at: tuple[int, int]) -> str:
    """Return a position that is not broken at the end of a line."""
    return picture.position(*at).replace(" ", "\N{NO-BREAK SPACE}")


def _and_more(listed: str, places: list[tuple[int, int]], voice: Voice) -> str:
    more = len(places) - MAX_LISTED
    return f"{listed} {voice('board_more', count=more)}" if more > 0 else listed


def _told(picture: Picture, at: tuple[int, int], voice: Voice) -> str:
    """Return what was expected of one cell, and what came."""
    assert picture.expected is not None, "only what was expected can differ"
    row, column = at
    return voice(
        "board_cell",
        position=_position(picture, at),
        expected=_mark(picture.expected[row][column], voice),
        got=_mark(picture.got[row][column], voice),
    )


def _mark(cell: Cell | None, voice: Voice) -> str:
    if cell is None or not cell.mark:
        return voice("board_nothing")
    mark = cell.mark.replace("`", "'")  # which would end the code
    return f"`{mark}`" if mark.strip() else f"`'{mark}'`"
