"""Combines sources that belong together: parts of a download, and hand-ins named one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

from grader.intake.kinds import PYTHON, is_archive, suffix_of, without_suffix
from grader.intake.layouts import is_plain
from grader.intake.layouts.recognition import Recognition
from grader.intake.sources import Source

_MAX_LISTED: Final = 10
_PART: Final = re.compile(r"(?P<name>.+-\d{8}T\d{6}Z)-(?:\d+-)?(?P<part>\d{3})\.zip", re.ASCII)
"""`drive-download-20261012T101530Z-001.zip`: Google's name for the first part of a folder."""


def with_parts_together(sources: Iterable[Source], guesses: list[str]) -> Sequence[Source]:
    """Return `sources` with the parts of each Google download joined; add to `guesses`.

    Google splits a large folder into several archives, each with some of the files.
    """
    downloads: dict[str, dict[int, Source]] = {}
    others: list[Source] = []
    for source in sources:
        if match := _PART.fullmatch(source.name):
            downloads.setdefault(f"{match['name']}.zip", {})[int(match["part"])] = source
        else:
            others.append(source)
    for name, parts in downloads.items():
        if missing := set(range(1, max(parts) + 1)) - set(parts):
            numbers = ", ".join(f"{number:03}" for number in sorted(missing)[:_MAX_LISTED])
            guesses.append(f"{name}: parts of it are missing, and whoever is in them: {numbers}")
        others.append(replace(reduce(Source.joined, parts.values()), name=name))
    return others


def with_hand_ins_together(
    sources: Sequence[Source], recognise: Callable[[Source], Sequence[Recognition]]
) -> Sequence[Source]:
    """Return `sources`, with all that may each be the work of one student joined into one.

    `recognise` returns the layouts of a source.

    Several such sources count as named after their students; so does a single one with a name as
    platforms give. If most sources are such, folders with one file of any name, and empty folders,
    count too.
    """
    hand_ins, possible, others = list[Source](), list[Source](), list[Source]()
    for source in sources:
        recognitions = recognise(source)
        if _is_hand_in(source, recognitions):
            hand_ins.append(source)
        else:
            (possible if _may_be_hand_in(source, recognitions) else others).append(source)
    if len(hand_ins) > max(1, len(possible)):
        hand_ins += possible
    else:
        others += possible
    folders = [_folder(each) for each in hand_ins]
    # Two with the same name would become one student.
    if not hand_ins or len(set(folders)) < len(folders):
        return sources
    joined = replace(reduce(Source.joined, map(Source.below, hand_ins, folders)), name="hand-ins")
    if len(hand_ins) == 1 and is_plain(recognise(joined)):
        return sources
    return [*others, joined]


def _folder(source: Source) -> str:
    return without_suffix(source.name) if is_archive(source.name) else source.name


def _is_hand_in(source: Source, found: Sequence[Recognition]) -> bool:
    """Return whether `source` may be one student's work: nothing in it identifies a student."""
    if not source.leaves or _is_file(source):
        return False
    if not found:
        return is_archive(source.name) or any(
            suffix_of(leaf.path) == PYTHON for leaf in source.leaves
        )
    return is_plain(found) and all(each.person.name is None for each in found[0].attempts)


def _may_be_hand_in(source: Source, found: Sequence[Recognition]) -> bool:
    """Return whether `source` is empty or contains a single attempt."""
    if not source.leaves:
        return not source.refusals
    return (
        is_plain(found) and sum(len(each.attempts) for each in found) == 1 and not _is_file(source)
    )


def _is_file(source: Source) -> bool:
    return source.leaves[0].path == source.name
