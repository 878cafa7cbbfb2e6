"""`grader regrade`: grades the hand-ins of a run again with another suite, into a new run."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from grader import __version__
from grader.cli.existing_runs import replace_run, require_name
from grader.cli.grading import EXIT_INTERRUPTED, RunTasks, suite_facts
from grader.cli.mark import warn_of_doubtful_decisions
from grader.cli.options import engine_option, jobs_option, suites_option
from grader.cli.report import exit_on_faults, print_report_location
from grader.cli.suites import find_suite_with_wording
from grader.cli.terminal import join_names, say, warn
from grader.errors import UsageError
from grader.intake.lateness import parse_deadline
from grader.plugins.regrading.verbs.diff import report_changes
from grader.reporting.output import prepare, write_reports
from grader.run.engines import LOCAL, Engine
from grader.run.keeping import remove_stale_pages
from grader.run.needs import require_system
from grader.run.pages import entries_without_page, write_pages
from grader.run.tasks import Task, with_lateness
from grader.store.graded import StoredHandIn
from grader.store.places import find_replacement, sole_writer
from grader.store.runs import Run
from grader.store.store import STORE_NAME, Store
from grader.suite.model import Suite
from grader.values.foreign_text import one_line
from grader.verdict import Status


@click.command("regrade")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--suite",
    "suite_files",
    multiple=True,
    metavar="FILE",
    help="New suite, given once for each exercise. Default: the suite with the exercise's name.",
)
@suites_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the new run. Default: RUN with '-regraded' appended to its name.",
)
@click.option(
    "--accept",
    is_flag=True,
    help="Replace RUN with the new run; the old run is renamed.",
)
@jobs_option
@engine_option
def command(
    run: Path,
    suite_files: tuple[str, ...],
    suites: Path | None,
    out: Path | None,
    accept: bool,
    jobs: int | None,
    engine: str,
) -> None:
    """Grade the hand-ins stored in RUN again, and show the marks that change.

    RUN is not changed unless --accept is given. Hand-ins are graded again only if something has
    changed. Without --accept, no pages are written, because the marks are not final.
    """
    if accept:
        require_name(run)
        # Finish an earlier call that was interrupted while renaming the runs.
        if (replacement := find_replacement(run)) is not None:
            say("the regrade is complete; only the renaming of the runs is left to do")
            replace_run(replacement, run)
            print_report_location(run)
            return
    # Resolved, because `.` has no name.
    new_folder = out or run.resolve().with_name(f"{run.resolve().name}-regraded")
    if new_folder.resolve() == run.resolve():
        raise UsageError(
            f"--out is the folder of RUN itself: {one_line(str(new_folder))}",
            help="choose another folder with --out",
        )
    _reject_other_run(new_folder, run.resolve().name)
    with ExitStack() as locks:
        counts = _regrade(
            run,
            new_folder,
            (suite_files, suites),
            locks,
            accept=accept,
            engine_options=(engine, jobs),
        )
        if accept:
            # Still holding the lock, so that no decision is lost.
            replace_run(new_folder, run)
    if accept:
        print_report_location(run)
    else:
        say(f"the new run is in {one_line(str(new_folder))}; --accept replaces the old run with it")
    exit_on_faults(counts[Status.FAULT])


def _regrade(
    run: Path,
    new_folder: Path,
    suite_options: tuple[Sequence[str], Path | None],
    locks: ExitStack,
    *,
    accept: bool,
    engine_options: tuple[str, int | None],
) -> Counter[Status]:
    """Grade the hand-ins of `run` into `new_folder`, and return the number of entries by status.

    Prints the changes. With `accept`, also writes the pages, and adds a lock to `locks` that
    prevents decisions on `run` until it is replaced. `engine_options` are the engine and its number
    of jobs. Exits if the run is interrupted.
    """
    with Store.reading(run) as old:
        tasks, new = _plan_tasks(old, *suite_options)
        settings = replace(new.settings, pages=accept)
        # Workers on other machines might have the isolation that this machine lacks.
        if engine_options[0] == LOCAL:
            require_system(settings.least_level)
        new = replace(new, settings=settings, regrades=run.resolve().name)
        run_tasks = RunTasks(tasks=tasks, run=new)
        with run_tasks.engine(*engine_options) as engine, Store.writing(new_folder) as store:
            words = ("regrading", "regraded")
            _, complete = run_tasks.grade_into(store, new_folder, engine, earlier=old, words=words)
            if accept and complete:
                # Lock first, so that nobody can decide after the decisions are copied.
                locks.enter_context(sole_writer(run))
                _copy_late_decisions(old, store, new_folder, engine)
            report_changes(old, store)
            warn_of_doubtful_decisions(store)
            if not complete:
                say("interrupted: run the same command again to continue")
                sys.exit(EXIT_INTERRUPTED)
            if not accept:
                return store.statuses()
            remove_stale_pages(new_folder, store)
            prepare(new_folder, None)
            return write_reports(new_folder, store, sheets=settings.sheets)


def _reject_other_run(folder: Path, name: str) -> None:
    """Raise `UsageError` if `folder` contains a run that is not a regrade of `name`."""
    if not (folder / STORE_NAME).exists():
        return
    with Store.reading(folder) as existing:
        if existing.run.regrades != name:
            raise UsageError(
                f"{one_line(str(folder))} contains another run",
                help="choose another folder with --out, or move that run away",
            )


def _plan_tasks(
    old: Store, suite_files: Sequence[str], suites: Path | None
) -> tuple[list[Task], Run]:
    """Return the tasks that grade the hand-ins of `old`, and the description of the new run.

    Warns about hand-ins that `old` has not graded yet, which are left out. Raises `UsageError` if
    the run cannot be regraded.
    """
    old_run = old.run
    settings = old_run.settings
    if not settings.keeps_hand_ins:
        raise UsageError(
            "the run stores no hand-ins, because they could reveal who has which pseudonym",
            help="grade the original hand-ins again, into another folder",
        )
    if old_run.has_own_tests:
        raise UsageError(
            "the run cannot be regraded, because it used your own tests instead of a suite",
            help="repeat its `grader pytest` command, which grades all again if tests changed",
        )
    if settings.shard is not None:
        raise UsageError(
            f"the run is only shard {settings.shard}",
            help="merge all shards with `grader merge`, and regrade the merged run",
        )
    suite_by_exercise = _suites_by_exercise(old_run, suite_files, suites)
    graded_entries = list(old.graded_entries())
    if ungraded := len(old_run.entries) - len(graded_entries):
        warn(
            f"skipped {ungraded} of {len(old_run.entries)} hand-ins that have not been graded yet;"
            " to include them, first repeat the command that graded the run"
        )
    tasks = [
        Task(
            suite_by_exercise[graded.entry.exercise],
            StoredHandIn(graded.entry.student, graded.submission, old.content),
            graded.entry.person,
            graded.entry.attempt,
        )
        for graded in graded_entries
    ]
    if settings.deadline is not None:
        tasks = with_lateness(tasks, parse_deadline(settings.deadline, settings.late))
    facts = {exercise: suite_facts(suite) for exercise, suite in suite_by_exercise.items()}
    entries = tuple(graded.entry for graded in graded_entries)
    return tasks, replace(old_run, entries=entries, suites=facts, grader_version=__version__)


def _suites_by_exercise(
    run: Run, suite_files: Sequence[str], suites: Path | None
) -> dict[str, Suite]:
    """Return the suite of each exercise of `run`, from `suite_files` or else found by name.

    Raises `UsageError` if a suite is not found, or is for an exercise that the run does not have.
    """
    with_hidden = not run.settings.public
    exercises = list(dict.fromkeys(entry.exercise for entry in run.entries))
    given_suites = [
        find_suite_with_wording(name, suites, whole=with_hidden) for name in suite_files
    ]
    suite_by_exercise = {suite.exercise: suite for suite in given_suites}
    if unknown := [exercise for exercise in suite_by_exercise if exercise not in exercises]:
        raise UsageError(
            f"--suite: the run has no exercise {join_names(unknown)}",
            help=f"give suites of its exercises: {join_names(exercises)}",
        )
    for exercise in exercises:
        if exercise not in suite_by_exercise:
            suite_by_exercise[exercise] = find_suite_with_wording(
                exercise, suites, whole=with_hidden
            )
    return suite_by_exercise


def _copy_late_decisions(old: Store, store: Store, folder: Path, engine: Engine) -> None:
    """Copy decisions made during grading to `store`, and rewrite the pages that show them."""
    store.decide(old.decisions)
    # The pages are written during the iteration.
    for _ in write_pages(folder, store, entries_without_page(store), engine):
        pass
