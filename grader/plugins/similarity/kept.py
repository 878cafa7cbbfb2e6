"""Keeps fingerprints without code for some time, to compare later classes with them.

A file has hashes of fragments, the exercise, a date, and the day on which it must be deleted. It
has no code and no names: a program's id is the beginning of the hash of its files, which identifies
the student only while the run is there. A file past its day is not read any more, but deleted when
it is named.
"""

from __future__ import annotations

import base64
import json
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.reporting.writing import write_atomically
from grader.values.foreign_text import one_line

KEPT_SCHEMA: Final = "grader/fingerprints/1"
USUAL_DAYS: Final = 2 * 365
"""How long a file is kept by default."""
_MAX_DAYS: Final = 6 * 365
_ID_CHARS: Final = 12
_MAX_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProgram:
    """A program of an earlier class."""

    id: str
    kept: date
    hashes: array[int]

    @property
    def label(self) -> str:
        """Its name for people."""
        return f"{self.kept.year}, {self.id}"


def keep(
    path: Path,
    exercise: str,
    programs: Iterable[tuple[str, Sequence[int]]],
    today: date,
    until: date | None,
) -> date:
    """Write `programs` to `path`, each with the hash of its files; return the day of deletion.

    Raises `UsageError` for a day that is past, or too far away.
    """
    last = until or today + timedelta(days=USUAL_DAYS)
    if not today < last <= today + timedelta(days=_MAX_DAYS):
        raise UsageError(
            f"fingerprints cannot be kept until {last}",
            help=f"name a day from tomorrow to {today + timedelta(days=_MAX_DAYS)}",
        )
    document = {
        "schema": KEPT_SCHEMA,
        "exercise": exercise,
        "kept": today.isoformat(),
        "purge": last.isoformat(),
        "programs": [
            {"id": sha256[:_ID_CHARS], "hashes": _packed(hashes)} for sha256, hashes in programs
        ],
    }
    write_atomically(path, json.dumps(document, indent=1).encode("ascii") + b"\n")
    return last


def read_kept(path: Path, exercise: str, today: date) -> list[KeptProgram] | None:
    """Return the programs for `exercise` in the file at `path`; None if it is past its day.

    Then the file is deleted. Raises `UsageError` for any other file.
    """
    document = _document(path)
    try:
        if document["schema"] != KEPT_SCHEMA:
            raise ValueError("another schema")
        purge, kept = (date.fromisoformat(document[key]) for key in ("purge", "kept"))
        if today >= purge:
            path.unlink()
            return None
        if document["exercise"] != exercise:
            return []
        return [
            KeptProgram(id=one_line(str(each["id"])), kept=kept, hashes=_unpacked(each["hashes"]))
            for each in document["programs"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise _none(path, str(error)) from error


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)  # a longer one is cut off, and no JSON then
        document = json.loads(data)
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _none(path, "no JSON") from error
    if not isinstance(document, dict):
        raise _none(path, "no object")
    return document


def _none(path: Path, why: str) -> UsageError:
    return UsageError(
        f"{one_line(str(path))} is not a file of fingerprints: {one_line(why)}",
        help="name a file that --keep wrote",
    )


def _packed(hashes: Sequence[int]) -> str:
    return base64.b64encode(_little(array("Q", sorted(hashes))).tobytes()).decode("ascii")


def _unpacked(text: str) -> array[int]:
    found = array("Q")
    # By default, characters that are not base64 are skipped.
    found.frombytes(base64.b64decode(text, validate=True))
    return _little(found)


def _little(numbers: array[int]) -> array[int]:
    """Return `numbers` with their bytes as a file has them, from any machine."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def all_kept(paths: Sequence[Path], exercise: str, today: date) -> Iterator[KeptProgram | Path]:
    """Yield the programs for `exercise` in all files at `paths`, and each file that was deleted."""
    for path in paths:
        found = read_kept(path, exercise, today)
        if found is None:
            yield path
        else:
            yield from found
