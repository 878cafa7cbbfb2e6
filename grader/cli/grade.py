"""`grader grade`: a folder of hand-ins becomes reports and results."""

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
from typing import Any, Final

import click

from grader.cli.existing_runs import (
    rename_run,
    require_outside,
    say_decisions_in_renamed,
    warn_of_dropped,
)
from grader.cli.grading import (
    EXIT_INTERRUPTED,
    RunTasks,
    entries_of,
    suite_facts,
    with_best_attempts,
)
from grader.cli.mark import say_doubts
from grader.cli.options import (
    engine_option,
    exercise_option,
    jobs_option,
    json_option,
    junit_option,
    suites_option,
)
from grader.cli.progress import events_to
from grader.cli.report import exit_on_faults, print_results, require_graded, say_where
from grader.cli.source_options import partial_option, refuse_contradictions, source_options
from grader.cli.sources import Planned, SourceOptions, find_plans, left_out_of, tasks_of
from grader.cli.status_line import STATUS
from grader.cli.terminal import names, say, warn, warn_of_newer
from grader.intake.lateness import Deadline, deadline_from
from grader.intake.plan import Choice
from grader.reporting.output import prepare, write_reports
from grader.reporting.plan_text import first_lines
from grader.reporting.pseudonyms import Pseudonyms, known_pseudonyms, write_pseudonyms
from grader.run.engines import LOCAL
from grader.run.keeping import StoreKeeper, tidy
from grader.run.needs import require_system
from grader.run.tasks import Task, with_lateness
from grader.sandbox.isolation import HIGHEST_LEVEL, LEAST_LEVEL
from grader.store.runs import LeftOutPath, Run, RunSettings, Shard
from grader.store.store import STORE_NAME, Store
from grader.suite.hidden import case_counts
from grader.suite.model import Suite
from grader.values.foreign_text import one_line
from grader.verdict import Status

_MAX_LISTED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """Command-line options of `grader grade`: sources, settings, folders and outputs."""

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
        """Folder of the store."""
        shard = self.settings.shard
        return self.out if shard is None else self.out / shard.folder


def _options_from(paths: Iterable[Path], options: dict[str, Any]) -> _Options:
    """Return `options` for grading the sources at `paths` as one value."""
    sources = SourceOptions(**{each.name: options.pop(each.name) for each in fields(SourceOptions)})
    as_typed = ("sheets", "self_contained", "deadline", "late", "shard")
    isolation, trusts = options.pop("isolation"), options.pop("trust_submissions")
    settings = RunSettings(
        pages=not options["no_reports"] and options["shard"] is None,
        public=sources.public,
        keeps_hand_ins=not options.pop("pseudonyms"),
        least_isolation=0 if trusts else isolation or LEAST_LEVEL,
        sources=tuple(str(path.absolute()) for path in paths),
        **{name: options.pop(name) for name in as_typed},
    )
    return _Options(sources=sources, settings=settings, **options)


