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
from grader.plugins.regrading.attempts_page import attempt_in, attempts_page
from grader.plugins.regrading.changes import Change, changes, changes_csv, changes_json, difference
from grader.plugins.regrading.changes_page import Marks, changes_page
from grader.reporting.writing import write_atomically
from grader.store.runs import RunEntry
from grader.store.store import Store
from grader.values.foreign_text import for_log, one_line
from grader.verdict import Status

_MAX_ITEMS: Final = 8
"""Cases and rules listed per student; the page, CSV and JSON have them all."""
_MAX_STUDENTS: Final = 12
"""Students named per group with the same changes."""
_MAX_LISTED_ALONE: Final = 3
"""Up to this many students of an exercise in only one run are listed with their marks."""
_NOTHING: Final = "NOTHING ELSE CHANGED"


@click.command("diff")
@click.argument("runs", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="OLD NEW")
@click.option(
    "--csv", "table", type=click.Path(path_type=Path, dir_okay=False), help="Write a table too."
)
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page too."
)
@click.option("--student", metavar="NAME", help="Compare the two attempts of one student.")
@click.option("--exercise", metavar="NAME", help="With --student: the exercise.")
@json_option
def command(
    runs: tuple[Path, ...],
    table: Path | None,
    page: Path | None,
    student: str | None,
    exercise: str | None,
    as_json_: bool,
) -> None:
    """Show the marks that change from the run OLD to the run NEW, and the cases behind them.

    A change is flagged as unexpected if neither the files nor the suite differ. With --student the
    page shows the attempts of one student, and nothing that is not on the student's own pages; it
    may cover more runs, named oldest first.
    """
    if exercise is not None and student is None:
        raise UsageError(
            "--exercise needs --student", help="add --student, or compare the whole runs"
        )
    if len(runs) < 2:
        raise UsageError("a comparison needs two runs", help="name both: OLD NEW")
    if len(runs) > 2 and (student is None or page is None):
        raise UsageError(
            "only the page of one student can compare more than two runs",
            help="add --student NAME --html FILE",
        )
    with ExitStack() as stack:
        stores = [stack.enter_context(Store.reading(run)) for run in runs]
        before, after = stores[-2:]
        entry = None
        if student is not None:
            entry = find_entry(entries_of_exercise(after.run.entries, exercise), student)
        if page is not None and entry is not None:
            # "replace": names of files may contain lone surrogates, here and below.
            write_atomically(page, _attempts(stores, entry).encode("utf-8", "replace"))
            page = None  # already written: the page on both runs would replace it
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
    """Report the changes from one run to another, on standard output and in the files asked for.

    With `only`, report on that entry alone.
    """
    found = [
        each
        for each in changes(before, after)
        if only is None or (each.exercise, each.student) == only.name
    ]
    new = sum(each.old_max is None for each in found)
    total = 1 if only else len(after.run.entries) - new
    if table is not None:
        # Excel reads a CSV as UTF-8 only with a byte order mark.
        write_atomically(table, changes_csv(found).encode("utf-8-sig", "replace"))
    if page is not None:
        html = _page(before, after, found, total)
        write_atomically(page, html.encode("utf-8", "replace"))
    if as_json:
        sys.stdout.write(changes_json(found).decode("ascii"))
        return
    graded = [{entry.exercise for entry in store.run.entries} for store in (before, after)]
    for line in _lines(found, total, graded[0] & graded[1]):
        print(for_log(line))


def _page(before: Store, after: Store, found: Sequence[Change], total: int) -> str:
    return changes_page(found, total, after.run.language, (_marks(before), _marks(after)))


def _marks(store: Store) -> Marks:
    """Return the marks of all graded entries, by exercise, without our own faults."""
    marks: dict[str, list[float]] = {}
    for entry, graded in store:
        if graded.status is not Status.FAULT:
            marks.setdefault(entry.exercise, []).append(graded.score)
    return marks


