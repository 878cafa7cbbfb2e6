"""Collects lines in blocks instead of printing them, so that they can be counted and cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.console import Console
from rich.text import Text

from grader.reporting.comparison import Comparison
from grader.reporting.lines import INDENT, Lines
from grader.reporting.wording import Locale

NO_LIMIT: Final = 10_000
"""A maximum number of lines that no block reaches."""


class Blocks(Lines):
    """Collects lines for one console, in one language, in blocks."""

    def __init__(self, console: Console, locale: Locale) -> None:
        super().__init__(console, locale)
        self._lines: list[Text] = []
        self._gutters: list[list[Text]] = []

    def put(self, text: Text) -> None:
        """Add a finished line to the current block."""
        self._lines.append(text)

    def collect(self, print_lines: Callable[[], None], max_lines: int) -> list[Text]:
        """Call `print_lines`, and return the lines that it prints, cut to `max_lines`.

        If lines are omitted, the last line says how many.
        """
        # The lines are collected in a separate list, because blocks nest.
        outer_lines, self._lines = self._lines, []
        print_lines()
        block, self._lines = self._lines, outer_lines
        if len(block) <= max_lines:
            return block
        return [*block[: max_lines - 1], self._omission_line(len(block) - max_lines + 1)]

    def collect_sides(self, sides: Comparison, max_lines: int) -> list[Text]:
        """Return the expected and the actual result on at most `max_lines`.

        If a result has to be cut, it begins one line before its first difference.
        """
        self._gutters = []
        self.sides(sides)
        # Results that are not next to each other get equal shares, so that neither is cut away.
        share = max_lines // max(1, len(self._gutters))
        return [line for block in self._gutters for line in self._cut_gutter(block, share)]

    def gutter(self, lines: list[Text], differing: list[bool]) -> None:
        """Collect compared lines in a separate block, so that they can be cut."""
        self._gutters.append(
            self.collect(lambda: super(Blocks, self).gutter(lines, differing), NO_LIMIT)
        )

    def _cut_gutter(self, block: list[Text], max_lines: int) -> list[Text]:
        """Return `block`, a label and its rows, cut to `max_lines` around the first difference."""
        if len(block) <= max_lines:
            return block
        label, *rows = block
        max_lines -= 2  # one for the label, and one for the line that counts omitted lines
        # `!` replaces ≠ on a console that cannot encode it.
        differing = (i for i, row in enumerate(rows) if row.plain.lstrip().startswith(("≠", "!")))
        start = max(0, min(next(differing, 0) - 1, len(rows) - max_lines))
        return [label, *rows[start : start + max_lines], self._omission_line(len(rows) - max_lines)]

    def _omission_line(self, count: int) -> Text:
        """Return a line that counts omitted lines."""
        lines = self.collect(lambda: self.cut_line((f"… (+{count})", "dim"), indent=INDENT), 1)
        return lines[0]
