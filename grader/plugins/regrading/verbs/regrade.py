"""`grader regrade`: grades the hand-ins of a run again, on another suite, beside that run."""

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
from grader.cli.mark import say_doubts
from grader.cli.options import engine_option, jobs_option, suites_option
from grader.cli.report import exit_on_faults, say_where
from grader.cli.suites import worded_suite
from grader.cli.terminal import names, say, warn
from grader.errors import UsageError
from grader.intake.lateness import deadline_from
from grader.plugins.regrading.verbs.diff import tell_changes
from grader.reporting.output import prepare, write_reports
from grader.run.engines import LOCAL, Engine
from grader.run.needs import require_system
from grader.run.pages import unwritten, write_pages
from grader.run.tasks import Task, with_lateness
from grader.store.graded import KeptHandIn
from grader.store.places import replacement_of, sole_writer
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
    help="The new suite; once for each exercise. Default: the one of that name.",
)
@suites_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the new run. Default: RUN with '-regraded' after its name.",
)
@click.option(
    "--accept",
    is_flag=True,
    help="Replace RUN by the new run; the old one is renamed.",
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

    RUN stays as it is, unless --accept is given. Unchanged hand-ins are not graded again. Without
    --accept no pages are written, as the marks are not final.
    """
    if accept:
        require_name(run)
        # An earlier call was interrupted while it renamed the runs.
        if (new := replacement_of(run)) is not None:
            say("everything was done except the renaming")
            replace_run(new, run)
            say_where(run)
            return
    beside = out or run.resolve().with_name(f"{run.resolve().name}-regraded")  # `.` has no name
    if beside.resolve() == run.resolve():
        raise UsageError(
            "a regrade cannot be written into its own run", help="name another folder with --out"
        )
    _refuse_other_run(beside, run.resolve().name)
    with ExitStack() as held:
        counts = _regrade(
            run, beside, (suite_files, suites), held, accept=accept, on=(engine, jobs)
        )
        if accept:
            # Still under the lock, so that no decision is lost.
            replace_run(beside, run)
    if accept:
        say_where(run)
    else:
        say(f"the new run is in {one_line(str(beside))}; --accept replaces the old one by it")
    exit_on_faults(counts[Status.FAULT])


def _regrade(
    run: Path,
    beside: Path,
    asked: tuple[Sequence[str], Path | None],
    held: ExitStack,
    *,
    accept: bool,
    on: tuple[str, int | None],
) -> Counter[Status]:
    """Grade the hand-ins of `run` into `beside` on the suites `asked` for; return the counts.

    With `accept`, the lock that is `held` keeps others from adding decisions to `run` until it is
    replaced. `on` is the engine and its number of jobs.
    """
    with Store.reading(run) as old:
        tasks, new = _planned(old, *asked)
        settings = replace(new.settings, pages=accept)
        if on[0] == LOCAL:  # workers elsewhere may have the isolation that this machine lacks
            require_system(settings.least_level)
        new = replace(new, settings=settings, regrades=run.resolve().name)
        whole = RunTasks(tasks=tasks, run=new)
        with whole.engine(*on) as engine, Store.writing(beside) as store:
            words = ("regrading", "regraded")
            _, complete = whole.grade_into(store, beside, engine, earlier=old, words=words)
            if accept and complete:
                # First: no decision may come after they are copied.
                held.enter_context(sole_writer(run))
                _take_late_decisions(old, store, beside, engine)
            tell_changes(old, store)
            say_doubts(store)
            if not complete:
                say("interrupted: run the same command again to go on")
                sys.exit(EXIT_INTERRUPTED)
            if not accept:
                return store.statuses()
            prepare(beside, None)
            return write_reports(beside, store, sheets=settings.sheets)


def _refuse_other_run(folder: Path, name: str) -> None:
    """Raise `UsageError` if `folder` contains a run that is not a regrade of `name`."""
    if not (folder / STORE_NAME).exists():
        return
    with Store.reading(folder) as there:
        if there.run.regrades != name:
            raise UsageError(
                f"{one_line(str(folder))} contains another run",
                help="name another folder with --out, or move that one away",
            )


def _planned(old: Store, suite_files: Sequence[str], suites: Path | None) -> tuple[list[Task], Run]:
    """Return the tasks that grade the hand-ins in `old`, and their run."""
    before = old.run
    settings = before.settings
    if not settings.keeps_hand_ins:
        raise UsageError(
            "that run stores no hand-ins, as they may reveal who has a pseudonym",
            help="grade the original hand-ins again, into another folder",
        )
    if before.has_own_tests:
        raise UsageError(
            "that run used your own tests, not a suite",
            help="run its `grader pytest` command again: if tests differ, all is graded again",
        )
    if settings.shard is not None:
        raise UsageError(f"that is shard {settings.shard} of a run", help="merge all shards first")
    chosen = _suites(before, suite_files, suites)
    lines = list(old.lines())
    if ungraded := len(before.entries) - len(lines):
        warn(f"{ungraded} of {len(before.entries)} were not graded in that run, and are skipped")
    tasks = [
        Task(
            chosen[line.entry.exercise],
            KeptHandIn(line.entry.student, line.submission, old.content),
            line.entry.person,
            line.entry.attempt,
        )
        for line in lines
    ]
    if settings.deadline is not None:
        tasks = with_lateness(tasks, deadline_from(settings.deadline, settings.late))
    facts = {exercise: suite_facts(suite) for exercise, suite in chosen.items()}
    entries = tuple(line.entry for line in lines)
    return tasks, replace(before, entries=entries, suites=facts, grader_version=__version__)


def _suites(run: Run, suite_files: Sequence[str], suites: Path | None) -> dict[str, Suite]:
    """Return the suite of each exercise of `run`: one of `suite_files`, or the one of its name."""
    whole = not run.settings.public
    wanted = list(dict.fromkeys(entry.exercise for entry in run.entries))
    named = [worded_suite(each, suites, whole=whole) for each in suite_files]
    chosen = {suite.exercise: suite for suite in named}
    if strays := [exercise for exercise in chosen if exercise not in wanted]:
        raise UsageError(
            f"that run has no exercise {names(strays)}", help=f"it has {names(wanted)}"
        )
    for exercise in wanted:
        if exercise not in chosen:
            chosen[exercise] = worded_suite(exercise, suites, whole=whole)
    return chosen


def _take_late_decisions(old: Store, store: Store, folder: Path, engine: Engine) -> None:
    """Copy decisions made meanwhile, and rewrite the pages that show them."""
    store.decide(old.decisions)
    for _ in write_pages(folder, store, unwritten(store), engine):  # it writes as it is consumed
        pass
