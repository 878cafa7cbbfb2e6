"""Runs that leave their files in a folder, without grading anything."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from record_samples import case, group, record

from grader.judging.record import Record, to_json
from grader.reporting.output import prepare, run_entries, write_page, write_reports
from grader.reporting.reading import record_of
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.run.chunks import to_graded as graded_with
from grader.store.graded import Graded, Pattern
from grader.store.keys import RecordKey
from grader.store.runs import Run, RunSettings, SuiteFacts
from grader.store.store import Store
from grader.verdict import Status, Verdict

SUITE: Final = "5" * 64
"""What stands for the hash of any suite."""


PLAIN: Final = Pattern(())
"""Records that nobody graded have nothing in common."""
PATTERNS: Final = {PLAIN.sha256: PLAIN.to_bytes()}


def records_of(store: Store) -> list[Record]:
    """Return the records in `store`, in the order of the run."""
    return [record_of(store, *each) for each in store]


def run_of(*records: Record, sheets: bool = False, language: str = "en") -> Run:
    """Return the run in which these submissions were to be graded."""
    suites = {
        each.exercise: SuiteFacts(
            sha256=SUITE, asks=SUITE, title=each.title, max_score=each.max_score
        )
        for each in records
    }
    return Run(
        entries=run_entries((each.exercise, each.student) for each in records),
        language=language,
        settings=RunSettings(sheets=sheets),
        suites=suites,
    )


def key_for(record: Record) -> RecordKey:
    """Return a key that no other record has."""
    own = sha256(to_json(record)).hexdigest()
    return RecordKey(sha256=own, submission=own, suite=SUITE, environment="e" * 64, facts="{}")


def graded_from(record: Record, *, is_lasting: bool = True) -> Graded:
    """Return what a run keeps of `record`."""
    return graded_with(record, PLAIN, {}, is_lasting=is_lasting)


@contextmanager
def begun(
    folder: Path, *records: Record, sheets: bool = False, junit: Path | None = None
) -> Iterator[Store]:
    """Hold the store of a run that is to grade `records`, and has graded nothing."""
    with Store.writing(folder) as store:
        prepare(folder, junit)
        store.begin(run_of(*records, sheets=sheets), PATTERNS)
        yield store


def filed(
    folder: Path, *records: Record, sheets: bool = False, junit: Path | None = None
) -> Counter[Status]:
    """Leave everything of a whole run below `folder`; return how many have which status."""
    with begun(folder, *records, sheets=sheets, junit=junit) as store:
        for index, record in enumerate(records):
            take(folder, store, index, record)
        return write_reports(folder, store, junit=junit, sheets=sheets)


def keep(store: Store, index: int, record: Record, graded: Graded | None = None) -> int:
    """Keep one record, or what was `graded` of it, without its page; return its id."""
    graded = graded_from(record) if graded is None else graded
    return store.store_result(index, store.run.entries[index], key_for(record), b"", graded)


def take(folder: Path, store: Store, index: int, record: Record) -> None:
    """Keep one record, and write its page."""
    run = store.run
    keep(store, index, record)
    sheet = defence_sheet(record) if run.settings.sheets else None
    page = student_page(record, shares=True)
    write_page(folder, run.entries[index], page, sheet, shares=True)


def named(name: str, *, text: str = "1") -> Record:
    """Return a small record of `name`."""
    failing = case("f/1", Verdict.WRONG, expected="2", got=text)
    return record(group("f", failing), id=name, student=name)


@contextmanager
def database(folder: Path) -> Iterator[sqlite3.Connection]:
    """Hold the database in `folder` as any program can open it; what is changed is kept."""
    with closing(sqlite3.connect(folder / "run.db")) as connection, connection:
        yield connection


def use(folder: Path) -> None:
    """Go over all that a store has, then go on with its run."""
    with Store.reading(folder) as store:
        assert store.run.entries
        for entry, graded in store:
            assert entry.student == record_of(store, entry, graded).student
    with Store.writing(folder) as store:
        store.begin(run_of(named("jan")), PATTERNS)
        keep(store, 0, named("jan"))
