"""`grader check`: one's own file or folder, before handing in."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from grader.cli.options import exercise_option, json_option, junit_option, suites_option
from grader.cli.talk import warn
from grader.errors import UsageError
from grader.intake.submissions import single_entry
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.results import results_json, summary_of
from grader.reporting.terminal import print_record
from grader.run import Task, grade_one
from grader.sandbox.executor import LEAST_LEVEL
from grader.suite.exercises import (
    defining_files,
    find_suite,
    fitting_suite,
    suite_paths,
    suites_folder,
)
from grader.values.display import one_line
from grader.verdict import RuleVerdict, Status, Verdict

MOST_COPIES = 2
"""An older copy beside the real file is nothing unusual; three are several students."""
_JUNIT: Final = "grader.reporting.junit"
"""Imported when it is asked for, as the verbs are."""
EXIT_FAILED = 1
EXIT_FAULT = 6


@click.command("check")
@click.argument("path", metavar="FILE|FOLDER", type=click.Path(path_type=Path))
@exercise_option
@suites_option
@junit_option
@json_option
def command(
    path: Path, exercise: str | None, suites: Path | None, junit: Path | None, as_json_: bool
) -> None:
    """Check your own FILE or FOLDER against the examples of the exercise.

    The exercise is found from the names that the file defines, unless --exercise says it.

    The exit code is 1 when a case does not pass, or a rule that costs points is broken.
    """
    record = check(path, exercise, suites)
    if record.conditions.isolation < LEAST_LEVEL:
        warn("nothing isolates a submission on this machine: check only your own code here")
    if junit is not None:
        importlib.import_module(_JUNIT).write_junit(junit, record)
    if as_json_:
        sys.stdout.write(b"".join(results_json([summary_of(record)])).decode())
    else:
        print_record(record, Console(highlight=False))
    if record.status is Status.FAULT:
        sys.exit(EXIT_FAULT)
    if not _is_right(record):
        sys.exit(EXIT_FAILED)


def _is_right(record: Record) -> bool:
    """Return whether every case passed and no rule that costs points is broken."""
    broken = (rule.costs and rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
    return all(case.verdict is Verdict.PASSED for case in record.cases) and not any(broken)


def check(path: Path, exercise: str | None, suites: Path | None) -> Record:
    """Return the record of the submission at `path`; raises a `GraderError` when there is none."""
    entry = single_entry(path)
    if exercise is not None:
        suite = find_suite(exercise, suites, KINDS)
    else:
        suite = fitting_suite(entry, suite_paths(suites_folder(suites)), KINDS)
    if len(rivals := defining_files(path, suite.defines)) > MOST_COPIES:
        raise UsageError(
            f"{one_line(str(path))} looks like a folder of hand-ins: {len(rivals)} files define"
            f" {' or '.join(suite.defines)}",
            help=f"grade a class with: grader grade {path} --exercise {suite.exercise}",
        )
    return replace(grade_one(Task(suite, entry)), staff_remarks=())  # whoever checks is a student
