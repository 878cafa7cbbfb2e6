"""What a run knows of one graded submission, as it travels and as it is kept.

A record is large, and a run has many: so what the overview and `results.json` need of each is made
once, beside whoever graded it, and kept with it.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from grader.verdict import Status

_COMPRESSION: int = 6
_MOST_BYTES: Final = 256 * 1024 * 1024
"""More than any record has: a store may come from another machine, and be damaged."""


class Unpassed(NamedTuple):
    """A case that did not pass."""

    case_id: str
    verdict: str
    points: float
    max_points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One graded submission, with what is told of it elsewhere than on its page."""

    pattern: str
    """The hash of the pattern that its record is packed to."""
    status: Status
    score: float
    """Of an entry of a store the one that counts, with what a person has decided."""
    max_score: float
    isolation: int
    """The level of the walls around it."""
    is_lasting: bool
    """Whether nothing in it may be otherwise the next time, so that the same files have it too."""
    unpassed: tuple[Unpassed, ...]
    data: bytes
    """The record, packed."""
    summary: bytes
    """Its entry in `results.json`, packed."""
    overview: bytes
    """What the overview keeps of it, packed."""


class Known(NamedTuple):
    """A packed record that need not be made again."""

    data: bytes
    is_lasting: bool


class Earlier(NamedTuple):
    """A packed record of the same files, on a suite that asks the same."""

    data: bytes
    pattern: bytes
    """To which it is packed."""
    is_lasting: bool


class Kept(NamedTuple):
    """A record in the store."""

    record_id: int
    is_lasting: bool
    status: str
    score: float
    max_score: float


class KeptRecords(NamedTuple):
    """Records as they go to another store: rows of its tables."""

    hashed: Mapping[str, Sequence[tuple[Any, ...]]]
    """What they refer to by a hash, by the name of the table: hash and content."""
    records: Sequence[tuple[Any, ...]]
    """The id comes first."""
    outcomes: Sequence[tuple[Any, ...]]
    """The id of the record comes first."""


def packed(data: bytes) -> bytes:
    """Return `data` in less room; the same data always gives the same bytes."""
    return zlib.compress(data, _COMPRESSION)


def unpacked(data: bytes) -> bytes:
    """Return what was `packed`; raises `ValueError` when it is damaged."""
    unpacking = zlib.decompressobj()
    try:
        made = unpacking.decompress(data, _MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from None
    if not unpacking.eof:
        raise ValueError("it is damaged: it is cut off, or far too large")
    return made
