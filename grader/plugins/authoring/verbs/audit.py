"""`grader audit`: measures how good a suite is, and proposes cases that make it better."""

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
from grader.plugins.authoring.auditing.audit import PARTS_OF, Audit, Auditor
from grader.plugins.authoring.auditing.audit_report import AuditReport, document, lines
from grader.plugins.authoring.auditing.clauses import SpecSentence, clauses
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.notes import AuditNotes, AuditPart, key_of
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.auditing.searching import SceneSearch, SurvivorSearch
from grader.plugins.authoring.deriving.shortening import unproven
from grader.plugins.authoring.exercise import Exercise, evaluator_of, find_exercise, mutant_runners
from grader.plugins.authoring.solutions import reference_sha256
from grader.sandbox.sandbox import new_sandbox
from grader.suite.files import load_whole_suite
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among
from grader.values.foreign_text import one_line

EXIT_TOO_LOW: Final = 1
# 128 + SIGINT, as a shell reports a program that Ctrl-C ended.
EXIT_CUT_OFF: Final = 130
"""The exit code of an interrupted run, which the next one continues."""
_UNITS_S: Final = {"s": 1, "m": 60, "h": 3600}


def _seconds(_context: click.Context, _option: click.Parameter, written: str | None) -> float:
    """Return the seconds of a time such as `10m`; infinity for None."""
    if written is None:
        return math.inf
    found = re.fullmatch(r"([0-9]{1,6})([smh])", written)
    if found is None:
        raise click.BadParameter(f"{written!r} is not a time: write 90s, 10m or 1h")
    return float(found[1]) * _UNITS_S[found[2]]


