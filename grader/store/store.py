"""Writes a run to disk: its entries, its results and its events.

Everything is in `run.db`, one SQLite file in the run's folder. One process writes, and any number
of processes can read at the same time. Each record is stored as soon as it is known, so an
interruption loses only the submissions in progress, and the next run in the same folder resumes
from there.
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
from grader.judging.deciding import Decision, apply_decisions
from grader.store.database import damage_error, merge_journal, open_database, translate_errors
from grader.store.graded import Graded, Pattern, RecordRows
from grader.store.keys import RecordKey
from grader.store.places import journal_mode, refuse_interrupted_replacement, sole_writer, writer_in
from grader.store.runs import ENTRY_COLUMNS, ENTRY_PLACEHOLDERS, Run, RunEntry, entry_row
from grader.store.schema import MIGRATIONS, migrate, version_of
from grader.store.view import StoreView
from grader.values.foreign_text import one_line

STORE_NAME: Final = "run.db"
_PAGE_BYTES: Final = 1024
"""The size of a database page: one submission would fill only a fraction of a larger page."""
_MAX_COPIED: Final = 256
"""How many records are copied from another store at a time, to limit memory."""


class Store(StoreView):
    """The store of one run."""

    @classmethod
    @contextmanager
    def writing(cls, folder: Path) -> Iterator[Store]:
        """Open the store in `folder` as its only writer, and create it if it does not exist.

        A store reveals hidden cases, so a new one is readable only by its owner. Raises
        `OutputError` if the store cannot be opened or has another writer, `RecordError` if the file
        is not a store that this version supports, and `UsageError` if replacing the run in `folder`
        was interrupted.
        """
        path = folder / STORE_NAME
        refuse_interrupted_replacement(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot create {one_line(str(folder))}: {error.strerror}",
                help="choose another folder with --out",
            ) from error
        with sole_writer(folder), ExitStack() as stack:
            with translate_errors(path):
                # Created here, because a file that SQLite creates is readable by everybody.
                with suppress(FileExistsError):
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                connection = stack.enter_context(open_database(path, "rw"))
                # Raises before anything is written to a file of another program.
                version_of(connection)
                # The page size can be set only in a new file, and only before WAL mode is set.
                connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
                connection.execute(f"PRAGMA journal_mode = {journal_mode(folder)}")
                stack.callback(merge_journal, connection)
                # Commits do not wait for the disk: after a power cut the last ones are lost, and
                # their submissions are graded again.
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA foreign_keys = ON")
                migrate(connection)
            yield cls(connection, path)

    @classmethod
    @contextmanager
    def reading(cls, folder: Path) -> Iterator[Store]:
        """Open the store in `folder` for reading, even while a run is writing to it.

        An older store is first brought up to date on disk. Raises `UsageError` if there is no store
        yet, or if replacing the run was interrupted, and `RecordError` if the store cannot be read.
        """
        path = folder / STORE_NAME
        if not path.is_file():
            _refuse_just_started(folder)
            refuse_interrupted_replacement(folder)
            raise UsageError(
                f"{one_line(str(folder))} is not the folder of a run: it contains no {STORE_NAME}",
                help="name the folder that was given to --out when the submissions were graded; if"
                " the run has only just started, try again in a moment",
            )
        with translate_errors(path), open_database(path, "ro") as connection:
            version = version_of(connection)
            has_run = version and connection.execute("SELECT 1 FROM run").fetchone()
        if not has_run:
            _refuse_just_started(folder)
        if version < len(MIGRATIONS):
            with cls.writing(folder):  # opening it for writing migrates its tables
                pass
        with ExitStack() as stack:
            # Translated here too, as the file can be replaced or removed meanwhile.
            with translate_errors(path):
                connection = stack.enter_context(open_database(path, "ro"))
            yield cls(connection, path)

    def begin(self, run: Run, patterns: Mapping[str, bytes]) -> None:
        """Start `run` in this store; existing records remain and are found by their keys.

        Records are packed relative to the `patterns`, which are keyed by hash. The entries replace
        those in the store. Unless the store already contains this run, also mark outdated pages
        and remove `results.json`.
        """
        # Not `dump_json`: a path can contain lone surrogates, which `json` escapes.
        run_json = json.dumps(run.to_json())
        rows = [(position, *entry_row(entry)) for position, entry in enumerate(run.entries)]
        with self._database.transaction() as database:
            self._linked = self._existing_links([(run_json,)], rows)
            if not self._linked:
                self._mark_outdated_pages(run)
            database.execute("INSERT OR REPLACE INTO run VALUES (1, ?)", [run_json])
            database.executemany(
                "INSERT OR IGNORE INTO suite VALUES (?, ?, ?, ?, ?)",
                [
                    (suite.sha256, suite.asks, exercise, suite.title, suite.max_score)
                    for exercise, suite in run.suites.items()
                ],
            )
            database.executemany("INSERT OR IGNORE INTO pattern VALUES (?, ?)", patterns.items())
            database.execute("DELETE FROM entry")
            database.executemany(
                f"INSERT INTO entry (position, {ENTRY_COLUMNS}) VALUES ({ENTRY_PLACEHOLDERS})",  # noqa: S608
                rows,
            )
            self._note("begun", {"submissions": len(run.entries)})
        self._begun = run.entries

    def _existing_links(self, run_rows: Sequence[object], rows: Sequence[object]) -> dict[int, int]:
        """Return the record ids by position if the store already contains this run.

        If it does not, remove `results.json`, which belongs to another run, and return an empty
        dict.
        """
        query = f"SELECT position, {ENTRY_COLUMNS} FROM entry ORDER BY position"  # noqa: S608 - ours
        if (
            self._database.rows("SELECT how FROM run") == run_rows
            and self._database.rows(query) == rows
        ):
            return dict(self._database.rows("SELECT position, record FROM entry"))
        self.reports.remove_results()
        return {}

    def _mark_outdated_pages(self, run: Run) -> None:
        """Mark as outdated the pages of students who have a new display name in `run`.

        If `self_contained` has changed, all pages are outdated.
        """
        old_entries = {entry.identity: entry for entry in self._entries()}
        is_first = not self._database.rows("SELECT 1 FROM run")
        has_new_layout = (
            not is_first and self.run.settings.self_contained != run.settings.self_contained
        )
        for entry in run.entries:
            if (
                has_new_layout
                or old_entries.get(entry.identity, entry).display_name != entry.display_name
            ):
                self.files.mark_outdated(entry)

    def store_result(
        self, position: int, entry: RunEntry, key: RecordKey, hand_in: bytes, graded: Graded
    ) -> int:
        """Store the result and the packed hand-in of the entry at `position`.

        Return the id of the new record.
        """
        with self._database.transaction():
            return self._insert_record(position, entry, key, hand_in, graded)

    def _insert_record(
        self, position: int, entry: RunEntry, key: RecordKey, hand_in: bytes, graded: Graded
    ) -> int:
        """Insert a record in the caller's transaction, link its entry to it, and return the id."""
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
            [(record_id, *case) for case in graded.unpassed],
        )
        self._link({position: record_id})
        return record_id

    def link_records(self, records: Mapping[int, int]) -> None:
        """Assign existing records to entries; `records` has record ids, keyed by entry position."""
        with self._database.transaction():
            self._link(records)

    def _link(self, records: Mapping[int, int]) -> None:
        """Assign `records` to entries in the caller's transaction, and update the marks.

        `records` has record ids, keyed by entry position. Remove `results.json` if the record of
        any entry changes, or if an entry gets its first record.
        """
        if not records:
            return
        if any(self._linked.get(position) != record_id for position, record_id in records.items()):
            self.reports.remove_results()
        database = self._database
        database.connection.executemany(
            "UPDATE entry SET record = ?2, mark = (SELECT score FROM record WHERE id = ?2)"
            " WHERE position = ?1",
            records.items(),
        )
        # A range of positions, because SQLite limits the number of parameters.
        decided_entries = database.rows(
            "SELECT position, exercise, student FROM entry WHERE position BETWEEN ? AND ?"
            " AND EXISTS (SELECT 1 FROM decision WHERE decision.exercise = entry.exercise"
            " AND decision.student = entry.student)",
            (min(records), max(records)),
        )
        for position, *identity in decided_entries:
            if position in records:
                self._apply_decisions(
                    position, records[position], self.decisions.for_submission(*identity)
                )

    def _apply_decisions(
        self, position: int, record_id: int, decisions: Sequence[Decision]
    ) -> None:
        """Set the mark of the entry at `position` to its score with `decisions` applied.

        Raises `RecordError` if its record is damaged.
        """
        database = self._database
        data, pattern = database.only_row(
            "SELECT data, pattern FROM record WHERE id = ?", record_id
        )
        try:
            record = Pattern.from_bytes(self.pattern(pattern)).unpack(data)
            mark = apply_decisions(record, decisions).score
        except ValueError as error:
            raise damage_error(database.path, error) from error
        database.connection.execute(
            "UPDATE entry SET mark = ? WHERE position = ?", (mark, position)
        )

    def decide(self, decisions: Iterable[Decision]) -> None:
        """Store those of `decisions` that are new, in one transaction.

        Also update the marks of their entries, mark the pages as outdated, and remove
        `results.json`.
        """
        with self._database.transaction() as database:
            added = self.decisions.add(decisions)
            if added:
                self.reports.remove_results()
            for entry in self._entries() if added else ():
                if entry.identity not in added:
                    continue
                self.files.mark_outdated(entry)
                ((position, record_id),) = database.execute(
                    "SELECT position, record FROM entry WHERE exercise = ? AND student = ?",
                    entry.identity,
                )
                if record_id is not None:  # linking it again updates the mark
                    self._link({position: record_id})

    def copy_records(self, records: Mapping[int, int], source: StoreView) -> None:
        """Copy records from the store `source` and link them to entries, in one transaction.

        `records` has record ids in `source`, keyed by entry position in this store.
        """
        remaining = iter(records.items())
        with self._database.transaction():
            while batch := dict(islice(remaining, _MAX_COPIED)):
                self._copy_records(batch, source.export_records(batch.values()))

    def _copy_records(self, records: Mapping[int, int], exported: RecordRows) -> None:
        """Insert the records of `exported` under new ids, and link entries to them.

        `records` has record ids in the other store, keyed by entry position in this store.
        """
        database = self._database.connection
        for table, rows in exported.referenced.items():
            database.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", rows)  # noqa: S608
        # Ids from the other store might be in use in this one, so records get new ids.
        ((last_id,),) = database.execute("SELECT coalesce(max(id), 0) FROM record")
        ids = {row[0]: last_id + number for number, row in enumerate(exported.records, start=1)}
        placeholders = ", ".join("?" * len(exported.records[0]))
        database.executemany(
            f"INSERT INTO record VALUES ({placeholders})",  # noqa: S608 - only question marks
            ((ids[record_id], *row) for record_id, *row in exported.records),
        )
        database.executemany(
            "INSERT INTO outcome VALUES (?, ?, ?, ?, ?)",
            ((ids[record_id], *row) for record_id, *row in exported.outcomes),
        )
        self._link({position: ids[record_id] for position, record_id in records.items()})

    def record_event(self, what: str, **facts: object) -> None:
        """Record an event of the kind `what`, with its `facts` and the current time."""
        with self._database.transaction():
            self._note(what, facts)

    def _note(self, what: str, facts: Mapping[str, object]) -> None:
        """Record an event in the caller's transaction."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        self._database.connection.execute(
            "INSERT INTO event (at, what, facts) VALUES (?, ?, ?)",
            (at, what, json.dumps(facts, sort_keys=True)),
        )


def _refuse_just_started(folder: Path) -> None:
    """Raise `UsageError` if a run is starting in `folder` and has not created its store yet."""
    if (writer := writer_in(folder)) is not None:
        raise UsageError(
            f"{writer} has only just started the run in {one_line(str(folder))}",
            help="run the same command again in a moment",
        )
