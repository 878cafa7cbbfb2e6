"""`grader audit`: how good is a suite, and which case would make it better?"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import jobs_option, json_option, reference_option, suites_option
from grader.cli.progress import RunProgress
from grader.cli.terminal import say, warn
from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.auditing.audit import Audit, audit
from grader.plugins.authoring.auditing.audit_report import AuditReport, document, lines
from grader.plugins.authoring.auditing.clauses import SpecSentence, clauses
from grader.plugins.authoring.auditing.mutant_runner import MutantRunner
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.deriving.shortening import unproven
from grader.plugins.authoring.exercise import Exercise, evaluator_of, find_exercise, mutant_runners
from grader.plugins.authoring.generating.drawing import SEARCHED_DRAWS, SceneSearch, search
from grader.plugins.authoring.solutions import reference_sha256
from grader.sandbox.sandbox import new_sandbox
from grader.suite.files import load_whole_suite
from grader.suite.model import Suite
from grader.suite.vocabulary import packages_among
from grader.values.foreign_text import one_line

EXIT_TOO_LOW: Final = 1


@click.command("audit")
@click.argument("exercise")
@click.option("--public", is_flag=True, help="Leave the hidden suite out.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 when fewer of the mutants are killed, or a right solution loses points.",
)
@click.option(
    "--related",
    is_flag=True,
    help="Make wrong programs of the right solutions too; this takes much longer.",
)
@click.option("--worth", is_flag=True, help="Tell what each case kills; this takes longer.")
@click.option("--no-proposals", is_flag=True, help="Look for no cases that kill what survives.")
@jobs_option
@suites_option
@reference_option
@json_option
def command(
    exercise: str,
    public: bool,
    fail_under: float | None,
    related: bool,
    worth: bool,
    no_proposals: bool,
    jobs: int | None,
    suites: Path | None,
    reference: Path | None,
    as_json_: bool,
) -> None:
    """Tell how good the suite of EXERCISE is.

    Wrong programs are made of the reference and run on all cases. Those that pass survive: each is
    told with the change that nobody noticed, and a case that would notice it.
    """
    found = find_exercise(exercise, suites, reference)
    suite = found.suite if public else load_whole_suite(found.public, KINDS)
    _warn_if_outdated(found, suite)
    with mutant_runners(found, jobs) as runner_of:
        done = _audited(found, suite, runner_of, related=related, worth=worth)
        proposals: Mapping[str, Any] = {}
        searched = 0
        if done.survivors and not no_proposals and found.generator.is_file():
            looked = _searched(found, runner_of, done.survivors)
            done = done.searched(looked.told)
            proposals, searched = looked.told, looked.sessions
    report = AuditReport(
        suite=suite,
        audit=done,
        proposals=proposals,
        searched=searched,
        clauses=_clauses(found, suite),
    )
    if as_json_:
        print(json.dumps(document(report), indent=1))
    else:
        for line in lines(report):
            print(line)
    if fail_under is not None and not _is_good_enough(done, fail_under):
        sys.exit(EXIT_TOO_LOW)


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
    *,
    related: bool,
    worth: bool,
) -> Audit:
    programs = exercise.wrong_programs()
    if related:
        programs += exercise.related_programs()
    if not programs:
        raise SuiteError(
            "no wrong program can be made of the reference",
            help="let `defines` name what it defines, or put wrong solutions in `faulty`",
        )
    start = last = time.perf_counter()

    def count() -> None:
        nonlocal last
        last = time.perf_counter()
        progress.advance()

    packages = packages_among(suite.imports)
    with (
        new_sandbox(packages) as sandbox,
        RunProgress(len(programs), "auditing", "tried") as progress,
    ):
        if unknown := list(unproven(suite, exercise.folder, sandbox)):
            raise SuiteError(
                f"the reference does not pass a `shorter` session of {', '.join(unknown[:5])}",
                help="run `grader derive`, or leave `shorter` out where you have changed its steps",
            )
        mutant_runner, right = runner_of(suite), exercise.right_programs()
        start = time.perf_counter()
        done = audit(
            suite,
            exercise.sources,
            programs,
            right,
            exercise.guessers(),
            mutant_runner,
            sandbox,
            worth=worth,
            progress=count,
        )
    rate = len(programs) / (last - start)
    say(f"{len(programs)} wrong programs in {last - start:.1f} s, {rate:.0f} per second")
    return done


def _searched(
    exercise: Exercise,
    runner_of: Callable[[Suite], MutantRunner],
    survivors: Sequence[WrongProgram],
) -> SceneSearch:
    """Return for which of `survivors` there is a scene that they fail."""
    with RunProgress(SEARCHED_DRAWS, "looking for cases", "draws tried") as progress:
        evaluator = evaluator_of(exercise, runner_of, survivors, lambda: None)
        return search(evaluator, f"{exercise.suite.exercise}:proposals", progress.advance)


def _is_good_enough(done: Audit, least_percent: float) -> bool:
    """Say what is not good enough, if anything; a right solution that loses points never is."""
    good = True
    for name, part in done.right.items():
        if part < 1:
            say(f"the right solution {one_line(name)} gets {part:.1%} of the points")
            good = False
    for name in done.disputed:
        say(f"the right solution {one_line(name)} does not pass all that students may face")
        good = False
    if 100 * done.share < least_percent:
        say(f"{done.share:.1%} of the mutants are killed, and {least_percent:g} % is asked")
        good = False
    return good


def _clauses(exercise: Exercise, suite: Suite) -> list[SpecSentence]:
    """Return the clauses of the spec, if it can be read; none for a suite that names no spec."""
    spec = exercise.public.parent / (suite.spec or "")
    if not spec.is_file():
        return []
    return clauses(spec.read_text(encoding="utf-8"), suite.language, suite)
