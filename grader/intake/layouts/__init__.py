"""How platforms name what they let a teacher download, one module for each.

Each layout recognises itself by evidence. Adding one is a module and a line in `LAYOUTS`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from grader.intake.layouts.blackboard import BLACKBOARD
from grader.intake.layouts.brightspace import BRIGHTSPACE
from grader.intake.layouts.canvas import CANVAS
from grader.intake.layouts.dodona import DODONA
from grader.intake.layouts.drive import DRIVE
from grader.intake.layouts.github import CLASSROOM_50, GITHUB
from grader.intake.layouts.gradescope import GRADESCOPE
from grader.intake.layouts.moodle import MOODLE
from grader.intake.layouts.patterns import by_pattern
from grader.intake.layouts.plain import PLAIN
from grader.intake.layouts.recognition import Recognition, Wanted, names_of
from grader.intake.sources import Source

LAYOUTS: Final = {
    layout.name: layout
    for layout in (
        DODONA,
        GRADESCOPE,
        BLACKBOARD,
        MOODLE,
        BRIGHTSPACE,
        CANVAS,
        GITHUB,
        CLASSROOM_50,
        DRIVE,
        PLAIN,
    )
}
"""In the order in which they are believed: a table that says whose each file is comes first."""
_LAST: Final = frozenset({"drive", "plain"})
"""Their forms may be met by accident, so they are taken only where no other fits."""


def recognised(
    source: Source, wanted: Wanted, *, layout: str | None = None, pattern: str | None = None
) -> list[Recognition]:
    """Return what the layouts make of `source`: one, or several where it is mixed.

    A `layout` that is named, or a `pattern` with a group `student`, is the only one. Platforms
    count where at least half of the names have the form of one of them. Where these are fewer,
    files and folders are taken to be named after students, and it is told.
    """
    if pattern is not None:
        found = by_pattern(source, re.compile(pattern, re.DOTALL))
        return [] if found is None else [found]
    if layout is not None:
        found = LAYOUTS[layout].recognise(source, replace(wanted, is_forced=True))
        return [] if found is None else [found]
    told = _by_evidence(source, wanted)
    if told and _are_most(told, source):
        return told
    for name in ("drive", "plain"):
        found = LAYOUTS[name].recognise(source, wanted)
        if found is not None and (name == "plain" or _are_most([found], source)):
            few = tuple(f"{each.evidence}; --layout {each.layout} takes these" for each in told)
            return [replace(found, guesses=(*found.guesses, *few))]
    return []


def is_plain(found: Sequence[Recognition]) -> bool:
    """Return whether files and folders, and no platform, say whose each hand-in is."""
    return all(each.layout == PLAIN.name for each in found)


def _by_evidence(source: Source, wanted: Wanted) -> list[Recognition]:
    """Return what platforms recognise, the one that fits most names first."""
    found: list[Recognition] = []
    left = source
    for _ in LAYOUTS:
        each = [
            recognition
            for layout in LAYOUTS.values()
            if layout.name not in _LAST
            and (recognition := layout.recognise(left, wanted)) is not None
        ]
        best = max(each, key=lambda one: len(one.fitting), default=None)
        if best is None:
            break
        found.append(best)
        left = left.without(best.fitting)
    fitting = frozenset[str]().union(*(one.fitting for one in found))
    return [
        replace(
            one,
            # What the last one cannot place, none can.
            left_out=tuple(each for each in one.left_out if each.path not in fitting - one.fitting)
            if one is found[-1]
            else tuple(each for each in one.left_out if each.path in one.fitting),
        )
        for one in found
    ]


def _are_most(found: Sequence[Recognition], source: Source) -> bool:
    """Return whether there are no more others than attempts; files in one folder are one other."""
    fitting = frozenset[str]().union(*(one.fitting for one in found))
    others = {
        name.parts[:-1] or name.parts for name in names_of(source) if name.path not in fitting
    }
    return sum(len(one.attempts) or len(one.fitting) for one in found) >= len(others)
