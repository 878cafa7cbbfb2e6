"""The progress of a run, for people and for programs.

People see it on standard error: on the last line of a terminal, or in occasional lines elsewhere.
Programs get events: a line of JSON for each event as it happens.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from statistics import fmean, median
from typing import Final, Self

from rich.cells import cell_len

from grader.cli.status_line import STATUS
from grader.cli.terminal import say, warn
from grader.errors import OutputError
from grader.run.keeping import FinishedSubmission
from grader.store.runs import Shard
from grader.values.foreign_text import one_line
from grader.verdict import Status

EVENTS_SCHEMA: Final = "grader/events/1"
_PLAIN_STEPS: Final = 10
"""Without a terminal, progress is printed each time that one of this many equal parts is done."""
_MAX_SILENCE_S: Final = 30.0
"""Without a terminal, progress is also printed after this much time without a line of it."""
_SETTLED_S: Final = 10.0
_SETTLED: Final = 10
"""The remaining time is shown only after this much time, and after this many submissions."""
_RECENT: Final = 100
"""How many of the latest submissions are used to estimate the remaining time."""
_MAX_TIMES: Final = 10.0
"""In the estimate, a submission counts as at most this many times the median."""
_SLOW_S: Final = 10.0
_SLOW_TIMES: Final = 5.0
_SLOW_AMONG: Final = 5
"""A submission is slow if it takes longer than this, and than this many times the median of at
least this many others."""
_LOADED: Final = 1.5
"""The load per core above which times are too noisy to call a submission slow."""
_MAX_SLOW: Final = 10
_MAX_NAME: Final = 30
_MIN_NAME: Final = 10
"""The minimum width at which a name is still useful."""
_BAR_CELLS: Final = 10


def _load() -> float:
    """Return the recent load per core, or 0 if the system does not report it."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):  # Windows has no load average
        return 0.0


