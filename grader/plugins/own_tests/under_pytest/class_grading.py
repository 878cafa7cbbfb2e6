"""`grader pytest TESTS --out`: grades all submissions of a class with an instructor's own tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.cli.existing_runs import warn_of_dropped_students
from grader.cli.grading import EXIT_INTERRUPTED, RunTasks, make_run_entries, suite_facts
from grader.cli.report import exit_on_faults, print_report_location, print_results, require_graded
from grader.cli.sources import SourceOptions, left_out_paths, plan_for, tasks_of
from grader.cli.terminal import say
from grader.errors import UsageError
from grader.intake.kinds import PYTHON
from grader.intake.plan import Choice
from grader.intake.submissions import HandIn, single_entry
from grader.plugins.own_tests.proxying.handed_in import modules_wanted_by
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.under_pytest.record import (
    PeerResult,
    record_from_tests,
    results_without_fault,
)
from grader.reporting.output import prepare, write_reports
from grader.reporting.plan_text import lines_before_grading
from grader.reporting.reading import load_record
from grader.run.engines import LOCAL
from grader.run.keeping import remove_stale_pages
from grader.run.needs import require_system
from grader.run.tasks import Task
from grader.run.worker import GradedRecord, is_lasting
from grader.sandbox.isolation import LEAST_LEVEL
from grader.store.runs import LeftOutPath, Run, RunSettings
from grader.store.store import Store
from grader.suite.model import Suite
from grader.verdict import Status


def grade_class(
    settings: OwnSettings,
    submission: Path,
    out: Path,
    sources: SourceOptions,
    *,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Grade all submissions at `submission`, and write reports to the folder `out`.

    If a test has a fault on one hand-in but not on others, that hand-in is graded again, and is
    blamed for the fault. Exits with an error code after an interrupt or a fault. Raises
    `NothingToGrade` if no hand-in could be run.
    """
    suite = _suite_of(settings)
    tasks, left_out = _plan_tasks(suite, submission, out, sources)
    require_system(LEAST_LEVEL)
    run = _describe_run(suite, submission, tasks, left_out)
    run_tasks = RunTasks(tasks=tasks, run=run, make_record=partial(grade_with_tests, settings))
    with run_tasks.engine(LOCAL, jobs) as engine, Store.writing(out) as store:
        prepare(out, None)
        warn_of_dropped_students(store, run)
        keeper, complete = run_tasks.grade_into(store, out, engine)
        has_faults = complete and store.statuses()[Status.FAULT] > 0
        other_results = (
            results_without_fault(load_record(store, *entry) for entry in store)
            if has_faults
            else {}
        )
        if other_results:  # a fault that no other hand-in has is the hand-in's own: decision 101
            regrade = partial(grade_with_tests, settings, other_results=other_results)
            _, complete = replace(run_tasks, make_record=regrade).grade_into(store, out, engine)
        remove_stale_pages(out, store)
        counts = write_reports(out, store)
        store.record_event("done" if complete else "interrupted", graded=keeper.statuses.total())
    if keeper.already_graded:
        say(f"{keeper.already_graded} of the submissions were graded before with the same tests")
    if as_json:
        print_results(out)
    print_report_location(out)
    if not complete:
        say(
            "interrupted: the reports cover what was graded; run the same command again to continue"
        )
        sys.exit(EXIT_INTERRUPTED)
    exit_on_faults(counts[Status.FAULT])
    require_graded(counts)


def grade_with_tests(
    settings: OwnSettings, hand_in: HandIn, other_results: Mapping[str, PeerResult] | None = None
) -> GradedRecord:
    """Run the tests in `settings` on `hand_in`, and return the record of the hand-in.

    For `other_results`, see `record_from_tests`.
    """
    _, record = record_from_tests(settings, hand_in, other_results=other_results)
    return GradedRecord(record, is_lasting(record))


def _suite_of(settings: OwnSettings) -> Suite:
    """Return a suite without cases that represents the tests, identified by their hash."""
    sha256 = settings.sha256()
    return Suite(
        exercise=settings.exercise,
        title=settings.title,
        language=settings.language,
        binds="modules",
        modules=tuple(modules_wanted_by(settings.files)),
        defines=(),
        limits=settings.limits,
        groups=(),
        sessions=(),
        sha256=sha256,
        asks=sha256,
    )


def _describe_run(
    suite: Suite, submission: Path, tasks: Sequence[Task], left_out: tuple[LeftOutPath, ...]
) -> Run:
    """Return what the store keeps about this run of `tasks` on the files at `submission`."""
    return Run(
        entries=make_run_entries(tasks),
        language=suite.language,
        settings=RunSettings(least_isolation=LEAST_LEVEL, sources=(str(submission.absolute()),)),
        suites={suite.exercise: suite_facts(suite)},
        has_own_tests=True,
        left_out=left_out,
    )


def _plan_tasks(
    suite: Suite, submission: Path, out: Path, sources: SourceOptions
) -> tuple[Sequence[Task], tuple[LeftOutPath, ...]]:
    """Return a task for each hand-in, and the paths that are left out.

    Prints a summary of the plan unless `submission` belongs to one student. Raises `UsageError` for
    `--attempt best`.
    """
    if _is_single_submission(suite, submission):
        return [Task(suite, single_entry(submission))], ()
    if sources.attempt == Choice.BEST:
        raise UsageError(
            "--attempt best does not work with your own tests",
            help="use --attempt latest or --attempt first",
        )
    planned = plan_for(suite, [submission], sources, reports=out)
    for line in lines_before_grading(planned.plan):
        say(line)
    return tasks_of(planned), left_out_paths([planned])


def _is_single_submission(suite: Suite, submission: Path) -> bool:
    """Return whether `submission` belongs to one student.

    That is the case for a Python file, and for a folder with a module that the tests import.
    """
    if not os.path.isdir(submission):
        return submission.name.lower().endswith(PYTHON)
    modules = {f"{name}{PYTHON}".casefold() for name in suite.modules}
    return any(name.casefold() in modules for name in os.listdir(submission))
