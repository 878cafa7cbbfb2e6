"""The pictures of a case: drawings and sentences for pages, the same as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final, TypeVar

from grader.judging.pictures import (
    AnyPicture,
    CallsPicture,
    LinePicture,
    PlotPicture,
    PlotPoint,
    RowPair,
    TablePicture,
)
from grader.plugins.drawing.board_view import MAX_LISTED, and_more, board_view, code_of
from grader.plugins.drawing.calls import calls_text, drawn_calls
from grader.plugins.drawing.number_lines import drawn_line, line_text
from grader.plugins.drawing.plots import drawn_plot, plot_text
from grader.plugins.drawing.scales import written
from grader.plugins.drawing.shapes import Side, Sketch
from grader.plugins.drawing.tables import drawn_table, table_text
from grader.reporting.comparison import Comparison, compare
from grader.reporting.wording import Locale
from grader.suite.board import Picture

_Drawn = TypeVar("_Drawn")
_BOTH: Final = ""
"""The side of a drawing in which both are."""


def picture_views(pictures: Sequence[AnyPicture], locale: Locale) -> Iterator[dict[str, object]]:
    """Yield what a template reads of each of the pictures of one case."""
    for picture in pictures:
        view = _if_drawn(partial(_picture_view, picture, locale))
        if view is not None:
            yield view


def _if_drawn(draw: Callable[[], _Drawn]) -> _Drawn | None:
    """Return what `draw` makes; None if the picture does not hold together.

    What it shows comes from a submission, or from a record that was kept: a picture that nobody
    thought of may be missing, and costs nobody the record that it is in.
    """
    try:
        return draw()
    except (ArithmeticError, LookupError, ValueError):
        return None


def _picture_view(picture: AnyPicture, locale: Locale) -> dict[str, object]:
    match picture:
        case Picture():
            return board_view(picture, locale)
        case TablePicture():
            return _table(picture, locale)
        case LinePicture():
            sketch = drawn_line(picture, locale("line_title"), _names(locale))
            return _view([(_BOTH, sketch)], _line_told(picture, locale))
        case PlotPicture():
            sketch = drawn_plot(picture, locale("plot_title"), _names(locale))
            return _view([(_BOTH, sketch)], _plot_told(picture, locale))
        case CallsPicture():
            title = locale("calls_title", function=picture.function)
            sketch = drawn_calls(picture, title)
            return _view([(_BOTH, sketch)], _calls_told(picture, locale), title)


def _view(
    sides: list[tuple[str, Sketch]], sentences: Iterator[str], label: str | None = None
) -> dict[str, object]:
    return {"label": label, "sides": sides, "sentences": list(sentences)}


def _names(locale: Locale) -> tuple[str, str]:
    return locale("expected"), locale("got")


def text_sides(pictures: Sequence[AnyPicture]) -> Comparison | None:
    """Return as text, side by side, what is drawn in place of what was expected and got.

    None where nothing is, or where nothing of it differs: text has room for less than a drawing.
    """
    for picture in pictures:
        sides = _if_drawn(partial(_sides, picture))
        if sides is not None:
            return sides if any(line.differs for line in (*sides.expected, *sides.got)) else None
    return None


def _sides(picture: AnyPicture) -> Comparison | None:
    match picture:
        case TablePicture(is_telling=True):
            return compare(*(table_text(picture, side) for side in Side))
        case LinePicture(is_telling=True):
            return compare(*(line_text(picture, side) for side in Side))
        case _:
            return None


def text_below(pictures: Sequence[AnyPicture], locale: Locale) -> Iterator[tuple[str, list[str]]]:
    """Yield a label and the lines of what is drawn besides."""
    for picture in pictures:
        below = _if_drawn(partial(_below, picture, locale))
        if below is not None:
            yield below


def _below(picture: AnyPicture, locale: Locale) -> tuple[str, list[str]] | None:
    match picture:
        case PlotPicture():
            return locale("plot_label"), list(plot_text(picture, _names(locale)))
        case CallsPicture():
            title = locale("calls_title", function=picture.function)
            return title, list(calls_text(picture))
        case _:
            return None


# Sentences


def _table(picture: TablePicture, locale: Locale) -> dict[str, object]:
    columns = next((len(row.cells) for pair in picture.rows for row in pair.rows), 0)
    sides = []
    for side, key in ((Side.EXPECTED, "table_expected"), (Side.GOT, "table_got")):
        rows = sum(
            (pair.got if side is Side.GOT else pair.expected) is not None for pair in picture.rows
        )
        title = locale(key, rows=rows, columns=columns)
        sides.append((side.value, drawn_table(picture, side, title)))
    return _view(sides, _table_told(picture, locale))


def _table_told(picture: TablePicture, locale: Locale) -> Iterator[str]:
    cells = [
        _cell_told(picture, pair, column, locale)
        for pair in picture.rows
        if pair.expected is not None and pair.got is not None
        for column in pair.differs
    ]
    if cells:
        listed = and_more("; ".join(cells[:MAX_LISTED]), len(cells), locale)
        yield locale("board_differ", count=len(cells), cells=listed)
    missing = [pair.expected.label for pair in picture.rows if pair.got is None and pair.expected]
    extra = [pair.got.label for pair in picture.rows if pair.expected is None and pair.got]
    for key, labels in (("table_missing", missing), ("table_extra", extra)):
        if labels:
            listed = and_more(", ".join(labels[:MAX_LISTED]), len(labels), locale)
            yield locale(key, count=len(labels), rows=listed)


def _cell_told(picture: TablePicture, pair: RowPair, column: int, locale: Locale) -> str:
    assert pair.expected is not None, "cells differ where there are both rows"
    assert pair.got is not None, "cells differ where there are both rows"
    name = picture.columns[column] if picture.columns else str(column)
    return locale(
        "board_cell",
        position=locale("table_place", row=pair.got.label, column=name),
        expected=code_of(pair.expected.cells[column], locale),
        got=code_of(pair.got.cells[column], locale),
    )


def _line_told(picture: LinePicture, locale: Locale) -> Iterator[str]:
    for key, marks in (("line_missing", picture.expected), ("line_extra", picture.got)):
        differing = [mark for mark in marks if mark.differs]
        if differing:
            named = ", ".join(code_of(mark.text, locale) for mark in differing[:MAX_LISTED])
            yield locale(key, marks=and_more(named, len(differing), locale))


def _plot_told(picture: PlotPicture, locale: Locale) -> Iterator[str]:
    xs = dict.fromkeys(point.x for point in (*picture.expected, *picture.got) if point.differs)
    told = (
        locale(
            "board_cell",
            position=locale("plot_place", x=written(x)),
            expected=_values(picture.expected, x, locale),
            got=_values(picture.got, x, locale),
        )
        for x in islice(xs, MAX_LISTED)
    )
    yield locale("plot_differ", count=len(xs), points=and_more("; ".join(told), len(xs), locale))


def _values(points: Sequence[PlotPoint], x: float, locale: Locale) -> str:
    """Return the values at `x`."""
    values = [f"{point.y:.10g}" for point in points if point.x == x]
    return code_of(", ".join(values) or None, locale)


def _calls_told(picture: CallsPicture, locale: Locale) -> Iterator[str]:
    yield locale("calls_told")
    if any(call.is_cut for call in picture.calls):
        yield locale("calls_cut")
    if picture.is_cut:
        yield locale("calls_more")
