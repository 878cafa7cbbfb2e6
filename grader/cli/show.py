"""`grader show`: prints one student's result in a run, for staff."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.cli.options import json_option
from grader.errors import UsageError
from grader.judging.record import Record
from grader.reporting.decisions_view import decision_lines
from grader.reporting.index_entry import IndexEntry
from grader.reporting.reading import load_record
from grader.reporting.repair_view import repair_notes
from grader.reporting.reported_record import as_reported
from grader.reporting.results import as_json, entry_json, entry_with_person
from grader.reporting.terminal import print_record
from grader.reporting.visibility import staff_groups
from grader.reporting.wording import Locale
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import one_line


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("student")
@click.option("--exercise", metavar="NAME", help="The exercise, if the run has several.")
@json_option
def command(run: Path, student: str, exercise: str | None, as_json_: bool) -> None:
    """Show the result of STUDENT in RUN to staff, including hidden cases.

    STUDENT is a name in the run, the name of a page, an id, a user name, an email address, or a
    part of a name that is unique; case and accents are ignored.
    """
    with Store.reading(run) as store:
        entry = find_entry(entries_of_exercise(store.run.entries, exercise), student)
        graded = store.graded(entry)
        if graded is None:
            raise UsageError(
                f"{_title(entry)} is in the run but has not been graded yet",
                help="run the grading command again, which continues the run",
            )
        decisions = store.decisions.for_submission(*entry.identity)
        record = as_reported(load_record(store, entry, graded), entry, decisions)
        if as_json_:
            # Reformatted, because an entry of `results.json` is indented for that file.
            text = as_json(json.loads(entry_with_person(entry_json(record), entry)))
            sys.stdout.write(text.decode("ascii"))
        else:
            _print(record)


def _title(entry: RunEntry) -> str:
    return f"{one_line(entry.student)} ({entry.exercise})"


def _print(record: Record) -> None:
    """Print `record` with everything that staff should know about it."""
    facts = IndexEntry.from_record(record, "")
    decisions = decision_lines(record)
    repairs = repair_notes(record, Locale.for_record(record))
    notes = (*facts.staff_remarks, *facts.printed, *facts.evidence, *repairs, *decisions)
    print_record(record, Console(highlight=False), notes, staff_groups(record))
