"""Writes what a run leaves behind: a page per student as it is graded, then index and results.

On demand each page has a sheet for the oral defence beside it, in a folder of its own: pages are
handed out, sheets are for staff. On demand students have pseudonyms in everything that is written;
who is who stands in a file of its own, which only its owner can read.

`results.json` is written last and whole: while it is there, everything it speaks of is there too.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from grader.display import one_line
from grader.errors import OutputError
from grader.record import Record, run_document, summary
from grader.reporting.index_page import IndexEntry, index_page
from grader.reporting.junit import junit_xml
from grader.reporting.pseudonyms import Pseudonyms
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.reporting.writing import is_special, page_name, write_atomically
from grader.suite import Session, Suite
from grader.verdict import Status
from grader.wording import say

RESULTS_NAME: Final = "results.json"
_LOGGED_COMMAND: Final = re.compile(r"#(?=#\w*\[)")
INDEX_NAME: Final = "index.html"
SHEETS_NAME: Final = "sheets"
PSEUDONYMS_NAME: Final = "pseudonyms.csv"


def as_json(document: dict[str, Any]) -> bytes:
    """Return `document` as JSON that any reader takes: ASCII only, keys in their order.

    In a log some CI systems obey what looks like `##[error]`, so that is spelled otherwise.
    """
    text = _LOGGED_COMMAND.sub(r"\\u0023", json.dumps(document, indent=1))
    return text.encode("ascii") + b"\n"


def summary_of(record: Record) -> dict[str, object]:
    """Return the entry of `record` in `results.json`, its sentences in the exercise's language."""
    return summary(record, lambda told: say(told, record.language))


def _sessions(suite: Suite) -> dict[str, str]:
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


class RunOutput:
    """Takes records in the order in which they are done, and files them in the order of tasks."""

    def __init__(
        self,
        folder: Path | None,
        junit: Path | None,
        language: str,
        *,
        sheets: bool = False,
        suites: Iterable[Suite] = (),
        pseudonyms: Pseudonyms | None = None,
    ) -> None:
        """Write below `folder`, or nothing with None; JUnit XML to `junit` if it is given.

        With `sheets` there is a sheet for the oral defence to each page. The overview tells of the
        sessions of `suites`. With `pseudonyms` nothing but their table names a student.
        """
        self._folder: Final = folder
        self._junit: Final = junit
        self._language: Final = language
        self._has_sheets: Final = sheets
        self._sessions: Final = {suite.exercise: _sessions(suite) for suite in suites}
        self._pseudonyms: Final = pseudonyms
        self._entries: Final[dict[int, IndexEntry]] = {}
        self._summaries: Final[dict[int, dict[str, object]]] = {}
        self._records: Final[dict[int, Record]] = {}
        self._names: Final[dict[str, set[str]]] = {}
        self.fault_count = 0

    def prepare(self) -> None:
        """Make sure that everything can be written, and take away the results of old.

        Raises `OutputError` before anything is graded, rather than after. The table of pseudonyms
        is written here: without it there is no telling whose page is whose.
        """
        if self._folder is not None:
            self._try(self._folder / RESULTS_NAME, "--out")
            if self._pseudonyms is not None:
                _write_table(self._folder, self._pseudonyms)
        if self._junit is not None:
            self._try(self._junit, "--junit")

    @staticmethod
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

    def take(self, index: int, record: Record) -> Record:
        """File `record` of task `index`, write its page and its sheet, and return it as filed."""
        if self._pseudonyms is not None:
            record = self._pseudonyms.hide(record)
        self.fault_count += record.status is Status.FAULT
        self._summaries[index] = summary_of(record)
        if self._junit is not None:
            self._records[index] = record
        if self._folder is not None:
            self._entries[index] = self._write_pages(self._folder, record)
        return record

    def _write_pages(self, folder: Path, record: Record) -> IndexEntry:
        """Write what there is to read about `record`, and return where."""
        name = page_name(record.student, self._names.setdefault(record.exercise, set()))
        href, sheet = f"{record.exercise}/{name}", None
        self._write(folder / href, student_page(record).encode())
        if self._has_sheets:
            sheet = f"{record.exercise}/{SHEETS_NAME}/{name}"
            self._write(folder / sheet, defence_sheet(record).encode())
        return IndexEntry.of(record, href, sheet, self._sessions.get(record.exercise))

    def results(self) -> dict[str, object]:
        """Return the summary over the run, in the order of the tasks."""
        return run_document(self._summaries[index] for index in sorted(self._summaries))

    def finish(self, *, interrupted: bool) -> None:
        """Write the index, the JUnit file and, last, the results."""
        if self._junit is not None:
            self._write(self._junit, junit_xml(self._records[i] for i in sorted(self._records)))
        if self._folder is not None:
            entries = [self._entries[index] for index in sorted(self._entries)]
            page = index_page(entries, language=self._language, interrupted=interrupted)
            self._write(self._folder / INDEX_NAME, page.encode())
            self._write(self._folder / RESULTS_NAME, as_json(self.results()))

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot make {one_line(str(path.parent))}: {error.strerror}"
            ) from error
        write_atomically(path, data)
