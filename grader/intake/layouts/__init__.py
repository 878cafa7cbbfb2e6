"""Whose is what: platforms and people name what a teacher has, and here it is told which did.

Each layout recognises itself by evidence. Platforms are plug-ins; `plain` is what people do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from grader.intake.kinds import suffix_of
from grader.intake.layouts.plain import PLAIN
from grader.intake.layouts.recognition import (
    Layout,
    LeftOut,
    Recognition,
    Wanted,
    by_pattern,
    names_of,
)
from grader.intake.sources import Source
from grader.seams import PLATFORMS

_TEXTS: Final = frozenset({".txt", ".text", ".htm", ".html"})


def layout_names() -> list[str]:
    """Return what our layouts are called."""
    return [*PLATFORMS.table, PLAIN.name]


def _named(name: str) -> Layout:
    layout: Layout = PLAIN if name == PLAIN.name else PLATFORMS.load(name)
    return layout


def recognised(
    source: Source, wanted: Wanted, *, layout: str | None = None, pattern: str | None = None
) -> list[Recognition]:
    """Return what the layouts make of `source`: one, or several where it is mixed.

    A `layout` that is named, or a `pattern` with a group `student`, is the only one. Platforms
    count where at least half of the names have the form of one of them, those of others where ours
    do not. Where these are fewer, files and folders are taken to be named after students, and it is
    told.
    """
    if pattern is not None:
        found = by_pattern(source, re.compile(pattern, re.DOTALL))
        return [] if found is None else [found]
    if layout is not None:
        found = _named(layout).recognise(source, replace(wanted, is_forced=True))
        return [] if found is None else [found]
    ours: list[Layout] = [*PLATFORMS.installed()]
    told = _by_evidence(source, wanted, [each for each in ours if not each.is_common])
    if told and _are_most(told, source):
        return told
    common = (each for each in ours if each.is_common)
    for each in chain(common, PLATFORMS.of_others(), (PLAIN,)):
        found = each.recognise(source, wanted)
        if found is not None and (each is PLAIN or _are_most([found], source)):
            few = tuple(f"{each.evidence}; --layout {each.layout} takes these" for each in told)
            return [replace(found, guesses=(*found.guesses, *few))]
    return []


def hidden_hand_ins(source: Source, found: Sequence[Recognition]) -> Iterator[LeftOut]:
    """Yield what may be the work of a student of `source` and was passed over for its name.

    What lies in a hand-in that was `found` is an affair of its student.
    """
    files = {leaf.path for leaf in source.leaves}
    owners = _owners(found)
    for path in dict.fromkeys(source.hidden):
        folder = path.rpartition("/")[0]
        while folder and folder not in owners:
            folder = folder.rpartition("/")[0]
        if (folder and owners[folder]) or path.removesuffix("~") in files:
            continue
        name = path.rpartition("/")[2]
        if name.startswith("."):
            reason = "it is hidden: its name begins with a dot"
        elif name.endswith("~"):
            reason = "it is named like what an editor has as a backup"
        else:
            reason = "it is named like a folder of a program"
        reason = f"{reason}; give it another name if it is a hand-in"
        is_backup = name.endswith("~") and suffix_of(name) != ""
        yield LeftOut(path, reason, is_hand_in=not is_backup and suffix_of(name) not in _TEXTS)


def _owners(found: Sequence[Recognition]) -> Mapping[str, bool]:
    """Return of each folder with hand-ins whether it is one of them, and has none of another."""
    attempts = [each for recognition in found for each in recognition.attempts]
    whose: dict[str, set[str]] = {}
    for attempt in attempts:
        who = attempt.person.called
        for leaf in attempt.leaves.values():
            parts = leaf.path.split("/")[:-1]
            for count in range(len(parts)):
                whose.setdefault("/".join(parts[: count + 1]), set()).add(who)
    if len(whose_all := {each.person.called for each in attempts}) != 1 or not is_plain(found):
        return {folder: len(people) == 1 for folder, people in whose.items()}
    (only,) = whose_all  # what stands around the only one there is may be a folder of a class
    return {folder: only in folder.split("/") for folder in whose}


def is_plain(found: Sequence[Recognition]) -> bool:
    """Return whether files and folders, and no platform, say whose each hand-in is."""
    return all(each.layout == PLAIN.name for each in found)


def _by_evidence(source: Source, wanted: Wanted, platforms: Sequence[Layout]) -> list[Recognition]:
    """Return what platforms recognise, the one that fits most names first."""
    found: list[Recognition] = []
    left = source
    for _ in platforms:
        each = [
            recognition
            for layout in platforms
            if (recognition := layout.recognise(left, wanted)) is not None
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
