"""Fills a worksheet with the marks of a run, and records the result for each student."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from html import escape
from typing import Final, NamedTuple

from grader.errors import UsageError
from grader.intake.roster import Key
from grader.plugins.platforms.gradebooks.dialects import fold
from grader.plugins.platforms.gradebooks.marks import Feedback, Mark
from grader.plugins.platforms.gradebooks.matching import Match, Matches, match_students
from grader.plugins.platforms.gradebooks.scaling import Scaling, parse_number
from grader.plugins.platforms.gradebooks.tables import CellPosition, Content
from grader.plugins.platforms.gradebooks.worksheets import Worksheet
from grader.values.foreign_text import count_noun, one_line

_MAX_NAMED: Final = 20
"""The largest number of doubtful students listed in an error."""
_MAX_EXAMPLES: Final = 3


class Clash(NamedTuple):
    """A mark that differs from the one already in the worksheet."""

    student: str
    current_mark: str
    run_mark: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class FillOptions:
    """Options for filling a worksheet."""

    scaling: Scaling = field(default_factory=Scaling)
    column: str | None = None
    """The header of the mark column."""
    key: Key | None = None
    """The only key to match students by."""
    overwrite: bool = False
    """Whether marks and feedback in the worksheet are replaced."""
    skips_doubtful: bool = False
    """Whether students whose row is in doubt are left out, instead of raising an error."""


@dataclass(slots=True, kw_only=True)
class FillResult:
    """A filled worksheet, and the result for each mark."""

    dialect: str
    column: str
    maximum: Decimal | None
    """The maximum mark on the platform, or None if unknown."""
    matches: Matches
    data: bytes = b""
    written: int = 0
    """The number of marks filled in."""
    same: int = 0
    """The number of marks that the worksheet already contained."""
    feedback_written: int = 0
    """The number of feedback cells filled in."""
    feedback_kept: int = 0
    """The number of feedback cells that keep a different text."""
    replaced: list[Clash] = field(default_factory=list)
    """Marks in the worksheet that were overwritten."""
    kept: list[Clash] = field(default_factory=list)
    """Marks in the worksheet that were not overwritten."""
    locked: list[str] = field(default_factory=list)
    """Students whose cell is locked by the platform or contains a formula."""


def fill(
    data: bytes, marks: Sequence[Mark], feedback: Feedback, options: FillOptions
) -> FillResult:
    """Fill the worksheet `data` with `marks`, all for the same exercise, and with feedback.

    Raises `UsageError` if `data` is not a worksheet for points, if the column or a student's row is
    ambiguous, if no student has a row, or if the marks and the platform have different maxima.
    """
    names = [name for mark in marks[:1] for name in mark.names]
    sheet = Worksheet.read(data, names if options.column is None else [options.column])
    sheet = sheet.detect_key_columns(marks)
    if sheet.header.column("scale") is not None:
        raise UsageError(
            "the worksheet marks this exercise with the words of a scale, but the run has points",
            help="switch the exercise to points on the platform, and export the worksheet again",
        )
    column = sheet.column_for(marks, options.column)
    _require_marks(sheet, column)
    maximum = sheet.maximum(column)
    _check_maximum(maximum, marks, options.scaling)
    has_chosen_key = options.key is not None
    matches = match_students(
        marks, sheet.people, _match_keys(sheet, options.key), names_may_differ=has_chosen_key
    )
    if matches.doubtful and not options.skips_doubtful:
        raise _doubtful_error(matches.doubtful)
    if not matches.found:
        run_students = _join_examples([mark.display_name for mark in marks])
        raise UsageError(
            f"no student in the run is in the worksheet (read as: {sheet.dialect.name})",
            help="check that the worksheet is for this class, or match by another key with --match:"
            f" the worksheet has {_join_examples(matches.without_mark)};"
            f" the run has {run_students}",
        )
    result = FillResult(
        dialect=sheet.dialect.name,
        column=sheet.header.names[column],
        maximum=maximum,
        matches=matches,
    )
    filler = _Filler(sheet, column, feedback, options, result)
    for match in matches.found:
        filler.fill_in(match)
    # Without changes, return the same bytes: formulas must not be marked for recalculation.
    result.data = sheet.fill_cells(filler.cells, column) if filler.cells else data
    return result


class _Filler:
    """Fills in marks and feedback, but keeps other content unless overwriting is allowed."""

    def __init__(
        self,
        sheet: Worksheet,
        column: int,
        feedback: Feedback,
        options: FillOptions,
        result: FillResult,
    ) -> None:
        self.cells: Final[dict[CellPosition, Content]] = {}
        self._sheet: Final = sheet
        self._column: Final = column
        self._feedback_column: Final = sheet.feedback_column(column)
        self._feedback: Final = feedback
        self._options: Final = options
        self._result: Final = result

    def fill_in(self, match: Match) -> None:
        """Fill in the mark and the feedback of `match`, and add what happened to the result."""
        mark = self._options.scaling.mark(match.mark.score, match.mark.max_score)
        has_mark = self._fill_mark(CellPosition(match.row, self._column), match.student_name, mark)
        self._fill_feedback(match, has_mark=has_mark)

    def _fill_mark(self, position: CellPosition, student: str, mark: Decimal) -> bool:
        """Fill in `mark` at `position` if allowed, and add the outcome to the result.

        Returns whether the cell contains `mark` now.
        """
        current = self._sheet.text(*position)
        # Compared as numbers, because `7,50` equals 7.5.
        if parse_number(current) == mark:
            self._result.same += 1
            return True
        if self._sheet.is_locked(position):
            self._result.locked.append(student)
            return False
        # A mark that somebody entered by hand must not be replaced silently.
        if current and fold(current) not in self._sheet.dialect.empty:
            clash = Clash(student, current, mark)
            if not self._options.overwrite:
                self._result.kept.append(clash)
                return False
            self._result.replaced.append(clash)
        self.cells[position] = mark
        self._result.written += 1
        return True

    def _fill_feedback(self, match: Match, *, has_mark: bool) -> None:
        """Fill in the feedback, if the row has the mark and the cell is free or can be overwritten.

        Does nothing if the worksheet has no column for feedback.
        """
        if self._feedback_column is None:
            return
        position = CellPosition(match.row, self._feedback_column)
        current = self._sheet.text(*position)
        text = self._feedback(match.mark)
        # Escape the text if the platform renders feedback as HTML.
        text = escape(text, quote=False) if self._sheet.dialect.uses_html else text
        is_taken = position in self._sheet.table.formulas or (
            current and not self._options.overwrite
        )
        if is_taken or not has_mark:
            self._result.feedback_kept += bool(current) and text != current
        elif text != current:
            self.cells[position] = text
            self._result.feedback_written += 1


def _match_keys(sheet: Worksheet, only: Key | None) -> frozenset[Key]:
    """Return the keys to match students by: just `only`, or else all that can be trusted.

    Raises `UsageError` if `sheet` has no column for the key `only`.
    """
    keys = {key for person in sheet.people.values() for key in person.keys}
    if only is not None and only not in keys:
        raise UsageError(
            f"the worksheet has no column for --match {only}",
            help=f"choose a key that the worksheet has: {', '.join(sorted(keys))}",
        )
    if only is not None:
        return frozenset({only})
    return frozenset(keys if sheet.dialect.trusts_names else keys - {Key.NAME})


def _require_marks(sheet: Worksheet, column: int) -> None:
    """Raise `UsageError` if most cells in `column` contain words, and none contains a number."""
    texts = [text for row in sheet.people if (text := sheet.text(row, column))]
    contents = [text for text in texts if fold(text) not in sheet.dialect.empty]
    if 2 * len(contents) > len(sheet.people) and all(
        parse_number(text) is None for text in contents
    ):
        raise UsageError(
            f"the column {one_line(sheet.header.names[column])} contains words instead of marks:"
            f" {_join_examples(list(dict.fromkeys(contents)))}",
            help="name the column of the marks with --column",
        )


def _check_maximum(maximum: Decimal | None, marks: Sequence[Mark], scaling: Scaling) -> None:
    """Raise `UsageError` if unscaled `marks` have a maximum other than the platform's."""
    # Rounded, because scores are sums of floats.
    maxima = {Scaling().mark(mark.max_score, mark.max_score) for mark in marks}
    if maximum is None or scaling.out_of is not None or maxima <= {maximum}:
        return
    # Marks are not scaled automatically, because nobody would notice.
    run_maxima = " and ".join(f"{run_maximum.normalize():f}" for run_maximum in sorted(maxima))
    raise UsageError(
        f"marks are out of {maximum.normalize():f} on the platform,"
        f" but out of {run_maxima} in the run",
        help=f"scale the marks with --out-of {maximum.normalize():f}",
    )


def _join_examples(texts: Sequence[str]) -> str:
    return ", ".join(one_line(text, 60) for text in texts[:_MAX_EXAMPLES]) or "nobody"


def _doubtful_error(people: Sequence[str]) -> UsageError:
    """Return the error for `people`, students whose rows are doubtful, each with the reason."""
    lines = "\n".join(f"  {one_line(person)}" for person in people[:_MAX_NAMED])
    more = len(people) - _MAX_NAMED
    listed = f"{lines}\n  and {more} more" if more > 0 else lines
    return UsageError(
        f"the worksheet rows of {count_noun(len(people), 'student')} are in doubt:\n{listed}",
        help="choose the key to match them by with --match, or leave them out with --skip-doubtful",
    )
