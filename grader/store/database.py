"""A database file: opened, left in good order, and with our errors in place of SQLite's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from grader.errors import OutputError, RecordError
from grader.values.foreign_text import one_line

_WAIT_S: Final = 10.0
"""For another program that reads, if the file system cannot have both at once."""
_FRESH: Final = "grade with --fresh to start again: what is there is kept under another name"


class Database:
    """A connection to a database file; errors of SQLite are raised as ours."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `connection` to the database at `path`, which has the current tables."""
        self.connection: Final = connection
        self.path: Final = path

    def rows(self, question: str, of: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows that `question` selects."""
        with our_errors(self.path):
            return self.connection.execute(question, of).fetchall()

    def one(self, question: str, of: object) -> tuple[Any, ...]:
        """Return the only row; raises `RecordError` if it is missing."""
        rows = self.rows(question, [of])
        if not rows:
            raise damaged(self.path, ValueError("a part of it is missing"))
        return rows[0]

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write everything in the block at once, or nothing of it."""
        with our_errors(self.path):
            # IMMEDIATE takes the lock now: raising a lock for reading later can fail at once.
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has already rolled back
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")


@contextmanager
def opened_database(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the database at `path` during the block; `mode` is that of SQLite's URIs."""
    # Only a URI can say read-only; `as_uri` escapes ? and # in the path.
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    # isolation_level=None: `sqlite3` begins no transactions behind our back.
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def settle(connection: sqlite3.Connection) -> None:
    """Leave one file that can be read even where nobody may write, unless it is being read."""
    with suppress(sqlite3.Error):
        # No waiting for readers: then the journal stays, as after a crash.
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def our_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite about the database at `path` into ours, with a way out."""
    shown = one_line(str(path))
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{shown} cannot be used: {error.message}", help=error.help) from error
    # Operational errors are about disks, locks and rights; all others are in the file itself.
    except (sqlite3.OperationalError, OSError) as error:
        raise OutputError(
            f"cannot use {shown}: {one_line(str(error), 300)}",
            help="check the disk and its permissions, then run the same command again: it goes on",
        ) from error
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> RecordError:
    """Return the error that the database at `path` is damaged, with the way out."""
    reason = one_line(" ".join(str(error).split()), 300)
    return RecordError(f"{one_line(str(path))} is damaged: {reason}", help=_FRESH)
