"""Parses deadlines and late terms: which hand-ins are late, by how much, and the deduction.

A deadline given to the minute lasts until the end of that minute. Deductions are written as in a
course description: `10% per day, at most 50%`, `cap 60%`, `refuse`. A student can have her own
deadline, or some extra days.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from enum import StrEnum, unique
from fractions import Fraction
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from grader.errors import UsageError
from grader.values.foreign_text import one_line

_DEADLINE: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?: ?\[?(Z|[+-]\d\d:?\d\d|[A-Za-z][\w+/-]*)\]?)?",
    re.ASCII,
)
_EXTRA_DAYS: Final = re.compile(r"\+?(\d{1,3}) ?d?", re.ASCII)
"""The sign is optional, because spreadsheets drop it."""
_OFFSET: Final = re.compile(r"([+-])(\d\d):?(\d\d)", re.ASCII)
_PERCENT: Final = r"(\d{1,3}(?:[.]\d{1,4})?) ?%"
_RATE: Final = re.compile(
    rf"{_PERCENT}(?: (of the maximum))?(?: per (hour|day|week))?(?:, at most {_PERCENT})?", re.ASCII
)
_CAP: Final = re.compile(rf"cap {_PERCENT}", re.ASCII)
_TERMS_HELP: Final = (
    "write it, for example, as '10% per day, at most 50%', '10% of the maximum', 'cap 60%' or"
    " 'refuse'"
)
_DEADLINE_HELP: Final = (
    "write it, for example, as 2026-10-01T23:59, 2026-10-01T23:59+02:00 or"
    " '2026-10-01T23:59 Europe/Brussels'"
)
_OWN_DEADLINE_HELP: Final = (
    "write it, for example, as 2026-10-08T23:59, or as +3d for three more days; leave the cell"
    " empty for the common deadline"
)
_MINUTE: Final = timedelta(minutes=1)
_HUNDRED_PERCENT: Final = 100
_DAY_CHARS: Final = len("2026-10-01")


@unique
class LateUnit(StrEnum):
    """The unit in which late time is counted; a started unit counts in full."""

    ONCE = "once"
    """A single deduction, however late the hand-in is."""
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"

    @property
    def seconds(self) -> float:
        """The length of the unit in seconds; infinite for `ONCE`, so that it is counted once."""
        return {"hour": 3_600.0, "day": 86_400.0, "week": 604_800.0}.get(self.value, math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class LateTerms:
    """The deduction for late hand-ins: percentages of the earned points, or a cap."""

    percent: Fraction = Fraction(0)
    """The deduction for each started unit."""
    unit: LateUnit = LateUnit.ONCE
    most: Fraction = Fraction(_HUNDRED_PERCENT)
    """The maximum deduction, in percent."""
    is_of_maximum: bool = False
    """Whether percentages refer to the maximum points instead of the earned points."""
    cap: Fraction | None = None
    """The cap on points, as a percentage of the maximum; overrides the fields above."""

    @property
    def refuses(self) -> bool:
        """Whether late hand-ins get no points at all."""
        return self.cap == 0

    def __str__(self) -> str:
        if self.cap is not None:
            return "refuse" if self.refuses else f"cap {format_percent(self.cap)}%"
        base = " of the maximum" if self.is_of_maximum else ""
        per = "" if self.unit is LateUnit.ONCE else f" per {self.unit.value}"
        most = "" if self.most == _HUNDRED_PERCENT else f", at most {format_percent(self.most)}%"
        return f"{format_percent(self.percent)}%{base}{per}{most}"

    def deduction(self, late_s: int, earned: Fraction, maximum: Fraction) -> Fraction:
        """Return the points, at most `earned`, to deduct for handing in `late_s` seconds late."""
        if self.cap is not None:
            return max(Fraction(0), earned - maximum * self.cap / _HUNDRED_PERCENT)
        units = max(1, math.ceil(late_s / self.unit.seconds))
        percent = min(self.percent * units, self.most)
        return min(earned, (maximum if self.is_of_maximum else earned) * percent / _HUNDRED_PERCENT)


def format_percent(percent: Fraction) -> str:
    """Return `percent` as text, with at most four decimals."""
    return f"{float(percent):.4f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lateness:
    """How late a hand-in is, and the terms that apply."""

    late_s: int | None
    """None if the platform marks the hand-in as late without a time."""
    deadline: str
    """The deadline that applied, as shown to people."""
    terms: LateTerms | None = None
    """None if lateness is only reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """The time by which work must be handed in."""

    text: str
    """The deadline as it was written."""
    end: datetime
    """The first instant that is late."""
    terms: LateTerms | None = None

    @property
    def display_text(self) -> str:
        """The deadline as shown to people, with a space before the time."""
        return f"{self.text[:_DAY_CHARS]} {self.text[_DAY_CHARS + 1 :]}"

    def for_student(self, text: str) -> Deadline:
        """Return the deadline of a student whose own deadline in the roster is `text`.

        `text` is a number of days after this deadline, or a date and time. A time without a zone is
        in the zone of this deadline. Raises `UsageError` if `text` is invalid, or if the resulting
        day is outside the calendar.
        """
        common = _parse_parts(self.text)
        if extra := _EXTRA_DAYS.fullmatch(text):
            try:
                day = date.fromisoformat(common.day) + timedelta(days=int(extra[1]))
            except OverflowError:
                raise UsageError(
                    f"the deadline {one_line(self.text)} cannot be extended by {one_line(text)}:"
                    " no year after 9999 is possible",
                    help="give an earlier --deadline, or fewer extra days in the roster",
                ) from None
            parts = common._replace(day=day.isoformat())
        else:
            parts = _parse_parts(text)
            parts = parts._replace(zone=parts.zone or common.zone)
        return replace(parse_deadline(str(parts)), terms=self.terms)

    def unknown_lateness(self) -> Lateness:
        """Return the lateness of a hand-in that the platform only marks as late, without a time."""
        return Lateness(late_s=None, deadline=self.display_text, terms=self.terms)

    def lateness(self, submitted: datetime) -> Lateness | None:
        """Return how late a submission handed in at `submitted` is, or None if it is on time.

        A time without a zone is in the zone of the deadline. Raises `UsageError` if `submitted` has
        a zone but the deadline has none.
        """
        if self.end.tzinfo is None and submitted.tzinfo is not None:
            raise UsageError(
                "submission times have a time zone, but the deadline has none:"
                f" {one_line(self.text)}",
                help="add a time zone to --deadline, as in '2026-10-01T23:59 Europe/Brussels'",
            )
        if submitted.tzinfo is None:
            submitted = submitted.replace(tzinfo=self.end.tzinfo)
        # Timestamps, because subtracting two times in one zone ignores a clock change between them.
        late_s = _timestamp(submitted) - _timestamp(self.end)
        if late_s < 0:
            return None
        late_s = max(1, math.ceil(late_s))  # a submission at exactly `end` is late
        return Lateness(late_s=late_s, deadline=self.display_text, terms=self.terms)


