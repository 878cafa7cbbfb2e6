"""`grader grade`: a folder of hand-ins becomes reports and results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from grader.cli.options import exercise_option, json_option, junit_option, suites_option
from grader.cli.talk import RunProgress, names, say, warn
from grader.display import one_line
from grader.errors import NothingToGrade, UsageError
from grader.exercises import find_suite, suite_paths, suites_folder
from grader.hidden import case_counts, drawn
from grader.intake.submissions import discover, distinct, left_out
from grader.isolation import HIGHEST_LEVEL, LEAST_LEVEL
from grader.loading import stray_hidden_suites
from grader.output import INDEX_NAME, RunOutput, as_json
from grader.record import Record
from grader.reporting.pseudonyms import Pseudonyms
from grader.run import Task, grade_all, usable_cores
from grader.suite import Suite

EXIT_FAULTS = 6
EXIT_INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wishes:
    """What the options ask of a run."""

    out: Path
    no_reports: bool
    sheets: bool
    pseudonyms: bool
    jobs: int | None
    least_level: int | None
    trust_submissions: bool
    junit: Path | None
    as_json_: bool


@click.command("grade")
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path))
@exercise_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reports"),
    show_default=True,
    help="Folder for the reports.",
)
@click.option("--no-reports", is_flag=True, help="Write no pages; with --json or --junit.")
@click.option(
    "--sheets", is_flag=True, help="Write a sheet for the oral defence to each page, to be printed."
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="Name no student in what is written, save in a table of who is who.",
)
@click.option("--public", is_flag=True, help="Leave out the hidden suite.")
@click.option(
    "--seed",
    metavar="TEXT",
    help="Draw sessions from pools of the hidden suite by this. Default: by what these ask.",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Workers. Default: one per core.")
@click.option(
    "--isolation",
    "least_level",
    type=click.IntRange(1, HIGHEST_LEVEL),
    help="Refuse below this isolation level. Default: 1. See `grader doctor`.",
)
@click.option(
    "--trust-submissions", is_flag=True, help="Grade even where nothing isolates submissions."
)
@suites_option
@junit_option
@json_option
def command(
    submissions: tuple[Path, ...],
    exercise: str | None,
    suites: Path | None,
    public: bool,
    seed: str | None,
    **wishes: Any,
) -> None:
    """Grade SUBMISSIONS, folders with one file or one folder per student.

    The exercise is the one named by --exercise; otherwise each folder is named after its exercise,
    or holds folders that are. A hidden suite beside that of the exercise is used too.
    """
    asked = _Wishes(**wishes)
    _refuse_contradictions(
        isolation=asked.least_level is not None and asked.trust_submissions,
        sheets=asked.sheets and asked.no_reports,
        pseudonyms=asked.pseudonyms and asked.no_reports,
        seed=public and seed is not None,
    )
    shelf = _Shelf(suites, public=public)
    found = [task for folder in submissions for task in _tasks(folder, exercise, shelf)]
    tasks = _told_apart(_once(found, asked.out))
    shelf.warn_of_strays(exercise)
    _tell_hidden({task.suite.exercise: task.suite for task in tasks}.values())
    _grade(tasks, seed, asked)


def _grade(tasks: Sequence[Task], seed: str | None, asked: _Wishes) -> None:
    """Grade `tasks`, and write and print what is asked for."""
    pseudonyms = None
    if asked.pseudonyms:
        pseudonyms = Pseudonyms.drawn(task.entry.student for task in tasks)
        tasks = _in_order_of(pseudonyms, tasks)
    output = _output(tasks, asked, pseudonyms)
    output.prepare()
    with RunProgress(len(tasks)) as progress:

        def sink(index: int, record: Record) -> None:
            progress.advance(output.take(index, record).student)

        complete = grade_all(
            [_drawn(task, seed) for task in tasks],
            jobs=asked.jobs or usable_cores(),
            sink=sink,
            least_level=0 if asked.trust_submissions else asked.least_level or LEAST_LEVEL,
        )
    output.finish(interrupted=not complete)
    if asked.as_json_:
        sys.stdout.write(as_json(output.results()).decode())
    if not asked.no_reports:
        say(f"reports: {one_line(str(asked.out / INDEX_NAME))}")
    _end(complete=complete, fault_count=output.fault_count)


def _output(tasks: Sequence[Task], asked: _Wishes, pseudonyms: Pseudonyms | None) -> RunOutput:
    return RunOutput(
        None if asked.no_reports else asked.out,
        asked.junit,
        tasks[0].suite.language,
        sheets=asked.sheets,
        suites={task.suite.exercise: task.suite for task in tasks}.values(),
        pseudonyms=pseudonyms,
    )


def _tell_hidden(suites: Iterable[Suite]) -> None:
    """Say of each suite that has a hidden part how many cases a student faces."""
    for suite in suites:
        if suite.hidden_share is not None:
            public, hidden = case_counts(suite)
            say(f"{suite.exercise}: {public} public and {hidden} hidden cases")


def _drawn(task: Task, seed: str | None) -> Task:
    """Return `task` with the sessions that its student gets."""
    suite = task.suite
    return Task(drawn(suite, suite.seed if seed is None else seed, task.entry.student), task.entry)


def _end(*, complete: bool, fault_count: int) -> None:
    """Say what went wrong, and leave with its exit code."""
    if not complete:
        say("interrupted: the reports cover what was graded")
        sys.exit(EXIT_INTERRUPTED)
    if fault_count:
        say(f"{fault_count} submissions could not be graded; that is our fault, not theirs")
        sys.exit(EXIT_FAULTS)


def _refuse_contradictions(*, isolation: bool, sheets: bool, pseudonyms: bool, seed: bool) -> None:
    """Raise `UsageError` where two options ask for opposite things."""
    if seed:
        raise UsageError(
            "--public and --seed contradict each other",
            help="pools to draw from are in the hidden suite only",
        )
    if isolation:
        raise UsageError(
            "--isolation and --trust-submissions contradict each other",
            help="--trust-submissions makes do with any level",
        )
    if sheets:
        raise UsageError(
            "--sheets and --no-reports contradict each other",
            help="sheets are written beside the pages",
        )
    if pseudonyms:
        raise UsageError(
            "--pseudonyms and --no-reports contradict each other",
            help="the table of who is who is written beside the pages",
        )


def _once(tasks: Sequence[Task], out: Path) -> list[Task]:
    """Return `tasks` without those that are there twice, and without our own reports."""
    distinct_tasks: dict[tuple[str, Path], Task] = {}
    for task in tasks:
        path = task.entry.path.absolute()
        if path == out.absolute():
            warn(f"{one_line(str(path))} is where the reports go, not a hand-in")
        else:
            distinct_tasks.setdefault((task.suite.exercise, path), task)
    if not distinct_tasks:
        raise NothingToGrade("nothing to grade but our own reports")
    return list(distinct_tasks.values())


def _told_apart(tasks: Sequence[Task]) -> list[Task]:
    """Return `tasks` with students that differ within an exercise, whatever folder they are in."""
    told = {
        exercise: iter(distinct([task.entry for task in tasks if task.suite.exercise == exercise]))
        for exercise in {task.suite.exercise for task in tasks}
    }
    return [Task(task.suite, next(told[task.suite.exercise])) for task in tasks]


def _in_order_of(pseudonyms: Pseudonyms, tasks: Sequence[Task]) -> list[Task]:
    """Return `tasks` by exercise and pseudonym: the order of names would tell who is who."""
    exercises = list(dict.fromkeys(task.suite.exercise for task in tasks))
    return sorted(
        tasks,
        key=lambda task: (
            exercises.index(task.suite.exercise),
            pseudonyms.of(task.entry.student),
        ),
    )


@dataclass(frozen=True, slots=True)
class _Shelf:
    """Where suites are taken from, and whether without their hidden parts."""

    folder: Path | None
    public: bool

    def suite(self, exercise: str) -> Suite:
        return find_suite(exercise, self.folder, whole=not self.public)

    def warn_of_strays(self, exercise: str | None) -> None:
        """Warn of hidden suites that would go unused for their names."""
        if self.public:
            return
        is_path = exercise is not None and exercise.endswith((".yaml", ".yml"))
        folder = Path(exercise or "").parent if is_path else suites_folder(self.folder)
        if strays := stray_hidden_suites(folder):
            where = one_line(str(folder))
            warn(f"not used, as no suite in {where} has their name: {names(strays[:10])}")


def _tasks(folder: Path, exercise: str | None, shelf: _Shelf) -> Sequence[Task]:
    """Return the tasks that lie in `folder`, for one exercise or several."""
    if exercise is not None:
        suite = shelf.suite(exercise)
        entries = discover(folder)
        if others := left_out(folder):
            warn(f"no hand-ins, left out of {one_line(str(folder))}: {names(others[:10])}")
        return [Task(suite, entry) for entry in entries]
    known = suite_paths(suites_folder(shelf.folder))
    if folder.resolve().name in known:
        return _tasks(folder, folder.resolve().name, shelf)
    below = [name for name in known if os.path.isdir(folder / name)]
    if not below:
        discover(folder)  # a folder that is missing or empty is told as such first
        raise UsageError(
            f"which exercise is {one_line(str(folder))}?",
            help=f"add --exercise NAME; known here: {names(known)}",
        )
    return [task for name in below for task in _tasks(folder / name, name, shelf)]