class RunProgress:
    """Shows the progress of a run on the last line of a terminal, or in occasional lines."""

    def __init__(
        self,
        total: int,
        doing: str = "grading",
        done: str = "graded",
        *,
        workers: Callable[[], int] = lambda: 1,
        clock: Callable[[], float] = time.monotonic,
        load: Callable[[], float] = _load,
    ) -> None:
        """Show progress towards `total` submissions, or other items.

        `doing` and `done` are the verb forms to show during the work and after it. If `total`
        turns out too low, it grows, because it is not always known in advance. `workers` returns
        how many items are processed in parallel, and `load` returns the load per core.
        """
        self._total = total
        self._present_verb: Final = doing
        self._past_verb: Final = done
        self._workers: Final = workers
        self._clock: Final = clock
        self._load: Final = load
        self._start_s: Final = clock()
        self._last_line_s = self._start_s
        self._done = 0
        self._problems: Final[Counter[str]] = Counter()
        self._seconds: Final[deque[float]] = deque(maxlen=_RECENT)
        """The times that the latest submissions took."""
        self._slow = 0

    def count_done(self, submission: FinishedSubmission) -> None:
        """Count a finished `submission`, show the progress, and report the submission if slow."""
        if submission.status is not Status.GRADED:
            is_ungradable = submission.status is Status.UNGRADABLE
            self._problems["ungradable" if is_ungradable else "faults"] += 1
        elif submission.score < submission.max_score:
            self._problems["lost points"] += 1
        if submission.seconds is not None:  # None if it was graded before
            # Checked before it is appended, because this time must not raise the median with which
            # it is compared.
            self._report_if_slow(submission.seconds, submission)
            self._seconds.append(submission.seconds)
        self._count(submission.student)

    def advance(self, last: str = "") -> None:
        """Count one more item, called `last`, and show the progress."""
        # The caller does not time items, so each counts with the average so far.
        self._seconds.append((self._clock() - self._start_s) / (self._done + 1))
        self._count(last)

    def _count(self, last: str) -> None:
        """Count one more item, called `last`, and show the progress.

        Without a terminal, the progress is only printed from time to time.
        """
        self._done += 1
        if self._done > self._total:
            self._total += max(1, self._total // _PLAIN_STEPS)
        if STATUS.is_shown:
            self._show(last)
        elif self._done == self._total:
            say(f"{self._past_verb} {self._done} of {self._total}")
        elif self._has_crossed_tenth() or self._clock() - self._last_line_s >= _MAX_SILENCE_S:
            self._last_line_s = self._clock()
            say(", ".join((f"{self._past_verb} {self._done} of {self._total}", *self._summaries())))

    def _show(self, last: str = "") -> None:
        """Show the count on a terminal; verb, bar and name are added if they fit."""
        filled = _BAR_CELLS * self._done // max(1, self._total)
        count = ", ".join((f"{self._done}/{self._total}", *self._summaries()))
        parts, free_cells = [count], STATUS.columns - cell_len(count)
        for part in (self._present_verb, f"[{'#' * filled:-<{_BAR_CELLS}}]"):
            if cell_len(part) < free_cells:
                parts.insert(-1, part)
                free_cells -= cell_len(part) + 1
        if last and free_cells >= _MIN_NAME:
            parts.append(one_line(last, _MAX_NAME))
        STATUS.show(" ".join(parts))

    def _has_crossed_tenth(self) -> bool:
        previous, current = (
            count * _PLAIN_STEPS // self._total for count in (self._done - 1, self._done)
        )
        return self._total >= _PLAIN_STEPS and previous < current

    def _summaries(self) -> Iterator[str]:
        """Yield the remaining time, once it can be estimated, and the counts of problems."""
        if self._clock() - self._start_s >= _SETTLED_S and len(self._seconds) >= _SETTLED:
            yield _time_left_text(self._remaining_s())
        for problem in ("lost points", "ungradable", "faults"):
            if self._problems[problem]:
                yield f"{problem}: {self._problems[problem]}"

    def _remaining_s(self) -> float:
        """Estimate the remaining time from the latest submissions, capping slow ones."""
        cap_s = _MAX_TIMES * median(self._seconds)
        typical_s = fmean(min(seconds, cap_s) for seconds in self._seconds)
        # At least one full item remains, because workers cannot share one.
        return typical_s * max(1.0, (self._total - self._done) / self._workers())

    def _report_if_slow(self, seconds: float, submission: FinishedSubmission) -> None:
        """Print the name of a `submission` that took much longer than others.

        Only a limited number of names are printed in a run.
        """
        if seconds > _SLOW_S and len(self._seconds) >= _SLOW_AMONG:
            median_s = median(self._seconds)
            if seconds > _SLOW_TIMES * median_s and self._load() < _LOADED:
                self._slow += 1
                if self._slow <= _MAX_SLOW:
                    name = one_line(submission.student, _MAX_NAME)
                    duration_text, median_text = f"{seconds:.0f} s", f"{median_s:.2g} s"
                    say(
                        f"slow: {name} ({submission.exercise}) took {duration_text};"
                        f" the median is {median_text}"
                    )

    def __enter__(self) -> Self:
        """Show the progress if standard error is a terminal."""
        self._show()
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove the status line, so that the next output is not mixed with it."""
        STATUS.clear()


def _time_left_text(seconds: float) -> str:
    """Return the remaining time in minutes, as text; large numbers are rounded."""
    minutes = math.ceil(seconds / 60)
    if minutes >= 100:
        minutes = round(minutes, -1)
    return "under 1 min left" if minutes <= 1 else f"about {minutes} min left"


class _Events:
    """Writes events to a file, or nowhere.

    A write error is reported once, and does not stop the run.
    """

    def __init__(self, write: Callable[[str], object] | None) -> None:
        """Write lines with `write`, or not at all if it is None."""
        self._write_line = write

    def report_start(self, submissions: int, shard: Shard | None) -> None:
        """Report that a run started, with the number of `submissions` to grade."""
        text = None if shard is None else str(shard)
        self._write("begun", schema=EVENTS_SCHEMA, submissions=submissions, shard=text)

    def report_graded(self, submission: FinishedSubmission) -> None:
        """Report that a `submission` is finished."""
        if self._write_line is not None:  # avoids the cost for the many runs without events
            self._write("graded", **asdict(submission))

    def report_end(self, statuses: Counter[Status], *, complete: bool) -> None:
        """Report that a run ended, with the number of submissions of each status."""
        counts = {status.value: statuses[status] for status in Status}
        self._write("done" if complete else "interrupted", **counts)

    def _write(self, event: str, **facts: object) -> None:
        """Write `event` with `facts`; after a write error, warn and stop writing."""
        if self._write_line is None:
            return
        try:
            self._write_line(f"{json.dumps({'event': event, **facts})}\n")
        except OSError as error:
            # Report the error once, and stop writing events.
            self._write_line = None
            warn(
                f"cannot write to --events any more: {error.strerror};"
                " grading continues without events"
            )


def _print(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()  # so that a reader sees each event immediately


@contextmanager
def events_to(path: str | None) -> Iterator[_Events]:
    """Write events to the file at `path`, to standard output for `-`, or nowhere for None.

    Raises `OutputError` if the file cannot be opened.
    """
    if path is None or path == "-":
        yield _Events(None if path is None else _print)
        return
    try:
        # Unbuffered, so that a reader sees each event immediately.
        file = open(path, "wb", buffering=0)  # noqa: SIM115 - only errors on opening are caught
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"cannot write events to {one_line(path)}: {reason}",
            help="choose another file with --events",
        ) from error
    with file:
        yield _Events(lambda line: file.write(line.encode("ascii")))
