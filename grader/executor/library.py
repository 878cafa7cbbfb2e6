"""Prepares modules of the standard library that normally use the system to work without it.

An asyncio loop waits with the `time.sleep` of its session, so that waiting takes no time. Time
zones are read before the lockdown. A database is kept in memory, and written to the session's files
at each commit.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

_MEMORY: Final = ":memory:"
_CONNECT_OPTIONS: Final = (
    *("timeout", "detect_types", "isolation_level", "check_same_thread", "factory"),
    *("cached_statements", "uri"),
)
"""The parameters of `sqlite3.connect` after the first one, in order."""
_MAX_ZONE_BYTES: Final = 64 * 1024


def prepare_asyncio(asyncio: Any) -> None:
    """Make event loops of `asyncio` work without sockets or threads.

    They wait with `time.sleep`, which puts the session's clocks forward. One loop is run here, so
    that everything that loops need is imported before the lockdown.
    """

    class Loop(asyncio.base_events.BaseEventLoop):  # type: ignore[misc]  # passed as an argument
        """Runs the callbacks that are ready; if there are none, puts the clock forward."""

        def __init__(self) -> None:
            super().__init__()
            self._selector = self

        def select(self, timeout: float | None) -> tuple[()]:
            """Wait until a callback is due, and return no events, since none come from outside.

            Raises `RuntimeError` if no callback will ever be due.
            """
            if timeout is None:
                raise RuntimeError(
                    "every remaining task waits for something that never happens:"
                    " check each `await`"
                )
            if timeout > 0:
                time.sleep(timeout)
            return ()

        def _process_events(self, _events: object) -> None:
            """Do nothing: there are no events."""

        def _write_to_self(self) -> None:
            """Do nothing: there is no other thread to wake this loop for."""

        def run_in_executor(self, _executor: object, function: Any, *args: Any) -> Any:
            """Call `function` at once, and return a finished future with its result."""
            future = self.create_future()
            try:
                future.set_result(function(*args))
            except Exception as error:
                future.set_exception(error)
            return future

    vars(asyncio).update(SelectorEventLoop=Loop)
    type.__setattr__(type(asyncio.get_event_loop_policy()), "_loop_factory", Loop)
    asyncio.run(asyncio.wait_for(asyncio.sleep(0), 1))


def prepare_zoneinfo(zoneinfo: Any) -> None:
    """Read all time zones of the system into memory, and make `zoneinfo` use them.

    If the system has none, `zoneinfo` stays unchanged.
    """
    zones: dict[str, bytes] = {}
    for folder in map(Path, zoneinfo.TZPATH):
        for name in zoneinfo.available_timezones() - zones.keys():
            with suppress(OSError), (folder / name).open("rb") as file:
                zones[name] = file.read(_MAX_ZONE_BYTES)

    def load_tzdata(key: str) -> io.BytesIO:
        if key not in zones:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(zones[key])

    if zones:
        zoneinfo.reset_tzpath(())
        vars(sys.modules["zoneinfo._common"])["load_tzdata"] = load_tzdata
        vars(zoneinfo)["available_timezones"] = lambda: {*zones}
        zoneinfo.ZoneInfo(min(zones))


def prepare_sqlite(sqlite3: Any) -> None:
    """Make `connect` keep databases in memory, and write them to the session's files.

    The files are written at each commit. Connections with a factory, a URI or invalid options, and
    those without a file, are left to the real `connect`.
    """
    connect = sqlite3.connect

    class Connection(sqlite3.Connection):  # type: ignore[misc]  # passed as an argument
        """A database in memory that is written to its file at each commit."""

        file: str | None = None

        def commit(self) -> None:
            super().commit()
            self._write()

        def close(self) -> None:
            with suppress(sqlite3.ProgrammingError):  # raised if it is already closed
                self._write()
            super().close()

        def __exit__(self, *raised: object) -> Any:
            result = super().__exit__(*raised)
            self._write()  # the method in C commits without calling `commit` above
            return result

        def _write(self) -> None:
            if self.file is not None and not self.in_transaction:
                with io.open(self.file, "wb") as file:  # noqa: UP020 - replaced by then
                    file.write(self.serialize())

    def connect_in_memory(database: Any, *args: Any, **kwargs: Any) -> Any:
        """Stand in for `connect`: read the file `database`, if it exists, into memory."""
        options = {**dict(zip(_CONNECT_OPTIONS, args, strict=False)), **kwargs}
        if (
            len(options) < len(args) + len(kwargs)  # `connect` raises: too many, or one twice
            or "factory" in options
            or options.get("uri")
            or database in {_MEMORY, ""}
        ):
            return connect(database, *args, **kwargs)
        connection = connect(_MEMORY, factory=Connection, **options)
        with suppress(FileNotFoundError), io.open(database, "rb") as file:  # noqa: UP020
            if content := file.read():  # for SQLite, too, an empty file is a new database
                connection.deserialize(content)
        connection.file = database
        return connection

    for module in (sqlite3, sqlite3.dbapi2):
        vars(module)["connect"] = connect_in_memory
    connect_in_memory(_MEMORY).execute("select lower('A'), strftime('%Y', 'now')").fetchall()


PREPARATIONS: Final[dict[str, Callable[[Any], None]]] = {
    "asyncio": prepare_asyncio,
    "sqlite3": prepare_sqlite,
    "zoneinfo": prepare_zoneinfo,
}
