"""Writes the reports of a run: pages one by one, then the index and the results.

Each submission gets a page for the student and, if requested, a sheet for the oral defence, for
staff, in a separate folder. Index, JUnit XML and `results.json` are made from the records alone,
even if the run was killed or ended long ago. They are kept as long as nothing that they depend on
changes. If requested, students have pseudonyms in everything that is written; the table of who is
who is in a separate file that only its owner can read.

`results.json` is written last and atomically: while it exists, everything it mentions exists too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from grader.errors import OutputError, RecordError
from grader.judging.record import Record
from grader.reporting.deciding import Choices
from grader.reporting.evidence_page import EVIDENCE_NAME, evidence_pieces
from grader.reporting.index_page import IndexEntry, index_pieces
from grader.reporting.reading import (
    load_record,
    read_overview,
    read_summary,
    record_errors,
)
from grader.reporting.rendering import restore_shared_files, write_shared_files
from grader.reporting.reported_record import as_reported
from grader.reporting.results import entry_json, entry_with_person, results_json
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.writing import (
    file_stem,
    is_special,
    output_error,
    replacing,
    write_atomically,
    write_below,
    write_pieces_below,
)
from grader.seams import EXTRAS
from grader.store.graded import Graded
from grader.store.runs import Run, RunEntry, distinct_names
from grader.store.store import Store
from grader.store.written_files import RESULTS_NAME
from grader.suite.model import Suite
from grader.values.foreign_text import one_line
from grader.verdict import Status

INDEX_NAME: Final = "index.html"
_MAX_LISTED: Final = 10
_MEMORY_BYTES: Final = 1 << 20
"""How much JUnit XML is kept in memory; more of it is buffered on the disk of the reports."""


def prepare(folder: Path, junit: Path | None) -> None:
    """Check that the reports can be written to `folder` and `junit`, and create missing folders.

    Raises `OutputError` if they cannot be written. Called before grading, so that no grading is
    wasted.
    """
    if not (folder / RESULTS_NAME).is_file():
        _check_writable(folder / RESULTS_NAME, "--out")
    if junit is not None:
        _check_writable(junit, "--junit")


def _check_writable(path: Path, option: str) -> None:
    """Create the folder of `path`, or raise `OutputError` if `path` cannot be written.

    A file at `path` is kept, in case grading fails. `option` is the command-line option for another
    path.
    """
    if is_special(path):
        return  # whether a device is writable shows only when it is written to
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            write_atomically(path, path.read_bytes())
        else:
            write_atomically(path, b"")
            path.unlink()
    except OSError as error:
        raise OutputError(
            f"cannot write to {one_line(str(path.parent))}: {error.strerror}",
            help=f"choose another path with {option}",
        ) from error


def run_entries(submissions: Iterable[tuple[str, str]]) -> tuple[RunEntry, ...]:
    """Return a run entry for each pair of an exercise and a student, with distinct file names."""
    stems: dict[str, set[str]] = {}
    return tuple(
        RunEntry(
            exercise=exercise,
            student=student,
            stem=file_stem(student, stems.setdefault(exercise, set())),
        )
        for exercise, student in submissions
    )


def session_titles(suite: Suite) -> dict[str, str]:
    """Return the session title of each case, keyed by case id.

    If several sessions have the same title, their ids are added to it.
    """
    titles = Counter(session.title for session in suite.sessions if session.cases)
    return {
        case.id: session.title if titles[session.title] == 1 else f"{session.title} ({session.id})"
        for session in suite.sessions
        for case in session.cases
    }


def write_page(
    folder: Path, entry: RunEntry, page: str, sheet: str | None, *, shares: bool
) -> None:
    """Write the page of `entry` to `folder`, and its sheet if there is one.

    If the page `shares` its style sheet and script with other pages, these two are also written.
    """
    if shares:
        write_shared_files(folder)
    write_below(folder, entry.page, page.encode())
    if sheet is not None:
        write_below(folder, entry.sheet, sheet.encode())


def write_reports(
    folder: Path,
    store: Store,
    *,
    junit: Path | None = None,
    sheets: bool = False,
    pages: bool = False,
    index: bool = True,
) -> Counter[Status]:
    """Write the reports on the run in `store`, and return the number of submissions by status.

    These are the overview if `index`, JUnit XML if `junit` is given, and finally the results. If
    `sheets`, the overview links to the sheets. If `pages`, all pages are rewritten too. If neither
    JUnit XML nor pages are requested, and the reports on disk are up to date, they are kept.

    Raises `RecordError` if records cannot be read, in which case the old results remain, or
    `OutputError` if a report cannot be written.
    """
    state = store.state(sheets, index)
    if junit is None and not pages and store.reports.are_current(state):
        return store.statuses()
    run = store.run
    with (
        replacing(folder / RESULTS_NAME) as file,
        SpooledTemporaryFile(_MEMORY_BYTES, dir=str(folder)) as suites,
    ):
        xml = None if junit is None else EXTRAS.load("--junit").JUnitReport(suites)
        feed = _ReportFeed(folder, store, xml, sheets=sheets, pages=pages, index=index)
        # Writing the results reads the run, which fills the feed for the reports that follow.
        file.writelines(results_json(feed.results()))
        if feed.damaged:
            raise _damaged_error(feed.damaged)
        if junit is not None and xml is not None:
            write_pieces_below(junit.parent, junit.name, xml.pieces())
        if index:
            _write_index(folder, feed, run)
    names = [RESULTS_NAME, *[INDEX_NAME, EVIDENCE_NAME] * index]
    if index and feed.counts and not run.settings.self_contained:
        names += restore_shared_files(folder)
    # This comes last, so that after an interruption everything is written again.
    store.reports.note(state, names)
    return feed.counts


def _write_index(folder: Path, feed: _ReportFeed, run: Run) -> None:
    """Write the overview of `run` to `folder`, and the page of evidence if there is any.

    Without evidence, the page of an earlier run is deleted. `feed` must have been read in full.
    """
    page = index_pieces(
        feed.rows,
        language=run.language,
        interrupted=feed.counts.total() < len(run.entries),
        choices=feed.choices,
        left_out=run.left_out,
    )
    write_pieces_below(folder, INDEX_NAME, map(str.encode, page))
    evidence = evidence_pieces(feed.rows, run.language)
    if evidence is None:
        try:
            (folder / EVIDENCE_NAME).unlink(missing_ok=True)
        except OSError as error:
            raise output_error(folder / EVIDENCE_NAME, error) from error
    else:
        write_pieces_below(folder, EVIDENCE_NAME, map(str.encode, evidence))


class _ReportFeed:
    """Reads the submissions of a run once, and passes each of them to all requested reports."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        xml: Any | None,
        *,
        sheets: bool,
        pages: bool,
        index: bool,
    ) -> None:
        """Prepare to read the run in `store`; the parameters are those of `write_reports`.

        `xml` collects JUnit XML, if requested.
        """
        self._folder: Final = folder
        self._store: Final = store
        self._xml: Final = xml
        self._sheets: Final = sheets
        self._pages: Final = pages
        self._index: Final = index
        self._shares: Final = not store.run.settings.self_contained
        self._names: Final = distinct_names(store.run.entries)
        self._decisions: Final = store.decisions.by_entry()
        self.rows: Final[list[IndexEntry]] = []
        self.choices: Final[dict[str, Choices]] = {}
        self.counts: Final[Counter[Status]] = Counter()
        self.damaged: Final[list[RecordError]] = []

    def results(self) -> Iterator[bytes]:
        """Yield the entries of `results.json`, and fill `rows`, `choices`, `counts` and `damaged`.

        If pages or JUnit XML are requested, they are made at the same time. Errors in records are
        not raised, but added to `damaged`.
        """
        for entry, graded in self._store:
            self.counts[graded.status] += 1
            try:
                summary = self._summary(entry, graded)
                with record_errors(entry):
                    result = entry_with_person(summary, entry)
                yield result
            except RecordError as error:
                # Errors are collected, so that a single error can name all damaged records.
                self.damaged.append(error)

    def _summary(self, entry: RunEntry, graded: Graded) -> bytes:
        """Return the entry in `results.json` for `graded`, and add it to the other reports.

        The record is read only if pages, JUnit XML or decisions require it. Raises `RecordError` if
        something stored about the submission is damaged.
        """
        row = None
        if self._index:
            row = read_overview(entry, graded)
            sheet = entry.sheet if self._sheets else None
            row = replace(row, student=self._names[entry.identity], sheet=sheet)
        summary = read_summary(entry, graded)
        if self._index and entry.exercise not in self.choices:
            with record_errors(entry):
                self.choices[entry.exercise] = Choices.from_summary(summary)
        decisions = self._decisions.get(entry.identity, ())
        if self._pages or self._xml is not None or decisions:
            record = as_reported(load_record(self._store, entry, graded), entry, decisions)
            self._report(entry, record)
            if decisions:
                summary = entry_json(record)
                row = row and row.with_decisions(record)
        if row is not None:
            self.rows.append(row)
        return summary

    def _report(self, entry: RunEntry, record: Record) -> None:
        """Write the page and sheet of `entry`, and add `record` to the JUnit XML, if requested."""
        if self._pages:
            page = student_page(record, shares=self._shares)
            sheet = defence_sheet(record) if self._sheets else None
            paths = [entry.page, *[entry.sheet] * self._sheets]
            with self._store.files.writing(self._store.record_id(entry), paths):
                write_page(self._folder, entry, page, sheet, shares=self._shares)
        if self._xml is not None:
            self._xml.add(record)


def _damaged_error(errors: Sequence[RecordError]) -> RecordError:
    """Return one error that lists the first of `errors`, with the help of the very first."""
    listed = [error.message for error in errors[:_MAX_LISTED]]
    more = [f"... and {len(errors) - _MAX_LISTED} more"] * (len(errors) > _MAX_LISTED)
    lines = "\n".join(f"  {line}" for line in (*listed, *more))
    return RecordError(f"the reports cannot be made:\n{lines}", help=errors[0].help)
