"""Reads reports of Dolos or JPlag on the same class, to show their results beside ours.

    Dolos   the folder that `dolos run -f csv` writes, which contains `pairs.csv`
    JPlag   the archive of version 5 (`overview.json`) or 6 and later (`topComparisons.json`)

Names in a report are those of the folders that `layouts.py` wrote. Apart from names, only numbers
are read. Outliers are found with the rule of `comparing.py`, applied to the other program's numbers
for the class, instead of a fixed percentage.
"""

from __future__ import annotations

import csv
import json
import lzma
import math
import re
import zlib
from collections import Counter
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
"""The limit per file: about the size of a Dolos report on two thousand students."""
_MAX_MEMBER_BYTES: Final = 32 << 20
_DOLOS_COLUMNS: Final = ("leftFilePath", "rightFilePath", "similarity")
_JPLAG_KEYS: Final = {
    "topComparisons.json": ("firstSubmission", "secondSubmission"),
    "overview.json": ("first_submission", "second_submission"),
}
_INVALID_FILE_ERRORS: Final = (
    *(ValueError, TypeError, KeyError, OverflowError, RecursionError, csv.Error),
    *(BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error, lzma.LZMAError),
)
"""The errors that parsing raises for a file that is not a report, including those of `zipfile`
about passwords."""

_Row: TypeAlias = tuple[str, str, float]
"""Two folders, and the similarity of their files."""


@dataclass(frozen=True, kw_only=True)
class OtherReport:
    """The report of another similarity checker on a class."""

    tool: str
    count: int
    """The size of the class."""
    similarities: Mapping[tuple[int, int], float]
    """The similarities, keyed by pairs of indexes in the class, with the lower index first."""
    unknown_names: Sequence[str]
    """Names in the report that are not in the class."""

    def similarity_of(self, pair: Likeness) -> float | None:
        """Return the similarity of `pair` in the report, or None if the report does not list it."""
        return self.similarities.get((pair.first, pair.second))

    def is_outlier(self, pair: Likeness) -> bool:
        """Return whether `pair` is an outlier in the report."""
        return (pair.first, pair.second) in self.outliers

    @cached_property
    def outliers(self) -> frozenset[tuple[int, int]]:
        """The pairs that are outliers by the similarities in the report."""
        # Other checkers do not report the shared weight, so infinity is used to meet the minimum.
        pairs = tuple(
            Likeness(first=first, second=second, similarity=value, part=value, shared=math.inf)
            for (first, second), value in self.similarities.items()
        )
        # JPlag lists only the most similar pairs. No other pair is more similar than the last one.
        lowest = min(self.similarities.values()) if self.tool == "JPlag" else 0.0
        outliers = ClassLikeness(count=self.count, pairs=pairs, assumed_nearest=lowest).outliers
        return frozenset((pair.first, pair.second) for pair in outliers)


def read_reports(paths: Sequence[Path], entries: Sequence[RunEntry]) -> list[OtherReport]:
    """Return the reports at `paths` on the class of `entries`.

    Raises `UsageError` if a file is not a report on this class, or if several reports come from
    the same program.
    """
    reports = [_read(path, entries) for path in paths]
    counts = Counter(report.tool for report in reports)
    for tool, count in counts.items():
        if count > 1:
            raise UsageError(
                f"{count} reports come from {tool}",
                help="name only one report of each program with --beside",
            )
    return reports


