"""Pictures of widgets: a few of each kind, and the largest that there can be."""

from __future__ import annotations

from typing import Final, TypeAlias

from drawings import value

from grader.judging.pictures import CallsPicture, TracedCall, WidgetPicture
from grader.plugins.drawing.widget_pictures import widget_picture
from grader.suite.drawable import MAX_COLUMNS, MAX_MARKS, MAX_POINTS, MAX_ROWS
from grader.suite.widgets import LineWidget, PlotWidget, TableWidget

Drawn: TypeAlias = TableWidget | LineWidget | PlotWidget
TABLE: Final = TableWidget(groups=("g",), columns=("name", "score"))
LINE: Final = LineWidget(groups=("g",))
PLOT: Final = PlotWidget(groups=("g",), x="time", y="height")


def picture(widget: Drawn, expected: str, got: str) -> WidgetPicture:
    """Return the picture of two literals."""
    found = widget_picture(widget, value(expected), value(got))
    assert found is not None
    return found


def call(depth: int, text: str, gave: str | None = "1", *, is_cut: bool = False) -> TracedCall:
    """Return a call of a picture."""
    return TracedCall(depth=depth, text=text, gave=gave, is_cut=is_cut)


CALLS: Final = CallsPicture(
    function="fib",
    calls=(call(0, "fib(2)", "2"), call(1, "fib(1)", is_cut=True), call(1, "fib(0)", None)),
    is_cut=True,
)
SAMPLES: Final[dict[str, WidgetPicture]] = {
    "table": picture(TABLE, "[('Ann', 7), ('Bob', 9)]", "[('Ann', 8)]"),
    "line": picture(LINE, "[1, 3, 7]", "[1, 4, 7]"),
    "intervals": picture(LINE, "[(1, 3), (2, 4), (2, 5)]", "[(1, 3)]"),
    "plot": picture(PLOT, "[1, 4, 9]", "[1, 4, 8]"),
    "dots": picture(PLOT.with_changes(joined=False), "[1]", "[2]"),
    "calls": CALLS,
}

LARGEST: Final[dict[str, WidgetPicture]] = {
    "table": picture(
        TABLE.with_changes(columns=()),
        repr([["x" * 30] * MAX_COLUMNS] * MAX_ROWS),
        repr([["y" * 30] * MAX_COLUMNS] * MAX_ROWS),
    ),
    "line": picture(LINE, repr([(0, n + 1) for n in range(MAX_MARKS)]), "[]"),
    "plot": picture(PLOT, repr([*range(MAX_POINTS)]), repr([*range(1, MAX_POINTS + 1)])),
    "calls": CallsPicture(
        function="f",
        calls=tuple(call(depth, f"f({'x' * 45})") for depth in range(24)),
        is_cut=False,
    ),
}
