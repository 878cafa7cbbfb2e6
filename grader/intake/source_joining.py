"""Combines sources that belong together: parts of a download, and individual hand-ins."""

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
"""Google's name for a part of a folder, such as `drive-download-20261012T101530Z-001.zip`."""


def join_download_parts(sources: Iterable[Source], guesses: list[str]) -> Sequence[Source]:
    """Return `sources` with the parts of each Google download joined into one source.

    Google splits a large folder into several archives, each with some of the files. If parts are
    missing, a warning is appended to `guesses`.
    """
    downloads: dict[str, dict[int, Source]] = {}
    joined_sources: list[Source] = []
    for source in sources:
        if match := _PART.fullmatch(source.name):
            downloads.setdefault(f"{match['name']}.zip", {})[int(match["part"])] = source
        else:
            joined_sources.append(source)
    for name, parts in downloads.items():
        if missing := set(range(1, max(parts) + 1)) - set(parts):
            numbers = ", ".join(f"{number:03}" for number in sorted(missing)[:_MAX_LISTED])
            guesses.append(
                f"{name} is incomplete, so hand-ins may be missing: there is no part {numbers};"
                " add it, or download the folder again"
            )
        joined_sources.append(replace(reduce(Source.merge_with, parts.values()), name=name))
    return joined_sources


def join_hand_ins(
    sources: Sequence[Source], recognise: Callable[[Source], Sequence[Recognition]]
) -> Sequence[Source]:
    """Return `sources`, with all sources that contain only one student's hand-in joined into one.

    `recognise` returns the layouts of a source. Several hand-ins are assumed to be named after
    their students, a single hand-in only if its name follows a platform's scheme. Empty folders and
    folders with a single attempt count as hand-ins too if there are at least two certain hand-ins,
    and these outnumber such folders. Returns `sources` unchanged if nothing can be joined.
    """
    hand_ins, possible_hand_ins, other_sources = list[Source](), list[Source](), list[Source]()
    for source in sources:
        recognitions = recognise(source)
        if _is_hand_in(source, recognitions):
            hand_ins.append(source)
        elif _may_be_hand_in(source, recognitions):
            possible_hand_ins.append(source)
        else:
            other_sources.append(source)
    if len(hand_ins) > max(1, len(possible_hand_ins)):
        hand_ins += possible_hand_ins
    else:
        other_sources += possible_hand_ins
    folders = [_folder_name(hand_in) for hand_in in hand_ins]
    # Two hand-ins with the same name would be merged into one student.
    if not hand_ins or len(set(folders)) < len(folders):
        return sources
    joined = replace(
        reduce(Source.merge_with, map(Source.move_into, hand_ins, folders)), name="hand-ins"
    )
    if len(hand_ins) == 1 and is_plain(recognise(joined)):
        return sources
    return [*other_sources, joined]


def _folder_name(source: Source) -> str:
    return without_suffix(source.name) if is_archive(source.name) else source.name


def _is_hand_in(source: Source, recognitions: Sequence[Recognition]) -> bool:
    """Return whether `source` might be one student's work, because nothing in it names a student.

    If no layout recognises it, it has to be an archive or contain a Python file.
    """
    if not source.leaves or _is_single_file(source):
        return False
    if not recognitions:
        return is_archive(source.name) or any(
            suffix_of(leaf.path) == PYTHON for leaf in source.leaves
        )
    return is_plain(recognitions) and all(
        attempt.person.name is None for attempt in recognitions[0].attempts
    )


def _may_be_hand_in(source: Source, recognitions: Sequence[Recognition]) -> bool:
    """Return whether `source` is empty, or contains a single attempt that no platform named."""
    if not source.leaves:
        return not source.refusals
    return (
        is_plain(recognitions)
        and sum(len(recognition.attempts) for recognition in recognitions) == 1
        and not _is_single_file(source)
    )


def _is_single_file(source: Source) -> bool:
    return source.leaves[0].path == source.name
