"""Brightspace: `<n>-<n> - <name> - <day and time>/<file>`, or the same with ` - ` before the file.

One of the two numbers identifies the course folder, and is the same for everybody; the other one
identifies the student. The time is in the teacher's language, without its colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from grader.intake.layouts.recognition import AttemptBuilder, Fit, group_fits, values_of
from grader.intake.people import Person
from grader.plugins.platforms.dates import TIME, parse_time
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NamingScheme, Pages, Platform, Reading

_NAME: Final = re.compile(
    rf"(?P<one>\d+)-(?P<two>\d+) ?- ?(?P<name>.+?) ?- ?(?P<time>{TIME})(?: ?- ?(?P<file>.+))?",
    re.DOTALL | re.IGNORECASE,
)


def _read(fits: Sequence[Fit]) -> Reading:
    """Read the attempts of each student, one for each time."""
    reading = Reading()
    id_group = _student_number_group(fits)
    fits_by_person = group_fits(fits, lambda fit: f"{fit.match[id_group]} {fit.match['name']}")
    for person_fits in fits_by_person.values():
        match = person_fits[0].match
        person = Person(name=match["name"].strip(), id=match[id_group])
        reading.owners += [(fit, person) for fit in person_fits]
        for attempt_fits in group_fits(person_fits, lambda fit: fit.match["time"]).values():
            builder = AttemptBuilder()
            for fit in attempt_fits:
                builder.add_file(fit.name, fit.path_of(fit.match["file"]))
            submitted = parse_time(attempt_fits[0].match)
            reading.attempts.append(builder.attempt(person, submitted=submitted))
    return reading


def _student_number_group(fits: Sequence[Fit]) -> str:
    """Return the name of the group that matches student numbers: the one whose numbers vary.

    If this is unclear, the first number is assumed.
    """
    first_count = len(list(values_of(fits, "one")))
    second_count = len(list(values_of(fits, "two")))
    return "two" if first_count == 1 < second_count else "one"


def _page_prefix(match: re.Match[str]) -> str:
    return match[0][: match.end("time")] + (" - " if match["file"] else "/")


_SCHEME: Final = NamingScheme(
    layout="brightspace",
    title="Brightspace",
    pattern=_NAME,
    read=_read,
    companions={"index.html": "it is the table of contents"},
    has_own_ids=True,
)
BRIGHTSPACE: Final = Platform(
    name="brightspace",
    recognise=_SCHEME.recognise,
    pages=Pages(scheme=_SCHEME, find_prefix=_page_prefix),
    gradebooks=(
        Dialect(
            name="Brightspace grades",
            languages=(
                # The key columns are English everywhere, and the header of a mark has the maximum.
                Words("en", "end-of-line indicator | orgdefinedid", mark="points grade"),
                Words("nl", mark="puntencijfer"),
                Words("es", mark="calificación de puntos"),
            ),
            mark=r"(?=.+ (?:{mark})(?: ?<[^>]*>)?$|.+<[^>]*maxpoints:)(?P<item>.+?)(?: (?:{mark}))?"
            r"(?: ?<[^>]*?maxpoints:(?P<max>\d+(?:[.,]\d+)?)[^>]*>)?",
        ),
    ),
)
