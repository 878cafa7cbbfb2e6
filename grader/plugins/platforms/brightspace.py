"""Brightspace: `<n>-<n> - <name> - <day and time>/<file>`, or all that before the file itself.

One of the two numbers is that of the folder in the course, the same for all; the other one is that
of the student. The time is in the language of the teacher, without its colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from grader.intake.layouts.recognition import (
    Fit,
    Layout,
    LeftOut,
    Name,
    Pile,
    Recognition,
    Wanted,
    counted,
    fits,
    grouped,
    names_of,
    others_left_out,
    paths_of,
    values_of,
)
from grader.intake.people import Person
from grader.intake.sources import Source
from grader.plugins.platforms.dates import TIME, time_in

_FORM: Final = re.compile(
    rf"(?P<one>\d+)-(?P<two>\d+) ?- ?(?P<name>.+?) ?- ?(?P<time>{TIME})(?: ?- ?(?P<file>.+))?",
    re.DOTALL | re.IGNORECASE,
)
_TITLE: Final = "Brightspace"
_INDEX: Final = "index.html"


def _recognise(source: Source, _wanted: Wanted) -> Recognition | None:
    fitting, others = fits(names_of(source), _FORM)
    if not fitting:
        return None
    indices = [name for name in others if name.parts[-1].lower() == _INDEX]
    others = [name for name in others if name.parts[-1].lower() != _INDEX]
    which = _number_of_student(fitting)
    by_person = grouped(fitting, lambda each: f"{each.found[which]} {each.found['name']}")
    attempts = [
        _pile(of_time).attempt(
            Person(name=of_time[0].found["name"].strip(), id=of_time[0].found[which]),
            submitted=time_in(of_time[0].found),
        )
        for of_person in by_person.values()
        for of_time in grouped(of_person, lambda each: each.found["time"]).values()
    ]
    return Recognition(
        layout="brightspace",
        evidence=counted(fitting, others, _TITLE),
        fitting=paths_of(fitting) | {name.path for name in indices},
        attempts=tuple(attempts),
        left_out=(*map(_left_out, indices), *others_left_out(others, _TITLE)),
    )


def _left_out(name: Name) -> LeftOut:
    return LeftOut(name.path, "it is the table of contents")


def _number_of_student(fitting: Sequence[Fit]) -> str:
    """Return which of the two numbers tells students apart: the one that is not always the same."""
    firsts = len(list(values_of(fitting, "one")))
    seconds = len(list(values_of(fitting, "two")))
    return "two" if firsts == 1 < seconds else "one"


def _pile(fitting: Sequence[Fit]) -> Pile:
    pile = Pile()
    for each in fitting:
        pile.put(each.name, each.path_of(each.found["file"]))
    return pile


BRIGHTSPACE: Final = Layout(name="brightspace", recognise=_recognise)
