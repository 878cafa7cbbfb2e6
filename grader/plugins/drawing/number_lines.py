"""Draws numbers and intervals on a line, or formats them as text: expected above, actual below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from grader.judging.pictures import LineMark, LinePicture
from grader.plugins.drawing.shapes import (
    ACTUAL_COLOUR,
    EXPECTED_COLOUR,
    GREY,
    INK,
    MINUS,
    PLUS,
    SOFT_INK,
    WHITE,
    DrawnPart,
    Label,
    Scale,
    Side,
    Sketch,
    centred_label,
    circle,
    format_number,
    paper,
    paths,
    polyline,
    rectangle,
    signs,
    texts,
)

_WIDTH: Final = 320
_EDGE: Final = 14
_LANE: Final = 16
"""The height of a lane. Overlapping marks are in different lanes."""
_LANES: Final = 8
"""The number of lanes. Marks that would need more lanes overlap."""
_TOP: Final = 18
"""The space for the name of a side."""
_AXIS: Final = 26
"""The space below the axis, for the numbers of the ticks."""
_FONT_SIZE: Final = 11
_COLUMNS: Final = 56
_TICKS: Final = 6


def draw_line(picture: LinePicture, title: str, side_names: tuple[str, str]) -> Sketch:
    """Return a sketch of the line of `picture`, with this `title`.

    `side_names` are the names of the expected and the actual side.
    """
    scale = Scale(picture.low, picture.high, _WIDTH - 2 * _EDGE)
    expected_lanes, got_lanes = _lanes(picture.expected, scale, 6), _lanes(picture.got, scale, 6)
    axis_y = _TOP + _LANE * (1 + max(expected_lanes, default=0)) + 8
    marks_bottom = axis_y + _AXIS + _LANE * (1 + max(got_lanes, default=0))
    height = marks_bottom + _TOP
    ticks = [(_EDGE + scale.offset_of(tick), format_number(tick)) for tick in scale.ticks(_TICKS)]
    expected_name, actual_name = side_names
    return Sketch(
        title=title,
        box=f"0 0 {_WIDTH} {height}",
        width=_WIDTH,
        height=height,
        parts=(
            paper(_WIDTH, height),
            *texts(
                [
                    Label(expected_name, 6, 13, _FONT_SIZE),
                    Label(actual_name, 6, height - 6, _FONT_SIZE),
                ],
                _FONT_SIZE,
                SOFT_INK,
            ),
            *paths([polyline((4, axis_y), (_WIDTH - 4, axis_y))], stroke=INK, width=1.5),
            *paths((polyline((x, axis_y - 4), (x, axis_y + 4)) for x, _ in ticks), stroke=GREY),
            *texts(
                (centred_label(text, x, axis_y + 15, (10, 10)) for x, text in ticks), 10, SOFT_INK
            ),
            *_marks(
                picture.expected,
                expected_lanes,
                scale,
                axis_y - 14,
                -_LANE,
                (EXPECTED_COLOUR, MINUS),
            ),
            *_marks(
                picture.got, got_lanes, scale, axis_y + _AXIS + 4, _LANE, (ACTUAL_COLOUR, PLUS)
            ),
        ),
    )


def _lanes(marks: Sequence[LineMark], scale: Scale, padding: float) -> list[int]:
    """Return the lane of each of `marks`, so that marks in one lane do not overlap.

    `padding` is the extra space on both sides of a mark.
    """
    lanes: list[int] = [0] * len(marks)
    ends: list[float] = []
    # Sorted by start, because taking the first free lane then needs the fewest lanes.
    for index in sorted(range(len(marks)), key=lambda i: (marks[i].start, marks[i].end)):
        start = scale.offset_of(marks[index].start) - padding
        end = scale.offset_of(marks[index].end) + padding
        lane = next((free for free, last_end in enumerate(ends) if last_end <= start), len(ends))
        lane = min(lane, _LANES - 1)
        ends[lane : lane + 1] = [end]  # appends where the lane is new
        lanes[index] = lane
    return lanes


def _marks(
    marks: Sequence[LineMark],
    lanes: Sequence[int],
    scale: Scale,
    first_y: float,
    step: int,
    difference_style: tuple[str, str],
) -> Iterator[DrawnPart]:
    """Yield the drawn `marks`, each in its lane. Those that differ have an outline and a sign.

    The first lane is at `first_y`, and the next one is `step` below it, or above it if `step` is
    negative. `difference_style` has the colour of the outline, and the sign.
    """
    colour, sign = difference_style
    positioned = [(mark, first_y + step * lane) for mark, lane in zip(marks, lanes, strict=True)]
    yield from paths((_shape(mark, scale, y) for mark, y in positioned), fill=WHITE, stroke=INK)
    differing_marks = [(mark, y) for mark, y in positioned if mark.differs]
    yield from paths(
        (_shape(mark, scale, y) for mark, y in differing_marks), stroke=colour, width=2.5
    )
    centres = (
        (_EDGE + scale.offset_of((mark.start + mark.end) / 2), y) for mark, y in differing_marks
    )
    yield from signs(((position, sign) for position in centres), colour)


def _shape(mark: LineMark, scale: Scale, y: float) -> str:
    x = _EDGE + scale.offset_of(mark.start)
    if mark.start == mark.end:
        return circle(x, y, 5.5)
    # At least 1 wide, because a very short interval would be invisible.
    return rectangle(x, y - 5, max(1.0, _EDGE + scale.offset_of(mark.end) - x), 10)


def line_text(picture: LinePicture, side: Side) -> str:
    """Return one side of `picture` as text, whose last line has the numbers of the ticks."""
    scale = Scale(picture.low, picture.high, _COLUMNS - 1)
    marks = picture.got if side is Side.GOT else picture.expected
    lanes = _lanes(marks, scale, 0.5)
    lines = [["-"] * _COLUMNS for _ in range(1 + max(lanes, default=0))]
    for mark, lane in zip(marks, lanes, strict=True):
        start, end = round(scale.offset_of(mark.start)), round(scale.offset_of(mark.end))
        is_dot = mark.start == mark.end
        shape = "o" if is_dot else f"|{'=' * (end - start - 1)}|"
        # Assigning text to a slice splits it into characters.
        lines[lane][start : start + len(shape)] = shape
    # Lines are truncated, because a shape at the end makes its line longer.
    return "\n".join(["".join(line[:_COLUMNS]) for line in lines] + [_tick_numbers(scale)])


def _tick_numbers(scale: Scale) -> str:
    """Return a line with the numbers of the ticks, each starting below its tick."""
    line = ""
    for tick in scale.ticks(_TICKS):
        position = round(scale.offset_of(tick))
        # A number that would touch the previous one is omitted.
        if position > len(line) or not line:
            line += " " * (position - len(line)) + format_number(tick)
    return line
