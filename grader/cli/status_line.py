"""A status on the last line of a terminal, even while other modules are still being imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_DEFAULT_COLUMNS: Final = 80


class StatusLine:
    """The last line of a terminal; elsewhere nothing is shown.

    The terminal only has to support returning to the start of a line.
    """

    def __init__(self) -> None:
        """Create a line that shows nothing yet."""
        self._text, self._cells = "", 0

    @property
    def is_shown(self) -> bool:
        """Whether the line shows a text."""
        return bool(self._text)

    @property
    def columns(self) -> int:
        """The columns that fit: one fewer than the terminal has, as some wrap at the last one."""
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except OSError:
            columns = 0
        # Some terminals report 0, because they do not know their size.
        return (columns or _DEFAULT_COLUMNS) - 1

    def show(self, text: str) -> None:
        """Show `text`, cut to fit, in place of the current text; only on a terminal."""
        if sys.stderr.isatty():
            from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - `--help` has no need

            columns = self.columns
            if cell_len(text) > columns:
                text = f"{set_cell_size(text, columns - 1)}…"
            self._write(text, cell_len(text))

    def clear(self) -> None:
        """Remove the current text."""
        if self._text:
            self._write("", 0)

    @contextmanager
    def showing(self, text: str) -> Iterator[None]:
        """Show `text` during the block."""
        self.show(text)
        try:
            yield
        finally:
            self.clear()

    def talk(self, text: str) -> None:
        """Print a line above the current text."""
        earlier = self._text
        self.clear()
        print(text, file=sys.stderr)
        if earlier:
            self.show(earlier)

    def _write(self, text: str, cells: int) -> None:
        # Blanks over the end of a longer text, because not every terminal can clear a line.
        blanks = " " * (self._cells - cells)
        sys.stderr.write(f"\r{text}{blanks}" if text else f"\r{blanks}\r")
        sys.stderr.flush()
        self._text, self._cells = text, cells


STATUS: Final = StatusLine()
