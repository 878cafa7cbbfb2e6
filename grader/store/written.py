"""What was written for a run, and what of: so that whatever lies there as it should is left alone.

A page is of a record, and the reports on the whole are of the state of the run. The *stamp* of a
file, its size and when it was last written to, tells whether it still is as it was left: one that
somebody has edited or taken away is made again.
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
    """Return the stamp of the file at `path`, None where there is none."""
    try:
        facts = path.lstat()
    except OSError:
        return None
    return f"{facts.st_size} {facts.st_mtime_ns}"


class WrittenFiles:
    """The pages and sheets of one store: those that are as their record has them."""

    def __init__(self, database: Database) -> None:
        """Take note of files in `database`, which stand beside it."""
        self._database: Final = database
        self.folder: Final = database.path.parent

    @contextmanager
    def writing(self, record_id: int, paths: Sequence[str]) -> Iterator[None]:
        """Hold while files are written of a record. If that comes to no end, they are nobody's."""
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
        """Have what was written of `entry` be nobody's, in a transaction: it tells other things."""
        self._database.connection.execute(
            "UPDATE file SET record = NULL WHERE path IN (?, ?)", (entry.page, entry.sheet)
        )

    def all(self) -> dict[str, int | None]:
        """Return all files that were ever written, with the record that each is of."""
        return dict(self._database.rows("SELECT path, record FROM file"))

    def untouched(self) -> Callable[[str, int], bool]:
        """Return what tells whether the file at a path is of a record, and lies there as written.

        That is as far as files were written by now.
        """
        rows = self._database.rows("SELECT path, record, stamp FROM file WHERE stamp IS NOT NULL")
        known = {path: (record_id, stamp) for path, record_id, stamp in rows}

        def is_untouched(path: str, record_id: int) -> bool:
            return known.get(path) == (record_id, _stamp(self.folder / path))

        return is_untouched


class WrittenReports:
    """The reports on the whole run in one store, such as `results.json`.

    While that is there, everything it speaks of is there too. So it is withdrawn before anything
    of the run changes.
    """

    def __init__(self, database: Database) -> None:
        """Take note of reports in `database`, which stand beside it."""
        self._database: Final = database
        self.folder: Final = database.path.parent

    def are_of(self, state: str) -> bool:
        """Return whether the reports are of this `state` of the run, and lie there as written."""
        rows = self._database.rows("SELECT path, state, stamp FROM report")
        return bool(rows) and all(
            of == state and _stamp(self.folder / path) == stamp for path, of, stamp in rows
        )

    def note(self, state: str, names: Iterable[str]) -> None:
        """Take note that the reports of these `names` are of `state`, written or not needed."""
        with self._database.transaction() as database:
            database.execute("DELETE FROM report")
            database.executemany(
                "INSERT INTO report VALUES (?, ?, ?)",
                [(name, state, _stamp(self.folder / name)) for name in names],
            )

    def withdraw(self) -> None:
        """Take the results away: what they speak of is about to change."""
        with suppress(FileNotFoundError):
            os.unlink(self.folder / RESULTS_NAME)
