"""`grader grade`: grades hand-ins, and writes reports and results."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from grader.cli.existing_runs import (
    rename_run,
    require_outside,
    warn_of_decisions_left_behind,
    warn_of_dropped_students,
)
from grader.cli.grading import (
    EXIT_INTERRUPTED,
    RunTasks,
    choose_best_attempts,
    describe_run,
)
from grader.cli.lateness import print_lateness, warn_of_unused_lateness
from grader.cli.mark import warn_of_doubtful_decisions
from grader.cli.options import (
    engine_option,
    exercise_option,
    jobs_option,
    json_option,
    junit_option,
    suites_option,
)
from grader.cli.progress import events_to
from grader.cli.report import exit_on_faults, print_report_location, print_results, require_graded
from grader.cli.source_options import partial_option, refuse_contradictions, source_options
from grader.cli.sources import PlannedExercise, SourceOptions, find_plans, left_out_paths, tasks_of
from grader.cli.status_line import STATUS
from grader.cli.terminal import say, warn_of_newer_python
from grader.intake.lateness import Deadline, parse_deadline
from grader.intake.plan import Choice
from grader.reporting.output import prepare, write_reports
from grader.reporting.plan_text import lines_before_grading
from grader.reporting.pseudonyms import Pseudonyms, load_pseudonyms, write_pseudonyms
from grader.run.engines import LOCAL
from grader.run.keeping import StoreKeeper, remove_stale_pages
from grader.run.needs import require_system
from grader.run.tasks import Task, with_lateness
from grader.sandbox.isolation import HIGHEST_LEVEL, LEAST_LEVEL
from grader.store.runs import LeftOutPath, RunSettings, Shard
from grader.store.store import STORE_NAME, Store
from grader.suite.hidden import case_counts
from grader.suite.model import Suite
from grader.values.foreign_text import one_line
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The command-line options of `grader grade`: sources, settings, folders and outputs."""

    sources: SourceOptions
    settings: RunSettings
    out: Path
    no_reports: bool
    jobs: int | None
    engine: str
    fresh: bool
    events: str | None
    junit: Path | None
    as_json_: bool

    @property
    def folder(self) -> Path:
        """The folder for the store: a shard has its own."""
        shard = self.settings.shard
        return self.out if shard is None else self.out / shard.folder


def _bundle_options(paths: Iterable[Path], options: dict[str, Any]) -> _Options:
    """Bundle the command-line `options` for grading the sources at `paths`.

    The items for sources and settings are removed from `options`.
    """
    sources = SourceOptions(
        **{field.name: options.pop(field.name) for field in fields(SourceOptions)}
    )
    unchanged = ("sheets", "self_contained", "deadline", "late", "shard")
    isolation, trusts = options.pop("isolation"), options.pop("trust_submissions")
    settings = RunSettings(
        pages=not options["no_reports"] and options["shard"] is None,
        public=sources.public,
        keeps_hand_ins=not options.pop("pseudonyms"),
        least_isolation=0 if trusts else isolation or LEAST_LEVEL,
        sources=tuple(str(path.absolute()) for path in paths),
        **{name: options.pop(name) for name in unchanged},
    )
    return _Options(sources=sources, settings=settings, **options)


