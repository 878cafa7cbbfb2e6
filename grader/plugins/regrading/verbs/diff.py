"""`grader diff`: shows the marks that change between two runs, and why."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click

from grader.cli.existing_runs import entries_of_exercise, find_entry
from grader.cli.options import json_option
from grader.errors import UsageError
from grader.plugins.regrading.attempts_page import attempts_page, find_attempt
from grader.plugins.regrading.changes import Change, changes, changes_csv, changes_json, difference
from grader.plugins.regrading.changes_page import Marks, changes_page
from grader.reporting.writing import write_atomically
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import log_safe, one_line
from grader.verdict import Status

_MAX_ITEMS: Final = 8
"""The largest number of cases and rules listed per student; the other outputs list all of them."""
_MAX_STUDENTS: Final = 12
"""The largest number of students named in a list."""
_MAX_LISTED_IN_ONE_RUN: Final = 3
"""The largest number of students who are in only one run to list with marks, per exercise."""
_NO_CAUSE: Final = "NOTHING ELSE CHANGED"


@click.command("diff")
@click.argument("runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="OLD NEW")
@click.option(
    "--csv", "table", type=click.Path(path_type=Path, dir_okay=False), help="Also write a table."
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Also write a page."
)
@click.option("--student", metavar="NAME", help="Compare the two attempts of one student.")
@click.option("--exercise", metavar="NAME", help="With --student: the exercise of the attempts.")
@json_option
def command(
    runs: tuple[Path, ...],
    table: Path | None,
    page: Path | None,
    student: str | None,
    exercise: str | None,
    as_json_: bool,
) -> None:
    """Show the marks that change from the run OLD to the run NEW, and the cases that cause it.

    A change is flagged as unexpected if neither the files nor the suite differ. With --student, the
    page compares the attempts of one student, and shows only what is on the student's own pages. It
    can cover more than two runs, given oldest first.
    """
    if exercise is not None and student is None:
        raise UsageError(
            "--exercise needs --student", help="add --student, or compare the whole runs"
        )
    if len(runs) < 2:
        raise UsageError(
            "only one run is given, and a comparison needs two", help="give both runs: OLD NEW"
        )
    if len(runs) > 2 and (student is None or page is None):
        raise UsageError(
            f"{len(runs)} runs are given, and only the page of one student can compare more than"
            " two",
            help="give two runs, or add both --student NAME and --html FILE",
        )
    with ExitStack() as stack:
        stores = [stack.enter_context(Store.reading(run)) for run in runs]
        before, after = stores[-2:]  # only the page covers earlier runs
        entry = None
        if student is not None:
            entry = find_entry(entries_of_exercise(after.run.entries, exercise), student)
        if page is not None and entry is not None:
            # "replace", because file names can contain lone surrogates, here and below.
            write_atomically(page, _attempts_html(stores, entry).encode("utf-8", "replace"))
            page = None  # already written, so the page about both runs must not replace it
        report_changes(before, after, table=table, page=page, as_json=as_json_, only=entry)


def report_changes(
    before: Store,
    after: Store,
    *,
    table: Path | None = None,
    page: Path | None = None,
    as_json: bool = False,
    only: RunEntry | None = None,
) -> None:
    """Print the changes between two runs, and write them to the files `table` and `page`.

    With `only`, report only the changes of that entry. Raises `OutputError` if a file cannot be
    written.
    """
    reported = [
        change
        for change in changes(before, after)
        if only is None or (change.exercise, change.student) == only.identity
    ]
    added = sum(change.old_max is None for change in reported)
    total = 1 if only else sum(1 for _ in after.graded_entries()) - added
    if table is not None:
        # Excel reads a CSV as UTF-8 only with a byte order mark.
        write_atomically(table, changes_csv(reported).encode("utf-8-sig", "replace"))
    if page is not None:
        html = _changes_html(before, after, reported, total)
        write_atomically(page, html.encode("utf-8", "replace"))
    if as_json:
        sys.stdout.write(changes_json(reported).decode("ascii"))
        return
    exercises = [{entry.exercise for entry in store.run.entries} for store in (before, after)]
    for line in _report_lines(reported, total, exercises[0] & exercises[1]):
        print(log_safe(line))


def _changes_html(before: Store, after: Store, reported: Sequence[Change], total: int) -> str:
    """Return the page about the `reported` changes."""
    return changes_page(reported, total, after.run.language, (_marks(before), _marks(after)))


def _marks(store: Store) -> Marks:
    """Return the marks of all graded entries except internal faults, keyed by exercise."""
    marks: dict[str, list[float]] = {}
    for entry, graded in store:
        if graded.status is not Status.FAULT:
            marks.setdefault(entry.exercise, []).append(graded.score)
    return marks


def _attempts_html(stores: Sequence[Store], entry: RunEntry) -> str:
    """Return the page that compares the records of `entry` in all runs that have graded it.

    Raises `UsageError` if the last run has not graded it, or if none of the other runs has.
    """
    records = [find_attempt(store, entry.identity) for store in stores]
    attempts = [record for record in records if record is not None]
    if records[-1] is None or len(attempts) < 2:
        problem = "the new run has not" if records[-1] is None else "no older run has"
        raise UsageError(
            f"{problem} graded {one_line(entry.student)}",
            help="the page needs two graded attempts; omit --html to show only the marks",
        )
    return attempts_page(*attempts)


def _report_lines(
    reported: Sequence[Change], total: int, exercises: Collection[str]
) -> Iterator[str]:
    """Yield the lines of the report on the `reported` changes.

    `total` is the number of hand-ins that both runs contain; `exercises` are those in both runs.
    """
    in_both = [change for change in reported if change.is_in_both]
    if total:
        yield f"{sum(change.changes_mark for change in in_both)} of {total} marks change"
    else:
        yield "no student is in both runs: check that both are runs of the same class"
    yield from _lines_on_one_run(reported, exercises)
    # Students with the same changes share one paragraph.
    by_changes: dict[object, list[Change]] = {}
    for change in in_both:
        by_changes.setdefault((change.causes, change.items, difference(change)), []).append(change)
    for students in by_changes.values():
        yield ""
        yield from _lines_on_same_changes(students)
    if unexpected := [change for change in reported if change.is_unexpected]:
        yield ""
        yield (
            f"unexpected changes: {len(unexpected)}, although files and suite are the same;"
            " check them before you publish marks"
        )


def _lines_on_one_run(reported: Sequence[Change], exercises: Collection[str]) -> Iterator[str]:
    """Yield lines about students who are in only one run.

    A few students of an exercise are listed with their marks; many students are summarised.
    """
    for location, run_changes in (
        ("only in the old run", [change for change in reported if change.new_max is None]),
        ("only in the new run", [change for change in reported if change.old_max is None]),
    ):
        by_exercise: dict[str, list[Change]] = {}
        for change in run_changes:
            by_exercise.setdefault(change.exercise, []).append(change)
        for exercise, students in by_exercise.items():
            count, exercise_name = len(students), one_line(exercise, 60)
            if count <= _MAX_LISTED_IN_ONE_RUN:
                yield from map(_headline, students)
            elif exercise in exercises:
                listed = _student_list(students)
                yield f"{count} hand-ins for {exercise_name} are {location}: {listed}"
            else:
                yield f"the exercise {exercise_name} is {location}, with {count} hand-ins"


def _student_list(students: Sequence[Change]) -> str:
    """Return the names of `students`, with a count of those that are not named."""
    listed = [one_line(change.student, 60) for change in students[:_MAX_STUDENTS]]
    more = len(students) - len(listed)
    return f"{', '.join(listed)}{f', and {more} more' if more else ''}"


def _lines_on_same_changes(students: Sequence[Change]) -> Iterator[str]:
    """Yield the lines about `students`, who all have the same changes."""
    first_change = students[0]
    if len(students) == 1:
        yield _headline(first_change)
    else:
        causes = ", ".join(first_change.causes) or _NO_CAUSE
        yield f"{len(students)} students ({difference(first_change) or 0.0:+g})  [{causes}]"
        marks = [
            f"{one_line(change.student, 60)} {change.old_score:g} -> {change.new_score:g}"
            for change in students[:_MAX_STUDENTS]
        ]
        more = len(students) - len(marks)
        yield f"  {', '.join(marks)}{f', and {more} more' if more else ''}"
    for item in first_change.items[:_MAX_ITEMS]:
        verdicts = f"{item.old_verdict or 'missing'} -> {item.new_verdict or 'missing'}"
        points = round(item.new_points - item.old_points, 4)
        points_text = f"  {points:+g}" if points else ""
        yield f"  {one_line(item.id, 60):<40} {verdicts}{points_text}"
    if len(first_change.items) > _MAX_ITEMS:
        yield f"  ... and {len(first_change.items) - _MAX_ITEMS} more"


def _headline(change: Change) -> str:
    """Return the line about the change of one mark."""
    name = one_line(change.student, 60)
    if change.old_score is None:
        return f"{name} is new: {change.new_score:g} of {change.new_max:g}"
    if change.new_score is None:
        return f"{name} is not in the new run; old mark: {change.old_score:g} of {change.old_max:g}"
    points = difference(change) or 0.0
    causes = ", ".join(change.causes) or _NO_CAUSE
    maximum = f" of {change.new_max:g}"
    old_maximum = f" of {change.old_max:g}" if change.old_max != change.new_max else ""
    marks = f"{change.old_score:g}{old_maximum} -> {change.new_score:g}{maximum}"
    return f"{name}  {marks} ({points:+g})  [{causes}]"
