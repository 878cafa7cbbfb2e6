"""Rewrites pages and reports in the background, so that nobody waits for them.

A decision is in the store before anything else happens. A separate thread then writes the files:
pages at once, and the reports on the whole run once nobody has decided anything for a second. If
the desk stops before that, the store has recorded which files are out of date, and the next desk or
`grader report` writes them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Condition, Thread
from typing import Final, Self

from grader.cli.mark import rewrite_marked_pages
from grader.errors import GraderError
from grader.reporting.output import INDEX_NAME, write_reports
from grader.run.pages import entries_without_page
from grader.store.database import open_database
from grader.store.store import Store
from grader.values.foreign_text import one_line

_QUIET_S: Final = 1.0
"""Reports are written once nobody has decided anything for this long."""

_Names = set[tuple[str, str]]


class Renewer:
    """The thread that keeps the files of a run in step with its store; a context manager."""

    def __init__(self, database: Path) -> None:
        """Prepare to rewrite the files next to `database`, which no other process writes to."""
        self._path: Final = database
        self._folder: Final = database.parent
        self._has_index: Final = (self._folder / INDEX_NAME).is_file()
        self._condition: Final = Condition()
        self._pending: _Names = set()
        self._unwritten: Final = _Names()
        """Students whose pages could not be written; they are tried again."""
        self._has_stale_reports = True
        self._is_closing = False
        self._thread: Final = Thread(target=self._work, name="renewer", daemon=True)
        self.trouble = ""
        """Why some files could not be written, or "" if all are."""

    def __enter__(self) -> Self:
        """Start the thread, which first writes what an earlier desk left out of date."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until everything is written."""
        with self._condition:
            self._is_closing = True
            self._condition.notify()
        self._thread.join()

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Queue the pages of students who were `marked`, and the reports after them."""
        with self._condition:
            self._pending.update(marked)
            self._has_stale_reports = True
            self._condition.notify()

    def _work(self) -> None:
        try:
            self._write_until_closed()
        except sqlite3.Error as error:
            self.trouble = one_line(str(error), 300)

    def _write_until_closed(self) -> None:
        # A separate connection, because SQLite lets only one thread use each connection.
        with open_database(self._path, "rw") as connection:
            store = Store(connection, self._path)
            marked = self._outdated(store)
            while True:
                self._write_pages(store, marked)
                with self._condition:
                    if not self._pending and not self._is_closing:
                        self._condition.wait(_QUIET_S if self._has_stale_reports else None)
                    marked, self._pending = self._pending, set()
                    is_due = self._has_stale_reports and not marked
                    if is_due:
                        # Set before writing them: a decision made meanwhile makes them stale again.
                        self._has_stale_reports = False
                    elif self._is_closing and not marked:
                        return
                if is_due:
                    has_pages = self._write_pages(store, set())
                    if self._succeeds(lambda: self._write_reports(store)) and has_pages:
                        self.trouble = ""

    def _outdated(self, store: Store) -> _Names:
        """Return the students with decisions whose pages are out of date.

        There are some if an earlier desk was killed. If the store cannot be read, return none and
        record the problem in `trouble`.
        """
        try:
            decided = store.decisions.by_entry()
            return {
                line.entry.identity
                for line in entries_without_page(store)
                if line.entry.identity in decided
            }
        except GraderError as error:
            self.trouble = error.message
            return set()

    def _write_pages(self, store: Store, marked: _Names) -> bool:
        """Write the pages of students who were `marked`, and those that failed before.

        Returns whether that succeeded.
        """
        names = self._unwritten
        names.update(marked)
        if names and not self._succeeds(lambda: rewrite_marked_pages(self._folder, store, names)):
            return False
        names.clear()
        return True

    def _succeeds(self, write: Callable[[], object]) -> bool:
        """Call `write`; return whether it raised no error, or record the error in `trouble`."""
        try:
            write()
        except GraderError as error:
            self.trouble = error.message
        except (OSError, sqlite3.Error) as error:
            self.trouble = one_line(str(error), 300)
        else:
            return True
        return False

    def _write_reports(self, store: Store) -> None:
        sheets = any((self._folder / entry.sheet).is_file() for entry in store.run.entries)
        write_reports(self._folder, store, sheets=sheets, index=self._has_index)
        if not store.reports.are_current(store.state(sheets, self._has_index)):
            store.reports.remove_results()  # somebody decided meanwhile: write them again
