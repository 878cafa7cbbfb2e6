"""A run on disk: what is to be graded, the results, and the events of the run.

Everything is in `run.db`, one SQLite file in the folder of the run. One process writes, and any
number may read meanwhile. A record is kept as soon as it is known, so an interruption loses only
the submissions in progress; the next run on the same folder continues from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from grader.errors import OutputError, UsageError
from grader.judging.deciding import Decision, decided
from grader.store.database import damaged, opened_database, our_errors, settle
from grader.store.graded import Graded, KeptRecords, Pattern
from grader.store.keys import RecordKey
from grader.store.places import journal_for, refuse_interrupted_replacement, sole_writer, writer_in
from grader.store.runs import ENTRY_MARKS, ENTRY_NAMES, Run, RunEntry, entry_row
from grader.store.schema import MIGRATIONS, migrate, version_of
from grader.store.view import StoreView
from grader.values.foreign_text import one_line

STORE_NAME: Final = "run.db"
_PAGE_BYTES: Final = 1024
"""The data of a submission would fill only a fraction of a larger page."""
_MAX_COPIED: Final = 256
"""Records of another store that are in memory at once."""


class Store(StoreView):
    """The store of one run; a context manager that closes it."""

    @classmethod
    @contextmanager
    def writing(cls, folder: Path) -> Iterator[Store]:
        """Open the store in `folder` as its only writer, and create it if it does not exist.

        It reveals hidden cases, so only the owner can read a new one. Raises `OutputError` if it
        cannot be opened, and `RecordError` for a file that is not a store.
        """
        path = folder / STORE_NAME
        refuse_interrupted_replacement(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot make {one_line(str(folder))}: {error.strerror}",
                help="name another place with --out",
            ) from error
        with sole_writer(folder), ExitStack() as stack:
            with our_errors(path):
                # Not created by SQLite, which would let everybody read it.
                with suppress(FileExistsError):
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                connection = stack.enter_context(opened_database(path, "rw"))
                version_of(connection)  # raises before anything is written to a foreign file
                # The page size can be set only in a new file and before WAL mode.
                connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
                connection.execute(f"PRAGMA journal_mode = {journal_for(folder)}")
                stack.callback(settle, connection)
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                migrate(connection)
            yield cls(connection, path)

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator[Store]:
        """Open the store in `folder`, to which a run may be writing.

        Raises `UsageError` if there is none, and `RecordError` if it cannot be read.
        """
        path = folder / STORE_NAME
        if not path.is_file():
            _refuse_just_started(folder)
            refuse_interrupted_replacement(folder)
            raise UsageError(
                f"{one_line(str(folder))} is not the folder of a run: there is no {STORE_NAME}",
                help="name the folder given to --out when the submissions were graded; a run that"
                " has just started is there in a moment",
            )
        with our_errors(path), opened_database(path, "ro") as connection:
            version = version_of(connection)
            has_run = version and connection.execute("SELECT 1 FROM run").fetchone()
        if not has_run:
            _refuse_just_started(folder)
        if version < len(MIGRATIONS):
            with cls.writing(folder):  # this brings its tables up to date
                pass
        with opened_database(path, "ro") as connection:
            yield cls(connection, path)

    def begin(self, run: Run, patterns: Mapping[str, bytes]) -> None:
        """Start `run` in this store. Records stay, and are found again by their keys.

        `patterns`, by their hashes, are those to which records are packed.
        """
        # Not `dump_json`: a path may have lone surrogates, which `json` escapes.
        how = json.dumps(run.to_json())
        rows = [(position, *entry_row(each)) for position, each in enumerate(run.entries)]
        with self._database.transaction() as database:
            self._linked = self._existing_links([(how,)], rows)
            if not self._linked:
                self._forget_outdated_pages(run)
            database.execute("INSERT OR REPLACE INTO run VALUES (1, ?)", [how])
            database.executemany(
                "INSERT OR IGNORE INTO suite VALUES (?, ?, ?, ?, ?)",
                [
                    (each.sha256, each.asks, exercise, each.title, each.max_score)
                    for exercise, each in run.suites.items()
                ],
            )
            database.executemany("INSERT OR IGNORE INTO pattern VALUES (?, ?)", patterns.items())
            database.execute("DELETE FROM entry")
            database.executemany(
                f"INSERT INTO entry (position, {ENTRY_NAMES}) VALUES ({ENTRY_MARKS})",  # noqa: S608
                rows,
            )
            self._note("begun", {"submissions": len(run.entries)})
        self._begun = run.entries

    def _existing_links(self, how: Sequence[object], rows: Sequence[object]) -> dict[int, int]:
        """Return the record of each entry if the store already has this run.

        If it has another run, the reports on that are removed.
        """
        query = f"SELECT position, {ENTRY_NAMES} FROM entry ORDER BY position"  # noqa: S608 - ours
        if self._database.rows("SELECT how FROM run") == how and self._database.rows(query) == rows:
            return dict(self._database.rows("SELECT position, record FROM entry"))
        self.reports.withdraw()
        return {}

    def _forget_outdated_pages(self, run: Run) -> None:
        """Mark pages as outdated that differ in `run`, in the student's name or in their form."""
        old_entries = {each.name: each for each in self._entries()}
        is_first = not self._database.rows("SELECT 1 FROM run")
        has_new_form = (
            not is_first and self.run.settings.self_contained != run.settings.self_contained
        )
        for each in run.entries:
            if has_new_form or old_entries.get(each.name, each).called != each.called:
                self.files.forget(each)

    def keep(
        self, position: int, entry: RunEntry, key: RecordKey, hand_in: bytes, graded: Graded
    ) -> int:
        """Keep the result of the entry at `position`, with the packed hand-in, on disk.

        Returns the id of its record.
        """
        with self._database.transaction():
            return self._keep(position, entry, key, hand_in, graded)

    def _keep(
        self, position: int, entry: RunEntry, key: RecordKey, hand_in: bytes, graded: Graded
    ) -> int:
        """Insert the record in the caller's transaction, and link its entry to it."""
        database = self._database.connection
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
        self._link({position: record_id})
        return record_id

    def link(self, records: Mapping[int, int]) -> None:
        """Assign existing `records` to the entries at these positions."""
        with self._database.transaction():
            self._link(records)

    def _link(self, records: Mapping[int, int]) -> None:
        """Assign `records` to entries in the caller's transaction, and update marks and reports."""
        if not records:
            return
        if any(self._linked.get(place) != record_id for place, record_id in records.items()):
            self.reports.withdraw()
        database = self._database
        database.connection.executemany(
            "UPDATE entry SET record = ?2, mark = (SELECT score FROM record WHERE id = ?2)"
            " WHERE position = ?1",
            records.items(),
        )
        decided_entries = database.rows(
            "SELECT position, exercise, student FROM entry WHERE position BETWEEN ? AND ?"
            " AND EXISTS (SELECT 1 FROM decision WHERE decision.exercise = entry.exercise"
            " AND decision.student = entry.student)",
            (min(records), max(records)),
        )
        for position, *name in decided_entries:
            if position in records:
                self._apply_decisions(position, records[position], self.decisions.of(*name))

    def _apply_decisions(
        self, position: int, record_id: int, decisions: Sequence[Decision]
    ) -> None:
        """Set the mark of the entry at `position` to its score with `decisions` applied."""
        database = self._database
        data, pattern = database.one("SELECT data, pattern FROM record WHERE id = ?", record_id)
        try:
            record = Pattern.from_bytes(self.pattern(pattern)).unpack(data)
            mark = decided(record, decisions).score
        except ValueError as error:
            raise damaged(database.path, error) from error
        database.connection.execute(
            "UPDATE entry SET mark = ? WHERE position = ?", (mark, position)
        )

    def decide(self, decisions: Iterable[Decision]) -> None:
        """Keep `decisions`, all or none; known ones change nothing."""
        with self._database.transaction() as database:
            added = self.decisions.add(decisions)
            if added:
                self.reports.withdraw()
            for entry in self._entries() if added else ():
                if entry.name not in added:
                    continue
                self.files.forget(entry)
                ((position, record_id),) = database.execute(
                    "SELECT position, record FROM entry WHERE exercise = ? AND student = ?",
                    entry.name,
                )
                if record_id is not None:
                    self._link({position: record_id})

    def copy_records(self, records: Mapping[int, int], other: StoreView) -> None:
        """Copy `records` from `other`, all or none: by entry position here, the record id there."""
        remaining = iter(records.items())
        with self._database.transaction():
            while batch := dict(islice(remaining, _MAX_COPIED)):
                self._copy_records(batch, other.parcel(batch.values()))

    def _copy_records(self, records: Mapping[int, int], parcel: KeptRecords) -> None:
        """Insert the records of `parcel` under new ids, and link their entries to them."""
        database = self._database.connection
        for table, rows in parcel.hashed.items():
            database.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", rows)  # noqa: S608
        # Ids of the other store may be in use here, so records get new ones.
        ((last,),) = database.execute("SELECT coalesce(max(id), 0) FROM record")
        ids = {each[0]: last + count for count, each in enumerate(parcel.records, start=1)}
        placeholders = ", ".join("?" * len(parcel.records[0]))
        database.executemany(
            f"INSERT INTO record VALUES ({placeholders})",  # noqa: S608 - as many as there are columns
            ((ids[record_id], *row) for record_id, *row in parcel.records),
        )
        database.executemany(
            "INSERT INTO outcome VALUES (?, ?, ?, ?, ?)",
            ((ids[record_id], *row) for record_id, *row in parcel.outcomes),
        )
        self._link({position: ids[record_id] for position, record_id in records.items()})

    def note(self, what: str, **facts: object) -> None:
        """Record an event of the run."""
        with self._database.transaction():
            self._note(what, facts)

    def _note(self, what: str, facts: Mapping[str, object]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        self._database.connection.execute(
            "INSERT INTO event (at, what, facts) VALUES (?, ?, ?)",
            (at, what, json.dumps(facts, sort_keys=True)),
        )


def _refuse_just_started(folder: Path) -> None:
    """Raise `UsageError` if a run has only just started in `folder`."""
    if (writer := writer_in(folder)) is not None:
        raise UsageError(
            f"the run in {one_line(str(folder))} has only just started, by {writer}",
            help="run the same command again in a moment",
        )
