"""What `grader check` does once its sandbox is on its way: grade, print, tell the exit code."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rich.console import Console

from grader.cli.interpreters import warn_of_newer
from grader.cli.talk import warn
from grader.errors import UsageError
from grader.intake.submissions import Entry
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.reporting.results import entry_json, results_json
from grader.reporting.screen import print_screen
from grader.reporting.terminal import print_record
from grader.run.tasks import Task
from grader.run.worker import grade_one
from grader.sandbox.executor import LEAST_LEVEL
from grader.sandbox.sandbox import Sandbox
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


def check(
    entry: Entry, exercise: str | None, suites: Path | None, ready: Sandbox | None = None
) -> Record:
    """Return the record of `entry`, for which a sandbox may be `ready`.

    Raises a `GraderError` when there is none.
    """
    if exercise is not None:
        suite = find_suite(exercise, suites, KINDS)
    else:
        suite = fitting_suite(entry, suite_paths(suites_folder(suites)), KINDS)
    path = entry.path
    if len(rivals := defining_files(path, suite.defines)) > MOST_COPIES:
        raise UsageError(
            f"{one_line(str(path))} looks like a folder of hand-ins: {len(rivals)} files define"
            f" {' or '.join(suite.defines)}",
            help=f"grade a class with: grader grade {path} --exercise {suite.exercise}",
        )
    # Whoever checks is a student.
    return replace(grade_one(Task(suite, entry), ready), staff_remarks=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What of a record is asked for."""

    everything: bool = False
    verbose: bool = False
    wanted: str | None = None
    """Only cases that have this in their id or code."""
    exitfirst: bool = False


def tell(record: Record, junit: Path | None, asked: Asked, *, as_json: bool) -> int:
    """Tell what came of it where it is asked for; return the exit code."""
    if record.conditions.isolation < LEAST_LEVEL:
        warn("nothing isolates a submission on this machine: check only your own code here")
    if (needed := record.needed_python) is not None:
        warn_of_newer(needed)
    if junit is not None:
        importlib.import_module(_JUNIT).write_junit(junit, record)
    if as_json:
        sys.stdout.write(b"".join(results_json([entry_json(record)])).decode())
    if asked.wanted is not None:
        record = _only(record, asked.wanted)
    if not as_json:
        _print(record, asked)
    if record.status is Status.FAULT:
        return EXIT_FAULT
    return 0 if _is_right(record) else EXIT_FAILED


def _print(record: Record, asked: Asked) -> None:
    console = Console(highlight=False)
    if asked.everything:
        print_record(record, console)
    else:
        print_screen(record, console, only_first=asked.exitfirst, every_case=asked.verbose)


def _only(record: Record, wanted: str) -> Record:
    """Return `record` with only the cases that have `wanted` in their id or code, and no rules."""
    text = wanted.casefold()
    groups = []
    for group in record.groups:
        cases = tuple(case for case in group.cases if text in f"{case.id}\n{case.code}".casefold())
        points, most = sum(case.points for case in cases), sum(case.max_points for case in cases)
        if cases:
            groups.append(replace(group, cases=cases, points=points, max_points=most, hidden=None))
    if not groups:
        raise UsageError(
            f"no case has {one_line(wanted)!r} in its id or code",
            help="`-v` prints a line for every case",
        )
    return replace(
        record,
        groups=tuple(groups),
        score=sum(group.points for group in groups),
        max_score=sum(group.max_points for group in groups),
        rules=(),
        advice=(),
    )


def _is_right(record: Record) -> bool:
    """Return whether every case passed and no rule that costs points is broken."""
    broken = (rule.costs and rule.verdict is RuleVerdict.BROKEN for rule in record.rules)
    return all(case.verdict is Verdict.PASSED for case in record.cases) and not any(broken)
