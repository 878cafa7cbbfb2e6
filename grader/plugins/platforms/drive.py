"""Google: uploads to a form, `<file> - <name>.py`, and to a class, `<name> - <file>.py`.

The half that is nearly the same for everybody is the file; the other half is the name.
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
from grader.plugins.platforms.platform import NamingScheme, Platform, Reading

_REST: Final = r" - (?P<right>.+?)(?P<copy> ?\(\d+\))?(?P<suffix>\.[A-Za-z]\w{0,5}(?:\.\w\w\w?)?)"


def _recognise(source: Source, known: KnownExercise) -> Recognition | None:
    """Return the hand-ins in `source`, or None if the side of the student's name is unclear."""
    by_side = {side: scheme.match_names(source)[0] for side, scheme in _SCHEMES.items()}
    side = _find_name_side(by_side, known)
    return None if side is None else _SCHEMES[side].recognise(source, known)


def _read(side: str, fits: Sequence[Fit]) -> Reading:
    """Read attempts from file names with the student's name on this `side` of the separator."""
    reading = Reading(
        guesses=["names come from file names, which contain the names of the uploading accounts"]
    )
    for name, student_fits in group_fits(fits, lambda fit: fit.match[side].strip()).items():
        for number, copy in enumerate(_group_copies(student_fits), 1):
            builder = AttemptBuilder()
            for fit in copy:
                builder.add_file(fit.name, fit.path_of(_file_name(fit, side)))
            reading.attempts.append(builder.attempt(Person(name=name), number=number))
    return reading


def _find_name_side(by_side: Mapping[str, Sequence[Fit]], known: KnownExercise) -> str | None:
    """Return on which side of the separator the students' names are, or None if this is unclear.

    The side that more often has the same text, or the name of a module, has the file names.
    """
    shared_half_rate: dict[str, float] = {}
    for side, other_side in (("left", "right"), ("right", "left")):
        fits = by_side[other_side]  # the names that fit if the student's name is on the other side
        if not fits:
            return None
        halves = Counter(fit.match[side].strip() for fit in fits)
        module_file_count = sum(count for half, count in halves.items() if known.has_module(half))
        shared_half_rate[side] = (max(halves.values()) + module_file_count) / len(fits)
    if len(fits) == 1 and shared_half_rate["left"] == shared_half_rate["right"]:
        return "right" if known.is_forced else None
    if shared_half_rate["left"] == shared_half_rate["right"]:
        return None
    return "right" if shared_half_rate["left"] > shared_half_rate["right"] else "left"


def _group_copies(fits: Sequence[Fit]) -> list[list[Fit]]:
    """Group one student's files into attempts: a file with `(1)` after its name came later."""
    by_copy = group_fits(fits, lambda fit: fit.match["copy"] or "")
    # Sorted by length first, so that `(10)` comes after `(2)`.
    return [by_copy[key] for key in sorted(by_copy, key=lambda key: (len(key), key))]


def _file_name(fit: Fit, side: str) -> str:
    other_side = "left" if side == "right" else "right"
    return fit.match[other_side].strip() + (fit.match["suffix"] or "")


_SCHEMES: Final = {
    side: NamingScheme(
        layout="drive",
        title="Google Drive",
        pattern=re.compile(left + _REST, re.DOTALL),
        read=partial(_read, side),
        matches_files=True,
    )
    for side, left in (("left", "(?P<left>.+?)"), ("right", "(?P<left>.+)"))
}
"""The naming scheme for each side of the student's name, because file names can contain ` - `."""
DRIVE: Final = Platform(name="drive", recognise=_recognise, is_common=True)
