"""Runs that leave their files in a folder, without grading anything."""

from __future__ import annotations

from pathlib import Path

from grader.reporting.records import Records, Run, run_entries

from grader.judging.record import Record
from grader.reporting.output import prepare, write_pages, write_reports


def run_of(*records: Record, sheets: bool = False, language: str = "en") -> Run:
    """Return the run in which these submissions were to be graded."""
    entries = run_entries((each.exercise, each.student) for each in records)
    return Run(entries=entries, language=language, sheets=sheets)


def begun(
    folder: Path, *records: Record, sheets: bool = False, junit: Path | None = None
) -> Records:
    """Return the store of a run that is to grade `records`, and has graded nothing."""
    prepare(folder, junit)
    return Records.begin(folder, run_of(*records, sheets=sheets))


def filed(
    folder: Path, *records: Record, sheets: bool = False, junit: Path | None = None
) -> Records:
    """Return the store of a whole run that has left everything below `folder`."""
    store = begun(folder, *records, sheets=sheets, junit=junit)
    for index, record in enumerate(records):
        take(folder, store, index, record)
    write_reports(folder, store, junit=junit, sheets=sheets)
    return store


def take(folder: Path, store: Records, index: int, record: Record) -> None:
    """File one record, and write its page."""
    store.add(index, record)
    write_pages(folder, store.run.entries[index], record, sheets=store.run.sheets)
