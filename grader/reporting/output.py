"""Writes what a run leaves behind: records and pages as they come, then index and results.

Each submission leaves its record, which is for staff, and its page, for the student; on demand also
a sheet for the oral defence, for staff, in a folder of its own. Index, JUnit XML and `results.json`
are made of the records alone, also when a run was killed or long ago. On demand students have
pseudonyms in everything that is written; who is who stands in a file of its own, which only its
owner can read.

`results.json` is written last and whole: while it is there, everything it speaks of is there too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any, Final

from grader.errors import OutputError
from grader.judging.record import Record
from grader.reporting.index_page import IndexEntry, index_pieces
from grader.reporting.junit import JUnitReport
from grader.reporting.pseudonyms import Pseudonyms
from grader.reporting.records import Records, RunEntry
from grader.reporting.results import results_json, summary_of
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.writing import (
    is_special,
    replacing,
    write_atomically,
    write_below,
    write_pieces_below,
)
from grader.suite.model import Session, Suite
from grader.values.display import one_line
from grader.verdict import Status

RESULTS_NAME: Final = "results.json"
INDEX_NAME: Final = "index.html"
PSEUDONYMS_NAME: Final = "pseudonyms.csv"
_KEPT_BYTES: Final = 1 << 20
"""Of JUnit XML in memory; what is more waits on the disk that the reports go to."""


def prepare(folder: Path, junit: Path | None, pseudonyms: Pseudonyms | None = None) -> None:
    """Make sure that all can be written below `folder` and to `junit`; take away results of old.

    Raises `OutputError` before anything is graded, rather than after. The table of pseudonyms is
    written here: without it there is no telling whose page is whose.
    """
    _try(folder / RESULTS_NAME, "--out")
    if pseudonyms is not None:
        _write_table(folder, pseudonyms)
    if junit is not None:
        _try(junit, "--junit")


def _try(path: Path, option: str) -> None:
    if is_special(path):
        return  # it cannot be tried without writing to it
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, b"")
        path.unlink()
    except OSError as error:
        raise OutputError(
            f"cannot write to {one_line(str(path.parent))}: {error.strerror}",
            help=f"name another place with {option}",
        ) from error


def _write_table(folder: Path, pseudonyms: Pseudonyms) -> None:
    """Write the table of who is who into `folder`, in which there may be nothing yet.

    A page of an earlier run would show a name, or be taken for that of somebody else.
    """
    path = folder / PSEUDONYMS_NAME
    try:
        if os.listdir(folder):
            raise OutputError(
                f"{one_line(str(folder))} is not empty",
                help="with --pseudonyms, name a new folder with --out: what is there has names",
            )
        # Readable for its owner only, from the first byte on.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(pseudonyms.table())
    except OSError as error:
        raise OutputError(f"cannot write {one_line(str(path))}: {error.strerror}") from error


def session_titles(suite: Suite) -> dict[str, str]:
    """Return for each case, by its id, what its session is called; no two have the same name.

    The sessions of a pool count as one, which is called like the pool.
    """
    items = {case.id: _item(session) for session in suite.sessions for case in session.cases}
    titles = Counter(title for title, _ in set(items.values()))
    return {
        case: title if titles[title] == 1 else f"{title} ({item_id})"
        for case, (title, item_id) in items.items()
    }


def _item(session: Session) -> tuple[str, str]:
    """Return the title and the id of what `session` counts for in the overview."""
    return (session.pool or session.title, session.pool or session.id)


def write_pages(folder: Path, entry: RunEntry, record: Record, *, sheets: bool) -> None:
    """Write the page about `record` below `folder`, and its sheet if there are `sheets`."""
    write_below(folder, entry.page, student_page(record).encode())
    if sheets:
        write_below(folder, entry.sheet, defence_sheet(record).encode())


def write_reports(
    folder: Path,
    records: Records,
    *,
    junit: Path | None = None,
    sheets: bool = False,
    pages: bool = False,
    index: bool = True,
) -> Counter[Status]:
    """Write the index, JUnit XML to `junit` if it is given and, last, the results.

    The index leads to `sheets` if there are any. With `pages` all pages are written anew too.
    Returns how many submissions there are of each status. Raises `RecordError` if some records
    cannot be read: then the results are those of before.
    """
    entries: list[IndexEntry] = []
    counts: Counter[Status] = Counter()

    def summaries() -> Iterator[dict[str, Any]]:
        for entry, record in records:
            counts[record.status] += 1
            if pages:
                write_pages(folder, entry, record, sheets=sheets)
            if index:
                titles = records.run.sessions.get(entry.exercise)
                sheet = entry.sheet if sheets else None
                entries.append(IndexEntry.of(record, entry.page, sheet, titles))
            if junit is not None:
                xml.add(record)
            yield summary_of(record)

    with (
        replacing(folder / RESULTS_NAME) as results,
        SpooledTemporaryFile(_KEPT_BYTES, dir=str(folder)) as suites,
    ):
        xml = JUnitReport(suites)
        results.writelines(results_json(summaries()))
        if junit is not None:
            write_pieces_below(junit.parent, junit.name, xml.pieces())
        if index:
            incomplete = len(entries) < len(records.run.entries)
            page = index_pieces(entries, language=records.run.language, interrupted=incomplete)
            write_pieces_below(folder, INDEX_NAME, map(str.encode, page))
    return counts
