"""A console without colours, which only repeat what signs and words say."""

import os
import shutil
import sys

from rich.text import Text

OverflowMethod = str


class Console:
    """Prints lines."""

    def __init__(self, file=None, width=None, highlight=False):
        """Print to a file, or to standard output."""
        self._file = file or sys.stdout
        columns = os.environ.get("COLUMNS", "")
        if width is None and columns.isdigit():
            width = int(columns)
        self.width = width or shutil.get_terminal_size((80, 24)).columns

    @property
    def encoding(self):
        """Return what the console can write."""
        return (getattr(self._file, "encoding", None) or "utf-8").lower()

    def print(self, line=None, soft_wrap=True):
        """Print a line."""
        print(
            "" if line is None else line.plain if isinstance(line, Text) else line, file=self._file
        )
