"""Keeps the records of a run, so that every report can be made again without grading again.

They are in the folder `records` of the run: `run.json` says what was to be graded, and how, and
`<exercise>/<student>.json` is the record of one submission, written as soon as it is known. They
are for staff: they hold hidden cases, and what is behind tampering.

Nothing is kept in memory. Whoever wants to keep records elsewhere, in a database say, needs what
`Records` offers: `add`, and going over those that there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final

from pydantic import StringConstraints, TypeAdapter

from grader import __version__
from grader.errors import OutputError, RecordError, UsageError
from grader.judging.record import Record, from_json, to_json
from grader.reporting.writing import file_stem, write_below
from grader.values.display import one_line

RECORDS_NAME: Final = "records"
RUN_NAME: Final = "run.json"
_SCHEMA: Final = "grader/records/1"
_MAX_NAMED: Final = 10
_AWAY: Final = "move these files away to report on the others, whose records are sound"

_Slug = Annotated[str, StringConstraints(pattern="^[a-z0-9_-]+$")]
"""What can be the name of a folder or of a file: no path leads out of the folder of the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """One submission that was to be graded, and where its files are in the folder of the run."""

    exercise: _Slug
    student: str
    stem: _Slug

    @property
    def record(self) -> str:
        """Path of its record."""
        return f"{RECORDS_NAME}/{self.exercise}/{self.stem}.json"

    @property
    def page(self) -> str:
        """Path of its page."""
        return f"{self.exercise}/{self.stem}.html"

    @property
    def sheet(self) -> str:
        """Path of its sheet."""
        return f"{self.exercise}/sheets/{self.stem}.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was to be graded, and how: what reports tell besides the records."""

    entries: tuple[RunEntry, ...]
    """In the order of the results."""
    language: str
    """Of the overview."""
    sheets: bool = False
    public: bool = False
    seed: str | None = None
    least_isolation: int | None = None
    """The level that was asked for; each record has the one that was reached."""
    suites: Mapping[str, str] = field(default_factory=dict)
    """The hash of the suite of each exercise."""
    sessions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By exercise, what the session of each case is called in the overview."""
    grader_version: str = __version__


_RUNS: Final = TypeAdapter(Run)


def run_entries(submissions: Iterable[tuple[str, str]]) -> tuple[RunEntry, ...]:
    """Return the entries of submissions, each an exercise and a student, with distinct names."""
    taken: dict[str, set[str]] = {}
    return tuple(
        RunEntry(
            exercise=exercise,
            student=student,
            stem=file_stem(student, taken.setdefault(exercise, set())),
        )
        for exercise, student in submissions
    )


class Records:
    """The records of one run, in the folder of that run."""

    def __init__(self, folder: Path, run: Run) -> None:
        """Use `folder`, in which `begin` has put `run`."""
        self._folder: Final = folder
        self.run: Final = run

    @classmethod
    def begin(cls, folder: Path, run: Run) -> Records:
        """Return the records of a new `run`, of which there are none yet.

        Those of an earlier run in the same folder are taken away. A record says what hidden cases
        asked: where the folder is new, nobody but its owner may enter it. Raises `OutputError` if
        that cannot be done, or if there is anything else where they should go.
        """
        place = folder / RECORDS_NAME
        if place.is_dir() and any(place.iterdir()):
            try:
                old = cls.open(folder)
            except (RecordError, UsageError) as error:
                raise OutputError(
                    f"{one_line(str(place))} holds something else than the records of a run",
                    help="move it away, or name another place with --out",
                ) from error
            for entry in old.run.entries:
                _take_away(folder / entry.record)
        with suppress(OSError):  # what is wrong with the place, writing there says
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        records = cls(folder, run)
        document = {"schema": _SCHEMA, "run": _RUNS.dump_python(run, mode="json")}
        data = json.dumps(document, indent=1).encode("ascii") + b"\n"
        write_below(folder, f"{RECORDS_NAME}/{RUN_NAME}", data)
        return records

    @classmethod
    def open(cls, folder: Path) -> Records:
        """Return the records of the run in `folder`.

        Raises `UsageError` if there is no run, and `RecordError` if it cannot be read.
        """
        path = folder / RECORDS_NAME / RUN_NAME
        shown = one_line(str(path))
        try:
            document = json.loads(path.read_bytes())
            schema = document["schema"]
            if schema != _SCHEMA:
                raise ValueError(f"its format is {schema!r}, and this version reads {_SCHEMA}")
            return cls(folder, _RUNS.validate_python(document["run"]))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise UsageError(
                f"{one_line(str(folder))} is not the folder of a run: there is no {shown}",
                help="name the folder that --out named when the submissions were graded",
            ) from error
        except OSError as error:
            raise RecordError(f"cannot read {shown}: {error.strerror}") from error
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            reason = one_line(str(error), 300)
            raise RecordError(
                f"{shown} does not say what the run was: {reason}",
                help="grade again, with the version of the grader of your choice",
            ) from error

    def add(self, index: int, record: Record) -> None:
        """Keep the record of the entry with this index; from now on nothing can lose it."""
        write_below(self._folder, self.run.entries[index].record, to_json(record))

    def __iter__(self) -> Iterator[tuple[RunEntry, Record]]:
        """Yield each record that there is with its entry, in the order of the run.

        Raises `RecordError` after the last one if some cannot be read: it names them all.
        """
        damaged = []
        for entry in self.run.entries:
            path = self._folder / entry.record
            try:
                record = from_json(path.read_bytes())
                if (record.exercise, record.student) != (entry.exercise, entry.student):
                    raise ValueError("it is the record of another submission")
            except FileNotFoundError:
                continue  # the run ended before it was graded
            except (OSError, ValueError) as error:
                damaged.append(f"{one_line(str(path))}: {one_line(str(error), 300)}")
            else:
                yield entry, record
        if damaged:
            more = [f"... and {len(damaged) - _MAX_NAMED} more"] * (len(damaged) > _MAX_NAMED)
            told = "\n".join(f"  {each}" for each in (*damaged[:_MAX_NAMED], *more))
            raise RecordError(f"records cannot be read:\n{told}", help=_AWAY)


def _take_away(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        shown = one_line(str(path))
        raise OutputError(f"cannot take away {shown}: {error.strerror}") from error
