"""What the command line says on standard error: errors, warnings, names."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from grader.errors import GraderError
from grader.values.display import for_log, one_line


def show_error(error: GraderError) -> None:
    """Write `error`, its place when it has one, and the way out."""
    text = str(error)
    say(text if text.startswith("error: ") else f"error: {text}")
    if error.help:
        say(f"  = help: {error.help}")


def warn(text: str) -> None:
    """Write a warning."""
    say(f"warning: {text}")


def say(text: str) -> None:
    """Write a line of talk, with nothing in it that a terminal or a CI system obeys."""
    print(for_log(text), file=sys.stderr)


def names(items: Iterable[str]) -> str:
    """Return `items` as an enumeration for a message."""
    return ", ".join(one_line(item, 60) for item in items)
