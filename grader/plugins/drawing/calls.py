"""Draws calls as an indented tree, or formats the tree as text, with each call below its caller.

This layout has space for long arguments, and fits on a phone if they are short.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.judging.pictures import CallsPicture, TracedCall
from grader.plugins.drawing import shapes
from grader.plugins.drawing.shapes import Label, Sketch

_ROW_HEIGHT: Final = 22
_FONT_SIZE: Final = 12
_INDENT: Final = 18
_EDGE: Final = 8
_MAX_WIDTH: Final = 340
"""A wider tree is not scaled down, but scrolls."""


def draw_calls(picture: CallsPicture, title: str) -> Sketch:
    """Return a sketch of the call tree of `picture`, with this `title`."""
    right_edges = [_left_edge(call) + _text_width(call) + 12 for call in picture.calls]
    width, height = round(max(right_edges)) + _EDGE, _ROW_HEIGHT * len(picture.calls) + 8
    return Sketch(
        title=title,
        box=f"0 0 {width} {height}",
        width=width,
        height=height,
        parts=(
            shapes.paper(width, height),
            *shapes.paths(_arrows(picture), stroke=shapes.GREY, width=1.2),
            *shapes.paths(_frames(picture), stroke=shapes.GREY),
            *shapes.texts(_labels(picture), _FONT_SIZE, shapes.INK),
        ),
        scrolls=width > _MAX_WIDTH,
    )


def _left_edge(call: TracedCall) -> int:
    return _EDGE + _INDENT * call.depth


def _text_width(call: TracedCall) -> float:
    return _FONT_SIZE * shapes.CHAR_WIDTH * len(_call_text(call))


def _call_text(call: TracedCall) -> str:
    result = "" if call.gave is None else f" \N{RIGHTWARDS ARROW} {call.gave}"
    return f"{call.text}{result}{' …' if call.is_cut else ''}"


def _row_centre(row: int) -> float:
    return _ROW_HEIGHT * row + 4 + _ROW_HEIGHT / 2


def _arrows(picture: CallsPicture) -> Iterator[str]:
    """Yield an arrow from each call to each call that it made."""
    callers: list[int] = []
    """The rows of the previous call and of its callers, outermost first."""
    for row, call in enumerate(picture.calls):
        del callers[call.depth :]  # these calls have returned
        if callers:
            x, y = _left_edge(call) - _INDENT + 6, _row_centre(row)
            end = _left_edge(call) - 1
            yield shapes.polyline((x, _row_centre(callers[-1]) + 9), (x, y), (end, y))
            yield shapes.polyline((end - 4, y - 3), (end, y), (end - 4, y + 3))
        callers.append(row)


def _frames(picture: CallsPicture) -> Iterator[str]:
    for row, call in enumerate(picture.calls):
        yield shapes.rectangle(
            _left_edge(call), _row_centre(row) - 9, round(_text_width(call)) + 12, 18
        )


def _labels(picture: CallsPicture) -> Iterator[Label]:
    for row, call in enumerate(picture.calls):
        yield Label(_call_text(call), _left_edge(call) + 6, _row_centre(row) + 4, _FONT_SIZE)


def calls_text(picture: CallsPicture) -> Iterator[str]:
    """Yield the lines of the call tree of `picture` as text."""
    for call in picture.calls:
        result = "" if call.gave is None else f" -> {call.gave}"
        yield f"{'  ' * call.depth}{call.text}{result}{' ...' if call.is_cut else ''}"
