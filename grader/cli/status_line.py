"""A status on the last line of a terminal, shown even while modules are being imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_DEFAULT_COLUMNS: Final = 80


class StatusLine:
    """The last line of a terminal; without a terminal, nothing is shown.

    The terminal only needs to support returning to the start of a line.
    """

    def __init__(self) -> None:
        """Create an empty line."""
        # East Asian characters and emoji take two cells, so the length of the text is not enough.
        self._text, self._cells = "", 0

    @property
    def is_shown(self) -> bool:
        """Whether the line currently shows text."""
        return bool(self._text)

    @property
    def columns(self) -> int:
        """The usable columns: all but the last one, at which some terminals wrap."""
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except OSError:
            columns = 0
        # Some terminals report 0 if they do not know their size.
        return (columns or _DEFAULT_COLUMNS) - 1

    def show(self, text: str) -> None:
        """Replace the current text with `text`, truncated to fit, if there is a terminal."""
        if sys.stderr.isatty():
            from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - slow, and `--help` does not need it

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
        """Show `text` during the `with` block, then clear the line."""
        self.show(text)
        try:
            yield
        finally:
            self.clear()

    def print_line(self, text: str) -> None:
        """Print `text` as a line of its own, and show the current status again below it."""
        status = self._text
        self.clear()
        print(text, file=sys.stderr)
        if status:
            self.show(status)

    def _write(self, text: str, cells: int) -> None:
        """Replace the line with `text`, which is `cells` columns wide."""
        # Overwrite a longer text with spaces, because not every terminal can clear a line.
        padding = " " * (self._cells - cells)
        sys.stderr.write(f"\r{text}{padding}" if text else f"\r{padding}\r")
        sys.stderr.flush()
        self._text, self._cells = text, cells


STATUS: Final = StatusLine()
