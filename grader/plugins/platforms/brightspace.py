"""Brightspace: `<n>-<n> - <name> - <day and time>/<file>`, or all that before the file itself.

One of the two numbers is of the folder in the course, the same for all; the other one is of the
student. The time is in the language of the teacher, without its colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from grader.intake.layouts.recognition import AttemptBuilder, Fit, group_fits, values_of
from grader.intake.people import Person
from grader.plugins.platforms.dates import TIME, time_in
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NameForm, Pages, Platform, Reading

_NAME: Final = re.compile(
    rf"(?P<one>\d+)-(?P<two>\d+) ?- ?(?P<name>.+?) ?- ?(?P<time>{TIME})(?: ?- ?(?P<file>.+))?",
    re.DOTALL | re.IGNORECASE,
)


def _read(fitting: Sequence[Fit]) -> Reading:
    reading = Reading()
    which = _number_of_student(fitting)
    by_person = group_fits(fitting, lambda each: f"{each.match[which]} {each.match['name']}")
    for of_person in by_person.values():
        found = of_person[0].match
        person = Person(name=found["name"].strip(), id=found[which])
        reading.owned += [(each, person) for each in of_person]
        for of_time in group_fits(of_person, lambda each: each.match["time"]).values():
            pile = AttemptBuilder()
            for each in of_time:
                pile.add_file(each.name, each.path_of(each.match["file"]))
            reading.attempts.append(pile.attempt(person, submitted=time_in(of_time[0].match)))
    return reading


def _number_of_student(fitting: Sequence[Fit]) -> str:
    """Return which of the two numbers is the student's: the one that varies."""
    firsts = len(list(values_of(fitting, "one")))
    seconds = len(list(values_of(fitting, "two")))
    return "two" if firsts == 1 < seconds else "one"


def _page(found: re.Match[str]) -> str:
    return found[0][: found.end("time")] + (" - " if found["file"] else "/")


_FORM: Final = NameForm(
    layout="brightspace",
    title="Brightspace",
    pattern=_NAME,
    read=_read,
    beside={"index.html": "it is the table of contents"},
    has_own_ids=True,
)
BRIGHTSPACE: Final = Platform(
    name="brightspace",
    recognise=_FORM.recognise,
    pages=Pages(form=_FORM, name=_page),
    gradebooks=(
        Dialect(
            name="Brightspace grades",
            languages=(
                # Its keys are in English everywhere, and a mark says what it is out of.
                Words("en", "end-of-line indicator | orgdefinedid", mark="points grade"),
                Words("nl", mark="puntencijfer"),
                Words("es", mark="calificación de puntos"),
            ),
            mark=r"(?=.+ (?:{mark})(?: ?<[^>]*>)?$|.+<[^>]*maxpoints:)(?P<item>.+?)(?: (?:{mark}))?"
            r"(?: ?<[^>]*?maxpoints:(?P<max>\d+(?:[.,]\d+)?)[^>]*>)?",
        ),
    ),
)
