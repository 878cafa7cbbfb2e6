"""Fills a worksheet with the marks of a run, and reports the result for each student."""

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
from grader.plugins.platforms.gradebooks.matching import Match, Matches, matched
from grader.plugins.platforms.gradebooks.scaling import Scaling, number
from grader.plugins.platforms.gradebooks.tables import Content, Place
from grader.plugins.platforms.gradebooks.worksheets import Worksheet
from grader.values.foreign_text import one_line

_MAX_NAMED: Final = 20
_SOME: Final = 3


class Clash(NamedTuple):
    """A different mark that the worksheet has already."""

    who: str
    there: str
    ours: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Options for filling a worksheet."""

    scaling: Scaling = field(default_factory=Scaling)
    column: str | None = None
    """The header of the marks."""
    key: Key | None = None
    """The only key to match students by."""
    overwrite: bool = False
    skips_doubtful: bool = False


@dataclass(slots=True, kw_only=True)
class Filled:
    """A filled worksheet, and what happened to each mark."""

    dialect: str
    column: str
    maximum: Decimal | None
    """The maximum of the platform."""
    matches: Matches
    data: bytes = b""
    written: int = 0
    """Number of marks filled in."""
    same: int = 0
    """Number of marks that were there already."""
    sentences: int = 0
    """Number of feedback cells filled in."""
    said_before: int = 0
    """Number of feedback cells with another text, which stays."""
    replaced: list[Clash] = field(default_factory=list)
    kept: list[Clash] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    """Students whose cell is locked by the platform, or has a formula."""


def fill(data: bytes, marks: Sequence[Mark], feedback: Feedback, wishes: Wishes) -> Filled:
    """Return the worksheet `data` with `marks`, all of one exercise, and feedback.

    Raises `UsageError` if it is not a worksheet, if the column or a student's row is not clear, or
    if the maximum of the marks is not that of the platform.
    """
    names = [name for mark in marks[:1] for name in mark.names]
    sheet = Worksheet.read(data, names if wishes.column is None else [wishes.column])
    sheet = sheet.told_by_cells(marks)
    if sheet.header.column("scale") is not None:
        raise UsageError(
            "the platform marks this exercise with the words of a scale, but the run has points",
            help="switch it to points there, and export the worksheet again",
        )
    column = sheet.column_for(marks, wishes.column)
    _require_marks(sheet, column)
    maximum = sheet.maximum(column)
    _check_maximum(maximum, marks, wishes.scaling)
    by_one = wishes.key is not None
    matches = matched(marks, sheet.people, _keys(sheet, wishes.key), names_may_differ=by_one)
    if matches.doubtful and not wishes.skips_doubtful:
        raise _doubtful(matches.doubtful)
    if not matches.found:
        ours = ", ".join(one_line(mark.shown, 60) for mark in marks[:_SOME])
        raise UsageError(
            f"no student of the run is in the worksheet (read as: {sheet.dialect.name})",
            help=f"the worksheet has {_some(matches.without_mark)}; the run has {ours}: check that"
            " it is of this class, or match by something else with --match",
        )
    done = Filled(
        dialect=sheet.dialect.name,
        column=sheet.header.names[column],
        maximum=maximum,
        matches=matches,
    )
    work = _Work(sheet, column, feedback, wishes, done)
    for match in matches.found:
        work.take(match)
    # Otherwise not even formulas are marked for recalculation.
    done.data = sheet.filled(work.cells, column) if work.cells else data
    return done


class _Work:
    """Fills in marks and feedback, unless something else is there."""

    def __init__(
        self, sheet: Worksheet, column: int, feedback: Feedback, wishes: Wishes, done: Filled
    ) -> None:
        self.cells: Final[dict[Place, Content]] = {}
        self._sheet: Final = sheet
        self._column: Final = column
        self._said_in: Final = sheet.said_in(column)
        self._feedback: Final = feedback
        self._wishes: Final = wishes
        self._done: Final = done

    def take(self, match: Match) -> None:
        """Fill in the mark and the feedback of `match`."""
        ours = self._wishes.scaling.mark(match.mark.score, match.mark.max_score)
        stands = self._stands(Place(match.row, self._column), match.shown, ours)
        self._say(match, beside_ours=stands)

    def _stands(self, place: Place, who: str, ours: Decimal) -> bool:
        """Fill in a mark at `place` if allowed; return whether the cell has it now."""
        there = self._sheet.text(*place)
        # Compared as numbers: `7,50` is 7.5.
        if number(there) == ours:
            self._done.same += 1
            return True
        if self._sheet.is_locked(place):
            self._done.locked.append(who)
            return False
        # A mark that somebody gave by hand is not replaced silently.
        if there and fold(there) not in self._sheet.dialect.empty:
            clash = Clash(who, there, ours)
            if not self._wishes.overwrite:
                self._done.kept.append(clash)
                return False
            self._done.replaced.append(clash)
        self.cells[place] = ours
        self._done.written += 1
        return True

    def _say(self, match: Match, *, beside_ours: bool) -> None:
        """Fill in the feedback, if our mark is beside it and nothing else is there."""
        if self._said_in is None:
            return
        place = Place(match.row, self._said_in)
        there = self._sheet.text(*place)
        text = self._feedback(match.mark)
        # The platform would render it as HTML.
        text = escape(text, quote=False) if self._sheet.dialect.takes_html else text
        is_taken = place in self._sheet.table.formulas or (there and not self._wishes.overwrite)
        if is_taken or not beside_ours:
            self._done.said_before += bool(there) and text != there
        elif text != there:
            self.cells[place] = text
            self._done.sentences += 1


def _keys(sheet: Worksheet, only: Key | None) -> frozenset[Key]:
    """Return the keys to match students by; raises `UsageError` if `sheet` lacks the `only` one."""
    keys = {key for who in sheet.people.values() for key in who.keys}
    if only is not None and only not in keys:
        raise UsageError(
            f"the worksheet has no column for --match {only}",
            help=f"it has: {', '.join(sorted(keys))}",
        )
    if only is not None:
        return frozenset({only})
    return frozenset(keys if sheet.dialect.trusts_names else keys - {Key.NAME})


def _require_marks(sheet: Worksheet, column: int) -> None:
    """Raise `UsageError` if most cells of `column` have words, and none has a number."""
    texts = [text for row in sheet.people if (text := sheet.text(row, column))]
    said = [text for text in texts if fold(text) not in sheet.dialect.empty]
    if 2 * len(said) > len(sheet.people) and all(number(text) is None for text in said):
        raise UsageError(
            f"column {one_line(sheet.header.names[column])} has words instead of marks:"
            f" {_some(list(dict.fromkeys(said)))}",
            help="name the column of the marks with --column",
        )


def _check_maximum(maximum: Decimal | None, marks: Sequence[Mark], scaling: Scaling) -> None:
    # Rounded, since scores are sums of floats.
    points = {Scaling().mark(mark.max_score, mark.max_score) for mark in marks}
    if maximum is None or scaling.out_of is not None or points <= {maximum}:
        return
    # Refused, not scaled: nobody would see it.
    shown = ", ".join(f"{each.normalize():f}" for each in sorted(points))
    raise UsageError(
        f"marks are out of {maximum.normalize():f} on the platform, but out of {shown} in the run",
        help=f"scale the marks with --out-of {maximum.normalize():f}",
    )


def _some(people: Sequence[str]) -> str:
    return ", ".join(one_line(each, 60) for each in people[:_SOME]) or "nobody"


def _doubtful(people: Sequence[str]) -> UsageError:
    lines = "\n".join(f"  {one_line(each)}" for each in people[:_MAX_NAMED])
    more = len(people) - _MAX_NAMED
    shown = f"{lines}\n  and {more} more" if more > 0 else lines
    return UsageError(
        f"the rows of {len(people)} of the students are in doubt:\n{shown}",
        help="name the key to match them by with --match, or leave them out with --skip-doubtful",
    )
