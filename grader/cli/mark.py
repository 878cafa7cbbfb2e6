"""`grader mark`: a person's decisions on top of the grader's findings, and their list."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.cli.mark_input import MAX_NAME_CHARS, MarkInput, make_decisions
from grader.cli.mark_table import read_marks
from grader.cli.options import json_option
from grader.cli.run_copies import decisions_of_copy
from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.judging.deciding import Decision
from grader.reporting.deciding import (
    DECISIONS_SCHEMA,
    DecisionLine,
    Standing,
    decision_trail,
)
from grader.reporting.decisions_view import decision_line
from grader.reporting.output import INDEX_NAME, write_page, write_reports
from grader.reporting.reading import load_record
from grader.reporting.reported_record import as_reported
from grader.reporting.results import as_json
from grader.reporting.sheet import defence_sheet
from grader.reporting.student_page import student_page
from grader.store.graded import Graded
from grader.store.runs import RunEntry, distinct_names
from grader.store.store import Store
from grader.store.written_files import RESULTS_NAME
from grader.values.foreign_text import escape_controls, log_safe, one_line

_MAX_DOUBTS: Final = 20


@click.command("mark")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("student", required=False)
@click.option("--exercise", metavar="NAME", help="The exercise, if the run has several.")
@click.option("--case", metavar="ID", help="Decide on this case.")
@click.option("--group", metavar="ID", help="Decide on this group as a whole.")
@click.option("--rule", metavar="ID", help="Decide on this rule.")
@click.option("--line", metavar="FILE:NUMBER", help="Put the comment beside this line of code.")
@click.option(
    "--question",
    metavar="TEXT",
    help="Record for staff how this question was answered: --verdict good or poor, --comment.",
)
@click.option("--total", is_flag=True, help="Decide on the total number of points.")
@click.option(
    "--bonus",
    is_flag=True,
    help="Add points to the total, or deduct some with a number such as -1.",
)
@click.option("--item", metavar="NAME", help="Add points under a name, such as a rubric item.")
@click.option("--points", metavar="NUMBER", help="The points that the subject earns.")
@click.option("--verdict", metavar="WORD", help="The verdict on the rule: kept or broken.")
@click.option(
    "--penalty",
    metavar="NUMBER",
    help="The points that the broken rule costs. Default: as in the suite.",
)
@click.option("--because", metavar="TEXT", help="The reason, which the student reads.")
@click.option("--comment", metavar="TEXT", help="A comment for the student's page.")
@click.option("--undo", is_flag=True, help="Undo the decision, or without an ID the comment.")
@click.option(
    "--from",
    "table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read decisions from a CSV file with one per line, or from a copy of the run.",
)
@click.option(
    "--by", metavar="NAME", help="The name of the person who decides. Default: your user name."
)
@click.option("--list", "is_list", is_flag=True, help="List who decided what, and when.")
@json_option
def command(run: Path, **options: Any) -> None:
    """Decide on a part, a rule or the total of STUDENT in RUN, or comment on the page or the code.

    The finding is kept. The decision and its reason are shown beside it on the student's page and
    wherever points are shown. Decisions survive another `grade`, `regrade` and `merge`.
    """
    table, by = options.pop("table"), options.pop("by")
    is_list, is_json = options.pop("is_list"), options.pop("as_json_")
    mark = MarkInput(**{name: value for name, value in options.items() if value is not None})
    if is_list:
        _print_decisions(run, mark, is_json=is_json)
        return
    if is_json:
        raise UsageError(
            "--json has no effect without --list", help="add --list, or leave out --json"
        )
    if table is not None and mark != MarkInput():
        raise UsageError(
            "--from cannot be combined with a student or a decision: the table contains them",
            help="leave out --from, or the student and all options except --from and --by",
        )
    if table is None and not mark.student:
        raise UsageError(
            "no student is given", help="add the student's name, or pass a table with --from"
        )
    if table is not None and table.is_dir():
        if by is not None:
            raise UsageError(
                "--by does not apply to a copy of the run: its decisions keep their authors",
                help="leave out --by",
            )
        _decide(run, lambda store: decisions_of_copy(store, table))
        return
    marks = [(None, mark)] if table is None else read_marks(table)
    _decide(run, lambda store: make_decisions(marks, store, decider_name(by)))


def _decide(folder: Path, make: Callable[[Store], list[Decision]]) -> None:
    """Store the decisions that `make` returns in the run in `folder`, and rewrite its reports.

    `make` is called with the store. The score of each submission is printed, with the old score if
    it changed. Raises `UsageError` if `make` finds a mistake, before anything is stored.
    """
    with Store.reading(folder):
        pass  # raises if there is no run, which opening for writing would create
    with Store.writing(folder) as store:
        decisions = make(store)
        marked = {(decision.exercise, decision.student) for decision in decisions}
        entries = [entry for entry in store.run.entries if entry.identity in marked]
        before = [store.graded(entry) for entry in entries]
        # Only existing reports are rewritten, because a run might have none.
        has_index, has_results = ((folder / name).is_file() for name in (INDEX_NAME, RESULTS_NAME))
        store.decide(decisions)
        rewrite_marked_pages(folder, store, marked)
        if has_index or has_results:
            sheets = any((folder / entry.sheet).is_file() for entry in store.run.entries)
            write_reports(folder, store, sheets=sheets, index=has_index)
        unique_names = distinct_names(store.run.entries)
        for entry, old in zip(entries, before, strict=True):
            _print_change(unique_names[entry.identity], entry, old, store.graded(entry))


def _print_change(student: str, entry: RunEntry, old: Graded | None, new: Graded | None) -> None:
    assert old is not None, "decisions are only made on graded submissions"
    assert new is not None, "a decision does not remove the record"
    change = "" if old.score == new.score else f"{old.score:g} -> "
    name = f"{one_line(student)} ({entry.exercise})"
    say(f"{name}: {change}{new.score:g} of {new.max_score:g}")


def decider_name(by: str | None) -> str:
    """Return the name of the person who decides: `by`, or if that is None, the user name.

    The name is clipped, and put on one line. Raises `UsageError` if there is no name.
    """
    if by is None:
        try:
            by = getpass.getuser()
        except (OSError, KeyError, ImportError):  # ImportError: Windows has no `pwd`
            raise UsageError(
                "the system does not provide your user name", help="add --by NAME"
            ) from None
    name = " ".join(escape_controls(by).split())[:MAX_NAME_CHARS]
    if not name:
        raise UsageError("the name after --by is empty", help="give your name: --by NAME")
    return name


def rewrite_marked_pages(folder: Path, store: Store, marked: Container[tuple[str, str]]) -> None:
    """Rewrite the existing pages and sheets of the `marked` pairs of exercise and student.

    Raises `OutputError` if one cannot be written.
    """
    shares = not store.run.settings.self_contained
    for graded in store.graded_entries():
        entry = graded.entry
        page, sheet = folder / entry.page, folder / entry.sheet
        if entry.identity in marked and page.is_file():
            record = load_record(store, entry, graded)
            record = as_reported(record, entry, store.decisions.for_submission(*entry.identity))
            paths = [entry.page, *[entry.sheet] * sheet.is_file()]
            made_sheet = defence_sheet(record) if sheet.is_file() else None
            with store.files.writing(graded.record_id, paths):
                page_text = student_page(record, shares=shares)
                write_page(folder, entry, page_text, made_sheet, shares=shares)


def _print_decisions(run: Path, mark: MarkInput, *, is_json: bool) -> None:
    """Print all decisions in a run, or only those about the student of `mark`.

    Raises `UsageError` if `mark` contains anything except a student and an exercise.
    """
    if mark != MarkInput(student=mark.student, exercise=mark.exercise):
        raise UsageError(
            "--list cannot be combined with a decision",
            help="leave out --list, or all other options except --exercise and --json",
        )
    with Store.reading(run) as store:
        lines = list(decision_trail(store))
        if mark.student:
            entries = entries_of_exercise(store.run.entries, mark.exercise or None)
            entry = find_entry(entries, mark.student)
            lines = [line for line in lines if line.entry == entry]
    if is_json:
        document = {"schema": DECISIONS_SCHEMA, "decisions": [line.to_json() for line in lines]}
        sys.stdout.write(as_json(document).decode("ascii"))
        return
    for line in lines:
        print(log_safe(_format_line(line)))
    if not lines:
        say("there are no decisions")


def _format_line(line: DecisionLine) -> str:
    """Return a decision as text: its time, student, standing unless in force, and content."""
    decision = line.applied.decision
    name = one_line(line.display_name, 120)
    standing = "" if line.standing is Standing.STANDS else f"[{line.standing.value}] "
    return f"{decision.at}  {name} ({decision.exercise})  {standing}{decision_line(line.applied)}"


def warn_of_doubtful_decisions(store: Store) -> None:
    """Print how many decisions are in force, and warn about those that have to be reviewed.

    A decision has to be reviewed if its finding has changed since, or is gone.
    """
    lines = list(decision_trail(store))
    in_force = [line for line in lines if line.standing in {Standing.STANDS, Standing.IN_DOUBT}]
    doubts = [line for line in in_force if line.standing is Standing.IN_DOUBT]
    if in_force:
        say(f"decisions in force: {len(in_force)}; list them with `grader mark RUN --list`")
    for line in doubts[:_MAX_DOUBTS]:
        warn(f"review this decision, because its finding changed or is gone: {_format_line(line)}")
    if len(doubts) > _MAX_DOUBTS:
        warn(
            f"decisions to review that are not shown: {len(doubts) - _MAX_DOUBTS};"
            " list all with `grader mark RUN --list`"
        )
