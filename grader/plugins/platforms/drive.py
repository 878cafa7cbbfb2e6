"""Google: files of a form, `<file> - <name>.py`, and of a class, `<name> - <file>.py`.

Which half is the name is told by the other one: it is nearly the same for all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from grader.intake.layouts.recognition import (
    Fit,
    Layout,
    Pile,
    Recognition,
    Wanted,
    counted,
    fits,
    grouped,
    names_of,
    others_left_out,
    paths_of,
)
from grader.intake.people import Attempt, Person
from grader.intake.sources import Source

_REST: Final = r" - (?P<right>.+?)(?P<copy> ?\(\d+\))?(?P<suffix>\.[A-Za-z]\w{0,5}(?:\.\w\w\w?)?)"
_FORMS: Final = {
    "left": re.compile(rf"(?P<left>.+?){_REST}", re.DOTALL),
    "right": re.compile(rf"(?P<left>.+){_REST}", re.DOTALL),
}
"""By where the name stands: the file may have ` - ` in it too."""
_TITLE: Final = "Google Drive"


def _recognise(source: Source, wanted: Wanted) -> Recognition | None:
    names = names_of(source)
    by_side = {side: fits(names, form, source.archives) for side, form in _FORMS.items()}
    side = _side_of_name({side: fitting for side, (fitting, _) in by_side.items()}, wanted)
    if side is None:
        return None
    fitting, others = by_side[side]
    attempts: list[Attempt] = []
    for name, of_name in grouped(fitting, lambda each: _bare(each.found[side])).items():
        for number, copy in enumerate(_copies(of_name), 1):
            pile = Pile()
            for each in copy:
                pile.put(each.name, each.path_of(_file(each, side)))
            attempts.append(pile.attempt(Person(name=name), number=number))
    return Recognition(
        layout="drive",
        evidence=counted(fitting, others, _TITLE),
        fitting=paths_of(fitting),
        attempts=tuple(attempts),
        left_out=others_left_out(others, _TITLE),
        guesses=("names are those in the names of files, of the account that uploaded each",),
    )


def _side_of_name(by_side: Mapping[str, Sequence[Fit]], wanted: Wanted) -> str | None:
    """Return which half of the names tells students apart, None where neither does."""
    share: dict[str, float] = {}
    for side, other in (("left", "right"), ("right", "left")):
        fitting = by_side[other]  # were the name on the other one
        if not fitting:
            return None
        halves = Counter(_bare(each.found[side]) for each in fitting)
        named = sum(count for half, count in halves.items() if wanted.names(half))
        share[side] = (max(halves.values()) + named) / len(fitting)
    if len(fitting) == 1 and share["left"] == share["right"]:
        return "right" if wanted.is_forced else None
    if share["left"] == share["right"]:
        return None
    return "right" if share["left"] > share["right"] else "left"


def _bare(half: str) -> str:
    return half.strip()


def _copies(fitting: Sequence[Fit]) -> list[list[Fit]]:
    """Return the files of one student by attempt: one with `(1)` behind its name came later."""
    by_copy = grouped(fitting, lambda each: each.found["copy"] or "")
    return [by_copy[key] for key in sorted(by_copy, key=lambda key: (len(key), key))]


def _file(fit: Fit, side: str) -> str:
    other = "left" if side == "right" else "right"
    return fit.found[other].strip() + (fit.found["suffix"] or "")


DRIVE: Final = Layout(name="drive", recognise=_recognise)
