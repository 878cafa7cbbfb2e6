"""The files written for a run, and from what: files that are still current are left alone.

A page is made from a record, and the reports on the whole from the state of the run. The *stamp* of
a file, its size and the time of its last change, shows whether it is unchanged: a file that
somebody edited or removed is made again.
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
    """Return the stamp of the file at `path`, None if it does not exist."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return f"{facts.st_size} {facts.st_mtime_ns}"


class WrittenFiles:
    """The pages and sheets of one store, with the records that they match."""

    def __init__(self, database: Database) -> None:
        """Keep track, in `database`, of the files next to it."""
        self._database: Final = database
        self.folder: Final = database.path.parent

    @contextmanager
    def writing(self, record_id: int, paths: Sequence[str]) -> Iterator[None]:
        """Run a block that writes files of a record; if interrupted, they count as outdated."""
        self._note(None, paths)
        yield
        self._note(record_id, paths)

    def _note(self, record_id: int | None, paths: Sequence[str]) -> None:
        rows = [
            (path, record_id, None if record_id is None else _stamp(self.folder / path))
            for path in paths
        ]
        with self._database.transaction() as database:
            database.executemany("INSERT OR REPLACE INTO file VALUES (?, ?, ?)", rows)

    def forget(self, entry: RunEntry) -> None:
        """Mark the files of `entry` as outdated, in the caller's transaction."""
        self._database.connection.execute(
            "UPDATE file SET record = NULL WHERE path IN (?, ?)", (entry.page, entry.sheet)
        )

    def all(self) -> dict[str, int | None]:
        """Return the paths of all files ever written, with the record of each, None if outdated."""
        return dict(self._database.rows("SELECT path, record FROM file"))

    def untouched(self) -> Callable[[str, int], bool]:
        """Return a function: whether the file at a path is of a record, and still as written.

        It knows the files written before this call.
        """
        rows = self._database.rows("SELECT path, record, stamp FROM file WHERE stamp IS NOT NULL")
        known = {path: (record_id, stamp) for path, record_id, stamp in rows}

        def is_untouched(path: str, record_id: int) -> bool:
            return known.get(path) == (record_id, _stamp(self.folder / path))

        return is_untouched


class WrittenReports:
    """The reports on the whole run in one store, such as `results.json`.

    While that file exists, everything it mentions exists too. So it is removed before anything in
    the run changes.
    """

    def __init__(self, database: Database) -> None:
        """Keep track, in `database`, of the reports next to it."""
        self._database: Final = database
        self.folder: Final = database.path.parent

    def are_current(self, state: str) -> bool:
        """Return whether the reports are from this `state` of the run, and still as written."""
        rows = self._database.rows("SELECT path, state, stamp FROM report")
        return bool(rows) and all(
            made_from == state and _stamp(self.folder / path) == stamp
            for path, made_from, stamp in rows
        )

    def note(self, state: str, names: Iterable[str]) -> None:
        """Record that the reports called `names` are from `state`, written or not needed."""
        with self._database.transaction() as database:
            database.execute("DELETE FROM report")
            database.executemany(
                "INSERT INTO report VALUES (?, ?, ?)",
                [(name, state, _stamp(self.folder / name)) for name in names],
            )

    def withdraw(self) -> None:
        """Remove `results.json`, because its content is about to change."""
        with suppress(FileNotFoundError):
            os.unlink(self.folder / RESULTS_NAME)
