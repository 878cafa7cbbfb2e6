"""Parses dates and times of platforms, in several languages or in ISO form."""

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
    # Since CLDR 42, a narrow no-break space stands before `AM`.
    r"(?:[ \u202f\u00a0]?(?P<half>[ap])\.? ?m\.?)?"
)
"""A pattern for a date and time, for `time_in`."""
_ZONES: Final = {
    name: timedelta(hours=hours)
    for hours, names in enumerate(("UTC GMT WET", "CET MET BST WEST", "CEST MEST EET", "EEST"))
    for name in names.split()
}
"""UTC offsets of European time zones, by abbreviation."""
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


def time_in(found: re.Match[str]) -> datetime | None:
    """Return the time in a match of `TIME`, without a zone; None for an invalid date."""
    # Accents become characters of their own, which are no letters: `août`.
    decomposed = unicodedata.normalize("NFKD", found["en"] or found["month"])
    name = "".join(filter(str.isalpha, decomposed)).lower()
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"].lower() == "p")  # 12 am is midnight, 12 pm noon
    try:
        day = int(found["en_day"] or found["day"])
        minute, second = int(found["minute"]), int(found["second"] or 0)
        return datetime(int(found["year"]), _month(name), day, hour, minute, second)  # noqa: DTZ001
    except (KeyError, ValueError):
        return None


def zone_in(text: str) -> timedelta | None:
    """Return the UTC offset of the zone that `text` names, or None."""
    return next((_ZONES[word] for word in re.findall(r"\w+", text) if word in _ZONES), None)


def iso_time(text: str) -> datetime | None:
    """Return the time in ISO form in `text`, with or without a blank before its zone, or None."""
    text = re.sub(r" (?:UTC|Z)$", "+00:00", text.strip())
    try:
        return datetime.fromisoformat(re.sub(r" ([+-]\d\d):?(\d\d)$", r"\1:\2", text))
    except ValueError:
        return None


def _month(name: str) -> int:
    """Return the number of a month; French `juin` and `juillet` differ in the fourth letter."""
    return _MONTHS.get(name[:4]) or _MONTHS[name[:3]]
