"""How far a run is, on standard error. Only verbs that need it import it: that takes 10 ms."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grader.cli.talk import say
from grader.values.display import one_line

_PLAIN_STEPS: Final = 10
"""Without a terminal, progress is one line per tenth of the work."""


class RunProgress(ExitStack):
    """Shows how far a run is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, total: int, doing: str = "grading", done: str = "graded") -> None:
        """Show progress towards `total` submissions, or what else is being `done`.

        A total that turns out to be too low grows: sometimes nobody knows it beforehand.
        """
        super().__init__()
        self._total = total
        self._past: Final = done
        self._done = 0
        self._bar: Progress | None = None
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        if console.is_terminal:
            self._bar = Progress(
                TextColumn(doing),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                TextColumn("{task.fields[last]}"),
                console=console,
                transient=True,
            )
            self._task: Final = self._bar.add_task(doing, total=total, last="")

    def advance(self, student: str = "") -> None:
        """Count one submission as done."""
        self._done += 1
        if self._done > self._total:
            self._total += max(1, self._total // _PLAIN_STEPS)
        if self._bar is not None:
            # Square brackets would be read as markup.
            last = one_line(student, 40).replace("[", "(").replace("]", ")")
            self._bar.update(self._task, advance=1, total=self._total, last=last)
        elif self._done == self._total or self._crossed_a_tenth():
            say(f"{self._past} {self._done} of {self._total}")

    def _crossed_a_tenth(self) -> bool:
        step = max(1, self._total // _PLAIN_STEPS)
        return self._total >= _PLAIN_STEPS and self._done % step == 0

    def __enter__(self) -> Self:
        """Start showing."""
        if self._bar is not None:
            self.enter_context(self._bar)
        return self
