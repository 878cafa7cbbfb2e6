"""A run on disk: what was to be graded, what came of it, and what happened on the way.

Everything is in `run.db`, one SQLite file in the folder of the run. One process writes, and any
number may read meanwhile. A record is there as soon as it is known, so whatever ends a run costs no
more than the submissions that were under way; the next run on the same folder goes on from there.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from grader.errors import OutputError, UsageError
from grader.judging.deciding import Decision, decided
from grader.judging.record import Record
from grader.store.database import Database, damaged, opened_database, settle, telling
from grader.store.decisions import Decisions
from grader.store.earlier import EarlierRecords
from grader.store.entries import ENTRY, ENTRY_MARKS, ENTRY_NAMES, Line, entry_from, entry_row
from grader.store.graded import Graded, Kept, Unpassed
from grader.store.keys import Key
from grader.store.patterns import Pattern
from grader.store.places import journal_for, refuse_without_place, sole_writer, writer_in
from grader.store.runs import MANNERS, Run, RunEntry
from grader.store.schema import MIGRATIONS, migrate, version_of
from grader.store.written import WrittenFiles
from grader.values.display import one_line
from grader.verdict import Status

STORE_NAME: Final = "run.db"
_PAGE_BYTES: Final = 1024
"""What is kept of a submission would fill a fraction of larger pages."""


_NONE: Final[Mapping[str, bytes]] = MappingProxyType({})
_FACTS: Final = (
    *("pattern", "score", "max_score", "isolation"),
    *("data", "summary", "overview"),
)
_GRADED: Final = f"status, is_lasting, {', '.join(f'record.{name}' for name in _FACTS)}"
"""The columns of a record that are told of it as a `Graded`."""
_GRADED_COUNT: Final = len(_FACTS) + 3
"""How many these are, with its number."""


class Store:
    """The store of one run; a context manager that closes it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `connection` to the database at `path`, which has the tables of today."""
        self._database: Final = Database(connection, path)
        self._patterns: Final[dict[str, Pattern]] = {}
        self.files: Final = WrittenFiles(self._database)
        self.decisions: Final = Decisions(self._database)
        """What persons have decided, on whatever was in a run of this store."""
        self.earlier: Final = EarlierRecords(self._database)
        """What is known of the same files on other suites."""

    @classmethod
    @contextmanager
    def writing(cls, folder: Path) -> Iterator[Store]:
        """Open the store in `folder` as its one writer, and make it where there is none.

        It tells what hidden cases asked: where it is new, nobody but its owner may read it. Raises
        `OutputError` when that cannot be done, and `RecordError` for a file that is no store.
        """
        path = folder / STORE_NAME
        refuse_without_place(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot make {one_line(str(folder))}: {error.strerror}",
                help="name another place with --out",
            ) from error
        with sole_writer(folder), ExitStack() as opened:
            with telling(path):
                with suppress(FileExistsError):
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                connection = opened.enter_context(opened_database(path, "rw"))
                version_of(connection)  # before anything is written into what is no store
                connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
                connection.execute(f"PRAGMA journal_mode = {journal_for(folder)}")
                opened.callback(settle, connection)
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                migrate(connection)
            yield cls(connection, path)

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator[Store]:
        """Open the store in `folder`, in which a run may be under way.

        Raises `UsageError` if there is none, and `RecordError` if it cannot be read.
        """
        path = folder / STORE_NAME
        if not path.is_file():
            _refuse_beginning(folder)
            refuse_without_place(folder)
            raise UsageError(
                f"{one_line(str(folder))} is not the folder of a run: there is no {STORE_NAME}",
                help="name the folder that --out named when the submissions were graded; one that"
                " has just begun is there in a moment",
            )
        with telling(path), opened_database(path, "ro") as connection:
            version = version_of(connection)
            has_run = version and connection.execute("SELECT 1 FROM run").fetchone()
        if not has_run:
            _refuse_beginning(folder)
        if version < len(MIGRATIONS):
            with cls.writing(folder):  # which gives it the tables of today
                pass
        with opened_database(path, "ro") as connection:
            yield cls(connection, path)

    @property
    def run(self) -> Run:
        """What was to be graded, and how; raises `RecordError` if that is damaged or missing."""
        told = self._database.rows("SELECT how FROM run")
        try:
            if not told:
                raise ValueError("it does not say what the run was")
            manner = MANNERS.validate_python(json.loads(told[0][0]))
            return Run(entries=self._entries(), manner=manner)
        except (ValueError, RecursionError) as error:
            raise damaged(self._database.path, error) from error

    def _entries(self) -> tuple[RunEntry, ...]:
        rows = self._database.rows(f"SELECT {ENTRY} FROM entry ORDER BY position")  # noqa: S608
        return tuple(map(self._entry, rows))

    @property
    def students(self) -> set[str]:
        """All who are, or were, in a run in this store."""
        rows = self._database.rows("SELECT student FROM record UNION SELECT student FROM entry")
        return {student for (student,) in rows}

    @property
    def begun(self) -> str:
        """When a run in this store was first begun, "" if none was."""
        rows = self._database.rows("SELECT at FROM event WHERE what = 'begun' ORDER BY id LIMIT 1")
        return str(rows[0][0]) if rows else ""

    def statuses(self) -> Counter[Status]:
        """Return how many entries have a record of each status."""
        rows = self._database.rows(
            "SELECT status, count(*) FROM entry JOIN record ON record.id = entry.record"
            " GROUP BY status"
        )
        return Counter({Status(status): count for status, count in rows})

    def begin(
        self, run: Run, patterns: Mapping[str, bytes], outlines: Mapping[str, bytes] = _NONE
    ) -> None:
        """Make `run` what is to be graded. Records stay, to be found by their keys.

        `patterns` are those that records are packed to, by their hashes, and `outlines` those of
        suites, by the hashes of these.
        """
        # Not `dump_json`: what was typed, such as a seed, may be no Unicode, and JSON escapes it.
        how = json.dumps(MANNERS.dump_python(run.manner, mode="json"))
        named = {each.name: each for each in self._entries()}
        was_run = self._database.rows("SELECT 1 FROM run")
        is_other_form = was_run and self.run.manner.self_contained != run.manner.self_contained
        with self._database.transaction() as database:
            database.execute("INSERT OR REPLACE INTO run VALUES (1, ?)", [how])
            database.executemany(
                "INSERT INTO suite VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO UPDATE SET outline = coalesce(outline, excluded.outline)",
                [
                    (
                        *(each.sha256, each.asks, exercise, each.title, each.max_score),
                        outlines.get(each.sha256),
                    )
                    for exercise, each in run.manner.suites.items()
                ],
            )
            database.executemany("INSERT OR IGNORE INTO pattern VALUES (?, ?)", patterns.items())
            database.execute("DELETE FROM entry")
            database.executemany(
                f"INSERT INTO entry (position, {ENTRY_NAMES}) VALUES ({ENTRY_MARKS})",  # noqa: S608
                [(place, *entry_row(each)) for place, each in enumerate(run.entries)],
            )
            for each in run.entries:
                if is_other_form or named.get(each.name, each).called != each.called:
                    self.files.forget(each)
            self._note("begun", {"submissions": len(run.entries)})

    def own(self, entry: RunEntry, key: Key, least_level: int = 0) -> Kept | None:
        """Return the record of `entry` with this `key`, if it is known and no fault of ours.

        One that was made behind lower walls than those of the `least_level` is not known.
        """
        rows = self._database.rows(
            "SELECT id, data, is_lasting, status, score, max_score FROM record WHERE key = ?"
            " AND exercise = ? AND student = ? AND status <> 'fault' AND isolation >= ?"
            " ORDER BY id DESC LIMIT 1",
            (key.sha256, entry.exercise, entry.student, least_level),
        )
        return Kept(*rows[0]) if rows else None

    def alike(self, key: Key, least_level: int = 0) -> bytes | None:
        """Return the packed record of somebody who handed in the same, if it is sure to be so."""
        rows = self._database.rows(
            "SELECT data FROM record WHERE key = ? AND is_lasting AND isolation >= ?"
            " ORDER BY id LIMIT 1",
            (key.sha256, least_level),
        )
        return bytes(rows[0][0]) if rows else None

    def keep(self, position: int, entry: RunEntry, key: Key, hand_in: bytes, graded: Graded) -> int:
        """Keep what came of the entry at `position`, with what was handed in, packed.

        From now on nothing can lose it. Returns the id of its record.
        """
        with self._database.transaction() as database:
            database.execute(
                "INSERT OR IGNORE INTO submission VALUES (?, ?)", (key.submission, hand_in)
            )
            database.execute(
                "INSERT OR IGNORE INTO environment VALUES (?, ?)", (key.environment, key.facts)
            )
            cursor = database.execute(
                "INSERT INTO record (key, exercise, student, submission, suite, environment,"
                " status, score, max_score, isolation, is_lasting, pattern, data, summary,"
                " overview) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(key.sha256, entry.exercise, entry.student, key.submission, key.suite),
                    *(key.environment, graded.status.value, graded.score, graded.max_score),
                    *(graded.isolation, graded.is_lasting, graded.pattern, graded.data),
                    *(graded.summary, graded.overview),
                ),
            )
            record_id = cursor.lastrowid
            assert record_id is not None, "a row was inserted"
            database.executemany(
                "INSERT INTO outcome VALUES (?, ?, ?, ?, ?)",
                [(record_id, *each) for each in graded.unpassed],
            )
            self._link(position, record_id)
        return record_id

    def link(self, position: int, record_id: int) -> None:
        """Let a record that is there already be that of the entry at `position`."""
        with self._database.transaction():
            self._link(position, record_id)

    def _link(self, position: int, record_id: int) -> None:
        database = self._database
        (of,) = database.rows("SELECT exercise, student FROM entry WHERE position = ?", [position])
        (mark,) = database.one("SELECT score FROM record WHERE id = ?", record_id)
        if decisions := self.decisions.of(*of):
            data, pattern = database.one("SELECT data, pattern FROM record WHERE id = ?", record_id)
            try:
                mark = decided(self.unpacked(data, pattern), decisions).score
            except ValueError as error:
                raise damaged(database.path, error) from error
        database.connection.execute(
            "UPDATE entry SET record = ?, mark = ? WHERE position = ?",
            (record_id, mark, position),
        )

    def decide(self, decisions: Iterable[Decision]) -> None:
        """Keep `decisions`, all or none; those that are there already change nothing."""
        with self._database.transaction() as database:
            added = self.decisions.add(decisions)
            for entry in self._entries() if added else ():
                if entry.name not in added:
                    continue
                self.files.forget(entry)
                (row,) = database.execute(
                    "SELECT position, record FROM entry WHERE exercise = ? AND student = ?",
                    entry.name,
                )
                if row[1] is not None:
                    self._link(*row)

    def take_over(self, position: int, key: Key, other: Store, record_id: int) -> int:
        """Keep what `other` has kept under `record_id` as that of the entry at `position`.

        Returns the id that it has here.
        """
        row = other._database.one(
            "SELECT record.exercise, student, content, cases, outline,"  # noqa: S608 - ours
            f" {_GRADED} FROM record"
            " JOIN submission ON submission = submission.sha256"
            " JOIN pattern ON pattern = pattern.sha256"
            " JOIN suite ON suite = suite.sha256 WHERE id = ?",
            record_id,
        )
        exercise, student, content, cases, outline, *facts = row
        graded = other._graded_from(record_id, *facts)
        entry = RunEntry(exercise=exercise, student=student, stem="any")
        with self._database.transaction() as database:
            database.execute("INSERT OR IGNORE INTO pattern VALUES (?, ?)", (graded.pattern, cases))
            database.execute(
                "UPDATE suite SET outline = coalesce(outline, ?) WHERE sha256 = ?",
                (outline, key.suite),
            )
        return self.keep(position, entry, key, content, graded)

    def lines(self) -> Iterator[Line]:
        """Yield a line for each entry that was graded, in the order of the run."""
        rows = self._database.rows(
            "SELECT record.id, status, key, submission, suite, environment, pattern,"  # noqa: S608
            f" {ENTRY} FROM entry JOIN record ON record.id = record ORDER BY position"
        )
        for row in rows:
            yield Line(self._entry(row[7:]), *row[:7])

    def data(self, record_id: int) -> bytes:
        """Return the packed record with this id."""
        return bytes(self._database.one("SELECT data FROM record WHERE id = ?", record_id)[0])

    def patterns(self) -> dict[str, bytes]:
        """Return what records are packed to, by the hash that each has there."""
        return dict(self._database.rows("SELECT sha256, cases FROM pattern"))

    def record_of(self, graded: Graded) -> Record:
        """Return the whole record of what was `graded`; raises `ValueError` for a damaged one."""
        return self.unpacked(graded.data, graded.pattern)

    def unpacked(self, data: bytes, pattern: str) -> Record:
        """Return a record packed to `pattern`, a hash; raises `ValueError` for a damaged one."""
        if pattern not in self._patterns:
            self._patterns[pattern] = Pattern.from_bytes(self.patterns()[pattern])
        return self._patterns[pattern].unpack(data)

    def content(self, submission: str) -> bytes:
        """Return what was handed in with this hash, packed; nothing where that is not kept."""
        return bytes(
            self._database.one("SELECT content FROM submission WHERE sha256 = ?", submission)[0]
        )

    def facts(self, environment: str) -> str:
        """Return what the environment with this hash is."""
        return str(
            self._database.one("SELECT facts FROM environment WHERE sha256 = ?", environment)[0]
        )

    def note(self, what: str, **facts: object) -> None:
        """Take note of what happened to the run."""
        with self._database.transaction():
            self._note(what, facts)

    def _note(self, what: str, facts: Mapping[str, object]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        self._database.connection.execute(
            "INSERT INTO event (at, what, facts) VALUES (?, ?, ?)",
            (at, what, json.dumps(facts, sort_keys=True)),
        )

    def __iter__(self) -> Iterator[tuple[RunEntry, Graded]]:
        """Yield what came of each entry that was graded, in the order of the run.

        Its score is the one that counts: with what a person has decided.
        """
        return self._graded(None, None)

    def graded(self, entry: RunEntry) -> Graded | None:
        """Return what came of `entry`, None if it was not graded."""
        found = self._graded(entry.exercise, entry.student)
        return next((graded for _, graded in found), None)

    def _graded(
        self, exercise: str | None, student: str | None
    ) -> Iterator[tuple[RunEntry, Graded]]:
        rows = self._database.connection.execute(
            f"SELECT mark, record.id, {_GRADED}, {ENTRY} FROM entry"  # noqa: S608 - ours
            " JOIN record ON record.id = entry.record"
            " WHERE ?1 IS NULL OR entry.exercise = ?1 AND entry.student = ?2 ORDER BY position",
            (exercise, student),
        )
        with telling(self._database.path):  # what whoever asks raises does not come by here
            for mark, *row in rows:
                graded = self._graded_from(*row[:_GRADED_COUNT])
                yield self._entry(row[_GRADED_COUNT:]), replace(graded, score=mark)

    def _entry(self, row: Sequence[Any]) -> RunEntry:
        try:
            return entry_from(row)
        except ValueError as error:
            raise damaged(self._database.path, error) from error

    def _graded_from(self, record_id: int, status: str, lasting: int, *facts: Any) -> Graded:
        """Return what came of a submission, of which the columns in `_GRADED` are given."""
        told = dict(zip(_FACTS, facts, strict=True))
        unpassed = self._unpassed(record_id)
        return Graded(status=Status(status), is_lasting=bool(lasting), unpassed=unpassed, **told)

    def _unpassed(self, record_id: int) -> tuple[Unpassed, ...]:
        rows = self._database.rows(
            "SELECT case_id, verdict, points, max_points FROM outcome WHERE record = ?", [record_id]
        )
        return tuple(Unpassed(*row) for row in rows)


def _refuse_beginning(folder: Path) -> None:
    """Raise `UsageError` if a run is just being begun in `folder`."""
    if (who := writer_in(folder)) is not None:
        raise UsageError(
            f"the run in {one_line(str(folder))} is only just beginning, by {who}",
            help="give the same command again in a moment",
        )
