"""What a suite says of its widgets: which groups have answers that reports draw, and how.

A board is drawn wherever one is seen. A list of numbers may be many things, so a widget names the
groups whose cases it draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, TypeAlias

from pydantic import Field

from grader.suite.diagnostics import Refusal, did_you_mean, listed, quoted
from grader.suite.document import Findings, NodePath
from grader.suite.drawable import MAX_COLUMNS, Misfit, marks_of, points_of, table_of
from grader.suite.expectations import Accepts, Returns
from grader.suite.fields import Form, FunctionName, Id, Items, key, optional, parsed_by
from grader.values.display import count_of, plain
from grader.values.tree import Value
from grader.verdict import Visibility

if TYPE_CHECKING:
    from grader.suite.model import Suite

MAX_NAME_CHARS: Final = 16


def _name(text: str) -> str:
    if not text.strip() or plain(text) != text or "\n" in text:
        raise Refusal(f"{quoted(text)} is no name that people can see", "write a word")
    if len(text) > MAX_NAME_CHARS:
        advice = f"a name in a drawing has at most {MAX_NAME_CHARS} characters"
        raise Refusal(f"{quoted(text)} is too long for a drawing", advice)
    return text


_Name: TypeAlias = Annotated[str, parsed_by(_name)]


class Widget(Form):
    """What all widgets share."""

    needs: ClassVar[str] = ""
    """What an answer has to be, for a message."""

    groups: Items[Id] = key("The groups whose cases it draws.", ["ranking"], min_length=1)

    def draws(self, value: Value) -> bool:
        """Return whether `value` is of the kind that it draws; raises `Misfit` if it cannot."""
        del value
        return True


class TableWidget(Widget, title="table"):
    """Answers that are rows of cells, as a table."""

    called = "a table"
    needs = "list of rows, dict or array of two dimensions"

    columns: Items[_Name] = key(
        "What stands above the columns. Default: the keys of dicts, and nothing above lists.",
        ["name", "score"],
        default_factory=tuple,
        max_length=MAX_COLUMNS,
    )

    def draws(self, value: Value) -> bool:
        """Return whether `value` has rows; raises `Misfit` for too many, or for other columns."""
        table = table_of(value)
        if table is not None and self.columns and len(self.columns) != len(table.columns):
            columns = count_of(len(table.columns), "column")
            raise Misfit(f"it has {columns}, and the table names {len(self.columns)}")
        return table is not None


class LineWidget(Widget, title="line"):
    """Answers that are numbers or intervals, on a line of numbers."""

    called = "a line"
    needs = "list or set of numbers, or of pairs of numbers"

    low: float | None = optional(
        "Where the line begins. Default: at the lowest number.", 0, ge=-1e15, le=1e15
    )
    high: float | None = optional(
        "Where it ends. Default: at the highest number.", 24, ge=-1e15, le=1e15
    )

    def draws(self, value: Value) -> bool:
        """Return whether `value` has marks; raises `Misfit` for too many, or one off the line."""
        marks = marks_of(value)
        for (start, end), _ in marks or ():
            if self.low is not None and start < self.low:
                raise Misfit(f"{start:g} is before {self.low:g}, where the line begins")
            if self.high is not None and end > self.high:
                raise Misfit(f"{end:g} is behind {self.high:g}, where the line ends")
        return marks is not None


class PlotWidget(Widget, title="plot"):
    """Answers that are points, as a plot."""

    called = "a plot"
    needs = "list of numbers, list of pairs of numbers or dict of numbers"

    x: _Name = key("What stands at the axis to the right.", "time", default="")
    y: _Name = key("What stands at the axis upwards.", "height", default="")
    joined: bool = Field(
        default=True,
        description="Whether lines join the points, in their order.",
        examples=[False],
    )

    def draws(self, value: Value) -> bool:
        """Return whether `value` has points; raises `Misfit` for too many."""
        return points_of(value) is not None


class CallsWidget(Widget, title="calls"):
    """The calls that a function makes of itself, as a tree."""

    called = "calls"

    function: FunctionName = key("The function whose calls are drawn.", "fib")


class Widgets(Form, title="widgets"):
    """Widgets by their kind."""

    called = "widgets"

    table: Items[TableWidget] = key(
        "Answers that are rows of cells, as a table.",
        [{"groups": ["ranking"], "columns": ["name", "score"]}],
        default_factory=tuple,
    )
    line: Items[LineWidget] = key(
        "Answers that are numbers or intervals, on a line of numbers.",
        [{"groups": ["free_hours"], "low": 0, "high": 24}],
        default_factory=tuple,
    )
    plot: Items[PlotWidget] = key(
        "Answers that are points, as a plot.",
        [{"groups": ["orbit"], "x": "time", "y": "height"}],
        default_factory=tuple,
    )
    calls: Items[CallsWidget] = key(
        "The calls that a function makes of itself, as a tree.",
        [{"groups": ["fib"], "function": "fib"}],
        default_factory=tuple,
    )

    def of_group(self, group: str) -> Iterator[TableWidget | LineWidget | PlotWidget]:
        """Yield what draws the answers of the cases of `group`."""
        found: tuple[TableWidget | LineWidget | PlotWidget, ...]
        for found in (self.table, self.line, self.plot):
            yield from (widget for widget in found if group in widget.groups)

    def traced(self, group: str) -> str | None:
        """Return the function whose calls are drawn where a case of `group` fails."""
        return next((each.function for each in self.calls if group in each.groups), None)

    def placed(self) -> Iterator[tuple[NodePath, Widget]]:
        """Yield each widget with where it stands in a suite."""
        for kind in type(self).model_fields:
            for index, widget in enumerate(getattr(self, kind)):
                yield ("widgets", kind, index), widget


def check_widgets(suite: Suite, groups: Sequence[str], findings: Findings) -> None:
    """Report widgets that cannot draw what the cases of their groups expect."""
    taken: dict[str, NodePath] = {}
    for path, widget in suite.widgets.placed():
        if isinstance(widget, CallsWidget):
            _check_function(widget.function, suite, path, findings)
        is_sound = not isinstance(widget, LineWidget) or _ends_well(widget, path, findings)
        for index, group in enumerate(widget.groups):
            at: NodePath = (*path, "groups", index)
            findings.unknown("group", at, group, groups, "groups")
            if isinstance(widget, CallsWidget):
                continue
            first = taken.setdefault(group, at)
            if first != at:
                advice = f"line {findings.line_of(first)} has it already: leave one of them out"
                findings.at_value(at, f"the group {quoted(group)} is drawn in two ways", advice)
            elif group in groups and is_sound:
                _check_answers(widget, group, suite, at, findings)


def _check_function(name: str, suite: Suite, path: NodePath, findings: Findings) -> None:
    """Report a function that submissions know nothing of."""
    known = (*suite.defines, *suite.helpers)
    if {name, name.rpartition(".")[0]}.isdisjoint(known):
        message = f"unknown function {quoted(name)}{did_you_mean(name, known)}"
        advice = f"functions in `defines` and `helpers`: {listed(known)}"
        findings.at_value((*path, "function"), message, advice)


def _ends_well(widget: LineWidget, path: NodePath, findings: Findings) -> bool:
    """Return whether `widget` ends behind its beginning; report it if it does not."""
    if widget.low is None or widget.high is None or widget.low < widget.high:
        return True
    message = f"a line cannot end at {widget.high:g}, as it begins at {widget.low:g}"
    findings.at_value((*path, "high"), message, "make it end behind its beginning")
    return False


def _check_answers(
    widget: Widget, group: str, suite: Suite, at: NodePath, findings: Findings
) -> None:
    """Report what of the public cases of `group` `widget` cannot draw.

    Some answers may be of another kind, such as None; of those that a checker accepts nothing is
    known.
    """
    drawn = False
    for index, session in enumerate(suite.sessions):
        for case in session.cases if session.visibility is Visibility.PUBLIC else ():
            step = session.steps[case.step_index]
            if case.group != group:
                continue
            match step.expectation:
                case Returns(value=value):
                    try:
                        drawn = widget.draws(value) or drawn
                    except Misfit as why:
                        where: NodePath = ("sessions", index, "steps", case.step_index, "returns")
                        message = f"{widget.called} cannot show this answer: {why}"
                        advice = f"line {findings.line_of(at)} has the group {quoted(group)} drawn"
                        findings.at_value(where, message, advice)
                        drawn = True
                case Accepts():
                    drawn = True
    if not drawn:
        message = f"no public case of the group {quoted(group)} returns anything to draw"
        findings.at_value(at, message, f"{widget.called} draws a {widget.needs}")
