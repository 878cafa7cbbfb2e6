"""Parses the dates and times that platforms write, in several languages or in ISO format."""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime, timedelta
from typing import Final

_MONTH: Final = r"(?P<{}>[^\W\d_]{{3,10}})\.?"
TIME: Final = (
    rf"(?:{_MONTH.format('en')} (?P<en_day>\d\d?)|(?P<day>\d\d?) (?:de )?{_MONTH.format('month')}"
    r"(?: de)?),? (?P<year>\d{4}),? (?P<hour>\d\d?)(?: ?[:._hu] ?| )?(?P<minute>\d\d)"
    r"(?:[:.](?P<second>\d\d))?"
    # Since CLDR 42, a narrow no-break space precedes `AM`.
    r"(?:[ \u202f\u00a0]?(?P<half>[ap])\.? ?m\.?)?"
)
"""The pattern of a date and time, to be parsed with `parse_time`."""
_ZONES: Final = {
    name: timedelta(hours=hours)
    for hours, names in enumerate(("UTC GMT WET", "CET MET BST WEST", "CEST MEST EET", "EEST"))
    for name in names.split()
}
"""UTC offsets of European time zones, keyed by abbreviation."""
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "jan ene gen",
            "feb fev",
            "mar maa mrt",
            "apr abr avr",
            "may mei mai mag",
            "jun juin giu",
            "jul juil lug",
            "aug ago aou",
            "sep set",
            "oct okt out ott",
            "nov",
            "dec dic dez",
        ),
        1,
    )
    for name in names.split()
}


def parse_time(match: re.Match[str]) -> datetime | None:
    """Return the time in a match of `TIME`, without a zone, or None for an invalid date."""
    # Decomposing turns accents, as in `août`, into separate characters that are not letters.
    decomposed = unicodedata.normalize("NFKD", match["en"] or match["month"])
    month_name = "".join(filter(str.isalpha, decomposed)).lower()
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"].lower() == "p")  # 12 am is midnight, 12 pm noon
    try:
        day = int(match["en_day"] or match["day"])
        minute, second = int(match["minute"]), int(match["second"] or 0)
        return datetime(int(match["year"]), _month(month_name), day, hour, minute, second)  # noqa: DTZ001
    except (KeyError, ValueError):
        return None


def find_utc_offset(text: str) -> timedelta | None:
    """Return the UTC offset of the first known time zone in `text`, or None if there is none."""
    return next((_ZONES[word] for word in re.findall(r"\w+", text) if word in _ZONES), None)


def parse_iso_time(text: str) -> datetime | None:
    """Parse an ISO time, which can have a space before its zone; return None if it is invalid."""
    text = re.sub(r" (?:UTC|Z)$", "+00:00", text.strip())
    try:
        return datetime.fromisoformat(re.sub(r" ([+-]\d\d):?(\d\d)$", r"\1:\2", text))
    except ValueError:
        return None


def _month(name: str) -> int:
    """Return a month's number; raises `KeyError` if the name is unknown.

    Four letters are tried first, because French `juin` and `juillet` differ in the fourth.
    """
    return _MONTHS.get(name[:4]) or _MONTHS[name[:3]]