def _shard(_context: click.Context, _option: click.Parameter, text: str | None) -> Shard | None:
    """Return the shard that `text` means, such as `3/40`."""
    if text is None:
        return None
    match = re.fullmatch(r"0*([1-9][0-9]{0,4})/([1-9][0-9]{0,4})", text, re.ASCII)
    if match is None or int(match[1]) > int(match[2]):
        raise click.BadParameter("it must be K/N, such as 3/40 for the third of 40 shares")
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
    help="Folder for the reports.",
)
@click.option("--no-reports", is_flag=True, help="Write no pages; use it with --json or --junit.")
@click.option(
    "--sheets", is_flag=True, help="Write a sheet to print for the oral defence of each student."
)
@click.option(
    "--self-contained",
    is_flag=True,
    help="Include style and script in each page, so that it can be sent by itself.",
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="Give students pseudonyms in all output; a table says who is who.",
)
@click.option("--public", is_flag=True, help="Leave out the hidden suite.")
@jobs_option
@engine_option
@click.option(
    "--isolation",
    type=click.IntRange(1, HIGHEST_LEVEL),
    help="Refuse to grade below this isolation level. Default: 1. See `grader doctor`.",
)
@click.option(
    "--trust-submissions", is_flag=True, help="Grade even if nothing isolates submissions."
)
@click.option("--fresh", is_flag=True, help="Grade everything again. The existing run is renamed.")
@click.option(
    "--deadline",
    metavar="TIME",
    help="Show what came later, such as 2026-10-01T23:59 or '2026-10-01T23:59 Europe/Brussels'.",
)
@click.option(
    "--late",
    metavar="TERMS",
    help="What late hand-ins lose: '10% per day, at most 50%', 'cap 60%', 'refuse'.",
)
@click.option(
    "--shard",
    metavar="K/N",
    callback=_shard,
    help="Grade only the Kth of N shares. See `grader merge`.",
)
@click.option(
    "--events",
    metavar="FILE",
    help="Write events to this file, as lines of JSON; - for standard output.",
)
@suites_option
@junit_option
@json_option
def command(submissions: tuple[Path, ...], **options: Any) -> None:
    """Grade SUBMISSIONS: downloads from a platform, or folders of hand-ins.

    Name archives, folders and files, several at once: see `grader plan`. A folder of hand-ins has
    one file or one folder per student. The exercise is the one named by --exercise; without it each
    folder has to be named after its exercise, or to hold folders that are. A hidden suite beside
    that of the exercise is used too.
    """
    refuse_contradictions(options)
    asked = _options_from(submissions, options)
    settings, deadline = asked.settings, None
    if settings.deadline is not None:
        deadline = deadline_from(settings.deadline, settings.late)
    with STATUS.showing("reading suites and hand-ins"):
        plans = find_plans(submissions, asked.sources, reports=asked.out, needs_suite=True)
    for planned in plans:
        for line in first_lines(planned.plan):
            say(line)
    _say_hidden_cases(planned.suite for planned in plans if planned.suite is not None)
    # With another engine, the machines of its workers count instead.
    if asked.engine == LOCAL:
        require_system(settings.least_level)
    # Grading needs a store; without reports it is temporary.
    with TemporaryDirectory() if asked.no_reports else nullcontext(asked.folder) as folder:
        if asked.fresh and not asked.no_reports:
            require_outside(submissions, asked.folder)
            say_decisions_in_renamed(rename_run(asked.folder))
        if asked.sources.attempt == Choice.BEST:
            scores = partial(_scores, deadline=deadline, folder=Path(folder), asked=asked)
            plans = with_best_attempts(plans, scores)
        tasks = _tasks(plans, deadline)
        if deadline is None:
            _warn_of_unused_lateness(tasks)
        else:
            _say_lateness(tasks, deadline)
        _grade(tasks, Path(folder), asked, left_out_of(plans))


def _tasks(plans: Iterable[Planned], deadline: Deadline | None) -> list[Task]:
    tasks = [task for planned in plans for task in tasks_of(planned)]
    return tasks if deadline is None else with_lateness(tasks, deadline)


def _scores(
    plans: Iterable[Planned], *, deadline: Deadline | None, folder: Path, asked: _Options
) -> Mapping[tuple[str, str], float]:
    """Grade `plans` without pages; return the points that each student earned."""
    tasks = _tasks(plans, deadline)
    run_tasks = RunTasks(tasks=tasks, run=_run(tasks, replace(asked.settings, pages=False)))
    with run_tasks.engine(asked.engine, asked.jobs) as engine, Store.writing(folder) as store:
        warn_of_dropped(store, run_tasks.run)
        _, complete = run_tasks.grade_into(store, folder, engine)
        if not complete:
            say("interrupted: run the same command again to go on")
            sys.exit(EXIT_INTERRUPTED)
        return {entry.name: graded.score for entry, graded in store}


def _grade(
    tasks: Sequence[Task], folder: Path, asked: _Options, left_out: tuple[LeftOutPath, ...]
) -> None:
    """Grade `tasks`, write the reports below `folder`, and print the requested output."""
    settings, pseudonyms = asked.settings, None
    if not settings.keeps_hand_ins:
        persons = {task.entry.student: task.person for task in tasks if task.person is not None}
        known = known_pseudonyms(folder)
        pseudonyms = Pseudonyms.drawn((task.entry.student for task in tasks), persons, known)
        tasks = _sorted_by_pseudonym(pseudonyms, tasks)
        # Before the store exists: the table may only be written to an empty folder.
        write_pseudonyms(folder, pseudonyms, goes_on=bool(known))
    run = replace(_run(tasks, settings, pseudonyms), left_out=left_out)
    run_tasks = RunTasks(tasks=tasks, run=run, pseudonyms=pseudonyms)
    with (
        run_tasks.engine(
            asked.engine, asked.jobs, is_new=not os.path.exists(folder / STORE_NAME)
        ) as engine,
        Store.writing(folder) as store,
        events_to(asked.events) as events,
    ):
        if settings.shard is None:
            prepare(folder, asked.junit)
        warn_of_dropped(store, run)
        events.begun(len(run_tasks.share), settings.shard)
        keeper, complete = run_tasks.grade_into(store, folder, engine, on_done=events.graded)
        if settings.shard is None:
            tidy(folder, store)
            counts = write_reports(
                folder, store, junit=asked.junit, sheets=settings.sheets, index=settings.pages
            )
        else:
            counts = store.statuses()
        say_doubts(store)
        store.note("done" if complete else "interrupted", graded=keeper.statuses.total())
        events.ended(counts, complete=complete)
    _say_facts(keeper, folder, asked)
    if not complete:
        what = "the reports cover" if settings.shard is None else "the shard has"
        say(f"interrupted: {what} what was graded; run the same command again to go on")
        sys.exit(EXIT_INTERRUPTED)
    _finish(counts, folder, asked)


