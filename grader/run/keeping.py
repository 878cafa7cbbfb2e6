"""Keeps what comes of a run in its store, and writes the pages as they come.

A record is kept before its page is written, and the store knows which pages there are. So a run
that is killed at any moment is gone on with: what is kept is not graded again, and a page that is
missing is made of its record.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from grader.intake.submissions import HandIn
from grader.reporting.output import write_page
from grader.reporting.reading import record_of
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.telling import told
from grader.reporting.writing import remove_parts
from grader.run.outcomes import Outcome
from grader.store.graded import Earlier, Kept, Known, packed_hand_in
from grader.store.keys import UNREAD, RecordKey
from grader.store.runs import Run, RunEntry
from grader.store.store import Store
from grader.verdict import Status

_SETTLED_AT_ONCE: Final = 256
_OURS: Final = re.compile("[a-z0-9_-]+/(sheets/)?[a-z0-9_-]+[.]html")
"""Where pages and sheets are; whatever else a store may say is not taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A submission that is done, as progress and events tell of it."""

    exercise: str
    student: str
    status: Status
    score: float
    max_score: float
    seconds: float | None
    """How long it took; None where it did not have to be graded."""


class StoreKeeper:
    """The keeper of one run, in the folder where it leaves its pages."""

    def __init__(
        self,
        store: Store,
        run: Run,
        folder: Path,
        *,
        told: Callable[[Done], None],
        earlier: Store | None = None,
    ) -> None:
        """Keep in `store`, where `run` has begun; each submission that is done is `told` of.

        What an `earlier` run knows is taken over.
        """
        self._store: Final = store
        self._run: Final = run
        self._folder: Final = folder
        self._pages: Final = run.settings.pages
        self._told: Final = told
        self._earlier: Final = earlier
        self._stores: Final = (store,) if earlier is None else (store, earlier)
        self._least_level: Final = run.settings.least_level
        self._is_untouched: Final = store.files.untouched()
        """Knows the files of before; each task has its own."""
        self._links: Final[dict[int, int]] = {}
        self._taken: Final[dict[int, int]] = {}
        """Records here and in the earlier run that the store is yet to be told of: many at once
        are quicker."""
        self.statuses: Final[Counter[Status]] = Counter()
        """Of what was graded now."""
        self.graded_before = 0
        """How many were graded before, and not again."""
        self.needs: tuple[int, int] | None = None
        """The newest version of Python that a submission is written for, if ours is too old."""

    def has(self, index: int, key: RecordKey) -> bool:
        """Return whether the task with this index is done, and its page is there."""
        entry = self._run.entries[index]
        kept = self._store.own(entry, key, self._least_level)
        if kept is not None and self._is_written(index, kept):
            self._links[index] = kept.record_id
        elif kept is None and self._earlier is not None and not self._pages:
            kept = self._earlier.own(entry, key, self._least_level)
            if kept is None:
                return False
            self._taken[index] = kept.record_id
        else:
            return False
        if len(self._links) + len(self._taken) >= _SETTLED_AT_ONCE:
            self.settle()
        self.graded_before += 1
        self._tell(entry, Status(kept.status), kept.score, kept.max_score, None)
        return True

    def _is_written(self, index: int, kept: Kept) -> bool:
        """Return whether there are all the files that this run makes of a record."""
        entry = self._run.entries[index]
        wanted = [entry.page] * self._pages
        wanted += [entry.sheet] * (self._pages and self._run.settings.sheets)
        return all(self._is_untouched(path, kept.record_id) for path in wanted)

    def settle(self) -> None:
        """Have the store know of all that was found to be done already."""
        if self._links:
            self._store.link(self._links)
            self._links.clear()
        if self._earlier is not None and self._taken:
            self._store.take_over(self._taken, self._earlier)
            self._taken.clear()

    def known(self, index: int, key: RecordKey) -> Known | None:
        """Return the packed record of this task, but for who handed it in."""
        entry, least_level = self._run.entries[index], self._least_level
        for store in self._stores:
            if (kept := store.own(entry, key, least_level)) is not None:
                return Known(store.data(kept.record_id), bool(kept.is_lasting))
        for store in self._stores:
            if (alike := store.alike(key, least_level)) is not None:
                return Known(alike, is_lasting=True)
        return None

    def earlier(self, index: int, key: RecordKey) -> Earlier | None:
        """Return a record of this task that asks the same, for other points or as late as then."""
        entry = self._run.entries[index]
        asks = self._run.suites[entry.exercise].asks
        found = (each.earlier(entry, key, asks, self._least_level) for each in self._stores)
        return next((each for each in found if each is not None), None)

    def take(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
        """Keep `outcome`, then write its page; the reports of before speak of all no longer."""
        self.settle()
        index, graded = outcome.index, outcome.graded
        entry = self._run.entries[index]
        kept = self._store.own(entry, key, self._least_level)
        if kept is not None and self._store.data(kept.record_id) == graded.data:
            record_id = kept.record_id
            self._store.link({index: record_id})
            self.graded_before += 1
        else:
            record_id = self._store.keep(index, entry, key, self._packed(hand_in, key), graded)
            self.statuses[graded.status] += 1
        if outcome.page is not None:
            page, sheet = outcome.page, outcome.sheet
            shares = not self._run.settings.self_contained
            if decisions := self._store.decisions.of(*entry.name):
                record = told(record_of(self._store, entry, graded), entry, decisions)
                page, sheet = student_page(record, shares=shares), sheet and defence_sheet(record)
            paths = [entry.page, *[entry.sheet] * (sheet is not None)]
            with self._store.files.writing(record_id, paths):
                write_page(self._folder, entry, page, sheet, shares=shares)
        self.needs = max(filter(None, (self.needs, outcome.needs)), default=None)
        self._tell(entry, graded.status, graded.score, graded.max_score, outcome.seconds)

    def _packed(self, hand_in: HandIn, key: RecordKey) -> bytes:
        """Return what was handed in as it is kept: as the earlier run has it, if there is one."""
        if key.submission == UNREAD or not self._run.settings.keeps_hand_ins:
            return b""
        if self._earlier is not None:
            return self._earlier.content(key.submission)
        return packed_hand_in(hand_in)

    def _tell(
        self, entry: RunEntry, status: Status, score: float, most: float, seconds: float | None
    ) -> None:
        self._told(
            Done(
                exercise=entry.exercise,
                student=entry.student,
                status=status,
                score=score,
                max_score=most,
                seconds=seconds,
            )
        )


def tidy(folder: Path, store: Store) -> None:
    """Take away pages that are of no record of the run, and what a killed run half wrote.

    Such is the page of who is no longer in the run, and that of an interrupted one whose name went
    to somebody else who is not graded yet.
    """
    written = store.files.all()
    of_run = {
        path
        for line in store.lines()
        for path in (line.entry.page, line.entry.sheet)
        if written.get(path) == line.record_id
    }
    ours = {path for path in written if _OURS.fullmatch(path)}
    for path in ours - of_run:
        if os.path.lexists(folder / path):
            store.reports.withdraw()
            with suppress(OSError):  # it stands in no index
                (folder / path).unlink()
    for below in {folder, *((folder / each).parent for each in ours)}:
        remove_parts(below)
