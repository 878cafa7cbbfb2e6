"""Tracks the files written for a run, so that only outdated ones are written again.

A page is made from a record, and a report on the whole run from the state of the run. The *stamp*
of a file, its size and modification time, shows whether it is unchanged: a file that somebody
edited or removed is written again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from grader.store.database import Database
from grader.store.runs import RunEntry

RESULTS_NAME: Final = "results.json"


def _stamp(path: Path) -> str | None:
    """Return the stamp of the file at `path`, or None if there is no file."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return f"{facts.st_size} {facts.st_mtime_ns}"


class WrittenFiles:
    """The pages and sheets of one store, with the records that they were made from."""

    def __init__(self, database: Database) -> None:
        """Track in `database` the files in its folder."""
        self._database: Final = database
        self.folder: Final = database.path.parent

    @contextmanager
    def writing(self, record_id: int, paths: Sequence[str]) -> Iterator[None]:
        """Run the block, which writes the files of a record to `paths`.

        The files are recorded as outdated first, and as current only if the block completes. So a
        file that was only half written is written again.
        """
        self._store(None, paths)
        yield
        self._store(record_id, paths)

    def _store(self, record_id: int | None, paths: Sequence[str]) -> None:
        """Store that the files at `paths` were made from a record.

        If `record_id` is None, store that they are outdated.
        """
        rows = [
            (path, record_id, None if record_id is None else _stamp(self.folder / path))
            for path in paths
        ]
        with self._database.transaction() as database:
            database.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?)", rows)

    def mark_outdated(self, entry: RunEntry) -> None:
        """Mark the files of `entry` as outdated, in the caller's transaction."""
        self._database.connection.execute(
            "UPDATE file SET record = NULL WHERE path IN (?, ?)", (entry.page, entry.sheet)
        )

    def all(self) -> dict[str, int | None]:
        """Return a record id for each file ever written, keyed by path, or None if outdated."""
        return dict(self._database.rows("SELECT path, record FROM file"))

    def currency_check(self) -> Callable[[str, int], bool]:
        """Return a function that checks whether the file at a path is current.

        A file is current if it was made from the given record, and is unchanged since then. The
        function covers the files written before this call.
        """
        rows = self._database.rows("SELECT path, record, stamp FROM file WHERE stamp IS NOT NULL")
        stored = {path: (record_id, stamp) for path, record_id, stamp in rows}

        def is_untouched(path: str, record_id: int) -> bool:
            return stored.get(path) == (record_id, _stamp(self.folder / path))

        return is_untouched


class WrittenReports:
    """The reports on the whole run in one store, such as `results.json`.

    While `results.json` exists, everything that it mentions exists too. So it is removed before
    anything in the run changes.
    """

    def __init__(self, database: Database) -> None:
        """Track in `database` the reports in its folder."""
        self._database: Final = database
        self.folder: Final = database.path.parent

    def are_current(self, state: str) -> bool:
        """Return whether the reports were made from this `state` of the run, and are unchanged."""
        rows = self._database.rows("SELECT path, state, stamp FROM report")
        return bool(rows) and all(
            made_from == state and _stamp(self.folder / path) == stamp
            for path, made_from, stamp in rows
        )

    def note(self, state: str, names: Iterable[str]) -> None:
        """Store that the reports in the files `names` were made from `state`.

        A report that was not needed, and so has no file, counts as made.
        """
        with self._database.transaction() as database:
            database.execute("DELETE FROM report")
            database.executemany(
                "INSERT INTO report VALUES (?, ?, ?)",
                [(name, state, _stamp(self.folder / name)) for name in names],
            )

    def remove_results(self) -> None:
        """Remove `results.json`, because its content is about to change."""
        with suppress(FileNotFoundError):
            os.unlink(self.folder / RESULTS_NAME)
