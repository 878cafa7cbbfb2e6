"""The `widgets` of a suite, which define the groups whose answers reports draw, and how.

Boards are drawn wherever they occur. A list of numbers can have many meanings, so a widget names
the groups whose cases it draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, TypeAlias

from grader.suite.diagnostics import Refusal, quote
from grader.suite.drawable import MAX_COLUMNS, Misfit, as_marks, as_points, as_table
from grader.suite.fields import Form, FunctionName, Id, Items, flag, key, optional, parsed_by
from grader.values.foreign_text import count_noun, escape_controls
from grader.values.tree import Value

if TYPE_CHECKING:  # importing it loads YAML, and most suites come from the cache
    from grader.suite.document import NodePath

MAX_NAME_CHARS: Final = 16


def _name(text: str) -> str:
    """Return `text` if it can be a short name in a drawing; raises `Refusal` otherwise."""
    if not text.strip() or escape_controls(text) != text or "\n" in text:
        advice = "write a word, on one line and with visible characters"
        raise Refusal(f"{quote(text)} is not a visible name", advice)
    if len(text) > MAX_NAME_CHARS:
        advice = f"shorten it to at most {MAX_NAME_CHARS} characters"
        raise Refusal(f"{quote(text)} is too long for a drawing", advice)
    return text


_Name: TypeAlias = Annotated[str, parsed_by(_name)]


class Widget(Form):
    """The base of all widgets."""

    needs: ClassVar[str] = ""
    """The kind of answers that the widget draws, for messages."""

    groups: Items[Id] = key("The groups to draw.", ["ranking"], min_length=1)

    def draws(self, value: Value) -> bool:
        """Return whether `value` is of the kind that the widget draws.

        Raises `Misfit` if it is, but does not fit into the drawing.
        """
        del value
        return True


class TableWidget(Widget, title="table"):
    """Rows of cells, as a table."""

    form_name = "a table"
    needs = "list of rows, dict or array of two dimensions"

    columns: Items[_Name] = key(
        "Headings of the columns. Default: the keys of dicts, none for lists.",
        ["name", "score"],
        default_factory=tuple,
        max_length=MAX_COLUMNS,
    )

    def draws(self, value: Value) -> bool:
        """Return whether `value` is a table.

        Raises `Misfit` if it is too large, or if its number of columns differs from `columns`.
        """
        table = as_table(value)
        if table is not None and self.columns and len(self.columns) != len(table.columns):
            columns = count_noun(len(table.columns), "column")
            raise Misfit(f"it has {columns}, but `columns` names {len(self.columns)}")
        return table is not None


class LineWidget(Widget, title="line"):
    """Numbers or intervals, on a number line."""

    form_name = "a line"
    needs = "list or set of numbers, or of pairs of numbers"

    # The bounds are those of `grader.suite.drawable`, as floats beyond them are too coarse.
    low: float | None = optional(
        "Start of the line. Default: the lowest number.", 0, ge=-1e15, le=1e15
    )
    high: float | None = optional(
        "End of the line. Default: the highest number.", 24, ge=-1e15, le=1e15
    )

    def draws(self, value: Value) -> bool:
        """Return whether `value` can be drawn as marks.

        Raises `Misfit` if there are too many marks, or if one of them is off the line.
        """
        marks = as_marks(value)
        for (start, end), _ in marks or ():
            if self.low is not None and start < self.low:
                raise Misfit(f"{start:g} is before {self.low:g}, where the line begins (`low`)")
            if self.high is not None and end > self.high:
                raise Misfit(f"{end:g} is after {self.high:g}, where the line ends (`high`)")
        return marks is not None


class PlotWidget(Widget, title="plot"):
    """Points, as a plot."""

    form_name = "a plot"
    needs = "list of numbers, list of pairs of numbers or dict of numbers"

    x: _Name = key("Label of the horizontal axis.", "time", default="")
    y: _Name = key("Label of the vertical axis.", "height", default="")
    joined: bool = flag(
        "Whether to join the points by lines.",
        example=False,
        default=True,
    )

    def draws(self, value: Value) -> bool:
        """Return whether `value` can be drawn as points; raises `Misfit` for too many points."""
        return as_points(value) is not None


class CallsWidget(Widget, title="calls"):
    """Recursive calls of a function, as a tree."""

    form_name = "calls"

    function: FunctionName = key("The function whose calls to draw.", "fib")


class Widgets(Form, title="widgets"):
    """Widgets by their kind."""

    form_name = "widgets"

    table: Items[TableWidget] = key(
        "Rows of cells, as a table.",
        [{"groups": ["ranking"], "columns": ["name", "score"]}],
        default_factory=tuple,
    )
    line: Items[LineWidget] = key(
        "Numbers or intervals, on a number line.",
        [{"groups": ["free_hours"], "low": 0, "high": 24}],
        default_factory=tuple,
    )
    plot: Items[PlotWidget] = key(
        "Points, as a plot.",
        [{"groups": ["orbit"], "x": "time", "y": "height"}],
        default_factory=tuple,
    )
    calls: Items[CallsWidget] = key(
        "Recursive calls of a function, as a tree.",
        [{"groups": ["fib"], "function": "fib"}],
        default_factory=tuple,
    )

    def for_group(self, group: str) -> Iterator[TableWidget | LineWidget | PlotWidget]:
        """Yield the widgets that draw the answers of `group`, which excludes `calls`."""
        widgets: tuple[TableWidget | LineWidget | PlotWidget, ...]
        for widgets in (self.table, self.line, self.plot):
            yield from (widget for widget in widgets if group in widget.groups)

    def traced_function(self, group: str) -> str | None:
        """Return the function whose calls are drawn for failed cases of `group`, or None."""
        return next((widget.function for widget in self.calls if group in widget.groups), None)

    def widgets_with_paths(self) -> Iterator[tuple[NodePath, Widget]]:
        """Yield each widget with its path in the suite."""
        for kind in self.form_keys:
            for index, widget in enumerate(getattr(self, kind)):
                yield ("widgets", kind, index), widget
