"""A database file: opened, closed cleanly, and with our errors in place of SQLite's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from grader.errors import OutputError, RecordError
from grader.values.foreign_text import one_line

_WAIT_S: Final = 10.0
"""Time to wait for a reader, on file systems that do not allow reading while writing."""
_HELP: Final = "grade with --fresh to start again: what is there is kept under another name"


class Database:
    """A connection to a database file; errors of SQLite are turned into ours."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `connection` to the database at `path`, which has the current tables."""
        self.connection: Final = connection
        self.path: Final = path

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows that `query` selects."""
        with our_errors(self.path):
            return self.connection.execute(query, parameters).fetchall()

    def one(self, query: str, parameter: object) -> tuple[Any, ...]:
        """Return the only row; raises `RecordError` if it is missing."""
        rows = self.rows(query, [parameter])
        if not rows:
            raise damaged(self.path, ValueError("a part of it is missing"))
        return rows[0]

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write everything in the block in one transaction, or nothing if it raises."""
        with our_errors(self.path):
            # IMMEDIATE takes the write lock now: upgrading a read lock later can fail at once.
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
    # Only a URI can request read-only; `as_uri` escapes ? and # in the path.
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    # isolation_level=None: `sqlite3` does not start transactions by itself.
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def settle(connection: sqlite3.Connection) -> None:
    """Leave a single file, readable even in a read-only folder, unless somebody is reading it."""
    with suppress(sqlite3.Error):
        # Do not wait for readers: if there are any, the journal stays, as after a crash.
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def our_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the database at `path` into ours, with help."""
    shown = one_line(str(path))
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{shown} cannot be used: {error.message}", help=error.help) from error
    # Operational errors are about disks, locks and rights; all others are about the file itself.
    except (sqlite3.OperationalError, OSError) as error:
        raise OutputError(
            f"cannot use {shown}: {one_line(str(error), 300)}",
            help="check the disk and its permissions, then run the same command again: it goes on",
        ) from error
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error


def damaged(path: Path, error: Exception) -> RecordError:
    """Return the error that the database at `path` is damaged, with help."""
    reason = one_line(" ".join(str(error).split()), 300)
    return RecordError(f"{one_line(str(path))} is damaged: {reason}", help=_HELP)
