"""`grader audit`: measures how good a suite is, and proposes cases that improve it."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import click

from grader.cli.options import jobs_option, json_option, reference_option, suites_option
from grader.cli.terminal import say, warn
from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing.audit import PART_BY_KIND, Audit, Auditor
from grader.plugins.authoring.auditing.audit_cache import AuditCache, AuditPart, unit_key
from grader.plugins.authoring.auditing.audit_report import AuditReport, document, lines
from grader.plugins.authoring.auditing.clauses import SpecSentence, find_clauses
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.auditing.searching import SceneSearch, SurvivorSearch
from grader.plugins.authoring.deriving.shortening import find_outdated_cases
from grader.plugins.authoring.exercise import (
    Exercise,
    create_evaluator,
    find_exercise,
    mutant_runners,
    read_utf8,
)
from grader.plugins.authoring.solutions import reference_sha256
from grader.sandbox.sandbox import new_sandbox
from grader.suite.files import load_whole_suite
from grader.suite.model import Suite
from grader.suite.vocabulary import optional_packages
from grader.values.foreign_text import one_line

EXIT_TOO_LOW: Final = 1
# 128 + SIGINT, the exit code that a shell reports for a program stopped by Ctrl-C.
EXIT_CUT_OFF: Final = 130
"""The exit code of an interrupted run, which the next run continues."""
_MAX_LISTED_CASES: Final = 5
_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600}


def _parse_time(_context: click.Context, _option: click.Parameter, text: str | None) -> float:
    """Return the seconds of a time such as `10m`, or infinity for None.

    This is a click callback. Raises `BadParameter` if the time is invalid.
    """
    if text is None:
        return math.inf
    match = re.fullmatch(r"([0-9]{1,6})([smh])", text)
    if match is None:
        raise click.BadParameter(f"invalid time {text!r}: write 90s, 10m or 1h")
    return float(match[1]) * _UNITS_S[match[2]]


@click.command("audit")
@click.argument("exercise")
@click.option("--public", is_flag=True, help="Audit the public suite only.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if a smaller share of mutants is killed, or a right solution loses points.",
)
@click.option(
    "--only",
    "parts",
    multiple=True,
    type=click.Choice([part.value for part in AuditPart]),
    help="Audit only this part. Repeatable. Default: all parts except related.",
)
@click.option(
    "--related",
    is_flag=True,
    help="Also make wrong programs from right solutions, which takes much longer.",
)
@click.option(
    "--worth", is_flag=True, help="Show which wrong programs each case kills, which takes longer."
)
@click.option(
    "--no-proposals", is_flag=True, help="Do not search for cases that kill surviving programs."
)
@click.option(
    "--within",
    metavar="TIME",
    callback=_parse_time,
    help="Stop after this time, such as 90s, 10m or 1h, and report the results so far.",
)
@jobs_option
@suites_option
@reference_option
@json_option
def command(
    exercise: str,
    public: bool,
    fail_under: float | None,
    parts: Sequence[str],
    related: bool,
    worth: bool,
    no_proposals: bool,
    within: float,
    jobs: int | None,
    suites: Path | None,
    reference: Path | None,
    as_json_: bool,
) -> None:
    """Measure how good the suite of EXERCISE is.

    Wrong programs are made from the reference and run on all cases. Programs that pass all cases
    are survivors. Each is shown with its change and with a case that would detect it.

    Results are saved: after Ctrl-C or --within, the same command continues where it stopped.
    """
    target_exercise = find_exercise(exercise, suites, reference)
    suite = (
        target_exercise.suite if public else load_whole_suite(target_exercise.public_path, KINDS)
    )
    _warn_if_outdated(target_exercise, suite)
    audit_parts = _parts_to_do(parts, related=related, proposals=not no_proposals)
    cache = AuditCache((suite.sha256, unit_key("reference", target_exercise.sources)), within)
    with mutant_runners(target_exercise, jobs) as runner_of:
        report = _run_audit(target_exercise, suite, runner_of, audit_parts, cache, worth=worth)
    if as_json_:
        print(json.dumps(document(report), indent=1))
    else:
        for line in lines(report):
            print(line)
    # Checked first, because the share is meaningless before the audit is complete.
    if report.unfinished:
        sys.exit(EXIT_CUT_OFF)
    if fail_under is not None and not _check_quality(report.audit, fail_under):
        sys.exit(EXIT_TOO_LOW)


def _parts_to_do(parts: Sequence[str], *, related: bool, proposals: bool) -> frozenset[AuditPart]:
    """Return the parts of the audit to do, given the parts and flags of the command line."""
    selected = {AuditPart(part) for part in parts} or {*AuditPart} - {AuditPart.RELATED}
    if related:
        selected.add(AuditPart.RELATED)
    if not proposals:
        selected.discard(AuditPart.PROPOSALS)
    if AuditPart.PROPOSALS in selected and not selected & {*PART_BY_KIND.values()}:
        # Proposals are made for survivors, so the programs must run too.
        selected |= {*PART_BY_KIND.values()} - {AuditPart.RELATED}
    return frozenset(selected)


def _warn_if_outdated(exercise: Exercise, suite: Suite) -> None:
    """Print a warning if the hidden suite was generated with a different reference."""
    generated = suite.generated
    if generated and generated.reference != reference_sha256(exercise.folder, suite):
        warn(
            f"the hidden suite of {suite.exercise} was generated with another reference\n"
            f"  = help: run: grader generate {suite.exercise}"
        )


def _run_audit(
    exercise: Exercise,
    suite: Suite,
    runner_of: Callable[[Suite], MutantRunner],
    parts: frozenset[AuditPart],
    cache: AuditCache,
    *,
    worth: bool,
) -> AuditReport:
    """Do the selected `parts` until they are done or time is up, and return the report.

    Results are saved in `cache`. Raises `SuiteError` if there are no wrong programs, or if the
    reference fails a `shorter` session.
    """
    programs = _programs(exercise, related=AuditPart.RELATED in parts)
    _require_proven_sessions(exercise, suite)
    auditor = Auditor(
        suite,
        exercise.sources,
        programs,
        exercise.right_programs(),
        exercise.guessers(),
        runner_of(suite),
        parts=parts,
        worth=worth,
    )
    work_items = [*auditor.work_items()]
    for work in work_items:
        cache.complete(work)
    result = auditor.audit(cache)
    searched = SceneSearch(killed_by={}, sessions=0)
    if AuditPart.PROPOSALS in parts and result.survivors and exercise.generator_path.is_file():
        search = _survivor_search(exercise, runner_of, result.survivors, cache)
        work_items.append(search.work)
        if cache.complete(search.work):
            result = result.after_search(search.result.killed_by)
        searched = search.result
    return AuditReport(
        suite=suite,
        audit=result,
        proposals=searched.killed_by,
        searched=searched.sessions,
        clauses=_clauses(exercise, suite) if AuditPart.CLAUSES in parts else [],
        unfinished=cache.unfinished(work_items),
    )


def _require_proven_sessions(exercise: Exercise, suite: Suite) -> None:
    """Raise `SuiteError` if the reference fails a `shorter` session of `suite`."""
    with new_sandbox(optional_packages(suite.imports)) as sandbox:
        outdated_cases = list(find_outdated_cases(suite, exercise.folder, sandbox))
    if outdated_cases:
        raise SuiteError(
            f"the reference of {suite.exercise} fails `shorter` sessions, such as those of"
            f" {', '.join(outdated_cases[:_MAX_LISTED_CASES])}",
            help=f"run `grader derive {suite.exercise}`, or remove `shorter` from steps that you"
            " have changed",
        )


def _survivor_search(
    exercise: Exercise,
    runner_of: Callable[[Suite], MutantRunner],
    survivors: Sequence[WrongProgram],
    cache: AuditCache,
) -> SurvivorSearch:
    """Return the search for scenes that the `survivors` fail, without running it."""
    # Sorted, because the file system lists files in no fixed order. The text is only part of a key,
    # and solutions can have other encodings.
    sources = (
        path.read_text(encoding="utf-8", errors="backslashreplace")
        for path in sorted(exercise.folder.rglob("*.py"))
        if path.is_file()
    )
    return SurvivorSearch(
        lambda: create_evaluator(exercise, runner_of, survivors, lambda: None),
        survivors,
        f"{exercise.suite.exercise}:proposals",
        cache,
        "\n".join(sources),
    )


def _programs(exercise: Exercise, *, related: bool) -> list[WrongProgram]:
    """Return the wrong programs to run, including mutants of right solutions if `related`.

    Raises `SuiteError` if there are no wrong programs.
    """
    programs = exercise.wrong_programs()
    if not programs:
        raise SuiteError(
            f"no wrong programs can be made from the reference of {exercise.suite.exercise}",
            help="list functions and classes in `defines`, or put wrong solutions into the folder"
            " `faulty`",
        )
    return programs + exercise.related_programs() if related else programs


def _check_quality(result: Audit, min_percent: float) -> bool:
    """Print a message for each quality problem, and return whether there are none.

    Problems are right solutions that lose points, and a share of killed mutants below
    `min_percent`.
    """
    is_good_enough = True
    for name, share in result.right.items():
        if share < 1:
            say(
                f"the right solution {one_line(name)} gets only {share:.1%} of the points:"
                " correct the suite or the solution"
            )
            is_good_enough = False
    for name in result.disputed:
        say(
            f"the right solution {one_line(name)} fails cases that students can get:"
            " correct these cases or the solution"
        )
        is_good_enough = False
    if 100 * result.share < min_percent:
        say(
            f"{result.share:.1%} of the mutants are killed, less than {min_percent:g} %"
            " (--fail-under): add cases that the survivors fail"
        )
        is_good_enough = False
    return is_good_enough


def _clauses(exercise: Exercise, suite: Suite) -> list[SpecSentence]:
    """Return the sentences of the spec, or an empty list if the suite names no existing spec."""
    spec = exercise.public_path.parent / (suite.spec or "")
    if not spec.is_file():
        return []
    return find_clauses(read_utf8(spec), suite.language, suite)
