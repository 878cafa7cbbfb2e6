"""Draws calls as an indented tree, and writes it as text: each call below its caller.

This leaves room for long arguments, and fits on a phone if they are short.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from grader.judging.pictures import CallsPicture, TracedCall
from grader.plugins.drawing import shapes
from grader.plugins.drawing.shapes import Label, Sketch

_HEIGHT: Final = 22
_SIZE: Final = 12
_STEP: Final = 18
_EDGE: Final = 8
_WIDEST: Final = 340
"""A wider tree keeps its size, and scrolls."""


def drawn_calls(picture: CallsPicture, title: str) -> Sketch:
    """Return the tree of `picture`, called `title`."""
    right_edges = [_left(call) + _text_width(call) + 12 for call in picture.calls]
    width, height = round(max(right_edges)) + _EDGE, _HEIGHT * len(picture.calls) + 8
    return Sketch(
        title=title,
        box=f"0 0 {width} {height}",
        width=width,
        height=height,
        parts=(
            shapes.paper(width, height),
            *shapes.paths(_arrows(picture), stroke=shapes.GREY, width=1.2),
            *shapes.paths(_frames(picture), stroke=shapes.GREY),
            *shapes.texts(_labels(picture), _SIZE, shapes.INK),
        ),
        scrolls=width > _WIDEST,
    )


def _left(call: TracedCall) -> int:
    return _EDGE + _STEP * call.depth


def _text_width(call: TracedCall) -> float:
    return _SIZE * shapes.CHAR_WIDTH * len(_text(call))


def _text(call: TracedCall) -> str:
    gave = "" if call.gave is None else f" \N{RIGHTWARDS ARROW} {call.gave}"
    return f"{call.text}{gave}{' …' if call.is_cut else ''}"


def _middle(row: int) -> float:
    return _HEIGHT * row + 4 + _HEIGHT / 2


def _arrows(picture: CallsPicture) -> Iterator[str]:
    """Yield an arrow from each call to each of the calls that it made."""
    callers: list[int] = []
    """The rows of the previous call and of its callers."""
    for row, call in enumerate(picture.calls):
        del callers[call.depth :]  # these calls had ended
        if callers:
            x, y = _left(call) - _STEP + 6, _middle(row)
            end = _left(call) - 1
            yield shapes.stroke((x, _middle(callers[-1]) + 9), (x, y), (end, y))
            yield shapes.stroke((end - 4, y - 3), (end, y), (end - 4, y + 3))
        callers.append(row)


def _frames(picture: CallsPicture) -> Iterator[str]:
    for row, call in enumerate(picture.calls):
        yield shapes.oblong(_left(call), _middle(row) - 9, round(_text_width(call)) + 12, 18)


def _labels(picture: CallsPicture) -> Iterator[Label]:
    for row, call in enumerate(picture.calls):
        yield Label(_text(call), _left(call) + 6, _middle(row) + 4, _SIZE)


def calls_text(picture: CallsPicture) -> Iterator[str]:
    """Yield the lines of the tree as text."""
    for call in picture.calls:
        gave = "" if call.gave is None else f" -> {call.gave}"
        yield f"{'  ' * call.depth}{call.text}{gave}{' ...' if call.is_cut else ''}"
