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

_MAX_GONE: Final = 10
_PART: Final = re.compile(r"(?P<name>.+-\d{8}T\d{6}Z)-(?:\d+-)?(?P<part>\d{3})\.zip", re.ASCII)
"""`drive-download-20261012T101530Z-001.zip`: Google's name for the first part of a folder."""


def with_parts_together(sources: Iterable[Source], guesses: list[str]) -> Sequence[Source]:
    """Return `sources` with the parts of each Google download joined; add missing to `guesses`.

    Google splits a large folder into several archives, each with some of the files.
    """
    downloads: dict[str, dict[int, Source]] = {}
    others: list[Source] = []
    for source in sources:
        if found := _PART.fullmatch(source.name):
            downloads.setdefault(f"{found['name']}.zip", {})[int(found["part"])] = source
        else:
            others.append(source)
    for name, parts in downloads.items():
        if gone := set(range(1, max(parts) + 1)) - set(parts):
            numbers = ", ".join(f"{number:03}" for number in sorted(gone)[:_MAX_GONE])
            guesses.append(f"{name}: parts of it are missing, and whoever is in them: {numbers}")
        others.append(replace(reduce(Source.joined, parts.values()), name=name))
    return others


def with_hand_ins_together(
    sources: Sequence[Source], recognise: Callable[[Source], Sequence[Recognition]]
) -> Sequence[Source]:
    """Return `sources`, with those that may each be the work of one student joined into one.

    `recognise` returns the layouts of a source.

    If several such sources are named, each is taken to be named after its student; so is a single
    one that is named as by a platform. If most are such, folders with one file of any name, and
    empty ones, count as such, too.
    """
    sure, maybe, others = list[Source](), list[Source](), list[Source]()
    for source in sources:
        found = recognise(source)
        if _is_hand_in(source, found):
            sure.append(source)
        else:
            (maybe if _may_be_hand_in(source, found) else others).append(source)
    if len(sure) > max(1, len(maybe)):
        sure += maybe
    else:
        others += maybe
    folders = [_folder(each) for each in sure]
    # Two of the same name would become one student.
    if not sure or len(set(folders)) < len(folders):
        return sources
    together = replace(reduce(Source.joined, map(Source.below, sure, folders)), name="hand-ins")
    if len(sure) == 1 and is_plain(recognise(together)):
        return sources
    return [*others, together]


def _folder(source: Source) -> str:
    return without_suffix(source.name) if is_archive(source.name) else source.name


def _is_hand_in(source: Source, found: Sequence[Recognition]) -> bool:
    """Return whether `source` may be one student's work: nothing in it says whose it is."""
    if not source.leaves or _is_file(source):
        return False
    if not found:
        return is_archive(source.name) or any(
            suffix_of(leaf.path) == PYTHON for leaf in source.leaves
        )
    return is_plain(found) and all(each.person.name is None for each in found[0].attempts)


def _may_be_hand_in(source: Source, found: Sequence[Recognition]) -> bool:
    """Return whether `source` contains no more than one student may have handed in."""
    if not source.leaves:
        return not source.refusals
    return (
        is_plain(found) and sum(len(each.attempts) for each in found) == 1 and not _is_file(source)
    )


def _is_file(source: Source) -> bool:
    return source.leaves[0].path == source.name
