"""A status on the last line of a terminal, even while the rest is still being imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_USUAL_COLUMNS: Final = 80


class StatusLine:
    """The last line of a terminal; elsewhere there is none.

    It needs nothing of a terminal but going back to the beginning of a line.
    """

    def __init__(self) -> None:
        """Show nothing yet."""
        self._text, self._cells = "", 0

    @property
    def is_shown(self) -> bool:
        """Whether something is on that line."""
        return bool(self._text)

    @property
    def columns(self) -> int:
        """Columns that fit on it: one less than the terminal has, as some wrap at the last one."""
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except OSError:
            columns = 0
        # Some terminals say 0, as they do not know their size.
        return (columns or _USUAL_COLUMNS) - 1

    def show(self, text: str) -> None:
        """Show `text`, cut to fit, in place of what was there; only on a terminal."""
        if sys.stderr.isatty():
            from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - `--help` has no need

            columns = self.columns
            if cell_len(text) > columns:
                text = f"{set_cell_size(text, columns - 1)}…"
            self._write(text, cell_len(text))

    def clear(self) -> None:
        """Remove what is there."""
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
        """Print a line above what is there."""
        shown = self._text
        self.clear()
        print(text, file=sys.stderr)
        if shown:
            self.show(shown)

    def _write(self, text: str, cells: int) -> None:
        # Blanks over the end of a longer text: not every terminal can clear a line.
        over = " " * (self._cells - cells)
        sys.stderr.write(f"\r{text}{over}" if text else f"\r{over}\r")
        sys.stderr.flush()
        self._text, self._cells = text, cells


STATUS: Final = StatusLine()
