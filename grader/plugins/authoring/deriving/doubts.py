"""Problems and doubts about a spec. Problems stop a derivation; doubts are only reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from grader.errors import SuiteError
from grader.values.foreign_text import count_noun

_FOOTNOTE: Final = re.compile(r"\b([\w-]+\.[A-Za-z]+)(\d)\b")
"""The name of a file and the digit of a footnote after it, such as `words.txt1`."""
_MIN_ROWS: Final = 3


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part of the spec that a person should check. It does not stop the derivation."""

    line: int
    message: str
    help: str
    is_loss: bool = False
    """Whether a part of the spec is omitted from the suite."""


class SpecError(SuiteError):
    """A suite cannot be derived because of a part of the spec."""

    def __init__(self, line: int, message: str, *, help: str | None = None) -> None:
        """Create the error for this `line` of the spec, 1-based."""
        super().__init__(message, help=help)
        self.line = line


class DerivationError(Exception):
    """The spec and the reference disagree. `problems` has every problem, not just the first."""

    def __init__(self, problems: Sequence[SpecError]) -> None:
        """Create the error for `problems`, which are sorted by line."""
        count = count_noun(len(problems), "problem")
        super().__init__(f"the spec and the reference disagree: {count}")
        self.problems = tuple(problems)


def glued_prose(line: int, text: str) -> Doubt:
    """Return a doubt about `text` on `line`, taken for prose and cut off from the output above."""
    return Doubt(
        line,
        f"text right below the expected output was cut off: {text!r}",
        "the reference prints only the lines above this one; put an empty line before it",
        is_loss=True,
    )


def set_as_text(line: int, text: str) -> Doubt:
    """Return a doubt about the set `text` on `line`, which might be printed in another order."""
    return Doubt(
        line,
        f"a set is compared as text here: {text!r}",
        "other solutions may print it in another order; show the set in a separate example",
    )


def dependent_case(line: int, case: str) -> Doubt:
    """Return a doubt about `case`, on `line`, which depends on a refused step before it."""
    return Doubt(
        line,
        f"{case} fails without an earlier step that raises an exception",
        "students who fail that step fail this case too; show both in separate examples",
    )


def footnote_names(lines: Iterable[str], provided: Iterable[str]) -> Iterator[Doubt]:
    """Yield one doubt for each name that seems to be a `provided` file with a footnote digit."""
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
    """Yield a doubt for each line that looks like a grid whose line breaks were lost."""
    for number, line in enumerate(lines, start=1):
        rows = line.split(" ")
        width = len(rows[0])
        is_grid = len(rows) >= _MIN_ROWS and width >= _MIN_ROWS and len(rows) == width
        if (
            is_grid
            and all(len(row) == width for row in rows)
            and not line.replace(" ", "").isalpha()  # words can have equal lengths by chance
        ):
            yield Doubt(
                number,
                f"a grid of {len(rows)} rows of {width} characters seems to lack line breaks",
                "check that the file in the settings has one row per line",
            )