def _finish(counts: Counter[Status], folder: Path, asked: _Options) -> None:
    """Say what to do next, and exit with the code for `counts`."""
    shard = asked.settings.shard
    if shard is not None:
        _say_next(shard, folder)
    exit_on_faults(counts[Status.FAULT])
    if shard is None:
        require_graded(counts)


def _say_facts(keeper: StoreKeeper, folder: Path, asked: _Options) -> None:
    """Say the important facts about a run, and print the requested output."""
    if keeper.graded_before:
        say(f"{keeper.graded_before} of them were graded before; --fresh grades all again")
    if keeper.needs is not None:
        warn_of_newer(keeper.needs)
    if asked.as_json_:
        print_results(folder)
    if asked.settings.pages:
        say_where(folder)


def _say_next(shard: Shard, folder: Path) -> None:
    """Say what to do after a shard is done."""
    out, all_shards = folder.parent, folder.parent / f"shard-*-of-{shard.count}"
    say(f"shard {shard} is done, in {one_line(str(folder))}")
    say(f"when all shards are done: grader merge {one_line(str(out))} {one_line(str(all_shards))}")


def _run(tasks: Sequence[Task], settings: RunSettings, pseudonyms: Pseudonyms | None = None) -> Run:
    """Return the description of the run that is kept with the records."""
    suites = {task.suite.exercise: task.suite for task in tasks}
    return Run(
        entries=entries_of(tasks, pseudonyms),
        language=tasks[0].suite.language,
        settings=settings,
        suites={exercise: suite_facts(suite) for exercise, suite in suites.items()},
    )


def _say_hidden_cases(suites: Iterable[Suite]) -> None:
    """Say how many cases each suite with a hidden part has."""
    for suite in suites:
        if suite.hidden_share is not None:
            public, hidden = case_counts(suite)
            say(f"{suite.exercise}: {public} public and {hidden} hidden cases")


def _sorted_by_pseudonym(pseudonyms: Pseudonyms, tasks: Sequence[Task]) -> list[Task]:
    """Return `tasks` by exercise and pseudonym: the order of names would reveal who is who."""
    exercises = list(dict.fromkeys(task.suite.exercise for task in tasks))

    def sort_key(task: Task) -> tuple[int, str]:
        return exercises.index(task.suite.exercise), pseudonyms.of(task.entry.student)

    return sorted(tasks, key=sort_key)


def _say_lateness(tasks: Sequence[Task], deadline: Deadline) -> None:
    """Say which of `tasks` are late for `deadline`, and where the platform disagrees."""
    late = sum(task.lateness is not None for task in tasks)
    say(f"after the deadline of {one_line(deadline.text)}: {late} of {len(tasks)}")
    special = [(task, task.own_deadline) for task in tasks if task.own_deadline is not None]
    if special:
        students = _first_names([task for task, _ in special])
        say(f"with a deadline of their own: {len(special)} ({students})")
    earlier = [task for task, text in special if deadline.lateness(deadline.own(text).end) is None]
    _warn_of(earlier, "the roster gives {} a deadline before the common one")
    unknown = [task for task in tasks if task.submitted is None and not task.is_marked_late]
    _warn_of(unknown, "the time of {} hand-ins is not known, so they lose nothing")
    marked = [task for task in tasks if task.is_marked_late]
    undecided = [task for task in marked if task.submitted is None]
    _warn_of(undecided, "the platform marks {} as late without a time: a person has to decide")
    in_time = [task for task in marked if not task.lateness]
    _warn_of(in_time, "the platform marks {} as late that came before this deadline")


def _warn_of_unused_lateness(tasks: Sequence[Task]) -> None:
    """Warn that what is known about lateness is not used, because no deadline was given."""
    with_own_deadline = [task for task in tasks if task.own_deadline is not None]
    _warn_of(
        with_own_deadline, "without --deadline, the deadlines of {} in the roster do not count"
    )
    marked = [task for task in tasks if task.is_marked_late]
    _warn_of(marked, "without --deadline, {} that the platform marks as late lose nothing")


def _warn_of(tasks: Sequence[Task], text: str) -> None:
    """Warn about `tasks`, if there are any; their number is put into `text`."""
    if tasks:
        warn(f"{text.format(len(tasks))}: {_first_names(tasks)}")


def _first_names(tasks: Sequence[Task]) -> str:
    students = [task.entry.student for task in tasks[:_MAX_LISTED]]
    return names(students) + (", ..." if len(tasks) > _MAX_LISTED else "")
