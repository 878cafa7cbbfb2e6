"""`grader audit`: how good is a suite, and which case would make it better?"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Final

import click

from grader.auditing.audit import audit
from grader.auditing.clauses import Clause, clauses
from grader.auditing.telling import Told, document, lines
from grader.cli.benches import Exercise, benches, find_exercise, workshop_of
from grader.cli.options import json_option, suites_option
from grader.cli.references import reference_option
from grader.cli.talk import RunProgress, say
from grader.generating.siblings import proposals
from grader.hidden import drawn
from grader.importable import packages_among
from grader.loading import load_whole_suite
from grader.sandbox.nursery import new_nursery
from grader.suite import Suite

EXIT_TOO_LOW: Final = 1
_MOST_PROPOSALS: Final = 20
_SESSIONS: Final = 100
"""How many are drawn to find a case that kills what survives."""


@click.command("audit")
@click.argument("exercise")
@click.option("--public", is_flag=True, help="Leave the hidden suite out.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 100),
    metavar="PERCENT",
    help="Exit with 1 when fewer of the mutants are killed.",
)
@click.option("--worth", is_flag=True, help="Tell what each case kills; this takes longer.")
@click.option("--no-proposals", is_flag=True, help="Look for no cases that kill what survives.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Workers. Default: one per core.")
@suites_option
@reference_option
@json_option
def command(
    exercise: str,
    public: bool,
    fail_under: float | None,
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
    whole = found.suite if public else load_whole_suite(found.public)
    suite = drawn(whole, whole.seed, "audit")
    programs = found.wrong_programs()
    start = time.perf_counter()
    with (
        benches(found, jobs) as bench_of,
        new_nursery(packages_among(suite.imports)) as nursery,
    ):
        with RunProgress(len(programs), "auditing", "tried") as progress:
            right = found.right_programs()
            done = audit(
                suite,
                found.sources,
                programs,
                right,
                bench_of(suite),
                nursery,
                worth=worth,
                told=progress.advance,
            )
        taken_s = time.perf_counter() - start
        proposed = {}
        few = () if no_proposals else done.survivors[:_MOST_PROPOSALS]
        if few and found.generator.is_file():
            with RunProgress(len(few), "looking for cases", "looked at") as progress:
                workshop = workshop_of(found, bench_of, few, progress.advance)
                proposed = proposals(workshop, found.suite.exercise, _SESSIONS)
    told = Told(suite=suite, audit=done, proposals=proposed, clauses=_clauses(found, suite))
    if as_json_:
        print(json.dumps(document(told), indent=1, ensure_ascii=False))
    else:
        for line in lines(told):
            print(line)
    rate = len(programs) / taken_s
    say(f"{len(programs)} wrong programs in {taken_s:.1f} s, {rate:.0f} per second")
    if fail_under is not None and 100 * done.share < fail_under:
        say(f"{100 * done.share:.1f} % of the mutants are killed, and {fail_under:g} % is asked")
        sys.exit(EXIT_TOO_LOW)


def _clauses(exercise: Exercise, suite: Suite) -> list[Clause]:
    """Return the clauses of the spec, if it can be read; none for a suite that names no spec."""
    spec = exercise.public.parent / (suite.spec or "")
    if not spec.is_file():
        return []
    return clauses(spec.read_text(encoding="utf-8"), suite.language, suite)
