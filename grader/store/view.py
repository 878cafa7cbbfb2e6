"""Reads a run from disk, to resume it or to make reports."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from grader.store.database import Database, damage_error, translate_errors
from grader.store.decisions import Decisions
from grader.store.graded import EarlierRecord, Graded, RecordRows, StoredRecord, UnpassedCase
from grader.store.keys import RecordKey, environment
from grader.store.runs import (
    ENTRY_COLUMNS,
    QUALIFIED_COLUMNS,
    GradedEntry,
    Run,
    RunEntry,
    parse_entry_row,
)
from grader.store.written_files import WrittenFiles, WrittenReports
from grader.verdict import Status

_FACTS: Final = (
    *("pattern", "score", "max_score", "isolation"),
    *("data", "summary", "overview"),
)
_GRADED: Final = f"status, is_lasting, {', '.join(f'record.{name}' for name in _FACTS)}"
"""The columns of a record that a `Graded` is made from."""
_GRADED_COUNT: Final = len(_FACTS) + 3
"""The number of columns in `_GRADED`, plus the id."""


class StoreView:
    """The part of a store that only reads; the base class of `Store`."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `connection` to the database at `path`, whose tables are up to date."""
        self._database: Final = Database(connection, path)
        self._patterns: Final[dict[str, bytes]] = {}
        self.files: Final = WrittenFiles(self._database)
        self.reports: Final = WrittenReports(self._database)
        self._begun: tuple[RunEntry, ...] = ()
        """The entries of the run that this object began, or none if it did not begin a run."""
        self._linked: dict[int, int] = {}
        """The record ids, keyed by entry position, that were stored before this object began the
        same run again."""
        self.decisions: Final = Decisions(self._database)
        """All decisions ever made on submissions in this store, including those of earlier runs."""

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self._database.path.parent

    @property
    def run(self) -> Run:
        """The run with its entries and settings.

        Raises `RecordError` if it is missing or damaged.
        """
        rows = self._database.rows("SELECT how FROM run")
        try:
            if not rows:
                raise ValueError("no run is recorded in it")
            return Run.from_json(json.loads(rows[0][0]), self._entries())
        except (ValueError, RecursionError) as error:
            raise damage_error(self._database.path, error) from error

    def _entries(self) -> tuple[RunEntry, ...]:
        """Return all entries of the run, from memory if this object began it.

        Raises `RecordError` if one is damaged.
        """
        if self._begun:
            return self._begun
        rows = self._database.rows(
            f"SELECT position, {QUALIFIED_COLUMNS} FROM entry ORDER BY position"  # noqa: S608
        )
        return tuple(self._entry(*row) for row in rows)

    @property
    def students(self) -> set[str]:
        """All students who are or were in a run of this store."""
        rows = self._database.rows("SELECT student FROM record UNION SELECT student FROM entry")
        return {student for (student,) in rows}

    @property
    def begun_at(self) -> str:
        """When the first run in this store began, in ISO format, or "" if there was none."""
        rows = self._database.rows("SELECT at FROM event WHERE what = 'begun' ORDER BY id LIMIT 1")
        return str(rows[0][0]) if rows else ""

    def events(self, what: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the time and facts of each event of the kind `what`, oldest first."""
        for at, facts in self._database.rows(
            "SELECT at, facts FROM event WHERE what = ? ORDER BY id", (what,)
        ):
            yield at, json.loads(facts)

    def state(self, *options: object) -> str:
        """Return a hash of everything that determines the reports made with these `options`.

        Records and decisions never change, so their ids are enough.
        """
        queries = (
            "SELECT how FROM run",
            f"SELECT position, {ENTRY_COLUMNS}, record, mark FROM entry ORDER BY position",  # noqa: S608
            "SELECT id, uid FROM decision ORDER BY id",
        )
        facts = [environment(()), options, *map(self._database.rows, queries)]
        return hashlib.sha256(ascii(facts).encode("ascii")).hexdigest()

    def statuses(self) -> Counter[Status]:
        """Return the number of graded entries by status."""
        rows = self._database.rows(
            "SELECT status, count(*) FROM entry JOIN record ON record.id = entry.record"
            " GROUP BY status"
        )
        return Counter({Status(status): count for status, count in rows})

    def find_record(
        self, entry: RunEntry, key: RecordKey, least_level: int = 0
    ) -> StoredRecord | None:
        """Return the latest record of `entry` with this `key`, or None if there is none.

        Faults, and records made below the isolation level `least_level`, are skipped.
        """
        rows = self._database.rows(
            "SELECT id, is_lasting, status, score, max_score FROM record WHERE key = ?"
            " AND exercise = ? AND student = ? AND status <> 'fault' AND isolation >= ?"
            " ORDER BY id DESC LIMIT 1",
            (key.sha256, entry.exercise, entry.student, least_level),
        )
        return StoredRecord(*rows[0]) if rows else None

    def find_lasting_data(self, key: RecordKey, least_level: int = 0) -> bytes | None:
        """Return a packed lasting record with this `key`, or None if there is none.

        It might be the record of another student who handed in the same files. Records made below
        the isolation level `least_level` are skipped.
        """
        rows = self._database.rows(
            "SELECT data FROM record WHERE key = ? AND is_lasting AND isolation >= ?"
            " ORDER BY id LIMIT 1",
            (key.sha256, least_level),
        )
        return bytes(rows[0][0]) if rows else None

    def find_earlier(
        self, entry: RunEntry, key: RecordKey, asks: str, least_level: int = 0
    ) -> EarlierRecord | None:
        """Return the latest record of `entry` on a suite whose questions have the hash `asks`.

        Points or deadline can differ from those of `key`, but the files and the environment are the
        same. Records made below the isolation level `least_level` are skipped. Return None if there
        is no such record.
        """
        rows = self._database.rows(
            "SELECT data, cases, is_lasting FROM record"
            " JOIN suite ON suite.sha256 = suite JOIN pattern ON pattern.sha256 = pattern"
            " WHERE submission = ? AND record.exercise = ? AND student = ? AND environment = ?"
            " AND asks = ? AND key <> ? AND status = 'graded' AND isolation >= ?"
            " ORDER BY id DESC LIMIT 1",
            (
                *(key.submission, entry.exercise, entry.student, key.environment),
                *(asks, key.sha256, least_level),
            ),
        )
        if not rows:
            return None
        data, pattern, is_lasting = rows[0]
        return EarlierRecord(data, pattern, bool(is_lasting))

    def export_records(self, record_ids: Iterable[int]) -> RecordRows:
        """Return the rows of the records with these ids, to be copied to another store."""
        # The ids are one JSON parameter, because SQLite limits the number of parameters.
        ids = [json.dumps([*record_ids])]
        condition = "IN (SELECT value FROM json_each(?))"
        rows = self._database.rows

        def referenced_rows(table: str) -> list[tuple[Any, ...]]:
            hashes = f"SELECT {table} FROM record WHERE id {condition}"  # noqa: S608 - ours
            return rows(f"SELECT * FROM {table} WHERE sha256 IN ({hashes})", ids)  # noqa: S608

        return RecordRows(
            referenced={
                table: referenced_rows(table) for table in ("submission", "environment", "pattern")
            },
            records=rows(f"SELECT * FROM record WHERE id {condition} ORDER BY id", ids),  # noqa: S608
            outcomes=rows(f"SELECT * FROM outcome WHERE record {condition}", ids),  # noqa: S608
        )

    def graded_entries(self) -> Iterator[GradedEntry]:
        """Yield all graded entries with their records' status and hashes, in run order."""
        rows = self._database.rows(
            "SELECT record.id, status, key, submission, suite, environment, pattern,"  # noqa: S608
            f" position, {QUALIFIED_COLUMNS} FROM entry JOIN record ON record.id = record"
            " ORDER BY position"
        )
        for row in rows:
            yield GradedEntry(self._entry(*row[7:]), *row[:7])

    def record_id(self, entry: RunEntry) -> int:
        """Return the id of the record of `entry`, which must be graded."""
        # A student has at most one entry for an exercise, which the table enforces.
        ((record_id,),) = self._database.rows(
            "SELECT record FROM entry WHERE exercise = ? AND student = ?", entry.identity
        )
        return int(record_id)

    def data(self, record_id: int) -> bytes:
        """Return the packed record with this id."""
        return bytes(self._database.only_row("SELECT data FROM record WHERE id = ?", record_id)[0])

    def pattern(self, sha256: str) -> bytes:
        """Return the packed pattern with this hash, cached after the first call."""
        if sha256 not in self._patterns:
            row = self._database.only_row("SELECT cases FROM pattern WHERE sha256 = ?", sha256)
            self._patterns[sha256] = bytes(row[0])
        return self._patterns[sha256]

    def content(self, submission: str) -> bytes:
        """Return the packed hand-in with the hash `submission`, or b"" if it was not kept."""
        return bytes(
            self._database.only_row("SELECT content FROM submission WHERE sha256 = ?", submission)[
                0
            ]
        )

    def facts(self, environment: str) -> str:
        """Return the description, as JSON, of the environment with this hash."""
        return str(
            self._database.only_row("SELECT facts FROM environment WHERE sha256 = ?", environment)[
                0
            ]
        )

    def __iter__(self) -> Iterator[tuple[RunEntry, Graded]]:
        """Yield all graded entries with their results, in the order of the run.

        The score of a result is the mark, with decisions applied. Raises `RecordError` if a result
        is damaged.
        """
        return self._graded(None, None)

    def graded(self, entry: RunEntry) -> Graded | None:
        """Return the result of `entry`, or None if it is not graded yet."""
        results = self._graded(entry.exercise, entry.student)
        return next((graded for _, graded in results), None)

    def _graded(
        self, exercise: str | None, student: str | None
    ) -> Iterator[tuple[RunEntry, Graded]]:
        """Yield the one entry of `exercise` and `student`, or all if these are None, with results.

        Entries that are not graded yet are left out. Raises `RecordError` if a result is damaged.
        """
        # Not `rows`, which would load the large records of the whole run into memory.
        # Exceptions in the caller's loop are not raised in this generator, so not translated.
        with translate_errors(self._database.path):
            rows = self._database.connection.execute(
                f"SELECT mark, record.id, {_GRADED}, position, {QUALIFIED_COLUMNS} FROM entry"  # noqa: S608 - ours
                " JOIN record ON record.id = entry.record"
                " WHERE ?1 IS NULL OR entry.exercise = ?1 AND entry.student = ?2 ORDER BY position",
                (exercise, student),
            )
            for mark, *row in rows:
                graded = self._graded_from(*row[:_GRADED_COUNT])
                yield self._entry(*row[_GRADED_COUNT:]), replace(graded, score=mark)

    def _entry(self, position: int, *row: Any) -> RunEntry:
        """Return the entry at `position`, parsed from `row` unless this object began the run.

        Raises `RecordError` if the row is damaged.
        """
        if self._begun:
            return self._begun[position]
        try:
            return parse_entry_row(row)
        except ValueError as error:
            raise damage_error(self._database.path, error) from error

    def _graded_from(self, record_id: int, status: str, lasting: int, *facts: Any) -> Graded:
        """Return the result of a submission from its record id and the columns in `_GRADED`."""
        columns = dict(zip(_FACTS, facts, strict=True))
        unpassed = self._unpassed(record_id)
        return Graded(status=Status(status), is_lasting=bool(lasting), unpassed=unpassed, **columns)

    def _unpassed(self, record_id: int) -> tuple[UnpassedCase, ...]:
        rows = self._database.rows(
            "SELECT case_id, verdict, points, max_points FROM outcome WHERE record = ?", [record_id]
        )
        return tuple(UnpassedCase(*row) for row in rows)
