"""Canvas: `<last and first name>[_LATE]_<user id>_<submission id>_<file>`, all in one folder.

The name is in small letters and without blanks, so it is only a *handle*. A file that is handed in
again has `-1` after its name. Ids of submissions increase, so they give the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from grader.intake.layouts.recognition import AttemptBuilder, Fit, group_fits
from grader.intake.people import Attempt, Person
from grader.plugins.platforms.gradebooks.dialects import Dialect, Words
from grader.plugins.platforms.platform import NameForm, Pages, Platform, Reading

_NAME: Final = re.compile(
    r"(?P<front>LATE_)?(?P<handle>[^\W_A-Z]+(?:_late(?=_LATE))?)(?P<late>_LATE|_late)?_"
    r"(?P<id>\d+|(?<=anon_)[a-zA-Z0-9]+|(?<=anonymous_)[a-zA-Z0-9]+|(?<=anonymous_LATE_)[a-zA-Z0-9]+)"
    r"_(?:(?P<submission>\d+)_(?P<file>.+)|(?P<typed>text|link|url|question_\d+.*)\.\w+)",
    re.DOTALL,
)
_AGAIN: Final = re.compile(r"(?P<stem>.*[^-])-(?P<number>[1-9]\d?)(?P<suffix>(?:\.\w+)*)")


def _read(fitting: Sequence[Fit]) -> Reading:
    reading = Reading()
    for user, of_user in group_fits(fitting, lambda each: each.match["id"]).items():
        handle = of_user[0].match["handle"]
        person = Person(handle=handle, id=user)
        found = _attempts(of_user, person)
        reading.attempts += found
        reading.owned += [(each, person) for each in of_user]
        if len(found) > 1 and not _told_late(found):
            reading.guesses.append(f"{handle}: files of one name are {len(found)} attempts")
    return reading


def _told_late(attempts: Sequence[Attempt]) -> bool:
    return all(one.is_late != other.is_late for one, other in pairwise(attempts))


def _attempts(fitting: Iterable[Fit], person: Person) -> list[Attempt]:
    """Return the attempts of `person`: a new one begins where a file name is repeated."""
    by_part = group_fits(fitting, lambda each: each.name.parts[each.depth])
    # What was typed has no id of a submission.
    parts = sorted(by_part.values(), key=lambda part: int(part[0].match["submission"] or 0))
    piles: list[tuple[AttemptBuilder, bool, set[str], int]] = []
    for part in parts:
        file, again = _file(part[0])
        is_late = any(part[0].match[flag] is not None for flag in ("late", "front"))
        if not piles or file in piles[-1][2] or is_late != piles[-1][1]:
            piles.append((AttemptBuilder(), is_late, set(), 1))
        pile, _, files, number = piles[-1]
        files.add(file)
        piles[-1] = (pile, is_late, files, max(number, again + 1))
        for each in part:
            pile.add_file(each.name, each.path_of(file))
    return [
        pile.attempt(person, number=max(number, place), is_late=is_late)
        for place, (pile, is_late, _, number) in enumerate(piles, 1)
    ]


def _file(fit: Fit) -> tuple[str, int]:
    """Return how the student called a file, and how many of that name she had handed in before."""
    file = fit.match["file"] or f"{fit.match['typed']}.html"
    again = _AGAIN.fullmatch(file)
    if again is None:
        return file, 0
    return again["stem"] + again["suffix"], int(again["number"])


def _page(found: re.Match[str]) -> str | None:
    """Return what stands before a file; Canvas ignores pages on text, which has no attachment."""
    return None if found["file"] is None else found[0][: found.start("file")]


_FORM: Final = NameForm(layout="canvas", title="Canvas", pattern=_NAME, read=_read)
CANVAS: Final = Platform(
    name="canvas",
    recognise=_FORM.recognise,
    pages=Pages(form=_FORM, name=_page),
    gradebooks=(
        Dialect(
            name="Canvas gradebook",
            languages=(
                Words("en", "student, id, section | sis login id"),
                Words("en", "id, sis login id, section"),
                Words("nl", "student, id, sectie"),
                Words("es", "estudiante, id, sección"),
                Words("de", "student | student/in | teilnehmer, id, abschnitt"),
                Words("fr", "étudiant | élève, id, section"),
            ),
            mark=r"(?P<item>.+) \(\d+\)",
            has_notes=True,
        ),
    ),
)
