"""How far a run is, for people and for programs.

People get it on standard error: a bar on a terminal, a line now and then elsewhere. Programs get
events: a line of JSON for each thing, as it happens.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from statistics import median
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from grader.cli.terminal import say, warn
from grader.errors import OutputError
from grader.run.keeping import Done
from grader.store.runs import Shard
from grader.values.foreign_text import one_line
from grader.verdict import Status

EVENTS_SCHEMA: Final = "grader/events/1"
_PLAIN_STEPS: Final = 10
"""Without a terminal, progress is one line per tenth of the work..."""
_SILENCE_S: Final = 30.0
"""... and one where there was none for so long."""
_SETTLED_S: Final = 5.0
"""Before that, the rate says nothing of the rest."""
_SLOW_S: Final = 10.0
_SLOW_TIMES: Final = 5.0
_SLOW_AMONG: Final = 5
"""A submission is slow if it takes so long and so many times the median, of so many at least."""
_MAX_SLOW: Final = 10
_MAX_NAME: Final = 30
_BAR_WIDTH: Final = 20


class RunProgress(ExitStack):
    """Shows how far a run is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(
        self,
        total: int,
        doing: str = "grading",
        done: str = "graded",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Show progress towards `total` submissions, or what else is being `done`.

        A total that turns out to be too low grows: sometimes nobody knows it beforehand.
        """
        super().__init__()
        self._total = total
        self._past: Final = done
        self._clock: Final = clock
        self._start_s: Final = clock()
        self._said_s = self._start_s
        self._done = 0
        self._known = 0
        """How many did not have to be graded."""
        self._trouble: Final[Counter[str]] = Counter()
        self._seconds: Final[list[float]] = []
        self._slow = 0
        self._doing: Final = doing
        self._bar: _Bar | None = None

    def tell(self, done: Done) -> None:
        """Count a submission as `done`."""
        if done.status is not Status.GRADED:
            self._trouble["ungradable" if done.status is Status.UNGRADABLE else "faults"] += 1
        elif done.score < done.max_score:
            self._trouble["lost points"] += 1
        if done.seconds is None:
            self._known += 1
        else:
            self._watch(done.seconds, done)
        self.advance(done.student)

    def advance(self, last: str = "") -> None:
        """Count one more as done, which was the `last`."""
        self._done += 1
        if self._done > self._total:
            self._total += max(1, self._total // _PLAIN_STEPS)
        if self._bar is not None:
            self._bar.advance(self._total, last, self._facts())
        elif self._done == self._total:
            say(f"{self._past} {self._done} of {self._total}")
        elif self._crossed_a_tenth() or self._clock() - self._said_s >= _SILENCE_S:
            self._said_s = self._clock()
            say(", ".join((f"{self._past} {self._done} of {self._total}", *self._facts())))

    def _crossed_a_tenth(self) -> bool:
        before, now = (
            count * _PLAIN_STEPS // self._total for count in (self._done - 1, self._done)
        )
        return self._total >= _PLAIN_STEPS and before < now

    def _facts(self) -> Iterator[str]:
        """Yield the rate, the time that is left, and what went wrong."""
        passed_s, graded = self._clock() - self._start_s, self._done - self._known
        if passed_s >= _SETTLED_S and graded:
            yield _rate(graded / passed_s)
            yield f"{_duration((self._total - self._done) * passed_s / graded)} left"
        for what in ("lost points", "ungradable", "faults"):
            if self._trouble[what]:
                yield f"{what}: {self._trouble[what]}"

    def _watch(self, seconds: float, done: Done) -> None:
        """Name a submission that took much longer than the others."""
        if seconds > _SLOW_S and len(self._seconds) >= _SLOW_AMONG:
            usual = median(self._seconds)
            if seconds > _SLOW_TIMES * usual:
                self._slow += 1
                if self._slow <= _MAX_SLOW:
                    name = one_line(done.student, _MAX_NAME)
                    took, most = _duration(seconds), f"{usual:.2g} s"
                    say(f"slow: {name} ({done.exercise}) took {took}, where {most} is usual")
        self._seconds.append(seconds)

    def __enter__(self) -> Self:
        """Start showing."""
        if sys.stderr.isatty():
            self._bar = self.enter_context(_Bar(self._doing, self._total))
        return self


def _rate(per_second: float) -> str:
    if per_second >= 1:
        return f"{per_second:.3g}/s"
    return f"{60 * per_second:.2g}/min"


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    if minutes < 100:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


class _Bar(ExitStack):
    """The bar of one run, on standard error; a context manager that takes it away in the end."""

    def __init__(self, doing: str, total: int) -> None:
        super().__init__()
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        self._progress: Final = Progress(
            TextColumn(doing),
            BarColumn(_BAR_WIDTH),
            MofNCompleteColumn(),
            _narrow("facts"),
            _narrow("last"),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task: Final = self._progress.add_task(doing, total=total, last="", facts="")
        self.enter_context(self._progress)

    def advance(self, total: int, last: str, facts: Iterable[str]) -> None:
        # Square brackets would be read as markup.
        shown = one_line(last, _MAX_NAME).replace("[", "(").replace("]", ")")
        self._progress.update(
            self._task, advance=1, total=total, last=shown, facts=", ".join(facts)
        )


def _narrow(field: str) -> TextColumn:
    """Return a column that is cut off rather than broken into lines."""
    return TextColumn(
        f"{{task.fields[{field}]}}", table_column=Column(no_wrap=True, overflow="ellipsis")
    )


class _Events:
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
def events_to(path: str | None) -> Iterator[_Events]:
    """Have events written to the file at `path`, `-` for standard output, or nowhere.

    Raises `OutputError` if it cannot be opened.
    """
    if path is None or path == "-":
        yield _Events(None if path is None else _print)
        return
    try:
        file = open(path, "wb", buffering=0)  # noqa: SIM115 - what is raised later is no such error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"cannot write {one_line(path)}: {reason}", help="name another file with --events"
        ) from error
    with file:
        yield _Events(lambda line: file.write(line.encode("ascii")))
