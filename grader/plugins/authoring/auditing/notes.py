"""Caches the results of an audit unit by unit, so that an interrupted audit can go on.

A unit is a wrong program to try, a right one to grade, or a draw of scenes to search. Its result is
cached beside the parsed suites, and reused while suite, reference, our code and the unit itself are
unchanged.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Any, Final, TypeAlias

from grader.cli.progress import RunProgress
from grader.plugins.authoring.solutions import Sources
from grader.suite.cache import keep, recalled

_SAVED_EVERY_S: Final = 5.0  # saving writes all results so far
Results: TypeAlias = Generator[tuple[str, object], None, None]
"""Yields the key and the result of each unit, as it comes."""


@unique
class AuditPart(StrEnum):
    """A part of an audit that can be done by itself."""

    SLIPS = "slips"
    MISCONCEPTIONS = "misconceptions"
    WRONG = "wrong"
    RELATED = "related"
    PANEL = "panel"
    RIGHT = "right"
    GUESSERS = "guessers"
    CLAUSES = "clauses"
    PROPOSALS = "proposals"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditWork:
    """The units of a part, and the function that does them."""

    part: AuditPart | None
    """None for work that every part needs."""
    called: str
    """The name of the work, such as `slips tried`."""
    units: Sequence[str]
    """Their keys."""
    do: Callable[[Sequence[str]], Results]
    """Does some of them."""


class AuditNotes:
    """The results of the units of an audit, by key."""

    def __init__(self, depends_on: Iterable[str], within_s: float = math.inf) -> None:
        """Load the results of an audit with the same dependencies; stop after `within_s`."""
        facts = json.dumps([*depends_on, sys.version, *_code()])  # may change answers
        self._name: Final = f"audit-{hashlib.sha256(facts.encode()).hexdigest()}"
        self._known: Final[dict[str, Any]] = recalled(self._name) or {}
        self._end_s: Final = time.monotonic() + within_s
        self._saved_s = time.monotonic()
        self.is_cut_off = False
        """Whether it was stopped before the end."""

    def __contains__(self, unit: str) -> bool:
        return unit in self._known

    def __getitem__(self, unit: str) -> Any:
        return self._known[unit]

    def complete(self, work: AuditWork) -> bool:
        """Do the units of `work` without a result; return whether all have one now.

        It stops early when the time is up, or at Ctrl-C.
        """
        # equal programs are one
        left = [unit for unit in dict.fromkeys(work.units) if unit not in self]
        if not left or self.is_cut_off:
            return not left
        try:
            with (
                RunProgress(len(left), f"audit: {work.called}", work.called) as progress,
                closing(work.do(left)) as results,
            ):
                for unit, result in results:
                    self._note(unit, result)
                    progress.advance()
                    if time.monotonic() >= self._end_s:
                        break
        except KeyboardInterrupt:
            self.is_cut_off = True
        finally:  # also after an error: what is done stays
            keep(self._name, self._known)
        self.is_cut_off |= time.monotonic() >= self._end_s
        return all(unit in self for unit in left)

    def left(self, works: Iterable[AuditWork]) -> dict[str, tuple[int, int]]:
        """Return, for each unfinished one of `works`, the number of units done, and of all."""
        counts = {
            work.called: (sum(unit in self for unit in work.units), len(work.units))
            for work in works
        }
        return {called: count for called, count in counts.items() if count[0] < count[1]}

    def _note(self, unit: str, result: object) -> None:
        self._known[unit] = result
        if time.monotonic() - self._saved_s >= _SAVED_EVERY_S:
            keep(self._name, self._known)
            self._saved_s = time.monotonic()


def key_of(what: str, sources: Sources) -> str:
    """Return the key of the unit that does `what` with the program of these `sources`."""
    return f"{what} {hashlib.sha256(json.dumps(sorted(sources.items())).encode()).hexdigest()}"


def _code() -> Iterator[str]:
    """Yield a line per file of our own code, with time and size, as `.pyc` files have them."""
    package = Path(__file__).parents[3]
    # All of it: which code a unit runs through is not worth knowing.
    for path in sorted(package.rglob("*.py")):
        found = path.stat()
        yield f"{path} {found.st_mtime_ns} {found.st_size}"
