"""`grader derive --from-tested`: turns an exercise of Dodona into a first suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.intake.submissions import collected, single_entry, understood
from grader.judging.rules import KINDS
from grader.plugins.authoring.schema import SUITE_SCHEMA, schema_for
from grader.plugins.authoring.suite_text import as_yaml
from grader.plugins.dodona.tested_reading import read_tested
from grader.reporting.writing import write_atomically
from grader.run.worker import Worker
from grader.suite.loading import parse_suite
from grader.suite.model import LanguageCode, Suite
from grader.values.foreign_text import one_line
from grader.verdict import Verdict


def derive_from_tested(
    place: Path, title: str | None, language: LanguageCode, out: Path | None
) -> None:
    """Write the suite of the exercise at `place` to `out`; warn of parts that no suite can express.

    If the exercise has a solution, it is checked with the suite.
    """
    read = read_tested(place, language, title)
    name = read.document["exercise"]
    target = out or Path(f"{name}.yaml")
    if str(target) != "-" and target.exists():
        raise UsageError(
            f"{one_line(str(target))} exists already, and may have been edited",
            help="name another file with --out",
        )
    text = as_yaml(
        read.document,
        schema=schema_for(target.parent, SUITE_SCHEMA),
        origin="Read from an exercise of TESTed: a first version, and yours from now on.",
    )
    suite = parse_suite(text.encode(), str(target), KINDS)
    for each in read.left_out:
        warn(f"left out: {one_line(each, 300)}")
    for each in _failing(suite, read.solution):
        warn(f"the solution fails {one_line(each, 300)}")
    if str(target) == "-":
        sys.stdout.write(text)
        return
    write_atomically(target, text.encode())
    count = sum(len(session.cases) for session in suite.sessions)
    say(f"{count} tests read, {len(read.left_out)} left out: {one_line(str(target))}")


def _failing(suite: Suite, solution: Path | None) -> Iterator[str]:
    """Yield the cases that the `solution` of the exercise does not pass."""
    if solution is None:
        return
    hand_in = collected(single_entry(solution))
    submission = understood(hand_in, suite.modules, suite.defines)
    with Worker() as worker:
        for case in worker.grade(suite, submission).record.cases:
            if case.verdict is not Verdict.PASSED:
                yield f"{case.id}: {case.code}"
