"""Rewrites pages and reports in the background, so that nobody waits for them.

A decision is in the store before anything else happens. A separate thread then writes the files:
pages at once, and the reports on the whole run once nobody has decided anything for a second. If
the desk stops before that, the store has recorded which files are out of date, and the next desk or
`grader report` writes them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from functools import partial
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

_EntryIdentities = set[tuple[str, str]]


class Renewer:
    """A context manager with a thread that keeps the files of a run up to date with its store."""

    def __init__(self, database: Path) -> None:
        """Prepare to rewrite the files next to `database`, which no other process changes."""
        self._path: Final = database
        self._folder: Final = database.parent
        self._has_index: Final = (self._folder / INDEX_NAME).is_file()
        self._condition: Final = Condition()
        self._pending: _EntryIdentities = set()
        self._unwritten: _EntryIdentities = set()
        """The identities of entries whose pages could not be written; they are tried again."""
        # The reports count as stale at first, because an earlier desk might have been killed before
        # it wrote them.
        self._has_stale_reports = True
        self._is_closing = False
        self._thread: Final = Thread(target=self._work, name="renewer", daemon=True)
        self.problem = ""
        """Why some files could not be written, or "" if all are."""

    def __enter__(self) -> Self:
        """Start the thread, which first rewrites files that an earlier desk left out of date."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until all files are written, and end the thread."""
        with self._condition:
            self._is_closing = True
            self._condition.notify()
        self._thread.join()

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Have the pages of the `marked` students rewritten soon, and the reports after them."""
        with self._condition:
            self._pending.update(marked)
            self._has_stale_reports = True
            self._condition.notify()

    def _work(self) -> None:
        """Write files until the desk closes and none is out of date; the target of the thread."""
        try:
            self._write_until_closed()
        except sqlite3.Error as error:
            self.problem = one_line(str(error), 300)

    def _write_until_closed(self) -> None:
        """Write pages as soon as they are marked, and reports after `_QUIET_S` without decisions.

        Return when the desk closes and nothing is left to write.
        """
        # A separate connection, because only the thread that opened a SQLite connection may use it.
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
                        # Set before writing the reports: a decision made meanwhile makes them stale
                        # again.
                        self._has_stale_reports = False
                    elif self._is_closing and not marked:
                        return
                if is_due:
                    has_pages = self._write_pages(store, set())
                    if self._succeeds(lambda: self._write_reports(store)) and has_pages:
                        self.problem = ""

    def _outdated(self, store: Store) -> _EntryIdentities:
        """Return the identities of entries that have decisions and an outdated page.

        There are such entries if an earlier desk was killed. If the store cannot be read, return
        none and record the reason in `problem`.
        """
        try:
            decided = store.decisions.by_entry()
            return {
                line.entry.identity
                for line in entries_without_page(store)
                if line.entry.identity in decided
            }
        except GraderError as error:
            self.problem = error.message
            return set()

    def _write_pages(self, store: Store, marked: _EntryIdentities) -> bool:
        """Write the pages of the `marked` entries, and those that failed before.

        Returns whether that succeeded.
        """
        write = partial(rewrite_marked_pages, self._folder, store)
        due = self._unwritten | marked
        if not due or self._succeeds(partial(write, due)):
            self._unwritten = set()
        else:  # one by one, because a page that cannot be written has stopped those after it
            self._unwritten = {item for item in due if not self._succeeds(partial(write, {item}))}
        return not self._unwritten

    def _succeeds(self, write: Callable[[], object]) -> bool:
        """Call `write`; return whether it raised no error, or record the error in `problem`."""
        try:
            write()
        except GraderError as error:
            self.problem = error.message
        except (OSError, sqlite3.Error) as error:
            self.problem = one_line(str(error), 300)
        else:
            return True
        return False

    def _write_reports(self, store: Store) -> None:
        sheets = any((self._folder / entry.sheet).is_file() for entry in store.run.entries)
        write_reports(self._folder, store, sheets=sheets, index=self._has_index)
        if not store.reports.are_current(store.state(sheets, self._has_index)):
            store.reports.remove_results()  # somebody decided meanwhile, so they are written again