def _parse_shard(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Shard | None:
    """Parse a shard such as `3/40`, for click; raises `BadParameter` if it is not one."""
    if text is None:
        return None
    match = re.fullmatch(r"0*([1-9][0-9]{0,4})/([1-9][0-9]{0,4})", text, re.ASCII)
    if match is None or int(match[1]) > int(match[2]):
        raise click.BadParameter(
            f"it must be K/N, such as 3/40 for the third of 40 shares, not {one_line(text, 40)!r}"
        )
    return Shard(int(match[1]), int(match[2]))


@click.command("grade")
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path))
@exercise_option
@source_options
@partial_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reports"),
    show_default=True,
    help="The folder for the reports.",
)
@click.option("--no-reports", is_flag=True, help="Write no pages; for use with --json or --junit.")
@click.option(
    "--sheets", is_flag=True, help="Write a printable sheet for the oral defence of each student."
)
@click.option(
    "--self-contained",
    is_flag=True,
    help="Include style and script in each page, so that a page can be sent on its own.",
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="Give students pseudonyms in all output; a table maps them to names.",
)
@click.option("--public", is_flag=True, help="Leave out the hidden suite.")
@jobs_option
@engine_option
@click.option(
    "--isolation",
    type=click.IntRange(1, HIGHEST_LEVEL),
    help="The minimum isolation level for grading. Default: 1. See `grader doctor`.",
)
@click.option(
    "--trust-submissions", is_flag=True, help="Grade even if nothing isolates submissions."
)
@click.option("--fresh", is_flag=True, help="Grade everything again; the existing run is renamed.")
@click.option(
    "--deadline",
    metavar="TIME",
    help="The deadline: 2026-10-01T23:59 or '2026-10-01T23:59 Europe/Brussels'.",
)
@click.option(
    "--late",
    metavar="TERMS",
    help="The deduction for late work: '10% per day, at most 50%', 'cap 60%', 'refuse'.",
)
@click.option(
    "--shard",
    metavar="K/N",
    callback=_parse_shard,
    help="Grade only the Kth of N shares. See `grader merge`.",
)
@click.option(
    "--events",
    metavar="FILE",
    help="Write events to this file as lines of JSON; - is standard output.",
)
@suites_option
@junit_option
@json_option
def command(submissions: tuple[Path, ...], **option_values: Any) -> None:
    """Grade SUBMISSIONS: downloads from a platform, or folders of hand-ins.

    SUBMISSIONS may be several archives, folders and files: see `grader plan`. A folder of hand-ins
    has one file or folder per student. Without --exercise, each folder must be named after its
    exercise, or contain folders that are. A hidden suite beside the exercise's suite is used too.
    """
    refuse_contradictions(option_values)
    options = _bundle_options(submissions, option_values)
    settings, deadline = options.settings, None
    if settings.deadline is not None:
        deadline = parse_deadline(settings.deadline, settings.late)
    with STATUS.showing("reading suites and hand-ins"):
        plans = find_plans(submissions, options.sources, reports=options.out, needs_suite=True)
    for planned in plans:
        for line in lines_before_grading(planned.plan):
            say(line)
    _print_hidden_cases(planned.suite for planned in plans if planned.suite is not None)
    # With another engine, the isolation of its workers' machines counts instead.
    if options.engine == LOCAL:
        require_system(settings.least_level)
    # Grading needs a store. It is temporary if no reports are written.
    with TemporaryDirectory() if options.no_reports else nullcontext(options.folder) as folder:
        if options.fresh and not options.no_reports:
            require_outside(submissions, options.folder)
            warn_of_decisions_left_behind(rename_run(options.folder))
        if options.sources.attempt == Choice.BEST:
            scores = partial(
                _grade_for_scores, deadline=deadline, folder=Path(folder), options=options
            )
            plans = choose_best_attempts(plans, scores)
        tasks = _make_tasks(plans, deadline)
        if deadline is None:
            warn_of_unused_lateness(tasks)
        else:
            print_lateness(tasks, deadline)
        _grade(tasks, Path(folder), options, left_out_paths(plans))


def _make_tasks(plans: Iterable[PlannedExercise], deadline: Deadline | None) -> list[Task]:
    """Return a task for each hand-in in `plans`, with its lateness if there is a `deadline`.

    Raises `NothingToGrade` if no hand-in for an exercise has a file that might be for it.
    """
    tasks = [task for planned in plans for task in tasks_of(planned)]
    return tasks if deadline is None else with_lateness(tasks, deadline)


def _grade_for_scores(
    plans: Iterable[PlannedExercise], *, deadline: Deadline | None, folder: Path, options: _Options
) -> Mapping[tuple[str, str], float]:
    """Grade `plans` without writing pages, and return the points that each student earned.

    The records are kept in `folder`, so that the run that follows can use them. Exits if
    interrupted.
    """
    tasks = _make_tasks(plans, deadline)
    run_tasks = RunTasks(
        tasks=tasks, run=describe_run(tasks, replace(options.settings, pages=False))
    )
    with run_tasks.engine(options.engine, options.jobs) as engine, Store.writing(folder) as store:
        warn_of_dropped_students(store, run_tasks.run)
        _, complete = run_tasks.grade_into(store, folder, engine)
        if not complete:
            say("interrupted: run the same command again to continue")
            sys.exit(EXIT_INTERRUPTED)
        return {entry.identity: graded.score for entry, graded in store}


