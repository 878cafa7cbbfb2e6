"""Finds out whose each hand-in is: recognises the platform that named the files, if any.

Each layout recognises itself by evidence. Platforms are plug-ins; `plain` is for files named by
people.
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
    """Return the names of our layouts."""
    return [*PLATFORMS.table, PLAIN.name]


def _named(name: str) -> Layout:
    layout: Layout = PLAIN if name == PLAIN.name else PLATFORMS.load(name)
    return layout


def recognised(
    source: Source, wanted: Wanted, *, layout: str | None = None, pattern: str | None = None
) -> list[Recognition]:
    """Return the layouts recognised in `source`: one, or several if it is mixed.

    If a `layout` is named, or a `pattern` with a group `student`, only that is tried. Platforms
    count if at least half of the names have the form of one of them; third-party ones are tried if
    ours do not fit. Otherwise files and folders are assumed to be named after students, and that is
    reported.
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
    for each in chain(common, PLATFORMS.third_party(), (PLAIN,)):
        found = each.recognise(source, wanted)
        if found is not None and (each is PLAIN or _are_most([found], source)):
            few = tuple(f"{each.evidence}; --layout {each.layout} takes these" for each in told)
            return [replace(found, guesses=(*found.guesses, *few))]
    return []


def hidden_hand_ins(source: Source, found: Sequence[Recognition]) -> Iterator[LeftOut]:
    """Yield paths in `source` that may be a student's work and were skipped for their name.

    Those inside a hand-in that was `found` are left to its student.
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
    """Return for each folder with hand-ins whether all in it belong to one person."""
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
    (only,) = whose_all  # the folder around the only hand-in may be that of the class
    return {folder: only in folder.split("/") for folder in whose}


def is_plain(found: Sequence[Recognition]) -> bool:
    """Return whether only file and folder names, and no platform, say whose each hand-in is."""
    return all(each.layout == PLAIN.name for each in found)


def _by_evidence(source: Source, wanted: Wanted, platforms: Sequence[Layout]) -> list[Recognition]:
    """Return what `platforms` recognise, the one that fits most names first."""
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
            # The last one keeps what no platform could place.
            left_out=tuple(each for each in one.left_out if each.path not in fitting - one.fitting)
            if one is found[-1]
            else tuple(each for each in one.left_out if each.path in one.fitting),
        )
        for one in found
    ]


def _are_most(found: Sequence[Recognition], source: Source) -> bool:
    """Return whether the attempts outnumber other names; files in one folder count once."""
    fitting = frozenset[str]().union(*(one.fitting for one in found))
    others = {
        name.parts[:-1] or name.parts for name in names_of(source) if name.path not in fitting
    }
    return sum(len(one.attempts) or len(one.fitting) for one in found) >= len(others)