@click.command("audit")
@click.argument("exercise")
@click.option("--public", is_flag=True, help="Audit the public suite only.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 if fewer mutants are killed, or a right solution loses points.",
)
@click.option(
    "--only",
    "parts",
    multiple=True,
    type=click.Choice([part.value for part in AuditPart]),
    help="Audit only this part; may be given several times. Default: all but related.",
)
@click.option(
    "--related",
    is_flag=True,
    help="Make wrong programs from right solutions too; this takes much longer.",
)
@click.option("--worth", is_flag=True, help="Show what each case kills; this takes longer.")
@click.option("--no-proposals", is_flag=True, help="Do not search for cases that kill survivors.")
@click.option(
    "--within",
    metavar="TIME",
    callback=_seconds,
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

    Wrong programs are made from the reference and run on all cases. Those that pass are survivors:
    each is shown with its change, and with a case that would detect it.

    Results are kept: after Ctrl-C, or --within, the same command goes on.
    """
    found = find_exercise(exercise, suites, reference)
    suite = found.suite if public else load_whole_suite(found.public, KINDS)
    _warn_if_outdated(found, suite)
    asked = _asked(parts, related=related, proposals=not no_proposals)
    notes = AuditNotes((suite.sha256, key_of("reference", found.sources)), within)
    with mutant_runners(found, jobs) as runner_of:
        report = _audited(found, suite, runner_of, asked, notes, worth=worth)
    if as_json_:
        print(json.dumps(document(report), indent=1))
    else:
        for line in lines(report):
            print(line)
    if report.left:  # first, as the share says nothing before it is done
        sys.exit(EXIT_CUT_OFF)
    if fail_under is not None and not _is_good_enough(report.audit, fail_under):
        sys.exit(EXIT_TOO_LOW)


def _asked(parts: Sequence[str], *, related: bool, proposals: bool) -> frozenset[AuditPart]:
    """Return the parts of the audit to do."""
    asked = {AuditPart(part) for part in parts} or {*AuditPart} - {AuditPart.RELATED}
    if related:
        asked.add(AuditPart.RELATED)
    if not proposals:
        asked.discard(AuditPart.PROPOSALS)
    if AuditPart.PROPOSALS in asked and not asked & {*PARTS_OF.values()}:
        asked |= {*PARTS_OF.values()} - {AuditPart.RELATED}  # proposals need survivors
    return frozenset(asked)


def _warn_if_outdated(exercise: Exercise, suite: Suite) -> None:
    generated = suite.generated
    if generated and generated.reference != reference_sha256(exercise.folder, suite):
        warn(
            f"the hidden suite of {suite.exercise} was made on another reference\n"
            f"  = help: run: grader generate {suite.exercise}"
        )


def _audited(
    exercise: Exercise,
    suite: Suite,
    runner_of: Callable[[Suite], MutantRunner],
    asked: frozenset[AuditPart],
    notes: AuditNotes,
    *,
    worth: bool,
) -> AuditReport:
    """Do the parts that are `asked`, until they are done or time is up; return the report."""
    programs = _programs(exercise, related=AuditPart.RELATED in asked)
    with new_sandbox(packages_among(suite.imports)) as sandbox:
        if unknown := list(unproven(suite, exercise.folder, sandbox)):
            raise SuiteError(
                f"the reference does not pass a `shorter` session of {', '.join(unknown[:5])}",
                help="run `grader derive`, or leave `shorter` out where you have changed its steps",
            )
    auditor = Auditor(
        suite,
        exercise.sources,
        programs,
        exercise.right_programs(),
        exercise.guessers(),
        runner_of(suite),
        parts=asked,
        worth=worth,
    )
    works = [*auditor.works()]
    for work in works:
        notes.complete(work)
    done = auditor.audit(notes)
    found = SceneSearch(told={}, sessions=0)
    if AuditPart.PROPOSALS in asked and done.survivors and exercise.generator.is_file():
        search = _search(exercise, runner_of, done.survivors, notes)
        works.append(search.work)
        if notes.complete(search.work):
            done = done.searched(search.found.told)
        found = search.found
    return AuditReport(
        suite=suite,
        audit=done,
        proposals=found.told,
        searched=found.sessions,
        clauses=_clauses(exercise, suite) if AuditPart.CLAUSES in asked else [],
        left=notes.left(works),
    )


def _search(
    exercise: Exercise,
    runner_of: Callable[[Suite], MutantRunner],
    survivors: Sequence[WrongProgram],
    notes: AuditNotes,
) -> SurvivorSearch:
    # The system has them in any order.
    sources = (path.read_text(encoding="utf-8") for path in sorted(exercise.folder.rglob("*.py")))
    return SurvivorSearch(
        lambda: evaluator_of(exercise, runner_of, survivors, lambda: None),
        survivors,
        f"{exercise.suite.exercise}:proposals",
        notes,
        "\n".join(sources),
    )


def _programs(exercise: Exercise, *, related: bool) -> list[WrongProgram]:
    """Return the wrong programs to try, with `related` ones if set; raises `SuiteError`."""
    made = exercise.wrong_programs()
    if not made:
        raise SuiteError(
            "no wrong program can be made from the reference",
            help="list in `defines` what it defines, or put wrong solutions into `faulty`",
        )
    return made + exercise.related_programs() if related else made


def _is_good_enough(done: Audit, least_percent: float) -> bool:
    """Report what is not good enough; return whether nothing is.

    A right solution that loses points never is good enough.
    """
    good = True
    for name, part in done.right.items():
        if part < 1:
            say(f"the right solution {one_line(name)} gets {part:.1%} of the points")
            good = False
    for name in done.disputed:
        say(f"the right solution {one_line(name)} fails cases that students may get")
        good = False
    if 100 * done.share < least_percent:
        say(f"{done.share:.1%} of the mutants are killed, less than {least_percent:g} %")
        good = False
    return good


def _clauses(exercise: Exercise, suite: Suite) -> list[SpecSentence]:
    """Return the clauses of the spec; none if the suite names no spec that exists."""
    spec = exercise.public.parent / (suite.spec or "")
    if not spec.is_file():
        return []
    return clauses(spec.read_text(encoding="utf-8"), suite.language, suite)
