"""Caches the results of an audit unit by unit, so that an interrupted audit can continue.

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
from grader.suite.cache import load_cached, store_cached

_SAVE_INTERVAL_S: Final = 5.0  # each time, all results so far are written
Results: TypeAlias = Generator[tuple[str, object], None, None]
"""Yields the key and the result of each unit as soon as the result is known."""


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
    """Units of work in a part of an audit, and the function that does them."""

    part: AuditPart | None
    """The part that the work belongs to, or None if every part needs it."""
    name: str
    """The name of the work, such as `slips: programs tried`."""
    units: Sequence[str]
    """The keys of the units."""
    do: Callable[[Sequence[str]], Results]
    """Does the units with the given keys."""


class AuditCache:
    """The results of the units of an audit, accessed by the units' keys."""

    def __init__(self, depends_on: Iterable[str], within_s: float = math.inf) -> None:
        """Load the cached results of an audit with the same dependencies.

        New work stops after `within_s` seconds.
        """
        # A change in any of these facts can change results, so it starts a new cache entry.
        facts = json.dumps([*depends_on, sys.version, *_code_versions()])
        self._name: Final = f"audit-{hashlib.sha256(facts.encode()).hexdigest()}"
        self._results: Final[dict[str, Any]] = load_cached(self._name) or {}
        self._end_s: Final = time.monotonic() + within_s
        self._last_save_s = time.monotonic()
        self.is_cut_off = False
        """Whether the audit was stopped before all work was done."""

    def __contains__(self, unit: str) -> bool:
        return unit in self._results

    def __getitem__(self, unit: str) -> Any:
        return self._results[unit]

    def complete(self, work: AuditWork) -> bool:
        """Do all units of `work` that have no result, and return whether every unit has one now.

        The results are cached. The work stops early when the time is up, or on Ctrl-C. After that,
        no further work is done.
        """
        # Equal programs have equal keys, and are run only once.
        missing = [unit for unit in dict.fromkeys(work.units) if unit not in self]
        if not missing or self.is_cut_off:
            return not missing
        try:
            with (
                RunProgress(len(missing), f"audit: {work.name}", work.name) as progress,
                # Closing stops the threads of the work when the time is up.
                closing(work.do(missing)) as results,
            ):
                for unit, result in results:
                    self._add_result(unit, result)
                    progress.advance()
                    if time.monotonic() >= self._end_s:
                        break
        except KeyboardInterrupt:  # not raised again, because the results so far can be reported
            self.is_cut_off = True
        finally:  # results so far are kept even after an error
            store_cached(self._name, self._results)
        self.is_cut_off |= time.monotonic() >= self._end_s
        return all(unit in self for unit in missing)

    def unfinished(self, works: Iterable[AuditWork]) -> dict[str, tuple[int, int]]:
        """Return how many units are done, and how many there are, for each unfinished work item.

        The result is a dict keyed by the name of the item.
        """
        counts = {
            work.name: (sum(unit in self for unit in work.units), len(work.units)) for work in works
        }
        return {name: count for name, count in counts.items() if count[0] < count[1]}

    def _add_result(self, unit: str, result: object) -> None:
        """Add the `result` of `unit`, and save all results if the last save was long ago."""
        self._results[unit] = result
        if time.monotonic() - self._last_save_s >= _SAVE_INTERVAL_S:
            store_cached(self._name, self._results)
            self._last_save_s = time.monotonic()


def unit_key(purpose: str, sources: Sources) -> str:
    """Return the key of the unit that finds out something about the program in `sources`.

    `purpose` says what it finds out, such as `points of`.
    """
    return f"{purpose} {hashlib.sha256(json.dumps(sorted(sources.items())).encode()).hexdigest()}"


def _code_versions() -> Iterator[str]:
    """Yield a line for each file of our own code, with the modification time and size.

    These are the facts by which Python decides whether a `.pyc` file is up to date.
    """
    package = Path(__file__).parents[3]
    # All files count, because it would be too costly to find out which ones a unit depends on.
    for path in sorted(package.rglob("*.py")):
        status = path.stat()
        yield f"{path} {status.st_mtime_ns} {status.st_size}"
