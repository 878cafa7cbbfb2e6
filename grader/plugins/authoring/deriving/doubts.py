"""Problems and doubts about a spec: problems stop a derivation, doubts are only reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from grader.errors import SuiteError

_FOOTNOTE: Final = re.compile(r"\b([\w-]+\.[A-Za-z]+)(\d)\b")
_MIN_ROWS: Final = 3


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part of the spec that a person should check; the derivation goes on."""

    line: int
    message: str
    help: str
    is_loss: bool = False
    """Whether an example of the spec is left out of the suite."""


class SpecError(SuiteError):
    """A part of the spec that no suite can be derived from."""

    def __init__(self, line: int, message: str, *, help: str | None = None) -> None:
        """Keep the line of the spec, 1-based."""
        super().__init__(message, help=help)
        self.line = line


def glued_prose(line: int, text: str) -> Doubt:
    """Return the doubt that `text` on `line` is not part of the output above it."""
    return Doubt(
        line,
        f"text stuck to the expected output was cut off: {text!r}",
        "the reference prints only the lines above this one; put an empty line before it",
        is_loss=True,
    )


def set_as_text(line: int, text: str) -> Doubt:
    """Return the doubt that the set `text`, shown on `line`, may be printed in another order."""
    return Doubt(
        line,
        f"a set is compared as text here: {text!r}",
        "other solutions may print it in another order; show it in an example of its own",
    )


def dependent(line: int, case: str) -> Doubt:
    """Return the doubt that `case`, on `line`, depends on a refused step before it."""
    return Doubt(
        line,
        f"{case} fails without a step before it that raises an exception",
        "students who fail that step fail here too; show both in examples of their own",
    )


def footnote_names(lines: Iterable[str], provided: Iterable[str]) -> Iterator[Doubt]:
    """Yield a doubt for each file name that seems to end in a footnote digit, once."""
    names = frozenset(provided)
    reported: set[str] = set()
    for number, line in enumerate(lines, start=1):
        for name, digit in _FOOTNOTE.findall(line):
            if name in names and name + digit not in reported:
                reported.add(name + digit)
                yield Doubt(
                    number,
                    f"the file name '{name}{digit}' seems to end in the digit of a footnote",
                    f"add '{name}{digit}' to `files`, with the text of '{name}'",
                )


def flattened_grids(lines: Iterable[str]) -> Iterator[Doubt]:
    """Yield a doubt for each line that looks like a grid whose line ends were lost."""
    for number, line in enumerate(lines, start=1):
        rows = line.split(" ")
        width = len(rows[0])
        is_grid = len(rows) >= _MIN_ROWS and width >= _MIN_ROWS and len(rows) == width
        if (
            is_grid
            and all(len(row) == width for row in rows)
            and not line.replace(" ", "").isalpha()  # words may have one length by chance
        ):
            yield Doubt(
                number,
                f"a grid of {len(rows)} rows of {width} characters seems to have lost its lines",
                "check that the file in the settings has one row per line",
            )
