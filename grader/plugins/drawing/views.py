"""Presents the pictures of a case as drawings and sentences on pages, or as text in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
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
from grader.plugins.drawing.boards import draw_board
from grader.plugins.drawing.calls import calls_text, draw_calls
from grader.plugins.drawing.number_lines import draw_line, line_text
from grader.plugins.drawing.plots import draw_plot, plot_text
from grader.plugins.drawing.shapes import Side, Sketch, format_number
from grader.plugins.drawing.tables import draw_table, table_text
from grader.reporting.comparison import Comparison, compare
from grader.reporting.wording import Locale
from grader.suite.board import Cell, Grid, Picture

_Drawing = TypeVar("_Drawing")
_BOTH: Final = ""
"""The side of a drawing that shows both sides."""
_MAX_LISTED: Final = 10
"""The number of differences that a sentence lists."""


def picture_views(pictures: Sequence[AnyPicture], locale: Locale) -> Iterator[dict[str, object]]:
    """Yield the template data of each picture of one case, except pictures with invalid data."""
    return _draw_all(pictures, partial(_picture_view, locale))


def _draw_all(
    pictures: Sequence[AnyPicture], draw: Callable[[AnyPicture], _Drawing | None]
) -> Iterator[_Drawing]:
    """Yield what `draw` returns for each of `pictures`, unless that is None.

    The data of pictures comes from a submission or from a stored record. A picture with invalid
    data is omitted, as it must not break the whole report.
    """
    for picture in pictures:
        drawing = None
        with suppress(ArithmeticError, LookupError, ValueError):
            drawing = draw(picture)
        if drawing is not None:
            yield drawing


def _picture_view(locale: Locale, picture: AnyPicture) -> dict[str, object]:
    """Return the template data of `picture`: a label, sketches of its sides, and sentences."""
    match picture:
        case Picture():
            return _board_view(picture, locale)
        case TablePicture():
            return _table_view(picture, locale)
        case LinePicture():
            sketch = draw_line(picture, locale("line_title"), _side_names(locale))
            return _view([(_BOTH, sketch)], _line_sentences(picture, locale))
        case PlotPicture():
            sketch = draw_plot(picture, locale("plot_title"), _side_names(locale))
            return _view([(_BOTH, sketch)], _plot_sentences(picture, locale))
        case CallsPicture():
            title = locale("calls_title", function=picture.function)
            sketch = draw_calls(picture, title)
            return _view([(_BOTH, sketch)], _calls_sentences(picture, locale), title)


def _view(
    sides: list[tuple[str, Sketch]], sentences: Iterator[str], label: str | None = None
) -> dict[str, object]:
    # The sentences are for readers who cannot see the picture or prefer text.
    return {"label": label, "sides": sides, "sentences": list(sentences)}


def _side_names(locale: Locale) -> tuple[str, str]:
    return locale("expected"), locale("got")


def text_sides(pictures: Sequence[AnyPicture]) -> Comparison | None:
    """Return a comparison of two texts that replace the expected and the actual value.

    The texts represent the first picture that shows all differences. Return None if no picture
    does, or if the texts do not differ, because they are less exact than the picture.
    """
    sides = next(_draw_all(pictures, _compare_sides), None)
    if sides is None or not any(line.differs for line in (*sides.expected, *sides.got)):
        return None
    return sides


def _compare_sides(picture: AnyPicture) -> Comparison | None:
    """Return both sides of `picture` as text, or None if it does not show all differences."""
    match picture:
        case TablePicture(is_telling=True):
            return compare(*(table_text(picture, side) for side in Side))
        case LinePicture(is_telling=True):
            return compare(*(line_text(picture, side) for side in Side))
        case _:
            return None


def text_below(pictures: Sequence[AnyPicture], locale: Locale) -> Iterator[tuple[str, list[str]]]:
    """Yield the label and the lines of each picture that a terminal shows below the values."""
    return _draw_all(pictures, partial(_text_picture, locale))


def _text_picture(locale: Locale, picture: AnyPicture) -> tuple[str, list[str]] | None:
    """Return the label and the lines of a plot or a call tree, or None for other pictures."""
    match picture:
        case PlotPicture():
            return locale("plot_label"), list(plot_text(picture, _side_names(locale)))
        case CallsPicture():
            title = locale("calls_title", function=picture.function)
            return title, list(calls_text(picture))
        case _:
            return None


# Sentences


def _table_view(picture: TablePicture, locale: Locale) -> dict[str, object]:
    """Return the template data of a table."""
    column_count = next((len(row.cells) for pair in picture.rows for row in pair.rows), 0)
    sides = []
    for side, key in ((Side.EXPECTED, "table_expected"), (Side.GOT, "table_got")):
        row_count = sum(
            (pair.got if side is Side.GOT else pair.expected) is not None for pair in picture.rows
        )
        title = locale(key, rows=row_count, columns=column_count)
        sides.append((side.value, draw_table(picture, side, title)))
    return _view(sides, _table_sentences(picture, locale))


def _table_sentences(picture: TablePicture, locale: Locale) -> Iterator[str]:
    """Yield sentences about cells that differ, and about missing and extra rows."""
    cell_sentences = [
        _cell_sentence(picture, pair, column, locale)
        for pair in picture.rows
        if pair.expected is not None and pair.got is not None
        for column in pair.differs
    ]
    if cell_sentences:
        yield locale(
            "board_differ",
            count=len(cell_sentences),
            cells=_join(cell_sentences, len(cell_sentences), locale, "; "),
        )
    missing = [pair.expected.label for pair in picture.rows if pair.got is None and pair.expected]
    extra = [pair.got.label for pair in picture.rows if pair.expected is None and pair.got]
    for key, labels in (("table_missing", missing), ("table_extra", extra)):
        if labels:
            yield locale(key, count=len(labels), rows=_join(labels, len(labels), locale))


def _cell_sentence(picture: TablePicture, pair: RowPair, column: int, locale: Locale) -> str:
    """Return a sentence about the expected and the actual text of one cell."""
    assert pair.expected is not None, "a cell differs only if both rows exist"
    assert pair.got is not None, "a cell differs only if both rows exist"
    name = picture.columns[column] if picture.columns else str(column)
    return locale(
        "board_cell",
        position=locale("table_place", row=pair.got.label, column=name),
        expected=_as_code(pair.expected.cells[column], locale),
        got=_as_code(pair.got.cells[column], locale),
    )


def _line_sentences(picture: LinePicture, locale: Locale) -> Iterator[str]:
    for key, marks in (("line_missing", picture.expected), ("line_extra", picture.got)):
        differing = [_as_code(mark.text, locale) for mark in marks if mark.differs]
        if differing:
            yield locale(key, marks=_join(differing, len(differing), locale))


def _plot_sentences(picture: PlotPicture, locale: Locale) -> Iterator[str]:
    """Yield a sentence about the values at each x where points differ."""
    xs = dict.fromkeys(point.x for point in (*picture.expected, *picture.got) if point.differs)
    sentences = (
        locale(
            "board_cell",
            position=locale("plot_place", x=format_number(x)),
            expected=_values_at(picture.expected, x, locale),
            got=_values_at(picture.got, x, locale),
        )
        for x in xs
    )
    yield locale("plot_differ", count=len(xs), points=_join(sentences, len(xs), locale, "; "))


def _values_at(points: Sequence[PlotPoint], x: float, locale: Locale) -> str:
    """Return the values of `points` at `x`, as code for a sentence."""
    values = [f"{point.y:.10g}" for point in points if point.x == x]
    return _as_code(", ".join(values) or None, locale)


def _calls_sentences(picture: CallsPicture, locale: Locale) -> Iterator[str]:
    yield locale("calls_told")
    if any(call.is_cut for call in picture.calls):
        yield locale("calls_cut")
    if picture.is_cut:
        yield locale("calls_more")


def _board_view(picture: Picture, locale: Locale) -> dict[str, object]:
    """Return the template data of a picture of boards."""
    expected_title, actual_title = _board_titles(picture, locale)
    sides = [(Side.GOT.value, draw_board(picture, Side.GOT, actual_title))]
    if picture.expected is not None:
        sides.insert(0, (Side.EXPECTED.value, draw_board(picture, Side.EXPECTED, expected_title)))
    label = None if picture.part is None else locale("board_part", index=picture.part)
    return _view(sides, _board_sentences(picture, locale), label)


def _board_titles(picture: Picture, locale: Locale) -> tuple[str, str]:
    """Return the titles of both boards. They include the size if the whole board is known."""
    if not picture.sized:
        return locale("board_expected_part"), locale("board_got_part")
    return (
        locale("board_expected", **_size(picture.expected or picture.got)),
        locale("board_got", **_size(picture.got)),
    )


def _size(grid: Grid) -> dict[str, int]:
    """Return how many rows and how many columns of `grid` contain cells."""
    rows = sum(any(cell is not None for cell in row) for row in grid)
    columns = sum(any(cell is not None for cell in column) for column in zip(*grid, strict=True))
    return {"rows": rows, "columns": columns}


def _board_sentences(picture: Picture, locale: Locale) -> Iterator[str]:
    """Yield sentences about cells that differ, or about missing and extra positions.

    Yield nothing without an expected board.
    """
    if picture.expected is None:
        return
    differing = list(picture.differing_cells())
    if picture.of_positions:
        extra = [(i, j) for i, j in differing if (cell := picture.got[i][j]) and cell.chosen]
        missing = [position for position in differing if position not in set(extra)]
        for key, positions in (("board_missing", missing), ("board_extra", extra)):
            if positions:
                position_names = (_position(picture, position) for position in positions)
                yield locale(
                    key, count=len(positions), cells=_join(position_names, len(positions), locale)
                )
        return
    cell_sentences = (_difference_sentence(picture, position, locale) for position in differing)
    yield locale(
        "board_differ",
        count=len(differing),
        cells=_join(cell_sentences, len(differing), locale, "; "),
    )


def _position(picture: Picture, position: tuple[int, int]) -> str:
    """Return the text of `position`, with no-break spaces so that it stays on one line."""
    return picture.position(*position).replace(" ", "\N{NO-BREAK SPACE}")


def _join(texts: Iterable[str], count: int, locale: Locale, separator: str = ", ") -> str:
    """Return the first few of the `count` texts, joined, and how many are omitted."""
    listed = separator.join(islice(texts, _MAX_LISTED))
    omitted = count - _MAX_LISTED
    return f"{listed} {locale('more', count=omitted)}" if omitted > 0 else listed


def _difference_sentence(picture: Picture, position: tuple[int, int], locale: Locale) -> str:
    """Return a sentence about the expected and the actual mark of one cell."""
    assert picture.expected is not None, "without an expected board, no cell differs"
    row, column = position
    return locale(
        "board_cell",
        position=_position(picture, position),
        expected=_mark(picture.expected[row][column], locale),
        got=_mark(picture.got[row][column], locale),
    )


def _mark(cell: Cell | None, locale: Locale) -> str:
    return _as_code(cell.mark if cell else None, locale)


def _as_code(text: str | None, locale: Locale) -> str:
    """Return a short `text` as code for a sentence, or the word for nothing if there is no text."""
    if not text:
        return locale("board_nothing")
    code = text.replace("`", "'")  # a backtick would end the code
    return f"`{code}`" if code.strip() else f"`'{code}'`"  # whitespace alone would be invisible
