"""What happens in a run, for other programs: a line of JSON for each thing, as it happens."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Final

from grader.cli.terminal import warn
from grader.errors import OutputError
from grader.run.keeping import Done
from grader.store.runs import Shard
from grader.values.display import one_line
from grader.verdict import Status

EVENTS_SCHEMA: Final = "grader/events/1"


class Events:
    """Writes events to a file, or nowhere. A file that fails is told of once, and costs no run."""

    def __init__(self, write: Callable[[str], object] | None) -> None:
        """Have each line written by `write`."""
        self._write_line = write

    def begun(self, submissions: int, shard: Shard | None) -> None:
        """Tell that a run has begun, in which there are so many to grade."""
        told = None if shard is None else str(shard)
        self._write("begun", schema=EVENTS_SCHEMA, submissions=submissions, shard=told)

    def graded(self, done: Done) -> None:
        """Tell that a submission is done."""
        if self._write_line is not None:  # there are many, and few want them
            self._write("graded", **asdict(done))

    def ended(self, statuses: Counter[Status], *, complete: bool) -> None:
        """Tell that a run has ended, of which reports speak of so many of each status."""
        counts = {status.value: statuses[status] for status in Status}
        self._write("done" if complete else "interrupted", **counts)

    def _write(self, event: str, **facts: object) -> None:
        if self._write_line is None:
            return
        try:
            self._write_line(f"{json.dumps({'event': event, **facts})}\n")
        except OSError as error:
            self._write_line = None
            warn(f"events cannot be written any more: {error.strerror}")


def _print(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


@contextmanager
def events_to(path: str | None) -> Iterator[Events]:
    """Have events written to the file at `path`, `-` for standard output, or nowhere.

    Raises `OutputError` if it cannot be opened.
    """
    if path is None or path == "-":
        yield Events(None if path is None else _print)
        return
    try:
        file = open(path, "wb", buffering=0)  # noqa: SIM115 - what is raised later is no such error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"cannot write {one_line(path)}: {reason}", help="name another file with --events"
        ) from error
    with file:
        yield Events(lambda line: file.write(line.encode("ascii")))
