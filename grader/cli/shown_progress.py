"""A bar on a terminal that shows how far a run is. What draws it takes long to import."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from grader.values.display import one_line

_BAR_WIDTH: Final = 20
_MAX_NAME: Final = 30


class ShownProgress(ExitStack):
    """The bar of one run, on standard error; a context manager that takes it away in the end."""

    def __init__(self, doing: str, total: int) -> None:
        """Show progress towards `total`, and in a word what one is `doing`."""
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
        """Show that one more of `total` is done, which was the `last`."""
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
