"""Canvas: `<last and first name>[_LATE]_<user id>_<submission id>_<file>`, all in one folder.

The name is in small letters and without blanks, which nobody can undo: it is only a *handle*. Who
hands in a file of the same name again has `-1` behind it. Ids of submissions grow, so they tell
what came first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
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

_FORM: Final = re.compile(
    r"(?P<front>LATE_)?(?P<handle>[^\W_A-Z]+(?:_late(?=_LATE))?)(?P<late>_LATE|_late)?_"
    r"(?P<id>\d+|(?<=anon_)[a-zA-Z0-9]+|(?<=anonymous_)[a-zA-Z0-9]+|(?<=anonymous_LATE_)[a-zA-Z0-9]+)"
    r"_(?:(?P<submission>\d+)_(?P<file>.+)|(?P<typed>text|link|url|question_\d+.*)\.\w+)",
    re.DOTALL,
)
_AGAIN: Final = re.compile(r"(?P<stem>.*[^-])-(?P<number>[1-9]\d?)(?P<suffix>(?:\.\w+)*)")
_TITLE: Final = "Canvas"


def _recognise(source: Source, _wanted: Wanted) -> Recognition | None:
    fitting, others = fits(names_of(source), _FORM)
    if not fitting:
        return None
    attempts: list[Attempt] = []
    guesses: list[str] = []
    for user, of_user in grouped(fitting, lambda each: each.found["id"]).items():
        handle = of_user[0].found["handle"]
        found = _attempts(of_user, Person(handle=handle, id=user))
        attempts += found
        if len(found) > 1 and not _told_late(found):
            guesses.append(f"{handle}: files of one name are {len(found)} attempts")
    return Recognition(
        layout="canvas",
        evidence=counted(fitting, others, _TITLE),
        fitting=paths_of(fitting),
        attempts=tuple(attempts),
        left_out=others_left_out(others, _TITLE),
        guesses=tuple(guesses),
    )


def _told_late(attempts: Sequence[Attempt]) -> bool:
    return all(one.is_late != other.is_late for one, other in pairwise(attempts))


def _attempts(fitting: Iterable[Fit], person: Person) -> list[Attempt]:
    """Return what `person` handed in: another attempt begins where a file comes once more."""
    by_part = grouped(fitting, lambda each: each.name.parts[each.depth])
    parts = sorted(by_part.values(), key=lambda part: int(part[0].found["submission"] or 0))
    piles: list[tuple[Pile, bool, set[str], int]] = []
    for part in parts:
        file, again = _file(part[0])
        is_late = any(part[0].found[flag] is not None for flag in ("late", "front"))
        if not piles or file in piles[-1][2] or is_late != piles[-1][1]:
            piles.append((Pile(), is_late, set(), 1))
        pile, _, files, number = piles[-1]
        files.add(file)
        piles[-1] = (pile, is_late, files, max(number, again + 1))
        for each in part:
            pile.put(each.name, each.path_of(file))
    return [
        pile.attempt(person, number=max(number, place), is_late=is_late)
        for place, (pile, is_late, _, number) in enumerate(piles, 1)
    ]


def _file(fit: Fit) -> tuple[str, int]:
    """Return how the student called a file, and how many of that name she had handed in before."""
    file = fit.found["file"] or f"{fit.found['typed']}.html"
    again = _AGAIN.fullmatch(file)
    if again is None:
        return file, 0
    return again["stem"] + again["suffix"], int(again["number"])


CANVAS: Final = Layout(name="canvas", recognise=_recognise)
