"""Which pages and sheets were written, each of what record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from grader.store.database import Database
from grader.store.runs import RunEntry


class WrittenFiles:
    """The files of one store: those that are as their record has them."""

    def __init__(self, database: Database) -> None:
        """Take note of files in `database`."""
        self._database: Final = database

    @contextmanager
    def writing(self, record_id: int, paths: Sequence[str]) -> Iterator[None]:
        """Hold while files are written of a record. If that comes to no end, they are nobody's."""
        self._note(None, paths)
        yield
        self._note(record_id, paths)

    def _note(self, record_id: int | None, paths: Sequence[str]) -> None:
        rows = [(path, record_id) for path in paths]
        with self._database.transaction() as database:
            database.executemany("INSERT OR REPLACE INTO file VALUES (?, ?)", rows)

    def forget(self, entry: RunEntry) -> None:
        """Have what was written of `entry` be nobody's, in a transaction: it tells other things."""
        self._database.connection.execute(
            "UPDATE file SET record = NULL WHERE path IN (?, ?)", (entry.page, entry.sheet)
        )

    def all(self) -> dict[str, int | None]:
        """Return all files that were ever written, with the record that each is of."""
        return dict(self._database.rows("SELECT path, record FROM file"))