def _grade(
    tasks: Sequence[Task], folder: Path, options: _Options, left_out: tuple[LeftOutPath, ...]
) -> None:
    """Grade `tasks`, write the reports to `folder`, and print the requested output.

    Exits with an error code after an interruption or faults. Raises `NothingToGrade` if no hand-in
    could be run, and `OutputError` if the outputs cannot be written.
    """
    settings, pseudonyms = options.settings, None
    if not settings.keeps_hand_ins:
        # Before the store exists, because the table is only written to an empty folder.
        pseudonyms = _give_pseudonyms(tasks, folder)
        tasks = _sort_by_pseudonym(pseudonyms, tasks)
    run = replace(describe_run(tasks, settings, pseudonyms), left_out=left_out)
    run_tasks = RunTasks(tasks=tasks, run=run, pseudonyms=pseudonyms)
    is_new = not os.path.exists(folder / STORE_NAME)
    with (
        run_tasks.engine(options.engine, options.jobs, is_new=is_new) as engine,
        Store.writing(folder) as store,
        events_to(options.events) as events,
    ):
        if settings.shard is None:  # a shard writes no reports; `grader merge` does
            prepare(folder, options.junit)
        warn_of_dropped_students(store, run)
        events.report_start(len(run_tasks.share), settings.shard)
        keeper, complete = run_tasks.grade_into(store, folder, engine, on_done=events.report_graded)
        if settings.shard is None:
            remove_stale_pages(folder, store)
            counts = write_reports(
                folder, store, junit=options.junit, sheets=settings.sheets, index=settings.pages
            )
        else:
            counts = store.statuses()
        warn_of_doubtful_decisions(store)
        store.record_event("done" if complete else "interrupted", graded=keeper.statuses.total())
        events.report_end(counts, complete=complete)
    _print_facts(keeper, folder, options)
    if not complete:
        coverage = "the reports cover" if settings.shard is None else "the shard contains"
        say(
            f"interrupted: {coverage} the submissions graded so far;"
            " run the same command again to continue"
        )
        sys.exit(EXIT_INTERRUPTED)
    _exit_with_status(counts, folder, options)


def _give_pseudonyms(tasks: Sequence[Task], folder: Path) -> Pseudonyms:
    """Return pseudonyms for the students of `tasks`, and write their table to `folder`.

    Students in an earlier table there keep their pseudonyms. Raises `OutputError` if the table
    cannot be written.
    """
    persons = {task.entry.student: task.person for task in tasks if task.person is not None}
    earlier = load_pseudonyms(folder)
    pseudonyms = Pseudonyms.draw((task.entry.student for task in tasks), persons, earlier)
    write_pseudonyms(folder, pseudonyms, continues=bool(earlier))
    return pseudonyms


def _exit_with_status(counts: Counter[Status], folder: Path, options: _Options) -> None:
    """Print the next step after grading a shard, and exit with an error code if there are faults.

    Raises `NothingToGrade` if no hand-in could be run, unless a shard was graded.
    """
    shard = options.settings.shard
    if shard is not None:
        _print_next_step(shard, folder)
    exit_on_faults(counts[Status.FAULT])
    if shard is None:
        require_graded(counts)


def _print_facts(keeper: StoreKeeper, folder: Path, options: _Options) -> None:
    """Print what users should know about a run in `folder`, and the requested output."""
    if keeper.already_graded:
        say(
            f"{keeper.already_graded} of the submissions were graded before;"
            " use --fresh to grade them again"
        )
    if keeper.needs is not None:
        warn_of_newer_python(keeper.needs)
    if options.as_json_:
        print_results(folder)
    if options.settings.pages:
        print_report_location(folder)


def _print_next_step(shard: Shard, folder: Path) -> None:
    """Print where the `shard` in `folder` is, and how to merge it with the others."""
    out, all_shards = folder.parent, folder.parent / f"shard-*-of-{shard.count}"
    say(f"shard {shard} is done, in {one_line(str(folder))}")
    say(f"when all shards are done: grader merge {one_line(str(out))} {one_line(str(all_shards))}")


def _print_hidden_cases(suites: Iterable[Suite]) -> None:
    """Print the number of cases in each suite with a hidden part."""
    for suite in suites:
        if suite.hidden_share is not None:
            public, hidden = case_counts(suite)
            say(f"{suite.exercise}: {public} public and {hidden} hidden cases")


def _sort_by_pseudonym(pseudonyms: Pseudonyms, tasks: Sequence[Task]) -> list[Task]:
    """Sort `tasks` by exercise and pseudonym, because the order of names would reveal names."""
    exercises = list(dict.fromkeys(task.suite.exercise for task in tasks))

    def sort_key(task: Task) -> tuple[int, str]:
        return exercises.index(task.suite.exercise), pseudonyms.pseudonym_of(task.entry.student)

    return sorted(tasks, key=sort_key)