def _timestamp(time: datetime) -> float:
    # Timestamps are only subtracted from each other. If neither time has a zone, it does not matter
    # which zone is used for both.
    return (time.replace(tzinfo=UTC) if time.tzinfo is None else time).timestamp()


def parse_deadline(text: str, terms: str | None = None) -> Deadline:
    """Parse the deadline in `text`, and the late `terms` if given.

    Raises `UsageError` if either is invalid.
    """
    day, minute, second, zone = _parse_parts(text)
    try:
        local_time = datetime.fromisoformat(f"{day}T{minute}{second or ''}")
        # A deadline given to the minute includes that whole minute.
        local_time += timedelta(0) if second else _MINUTE
    except (ValueError, OverflowError):
        raise _deadline_error(text, ": there is no such day or time") from None
    try:
        end = local_time.replace(tzinfo=None if zone is None else _parse_zone(zone))
    except (ValueError, KeyError, OSError):
        raise _deadline_error(text, f": there is no time zone {zone}") from None
    return Deadline(
        text=text.strip(), end=end, terms=None if terms is None else parse_late_terms(terms)
    )


def normalize_own_deadline(text: str) -> str:
    """Normalize the deadline of one student in the roster.

    Raises `UsageError` if `text` is neither a date and time nor a number of extra days.
    """
    if extra := _EXTRA_DAYS.fullmatch(text):
        return f"+{int(extra[1])}d"
    try:
        return str(_parse_parts(parse_deadline(text).text))
    except UsageError as error:
        raise UsageError(error.message, help=_OWN_DEADLINE_HELP) from None


class _Parts(NamedTuple):
    """The parts of a deadline, as they were written."""

    day: str
    minute: str
    second: str | None
    zone: str | None

    def __str__(self) -> str:
        return f"{self.day}T{self.minute}{self.second or ''} {self.zone or ''}".rstrip()


def _parse_parts(text: str) -> _Parts:
    match = _DEADLINE.fullmatch(text.strip())
    if match is None:
        raise _deadline_error(text)
    return _Parts(*match.groups())


def _deadline_error(text: str, reason: str = "") -> UsageError:
    return UsageError(
        f"{one_line(text, 60)!r} is not a valid deadline{reason}", help=_DEADLINE_HELP
    )


def _parse_zone(name: str) -> tzinfo:
    """Return the zone for `Z`, a UTC offset or a name.

    Raises `KeyError` if the name is unknown, `OSError` if it is the name of a folder of zones, and
    `ValueError` if the name is malformed or the offset is too large.
    """
    if name == "Z":
        return UTC
    if match := _OFFSET.fullmatch(name):
        sign, hours, minutes = match.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-offset if sign == "-" else offset)
    return ZoneInfo(name)


def parse_late_terms(text: str) -> LateTerms:
    """Parse the terms for late hand-ins in `text`; raises `UsageError` if they are invalid."""
    plain = " ".join(text.split())
    if plain == "refuse":
        return LateTerms(cap=Fraction(0))
    if match := _CAP.fullmatch(plain):
        return LateTerms(cap=_parse_percent(match[1]))
    if not (match := _RATE.fullmatch(plain)):
        raise UsageError(
            f"{one_line(text, 60)!r} is not a valid deduction for late hand-ins", help=_TERMS_HELP
        )
    percent, of_maximum, unit, most = match.groups()
    if most is not None and unit is None:
        raise UsageError(
            f"{one_line(text, 60)!r} has 'at most', but no deduction per hour, day or week",
            help=_TERMS_HELP,
        )
    return LateTerms(
        percent=_parse_percent(percent),
        unit=LateUnit(unit or "once"),
        most=_parse_percent(most or str(_HUNDRED_PERCENT)),
        is_of_maximum=of_maximum is not None,
    )


def _parse_percent(text: str) -> Fraction:
    percent = Fraction(text)
    if percent > _HUNDRED_PERCENT:
        raise UsageError(
            f"the terms for late hand-ins contain {text}%, which is more than 100%",
            help=f"give at most 100%; {_TERMS_HELP}",
        )
    return percent
