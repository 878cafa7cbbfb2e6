"""Reads reports of Dolos or JPlag on the same class, to show their numbers beside ours.

    Dolos   the folder that `dolos run -f csv` writes, of which `pairs.csv` is read
    JPlag   the archive of version 5 (`overview.json`) or 6 and later (`topComparisons.json`)

Names in a report are the folders that `layouts.py` wrote; besides, only numbers are read. Outliers
are found by the rule of `comparing.py`, from the other program's numbers on the class, and not by a
fixed percentage.
"""

from __future__ import annotations

import csv
import json
import lzma
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias
from zipfile import BadZipFile, ZipFile

from grader.errors import UsageError
from grader.plugins.similarity.comparing import ClassLikeness, Likeness
from grader.store.runs import RunEntry
from grader.values.foreign_text import one_line

_MAX_BYTES: Final = 256 << 20
"""Per file: the size of a Dolos report on some two thousand students."""
_MAX_MEMBER_BYTES: Final = 32 << 20
_DOLOS_COLUMNS: Final = ("leftFilePath", "rightFilePath", "similarity")
_JPLAG_KEYS: Final = {
    "topComparisons.json": ("firstSubmission", "secondSubmission"),
    "overview.json": ("first_submission", "second_submission"),
}
_DAMAGE: Final = (
    *(ValueError, TypeError, KeyError, OverflowError, RecursionError, csv.Error),
    *(BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error, lzma.LZMAError),
)
"""Errors of parsing another text, and of `zipfile`, also for passwords."""

_Row: TypeAlias = tuple[str, str, float]
"""Two folders, and the similarity of their files."""


@dataclass(frozen=True, kw_only=True)
class OtherReport:
    """The report of another program on a class."""

    tool: str
    count: int
    """The size of the class."""
    similarities: Mapping[tuple[int, int], float]
    """By pairs of places in the class, the lower one first."""
    unknown: Sequence[str]
    """Names that are not in the class."""

    def of(self, pair: Likeness) -> float | None:
        """Return the similarity of `pair` in the report, None if it is not listed."""
        return self.similarities.get((pair.first, pair.second))

    def stands_out(self, pair: Likeness) -> bool:
        """Return whether `pair` is among the outliers there."""
        return (pair.first, pair.second) in self.outliers

    @cached_property
    def outliers(self) -> frozenset[tuple[int, int]]:
        """The pairs that are outliers by these numbers."""
        pairs = tuple(
            Likeness(first=first, second=second, similarity=each, part=each, shared=math.inf)
            for (first, second), each in self.similarities.items()
        )
        # JPlag lists only the most similar pairs: the others are at most as similar as its last.
        least = min(self.similarities.values()) if self.tool == "JPlag" else 0.0
        found = ClassLikeness(count=self.count, pairs=pairs, least=least).outliers
        return frozenset((each.first, each.second) for each in found)


def read_reports(paths: Sequence[Path], entries: Sequence[RunEntry]) -> list[OtherReport]:
    """Return the reports at `paths` on the class of `entries`.

    Raises `UsageError` for a file that is no report, and for two of one program.
    """
    found = [_read(path, entries) for path in paths]
    if len(found) > len({each.tool for each in found}):
        raise UsageError("two reports are of the same program", help="name one for each program")
    return found


def _read(path: Path, entries: Sequence[RunEntry]) -> OtherReport:
    places = {entry.stem: place for place, entry in enumerate(entries)}
    is_of_dolos = path.is_dir() or path.suffix == ".csv"
    similarities: dict[tuple[int, int], float] = {}
    unknown: dict[str, None] = {}
    try:
        for *names, similarity in _dolos(path) if is_of_dolos else _jplag(path):
            if not 0 <= similarity <= 1:  # true of `nan` too
                raise ValueError(f"{similarity} is not a similarity from 0 to 1")
            unknown.update(dict.fromkeys(each for each in names if each not in places))
            # Without two of them in the class, `others` is empty.
            first, *others = sorted({places[each] for each in names if each in places}) or [0]
            for second in others:
                best = similarities.get((first, second), 0.0)
                similarities[first, second] = max(best, similarity)
    except OSError as error:
        where = one_line(str(error.filename or path))
        raise UsageError(f"cannot read {where}: {error.strerror}") from error
    except _DAMAGE as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise _no_report(path, why) from error
    if not similarities:
        raise _no_report(path, "it names no two students of this class")
    return OtherReport(
        tool="Dolos" if is_of_dolos else "JPlag",
        count=len(entries),
        similarities=similarities,
        unknown=list(unknown),
    )


def _no_report(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{one_line(str(path))} is not a report of Dolos or JPlag on this class: {one_line(why)}",
        help="name the folder from `dolos run -f csv`, or the archive of JPlag 5 or newer, run on "
        "the files from `grader export RUN --sources`",
    )


def _dolos(path: Path) -> Iterator[_Row]:
    """Yield the pairs of files in `pairs.csv`; a student with several files has several rows."""
    table = path / "pairs.csv" if path.is_dir() else path
    _require_bounded(table)
    # A spreadsheet may have saved it again, with a byte order mark.
    with table.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.DictReader(file)
        if not set(_DOLOS_COLUMNS) <= {*(rows.fieldnames or ())}:
            raise ValueError(f"{table.name} lacks one of the columns {', '.join(_DOLOS_COLUMNS)}")
        for row in rows:
            left, right, similarity = (row[each] for each in _DOLOS_COLUMNS)
            yield _folder(left), _folder(right), float(similarity)


def _folder(path: str) -> str:
    """Return the name of the folder of the file at `path`, a path of any system."""
    return re.split(r"[/\\]", path)[-2:][0]


def _jplag(path: Path) -> Iterator[_Row]:
    """Yield the listed pairs with the average similarity of both sides, by which JPlag sorts."""
    _require_bounded(path)
    with ZipFile(path) as archive:
        members = {*archive.namelist()}
        name = next((each for each in _JPLAG_KEYS if each in members), None)
        if name is None:
            raise ValueError(f"none of {', '.join(_JPLAG_KEYS)} is in it")
        with archive.open(name) as file:
            data = file.read(_MAX_MEMBER_BYTES + 1)  # the size in its header may be a lie
    if len(data) > _MAX_MEMBER_BYTES:
        raise ValueError(f"{name} has more than {_MAX_MEMBER_BYTES >> 20} MiB")
    document: Any = json.loads(data)
    for row in document["top_comparisons"] if name == "overview.json" else document:
        first, second = (str(row[each]) for each in _JPLAG_KEYS[name])
        yield first, second, float(row["similarities"]["AVG"])


def _require_bounded(path: Path) -> None:
    if path.stat().st_size > _MAX_BYTES:
        raise ValueError(f"{path.name} has more than {_MAX_BYTES >> 20} MiB")
