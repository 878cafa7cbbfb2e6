"""What the command line says on standard error: errors, warnings, names."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Final

from grader.errors import GraderError
from grader.values.display import for_log, one_line

_MAX_NAMED: Final = 100


def show_error(error: GraderError) -> None:
    """Write `error`, its place when it has one, and the way out."""
    text, (failed, way_out) = str(error), error.labels
    say(text if text.startswith(failed) else f"{failed} {text}")
    if error.help:
        say(f"  = {way_out} {error.help}")


def warn(text: str) -> None:
    """Write a warning."""
    say(f"warning: {text}")


def say(text: str) -> None:
    """Write a line of talk, with nothing in it that a terminal or a CI system obeys."""
    print(for_log(text), file=sys.stderr)


def names(items: Iterable[str]) -> str:
    """Return `items` as an enumeration for a message."""
    return ", ".join(one_line(item, 60) for item in items)


def named(people: Sequence[str]) -> str:
    """Return `people` as an enumeration that ends, however many they are."""
    more = len(people) - _MAX_NAMED
    return names(people[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def warn_of(what: str, people: Sequence[str]) -> None:
    """Write what is worth knowing of some `people`, if there are any."""
    if people:
        warn(f"{what}: {len(people)}: {named(people)}")