def _attempts(stores: Sequence[Store], entry: RunEntry) -> str:
    """Return the page on the attempts of `entry`, in all runs that have it."""
    records = [attempt_in(store, entry.name) for store in stores]
    attempts = [each for each in records if each is not None]
    if records[-1] is None or len(attempts) < 2:
        which = "new" if records[-1] is None else "old"
        raise UsageError(
            f"the {which} run has not graded {one_line(entry.student)}",
            help="a page compares two attempts; without --html, the marks are shown",
        )
    return attempts_page(*attempts)


def _lines(found: Sequence[Change], total: int, exercises: Collection[str]) -> Iterator[str]:
    """Yield lines on the changes `found`; `total` hand-ins and `exercises` are in both runs."""
    both = [each for each in found if each.is_in_both]
    if total:
        yield f"{sum(each.is_of_mark for each in both)} of {total} marks change"
    else:
        yield "no student is in both runs: are they of the same class?"
    yield from _in_one_run(found, exercises)
    # Students with the same changes share one paragraph.
    by_changes: dict[object, list[Change]] = {}
    for each in both:
        by_changes.setdefault((each.causes, each.items, difference(each)), []).append(each)
    for students in by_changes.values():
        yield ""
        yield from _same_changes(students)
    if unexpected := [each for each in found if each.is_unexpected]:
        yield ""
        yield (
            f"unexpected changes: {len(unexpected)}, as files and suite are the same;"
            " look at them before you give marks"
        )


def _in_one_run(found: Sequence[Change], exercises: Collection[str]) -> Iterator[str]:
    """Yield lines on students in only one run: a few with their marks, many as a summary."""
    for which_run, changes_there in (
        ("only in the old run", [each for each in found if each.new_max is None]),
        ("only in the new run", [each for each in found if each.old_max is None]),
    ):
        by_exercise: dict[str, list[Change]] = {}
        for each in changes_there:
            by_exercise.setdefault(each.exercise, []).append(each)
        for exercise, students in by_exercise.items():
            count, shown = len(students), one_line(exercise, 60)
            if count <= _MAX_LISTED_ALONE:
                yield from map(_headline, students)
            elif exercise in exercises:
                yield f"{count} hand-ins of {shown} are {which_run}: {_student_list(students)}"
            else:
                yield f"the exercise {shown} is {which_run}, with {count} hand-ins"


def _student_list(students: Sequence[Change]) -> str:
    shown = [one_line(each.student, 60) for each in students[:_MAX_STUDENTS]]
    more = len(students) - len(shown)
    return f"{', '.join(shown)}{f', and {more} more' if more else ''}"


def _same_changes(students: Sequence[Change]) -> Iterator[str]:
    """Yield lines on students with the same changes."""
    first = students[0]
    if len(students) == 1:
        yield _headline(first)
    else:
        causes = ", ".join(first.causes) or _NOTHING
        yield f"{len(students)} students ({difference(first) or 0.0:+g})  [{causes}]"
        marks = [
            f"{one_line(each.student, 60)} {each.old_score:g} -> {each.new_score:g}"
            for each in students[:_MAX_STUDENTS]
        ]
        more = len(students) - len(marks)
        yield f"  {', '.join(marks)}{f', and {more} more' if more else ''}"
    for item in first.items[:_MAX_ITEMS]:
        verdicts = f"{item.old_verdict or 'not there'} -> {item.new_verdict or 'not there'}"
        points = round(item.new_points - item.old_points, 4)
        shown = f"  {points:+g}" if points else ""
        yield f"  {one_line(item.id, 60):<40} {verdicts}{shown}"
    if len(first.items) > _MAX_ITEMS:
        yield f"  ... and {len(first.items) - _MAX_ITEMS} more"


def _headline(change: Change) -> str:
    name = one_line(change.student, 60)
    if change.old_score is None:
        return f"{name} is new: {change.new_score:g} of {change.new_max:g}"
    if change.new_score is None:
        return f"{name} is not in the new run; was {change.old_score:g} of {change.old_max:g}"
    points = difference(change) or 0.0
    causes = ", ".join(change.causes) or _NOTHING
    out_of = f" of {change.new_max:g}"
    old_out_of = f" of {change.old_max:g}" if change.old_max != change.new_max else ""
    marks = f"{change.old_score:g}{old_out_of} -> {change.new_score:g}{out_of}"
    return f"{name}  {marks} ({points:+g})  [{causes}]"
