"""Google: files of a form, `<file> - <name>.py`, and of a class, `<name> - <file>.py`.

The half that is nearly the same for all is the file; the other one is the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from grader.intake.layouts.recognition import (
    AttemptBuilder,
    Fit,
    KnownExercise,
    Recognition,
    group_fits,
)
from grader.intake.people import Person
from grader.intake.sources import Source
from grader.plugins.platforms.platform import NameForm, Platform, Reading

_REST: Final = r" - (?P<right>.+?)(?P<copy> ?\(\d+\))?(?P<suffix>\.[A-Za-z]\w{0,5}(?:\.\w\w\w?)?)"


def _recognise(source: Source, known: KnownExercise) -> Recognition | None:
    by_side = {side: form.match_names(source)[0] for side, form in _FORMS.items()}
    side = _side_of_name(by_side, known)
    return None if side is None else _FORMS[side].recognise(source, known)


def _read(side: str, fitting: Sequence[Fit]) -> Reading:
    reading = Reading(
        guesses=["names are those in the names of files, of the account that uploaded each"]
    )
    for name, of_name in group_fits(fitting, lambda each: _bare(each.match[side])).items():
        for number, copy in enumerate(_copies(of_name), 1):
            pile = AttemptBuilder()
            for each in copy:
                pile.add_file(each.name, each.path_of(_file(each, side)))
            reading.attempts.append(pile.attempt(Person(name=name), number=number))
    return reading


def _side_of_name(by_side: Mapping[str, Sequence[Fit]], known: KnownExercise) -> str | None:
    """Return which side of the separator has the names of students, None if that is unclear."""
    share: dict[str, float] = {}
    for side, other in (("left", "right"), ("right", "left")):
        fitting = by_side[other]  # file names that fit if the student's name is on the other side
        if not fitting:
            return None
        halves = Counter(_bare(each.match[side]) for each in fitting)
        named = sum(count for half, count in halves.items() if known.names(half))
        share[side] = (max(halves.values()) + named) / len(fitting)
    if len(fitting) == 1 and share["left"] == share["right"]:
        return "right" if known.is_forced else None
    if share["left"] == share["right"]:
        return None
    return "right" if share["left"] > share["right"] else "left"


def _bare(half: str) -> str:
    return half.strip()


def _copies(fitting: Sequence[Fit]) -> list[list[Fit]]:
    """Return the files of one student by attempt: a file with `(1)` after its name came later."""
    by_copy = group_fits(fitting, lambda each: each.match["copy"] or "")
    # By length first: `(10)` comes after `(2)`.
    return [by_copy[key] for key in sorted(by_copy, key=lambda key: (len(key), key))]


def _file(fit: Fit, side: str) -> str:
    other = "left" if side == "right" else "right"
    return fit.match[other].strip() + (fit.match["suffix"] or "")


_FORMS: Final = {
    side: NameForm(
        layout="drive",
        title="Google Drive",
        pattern=re.compile(left + _REST, re.DOTALL),
        read=partial(_read, side),
        of_files=True,
    )
    for side, left in (("left", "(?P<left>.+?)"), ("right", "(?P<left>.+)"))
}
"""By side of the student's name: the file name may contain ` - ` too."""
DRIVE: Final = Platform(name="drive", recognise=_recognise, is_common=True)
