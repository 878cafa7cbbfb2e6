"""Finds out whose each hand-in is, by recognising the platform, if any, that named the files.

Each layout recognises its own names, with evidence. Platforms are plug-ins; `plain` is for files
named by people.
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
    KnownExercise,
    Layout,
    LeftOut,
    Recognition,
    names_of,
    recognise_by_pattern,
)
from grader.intake.sources import Source
from grader.seams import PLATFORMS

_TEXT_SUFFIXES: Final = frozenset({".txt", ".text", ".htm", ".html"})


def layout_names() -> list[str]:
    """Return the names of the built-in layouts."""
    return [*PLATFORMS.table, PLAIN.name]


def _load_layout(name: str) -> Layout:
    layout: Layout = PLAIN if name == PLAIN.name else PLATFORMS.load(name)
    return layout


def recognise_layouts(
    source: Source, known: KnownExercise, *, layout: str | None = None, pattern: str | None = None
) -> list[Recognition]:
    """Return the layouts recognised in `source`: usually one, or several if it is mixed.

    If a `layout` or a `pattern` is given, only that is tried. Otherwise, built-in platforms with a
    distinctive scheme are tried first, and are accepted unless the names that do not fit outnumber
    the attempts. Next come built-in platforms whose scheme unrelated names often follow by
    accident, and third-party platforms. If none of them is accepted, files and folders are assumed
    to be named after students. Platforms that match only a few names are reported as guesses. The
    result is empty if nothing is recognised.
    """
    if pattern is not None:
        recognition = recognise_by_pattern(source, re.compile(pattern, re.DOTALL))
        return [] if recognition is None else [recognition]
    if layout is not None:
        recognition = _load_layout(layout).recognise(source, replace(known, is_forced=True))
        return [] if recognition is None else [recognition]
    built_in: list[Layout] = [*PLATFORMS.load_installed()]
    distinctive = [platform for platform in built_in if not platform.is_common]
    recognitions = _recognise_by_evidence(source, known, distinctive)
    if recognitions and _attempts_dominate(recognitions, source):
        return recognitions
    common_platforms = (platform for platform in built_in if platform.is_common)
    for candidate in chain(common_platforms, PLATFORMS.load_third_party(), (PLAIN,)):
        recognition = candidate.recognise(source, known)
        if recognition is not None and (
            candidate is PLAIN or _attempts_dominate([recognition], source)
        ):
            minor_guesses = tuple(
                f"{minor.evidence}; --layout {minor.layout} grades only these"
                for minor in recognitions
            )
            return [replace(recognition, guesses=(*recognition.guesses, *minor_guesses))]
    return []


def hidden_hand_ins(source: Source, recognitions: Sequence[Recognition]) -> Iterator[LeftOut]:
    """Yield the skipped paths in `source` that might be a student's work in spite of their name.

    A path inside one person's hand-in is not reported, because that student chose its name. Backup
    copies of files in `source` are not reported either.
    """
    files = {leaf.path for leaf in source.leaves}
    has_single_owner = _has_single_owner_by_folder(recognitions)
    for path in dict.fromkeys(source.hidden_paths):
        folder = path.rpartition("/")[0]
        while folder and folder not in has_single_owner:
            folder = folder.rpartition("/")[0]
        if (folder and has_single_owner[folder]) or path.removesuffix("~") in files:
            continue
        name = path.rpartition("/")[2]
        if name.startswith("."):
            reason = "it is hidden, because its name starts with a dot"
        elif name.endswith("~"):
            reason = "it is named like an editor's backup file"
        else:
            reason = "it is named like a folder that a program creates"
        reason = f"{reason}; rename it if it is a hand-in"
        is_backup = name.endswith("~") and suffix_of(name) != ""
        yield LeftOut(
            path, reason, is_hand_in=not is_backup and suffix_of(name) not in _TEXT_SUFFIXES
        )


def _has_single_owner_by_folder(recognitions: Sequence[Recognition]) -> Mapping[str, bool]:
    """Return, for each folder with hand-ins, whether everything in it belongs to one person."""
    attempts = [attempt for recognition in recognitions for attempt in recognition.attempts]
    owners_by_folder: dict[str, set[str]] = {}
    for attempt in attempts:
        owner = attempt.person.display_name
        for leaf in attempt.leaves.values():
            parts = leaf.path.split("/")[:-1]
            for count in range(len(parts)):
                owners_by_folder.setdefault("/".join(parts[: count + 1]), set()).add(owner)
    everybody = {attempt.person.display_name for attempt in attempts}
    if len(everybody) != 1 or not is_plain(recognitions):
        return {folder: len(people) == 1 for folder, people in owners_by_folder.items()}
    (only_owner,) = everybody  # the folder around the only hand-in might be that of the class
    return {folder: only_owner in folder.split("/") for folder in owners_by_folder}


def is_plain(recognitions: Sequence[Recognition]) -> bool:
    """Return whether students are identified only by file and folder names, not by a platform."""
    return all(recognition.layout == PLAIN.name for recognition in recognitions)


def _recognise_by_evidence(
    source: Source, known: KnownExercise, platforms: Sequence[Layout]
) -> list[Recognition]:
    """Let `platforms` recognise `source`, starting with the one that fits the most names.

    Each further platform gets only the names that do not fit the earlier ones.
    """
    recognitions: list[Recognition] = []
    remaining = source
    for _ in platforms:
        attempted = [
            recognition
            for layout in platforms
            if (recognition := layout.recognise(remaining, known)) is not None
        ]
        best = max(attempted, key=lambda recognition: len(recognition.fitting), default=None)
        if best is None:
            break
        recognitions.append(best)
        remaining = remaining.without(best.fitting)
    fitting = frozenset[str]().union(*(recognition.fitting for recognition in recognitions))

    def reports_path(recognition: Recognition, path: str) -> bool:
        # The last recognition also reports the names that fit no platform.
        if recognition is recognitions[-1]:
            return path not in fitting - recognition.fitting
        return path in recognition.fitting

    return [
        replace(
            recognition,
            left_out=tuple(
                omitted
                for omitted in recognition.left_out
                if reports_path(recognition, omitted.path)
            ),
        )
        for recognition in recognitions
    ]


def _attempts_dominate(recognitions: Sequence[Recognition], source: Source) -> bool:
    """Return whether there are at least as many attempts as names in `source` that do not fit.

    Names that do not fit count as one if they are in the same folder. For a platform without
    attempts, the names that fit it are counted instead.
    """
    fitting = frozenset[str]().union(*(recognition.fitting for recognition in recognitions))
    other_units = {
        name.parts[:-1] or name.parts for name in names_of(source) if name.path not in fitting
    }
    count = sum(
        len(recognition.attempts) or len(recognition.fitting) for recognition in recognitions
    )
    return count >= len(other_units)
