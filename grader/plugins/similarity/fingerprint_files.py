"""Stores fingerprints without code for some time, to compare later classes with them.

A file contains hashes of fragments, the exercise, a date, and the day on which it must be deleted.
It contains no code and no names. A program's id is the beginning of the hash of its files, which
identifies the student only as long as the run exists. An expired file is deleted instead of being
read.
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
"""The number of days that a file is kept by default."""
_MAX_DAYS: Final = 6 * 365
_ID_CHARS: Final = 12
_MAX_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptProgram:
    """A program of an earlier class, without its code."""

    id: str
    date_kept: date
    hashes: array[int]

    @property
    def label(self) -> str:
        """The text by which people recognise the program: the year of its class, and its id."""
        return f"{self.date_kept.year}, {self.id}"


def keep(
    path: Path,
    exercise: str,
    programs: Iterable[tuple[str, Sequence[int]]],
    today: date,
    until: date | None,
) -> date:
    """Write `programs` to `path`, and return the day on which the file must be deleted.

    A program is a pair: the hash of its files, and the hashes of its fragments. `until` is that
    day, or None for the usual time. Raises `UsageError` if the day is not in the future, or too far
    away.
    """
    deletion_day = until or today + timedelta(days=USUAL_DAYS)
    last_allowed = today + timedelta(days=_MAX_DAYS)
    if not today < deletion_day <= last_allowed:
        problem = "not in the future" if deletion_day <= today else "too far away"
        raise UsageError(
            f"fingerprints cannot be kept until {deletion_day}, which is {problem}",
            help=f"choose a day from {today + timedelta(days=1)} to {last_allowed} with --until",
        )
    document = {
        "schema": KEPT_SCHEMA,
        "exercise": exercise,
        "kept": today.isoformat(),
        "purge": deletion_day.isoformat(),
        "programs": [
            {"id": sha256[:_ID_CHARS], "hashes": _pack(hashes)} for sha256, hashes in programs
        ],
    }
    write_atomically(path, json.dumps(document, indent=1).encode("ascii") + b"\n")
    return deletion_day


def read_kept(path: Path, exercise: str, today: date) -> list[KeptProgram] | None:
    """Return the programs for `exercise` in the file at `path`.

    If the file has expired, delete it and return None. Raises `UsageError` if the file cannot be
    read or deleted, or does not contain fingerprints.
    """
    document = _read_document(path)
    try:
        if document["schema"] != KEPT_SCHEMA:
            raise ValueError(f"its schema is not {KEPT_SCHEMA}")
        deletion_day, date_kept = (date.fromisoformat(document[key]) for key in ("purge", "kept"))
        if today >= deletion_day:
            _delete(path)
            return None
        if document["exercise"] != exercise:
            return []
        return [
            KeptProgram(
                id=one_line(str(program["id"])),
                date_kept=date_kept,
                hashes=_unpack(program["hashes"]),
            )
            for program in document["programs"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise _invalid_file(path, reason) from error


def _delete(path: Path) -> None:
    """Delete an expired file. Raises `UsageError` if that fails, as it must not be kept."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{one_line(str(path))} has expired, but cannot be deleted: {error.strerror}",
            help="delete it yourself, and leave it out of --with",
        ) from error


def _read_document(path: Path) -> dict[str, Any]:
    """Return the JSON object in the file at `path`. Raises `UsageError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)  # a longer file is truncated, and then is not JSON
        document = json.loads(data)
    except OSError as error:
        raise UsageError(
            f"cannot read {one_line(str(path))}: {error.strerror}",
            help="check the path after --with, and the permissions of the file",
        ) from error
    except (ValueError, RecursionError) as error:
        raise _invalid_file(path, "it is not JSON") from error
    if not isinstance(document, dict):
        raise _invalid_file(path, "it is not a JSON object")
    return document


def _invalid_file(path: Path, reason: str) -> UsageError:
    return UsageError(
        f"{one_line(str(path))} is not a fingerprint file: {one_line(reason)}",
        help="name a file that `grader similarity --keep` wrote",
    )


def _pack(hashes: Sequence[int]) -> str:
    # Sorted, as the order of fragments would reveal something about the code.
    return base64.b64encode(_as_little_endian(array("Q", sorted(hashes))).tobytes()).decode("ascii")


def _unpack(text: str) -> array[int]:
    hashes = array("Q")
    # Validated, as characters that are not base64 would be skipped by default.
    hashes.frombytes(base64.b64decode(text, validate=True))
    return _as_little_endian(hashes)


def _as_little_endian(numbers: array[int]) -> array[int]:
    """Return `numbers`, with their bytes swapped in place if this machine is not little-endian."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def read_all_kept(
    paths: Sequence[Path], exercise: str, today: date
) -> Iterator[KeptProgram | Path]:
    """Yield the programs for `exercise` in the files at `paths`.

    Expired files are deleted, and their paths are yielded. Raises `UsageError` if a file cannot be
    read or does not contain fingerprints.
    """
    for path in paths:
        programs = read_kept(path, exercise, today)
        if programs is None:
            yield path
        else:
            yield from programs