def _read(path: Path, entries: Sequence[RunEntry]) -> OtherReport:
    """Return the report at `path`. Raises `UsageError` if it is not a report on this class."""
    indexes = {entry.stem: index for index, entry in enumerate(entries)}
    is_dolos = path.is_dir() or path.suffix == ".csv"
    similarities: dict[tuple[int, int], float] = {}
    unknown_names: dict[str, None] = {}
    try:
        for *names, similarity in _dolos_rows(path) if is_dolos else _jplag_rows(path):
            if not 0 <= similarity <= 1:  # also true for `nan`
                raise ValueError(
                    f"the similarity of {names[0]} and {names[1]} is {similarity}, not from 0 to 1"
                )
            unknown_names.update(dict.fromkeys(name for name in names if name not in indexes))
            # If the class lacks one of the two students, `other_indexes` is empty.
            first, *other_indexes = sorted(
                {indexes[name] for name in names if name in indexes}
            ) or [0]
            for second in other_indexes:
                best = similarities.get((first, second), 0.0)
                similarities[first, second] = max(best, similarity)
    except OSError as error:
        file = one_line(str(error.filename or path))
        raise UsageError(
            f"cannot read {file}: {error.strerror}",
            help="check the path after --beside, and the permissions of the file",
        ) from error
    except _INVALID_FILE_ERRORS as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise _invalid_report(path, reason) from error
    if not similarities:
        raise _invalid_report(path, "it names no two students of this class")
    return OtherReport(
        tool="Dolos" if is_dolos else "JPlag",
        count=len(entries),
        similarities=similarities,
        unknown_names=list(unknown_names),
    )


def _invalid_report(path: Path, reason: str) -> UsageError:
    """Return the error for a file at `path` that is not a report on the class."""
    return UsageError(
        f"{one_line(str(path))} is not a Dolos or JPlag report on this class: {one_line(reason)}",
        help="run Dolos or JPlag 5 or newer on the files from `grader export RUN --sources`, and "
        "name the folder from `dolos run -f csv`, or the archive of JPlag",
    )


def _dolos_rows(path: Path) -> Iterator[_Row]:
    """Yield the rows of `pairs.csv`. A student with several files appears in several rows.

    Raises `OSError`, or one of `_INVALID_FILE_ERRORS`, if the file cannot be read or parsed.
    """
    table = path / "pairs.csv" if path.is_dir() else path
    _require_small_file(table)
    # A spreadsheet program can add a byte order mark when it saves the file.
    with table.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.DictReader(file)
        if not set(_DOLOS_COLUMNS) <= {*(rows.fieldnames or ())}:
            raise ValueError(f"{table.name} lacks one of the columns {', '.join(_DOLOS_COLUMNS)}")
        for row in rows:
            left, right, similarity = (row[column] for column in _DOLOS_COLUMNS)
            yield _folder(left), _folder(right), float(similarity)


def _folder(path: str) -> str:
    """Return the name of the folder that contains the file at `path`, written on any system."""
    return re.split(r"[/\\]", path)[-2:][0]


def _jplag_rows(path: Path) -> Iterator[_Row]:
    """Yield the listed pairs, with the average similarity by which JPlag sorts them.

    Raises `OSError`, or one of `_INVALID_FILE_ERRORS`, if the file cannot be read or parsed.
    """
    _require_small_file(path)
    with ZipFile(path) as archive:
        members = {*archive.namelist()}
        name = next((key for key in _JPLAG_KEYS if key in members), None)
        if name is None:
            raise ValueError(f"it contains none of {', '.join(_JPLAG_KEYS)}")
        with archive.open(name) as file:
            data = file.read(_MAX_MEMBER_BYTES + 1)  # the size in the header may be forged
    if len(data) > _MAX_MEMBER_BYTES:
        raise ValueError(f"{name} has more than {_MAX_MEMBER_BYTES >> 20} MiB")
    document: Any = json.loads(data)
    for row in document["top_comparisons"] if name == "overview.json" else document:
        first, second = (str(row[key]) for key in _JPLAG_KEYS[name])
        yield first, second, float(row["similarities"]["AVG"])


def _require_small_file(path: Path) -> None:
    """Raise `ValueError` if the file at `path` exceeds `_MAX_BYTES`."""
    if path.stat().st_size > _MAX_BYTES:
        raise ValueError(f"{path.name} has more than {_MAX_BYTES >> 20} MiB")
