"""`grader derive --from-tested`: converts a Dodona exercise to a first version of a suite."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.intake.submissions import build_submission, collect_hand_in, single_entry
from grader.judging.rules import KINDS
from grader.plugins.authoring.schema import SUITE_SCHEMA, schema_path
from grader.plugins.authoring.suite_text import as_yaml
from grader.plugins.dodona.tested_reading import read_tested
from grader.reporting.writing import write_atomically
from grader.run.worker import Worker
from grader.suite.loading import parse_suite
from grader.suite.model import LanguageCode, Suite
from grader.values.foreign_text import count_noun, one_line
from grader.verdict import Verdict


def derive_from_tested(
    path: Path, title: str | None, language: LanguageCode, out: Path | None
) -> None:
    """Convert the TESTed exercise at `path` and write the suite to `out`.

    By default, the file is named after the exercise. Prints the suite instead if `out` is `-`.
    Prints a warning for each part that no suite can express, and for each case that the solution in
    the exercise fails. Raises `UsageError` if the exercise cannot be converted, or if the target
    file already exists.
    """
    tested_suite = read_tested(path, language, title)
    name = tested_suite.document["exercise"]
    target = out or Path(f"{name}.yaml")
    if str(target) != "-" and target.exists():
        raise UsageError(
            f"{one_line(str(target))} already exists",
            help="choose another file with --out: existing files are not overwritten",
        )
    text = as_yaml(
        tested_suite.document,
        schema=schema_path(target.parent, SUITE_SCHEMA),
        origin="Converted from a TESTed exercise, as a first version for you to edit.",
    )
    # Parsed from its text, so that no invalid suite is written.
    suite = parse_suite(text.encode(), str(target), KINDS)
    for omission in tested_suite.omissions:
        warn(f"omitted: {one_line(omission, 300)}")
    for case in _failed_cases(suite, tested_suite.solution):
        warn(
            f"the solution in the exercise fails {one_line(case, 300)}\n"
            "  = help: correct or remove this case in the suite"
        )
    if str(target) == "-":
        sys.stdout.write(text)
        return
    write_atomically(target, text.encode())
    count = sum(len(session.cases) for session in suite.sessions)
    tests = count_noun(count, "test")
    say(f"{tests} converted, {len(tested_suite.omissions)} omitted: {one_line(str(target))}")


def _failed_cases(suite: Suite, solution: Path | None) -> Iterator[str]:
    """Grade the `solution` of the exercise, and yield each case that it does not pass.

    Yields nothing if there is no solution.
    """
    if solution is None:
        return
    hand_in = collect_hand_in(single_entry(solution))
    submission = build_submission(hand_in, suite.modules, suite.defines)
    with Worker() as worker:
        for case in worker.grade(suite, submission).record.cases:
            if case.verdict is not Verdict.PASSED:
                yield f"{case.id}: {case.code}"
