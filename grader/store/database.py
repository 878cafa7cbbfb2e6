"""Opens and closes a database file, and translates SQLite's errors into ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from grader.errors import OutputError, RecordError
from grader.values.foreign_text import one_line

_WAIT_S: Final = 10.0
"""Time to wait for another process, on file systems that do not allow reading while writing."""
_HELP: Final = "grade with --fresh to start again; the old folder is kept under another name"


class Database:
    """A connection to a database file that translates SQLite's errors into ours."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `connection` to the database at `path`, whose tables are up to date."""
        self.connection: Final = connection
        self.path: Final = path

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows that `query` selects."""
        with translate_errors(self.path):
            return self.connection.execute(query, parameters).fetchall()

    def only_row(self, query: str, parameter: object) -> tuple[Any, ...]:
        """Return the only row that `query` selects, or raise `RecordError` if there is none.

        `parameter` is the value for the only placeholder in `query`.
        """
        rows = self.rows(query, [parameter])
        if not rows:
            raise damage_error(self.path, ValueError("a row that another row refers to is missing"))
        return rows[0]

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction, which is rolled back if the block raises."""
        with translate_errors(self.path):
            # IMMEDIATE acquires the write lock now: upgrading a read lock later might fail at once.
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
            except BaseException:
                with suppress(sqlite3.Error):  # a full disk has already rolled back
                    self.connection.execute("ROLLBACK")
                raise
            self.connection.execute("COMMIT")


@contextmanager
def open_database(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """Open the database at `path` during the block, in a `mode` that SQLite's URIs allow."""
    # Only a URI can request read-only; `as_uri` escapes ? and # in the path.
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    # isolation_level=None: `sqlite3` does not start transactions by itself.
    connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_S, isolation_level=None)
    try:
        yield connection
    finally:
        connection.close()


def merge_journal(connection: sqlite3.Connection) -> None:
    """Merge the journal into the database, unless another process is reading it.

    SQLite can open a file without a journal even if its folder is read-only.
    """
    with suppress(sqlite3.Error):
        # Do not wait for readers: if there are any, the journal remains, as after a crash.
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate SQLite's errors about the database at `path` into ours, with help.

    Raises `OutputError` if the file cannot be read or written now, and `RecordError` if the file
    itself is at fault.
    """
    name = one_line(str(path))
    try:
        yield
    except RecordError as error:
        raise RecordError(f"{name} cannot be used: {error.message}", help=error.help) from error
    # Operational errors are about disks, locks and permissions; all others are about the file.
    except (sqlite3.OperationalError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"cannot use {name}: {one_line(reason, 300)}",
            help="check the disk and its permissions, then run the same command again to resume",
        ) from error
    except sqlite3.DatabaseError as error:
        raise damage_error(path, error) from error


def damage_error(path: Path, error: Exception) -> RecordError:
    """Return an error that reports that the database at `path` is damaged, with help."""
    reason = one_line(" ".join(str(error).split()), 300)
    return RecordError(f"{one_line(str(path))} is damaged: {reason}", help=_HELP)
