"""Shows an author where two outputs at a prompt differ."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from itertools import zip_longest
from pprint import pformat
from typing import Final

from grader.values.differences import comparable_lines
from grader.values.foreign_text import one_line

_MAX_WIDTH: Final = 72
"""A value on a longer line is wrapped onto several lines."""
_LINES_BEFORE: Final = 2
"""The number of lines shown before the first difference."""
_MAX_LINES: Final = 40
_MAX_SHOWN: Final = 12


def differing_lines(shown: str, given: str) -> list[str]:
    """Return the lines of both texts around the first difference, with the marks of `difflib`.

    Return an empty list if both texts are short values on one line, or if they do not differ.
    """
    shown_lines, given_lines = _lines(shown), _lines(given)
    if max(len(shown_lines), len(given_lines)) < 2:
        return []
    pairs = enumerate(zip_longest(shown_lines, given_lines))
    first = next(
        (index for index, (shown_line, given_line) in pairs if shown_line != given_line), None
    )
    if first is None:
        return []
    start = max(0, first - _LINES_BEFORE)
    window = slice(start, start + _MAX_LINES)  # `ndiff` takes cubic time
    lines = [line.rstrip() for line in difflib.ndiff(shown_lines[window], given_lines[window])]
    omitted = len(lines) - _MAX_SHOWN
    # Replacing a single line with `(+1)` would save no space.
    shortened = [*lines[:_MAX_SHOWN], f"  ... (+{omitted})"] if omitted > 1 else lines
    return [one_line(line) for line in shortened]


def _lines(text: str) -> Sequence[str]:
    """Return the lines of `text`. A long value on a single line is wrapped onto several lines."""
    lines = comparable_lines(text)
    if len(lines) == 1 and len(lines[0]) > _MAX_WIDTH:
        try:
            return pformat(ast.literal_eval(lines[0]), width=_MAX_WIDTH).splitlines()
        # The text need not be a literal, and can be nested too deeply for Python's parser.
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return lines
    return lines
