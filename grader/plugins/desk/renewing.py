"""Rewrites pages and reports in the background, so that nobody waits for them.

What is decided is in the store before anything else happens. Pages and reports are made of that by
a thread of its own: pages at once, the reports on the whole when nobody has decided anything for a
moment, once for all that came meanwhile. Whatever ends the desk before that, the store knows which
pages and reports are not of today; the next desk, and `grader report`, make them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from threading import Condition, Thread
from typing import Final, Self

from grader.cli.mark import write_decided
from grader.errors import GraderError
from grader.reporting.output import INDEX_NAME, write_reports
from grader.run.pages import unwritten
from grader.store.database import opened_database
from grader.store.store import Store
from grader.values.foreign_text import one_line

_QUIET_S: Final = 1.0
"""Reports are written once nobody has decided anything for this long."""

_Names = set[tuple[str, str]]


class Renewer:
    """The thread that keeps the files of a run in step with its store; a context manager."""

    def __init__(self, database: Path) -> None:
        """Write beside the store at `database`, whose only writer is this process."""
        self._path: Final = database
        self._folder: Final = database.parent
        self._has_index: Final = (self._folder / INDEX_NAME).is_file()
        self._news: Final = Condition()
        self._marked: _Names = set()
        self._is_stale = True
        self._is_closing = False
        self._thread: Final = Thread(target=self._work, name="renewer", daemon=True)
        self.trouble = ""
        """Why some files could not be written, "" if all could."""

    def __enter__(self) -> Self:
        """Start with files that an earlier desk left out of date."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Wait until everything is written."""
        with self._news:
            self._is_closing = True
            self._news.notify()
        self._thread.join()

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Queue the pages of students who were `marked`, and the reports after them."""
        with self._news:
            self._marked.update(marked)
            self._is_stale = True
            self._news.notify()

    def _work(self) -> None:
        # A connection of its own, as SQLite lets each be used by one thread only.
        with opened_database(self._path, "rw") as connection:
            store = Store(connection, self._path)
            marked = self._left_behind(store)
            while True:
                self._try(store, marked)
                with self._news:
                    if not self._marked and not self._is_closing:
                        self._news.wait(_QUIET_S if self._is_stale else None)
                    marked, self._marked = self._marked, set()
                    is_due = self._is_stale and not marked
                    if is_due:
                        # Before they are written: what is decided meanwhile makes them stale again.
                        self._is_stale = False
                    elif self._is_closing and not marked:
                        return
                if is_due:
                    self._try(store, None)

    def _left_behind(self, store: Store) -> _Names:
        """Return the students whose pages are out of date, as after a desk was killed."""
        try:
            decided = store.decisions.by_entry()
            return {line.entry.name for line in unwritten(store) if line.entry.name in decided}
        except GraderError as error:
            self.trouble = error.message
            return set()

    def _try(self, store: Store, marked: _Names | None) -> None:
        """Write the pages of students who were `marked`, or the reports if it is None."""
        try:
            if marked is None:
                self._write_reports(store)
            elif marked:
                write_decided(self._folder, store, marked)
        except GraderError as error:
            self.trouble = error.message
        except OSError as error:
            self.trouble = one_line(str(error), 300)

    def _write_reports(self, store: Store) -> None:
        sheets = any((self._folder / entry.sheet).is_file() for entry in store.run.entries)
        write_reports(self._folder, store, sheets=sheets, index=self._has_index)
        if not store.reports.are_current(store.state(sheets, self._has_index)):
            store.reports.withdraw()  # somebody has decided meanwhile, and they are made again
