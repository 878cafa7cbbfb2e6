"""Stores the outcomes of a run, and writes pages as they arrive.

A record is stored before its page is written, and the store tracks which pages are written. So a
run that is killed at any time can be resumed: stored submissions are not graded again, and missing
pages are made from their records.
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
from grader.reporting.reading import load_record
from grader.reporting.reported_record import as_reported
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.writing import remove_incomplete_files
from grader.run.outcomes import Outcome
from grader.store.graded import EarlierRecord, KnownRecord, StoredRecord, pack_hand_in
from grader.store.keys import UNREADABLE, RecordKey
from grader.store.runs import Run, RunEntry
from grader.store.store import Store
from grader.verdict import Status

_MAX_UNLINKED: Final = 256
_PAGE_PATH: Final = re.compile("[a-z0-9_-]+/(sheets/)?[a-z0-9_-]+[.]html")
"""Matches paths of pages and sheets.

`remove_stale_pages` removes no other files, whatever paths a store contains.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedSubmission:
    """A finished submission, for the progress display and for events."""

    exercise: str
    student: str
    status: Status
    score: float
    max_score: float
    seconds: float | None
    """The duration of grading, or None if it did not have to be graded."""


class StoreKeeper:
    """Stores the outcomes of one run, and writes its pages to a folder."""

    def __init__(
        self,
        store: Store,
        run: Run,
        folder: Path,
        *,
        on_done: Callable[[FinishedSubmission], None],
        earlier: Store | None = None,
    ) -> None:
        """Store outcomes in `store`, where `run` has begun.

        Calls `on_done` for each finished submission, and copies records from an `earlier` run.
        """
        self._store: Final = store
        self._run: Final = run
        self._folder: Final = folder
        self._pages: Final = run.settings.pages
        self._on_done: Final = on_done
        self._earlier: Final = earlier
        self._stores: Final = (store,) if earlier is None else (store, earlier)
        self._least_level: Final = run.settings.least_level
        self._is_untouched: Final = store.files.currency_check()
        """Returns whether a file from before this run was made from a record, and is unchanged."""
        self._links: Final[dict[int, int]] = {}
        self._earlier_links: Final[dict[int, int]] = {}
        """Ids of records, in this store and the earlier one, that are not linked to entries yet,
        because linking many at once is faster. Keyed by the index of the entry."""
        self.statuses: Final[Counter[Status]] = Counter()
        """The number of submissions graded in this run, by status."""
        self.already_graded = 0
        """The number of submissions whose result was already in the store."""
        self.needs: tuple[int, int] | None = None
        """The newest Python version that a submission needs, if ours is too old."""

    def count_if_done(self, index: int, key: RecordKey) -> bool:
        """Return whether the task at `index` is done and its page written.

        If no pages are written, a record in the earlier run is enough. If the task is done, its
        record will be linked, and the task is counted and reported.
        """
        entry = self._run.entries[index]
        stored = self._store.find_record(entry, key, self._least_level)
        if stored is not None and self._is_written(index, stored):
            self._links[index] = stored.record_id
        elif stored is None and self._earlier is not None and not self._pages:
            stored = self._earlier.find_record(entry, key, self._least_level)
            if stored is None:
                return False
            self._earlier_links[index] = stored.record_id
        else:
            return False
        if len(self._links) + len(self._earlier_links) >= _MAX_UNLINKED:
            self.link_pending()
        self.already_graded += 1
        self._report_done(entry, Status(stored.status), stored.score, stored.max_score, None)
        return True

    def _is_written(self, index: int, stored: StoredRecord) -> bool:
        """Return whether all files that this run writes for the record `stored` are up to date."""
        entry = self._run.entries[index]
        paths = [entry.page] * self._pages
        paths += [entry.sheet] * (self._pages and self._run.settings.sheets)
        return all(self._is_untouched(path, stored.record_id) for path in paths)

    def link_pending(self) -> None:
        """Link the entries of all tasks found to be done to their records.

        Records of the earlier run are copied to the store of this run.
        """
        if self._links:
            self._store.link_records(self._links)
            self._links.clear()
        if self._earlier is not None and self._earlier_links:
            self._store.copy_records(self._earlier_links, self._earlier)
            self._earlier_links.clear()

    def known_record(self, index: int, key: RecordKey) -> KnownRecord | None:
        """Return a packed record of the same files, of this or another student, if any."""
        entry, least_level = self._run.entries[index], self._least_level
        # First the student's own records, which count even if they are not lasting.
        for store in self._stores:
            if (stored := store.find_record(entry, key, least_level)) is not None:
                return KnownRecord(store.data(stored.record_id), bool(stored.is_lasting))
        for store in self._stores:
            if (data := store.find_lasting_data(key, least_level)) is not None:
                return KnownRecord(data, is_lasting=True)
        return None

    def earlier_record(self, index: int, key: RecordKey) -> EarlierRecord | None:
        """Return a record of this task, on the same questions, that can be rescored, if any."""
        entry = self._run.entries[index]
        asks = self._run.suites[entry.exercise].asks
        records = (
            store.find_earlier(entry, key, asks, self._least_level) for store in self._stores
        )
        return next((record for record in records if record is not None), None)

    def store(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
        """Store `outcome`, write its page with any decisions applied, and report it."""
        self.link_pending()
        index, graded = outcome.index, outcome.graded
        entry = self._run.entries[index]
        stored = self._store.find_record(entry, key, self._least_level)
        # If the result is the same as before, link the stored record instead of storing a copy.
        if stored is not None and self._store.data(stored.record_id) == graded.data:
            record_id = stored.record_id
            self._store.link_records({index: record_id})
            self.already_graded += 1
        else:
            record_id = self._store.store_result(
                index, entry, key, self._pack_hand_in(hand_in, key), graded
            )
            self.statuses[graded.status] += 1
        if outcome.page is not None:
            page, sheet = outcome.page, outcome.sheet
            shares = not self._run.settings.self_contained
            # Decisions made by a person remain valid when the submission is graded again.
            if decisions := self._store.decisions.for_submission(*entry.identity):
                record = as_reported(load_record(self._store, entry, graded), entry, decisions)
                page, sheet = student_page(record, shares=shares), sheet and defence_sheet(record)
            paths = [entry.page, *[entry.sheet] * (sheet is not None)]
            with self._store.files.writing(record_id, paths):
                write_page(self._folder, entry, page, sheet, shares=shares)
        self.needs = max(filter(None, (self.needs, outcome.needs)), default=None)
        self._report_done(entry, graded.status, graded.score, graded.max_score, outcome.seconds)

    def _pack_hand_in(self, hand_in: HandIn, key: RecordKey) -> bytes:
        """Return the packed hand-in, copied from the earlier run if there is one.

        Returns b"" if the hand-in could not be read, or must not be kept.
        """
        if key.submission == UNREADABLE or not self._run.settings.keeps_hand_ins:
            return b""
        if self._earlier is not None:
            return self._earlier.content(key.submission)
        return pack_hand_in(hand_in)

    def _report_done(
        self, entry: RunEntry, status: Status, score: float, max_score: float, seconds: float | None
    ) -> None:
        """Report the finished submission of `entry`; `seconds` is None if it was not graded."""
        self._on_done(
            FinishedSubmission(
                exercise=entry.exercise,
                student=entry.student,
                status=status,
                score=score,
                max_score=max_score,
                seconds=seconds,
            )
        )


def remove_stale_pages(folder: Path, store: Store) -> None:
    """Remove pages that belong to no record of the run, and partly written files.

    A stale page might belong to a student who is no longer in the run. Or it might come from an
    interrupted run, and its name now belongs to another student, who is not graded yet. Also
    removes `results.json`, before the first page that it might refer to.
    """
    record_ids = store.files.all()
    current_paths = {
        path
        for graded_entry in store.graded_entries()
        for path in (graded_entry.entry.page, graded_entry.entry.sheet)
        if record_ids.get(path) == graded_entry.record_id
    }
    page_paths = {path for path in record_ids if _PAGE_PATH.fullmatch(path)}
    for path in page_paths - current_paths:
        if os.path.lexists(folder / path):
            store.reports.remove_results()
            with suppress(OSError):  # if it remains, no index links to it
                (folder / path).unlink()
    for subfolder in {folder, *((folder / path).parent for path in page_paths)}:
        remove_incomplete_files(subfolder)
