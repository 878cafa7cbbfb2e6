"""`grader derive --from-tests`: turns an instructor's own tests into a first suite."""

from __future__ import annotations

import sys
from collections.abc import Container, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from grader.cli.terminal import say, warn
from grader.errors import UsageError
from grader.intake.submissions import single_entry
from grader.judging.rules import KINDS
from grader.plugins.authoring.recorded import RecordedSuite, RecordedTest, cut_off
from grader.plugins.authoring.schema import SUITE_SCHEMA, schema_for
from grader.plugins.own_tests.proxying.handed_in import (
    modules_for,
    modules_imported_by,
    packages_of,
    submission_of,
)
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import CLOSED, NAMES, STEPS
from grader.plugins.own_tests.proxying.records import GradedTest
from grader.plugins.own_tests.under_pytest.configuration import configured
from grader.plugins.own_tests.under_pytest.run import run_own_tests
from grader.plugins.own_tests.under_pytest.submission import (
    hand_in_at,
    own_settings,
    submission_at,
)
from grader.reporting.writing import write_atomically
from grader.run.tasks import Task
from grader.run.worker import Worker
from grader.suite.loading import InvalidSuite, parse_suite
from grader.suite.model import LanguageCode, Suite
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

_NOT_REPEATABLE: Final = "the reference gives something else when it is asked again"
_FAILS: Final = "it does not pass on the reference"


def derive_from_tests(
    paths: Sequence[Path],
    title: str | None,
    language: LanguageCode,
    reference: Path,
    out: Path | None,
) -> None:
    """Record what the tests at `paths` do with the `reference`, and write it to `out` as a suite.

    Warns of each step that no suite can express.
    """
    settings = own_settings(paths, title, language)
    target = out or Path(f"{settings.exercise}.yaml")
    if str(target) != "-" and target.exists():
        raise UsageError(
            f"{one_line(str(target))} is there already, and may have been edited",
            help="name another file with --out",
        )
    settings, _ = configured(settings, None)
    head = _head(settings, reference)
    tests = _recorded(replace(settings, recorded=tuple(head.modules)), reference)
    schema = schema_for(target.parent, SUITE_SCHEMA)
    tests = _proven_tests(head, [_loadable(head, each) for each in tests], reference)
    text = head.text(tests, schema=schema)
    for each in tests:
        if each.left_out is not None:
            warn(one_line(each.left_out, 300))
    if str(target) == "-":
        sys.stdout.write(text)
        return
    write_atomically(target, text.encode())
    recorded = sum(each.has_case for each in tests)
    say(
        f"{recorded} of {len(tests)} tests recorded, proven on the reference:"
        f" {one_line(str(target))}"
    )


def _head(settings: OwnSettings, reference: Path) -> RecordedSuite:
    submission = submission_at(reference, settings)
    given = {name.partition(".")[0] for name in modules_for(submission, settings.files)}
    modules = [name for name in dict.fromkeys(modules_imported_by(settings.files)) if name in given]
    if not modules:
        raise UsageError(
            "the tests import nothing of the reference",
            help=f"is it in {one_line(str(reference))}?",
        )
    return RecordedSuite(
        exercise=settings.exercise,
        title=settings.title,
        language=settings.language,
        modules=modules,
        packages=packages_of(submission, settings.files),
    )


def _recorded(settings: OwnSettings, reference: Path) -> list[RecordedTest]:
    """Run the tests as `grader pytest` does; return what each does with the reference."""
    settings = replace(settings, arguments=("-q", "--no-header", *settings.arguments))
    hand_in = hand_in_at(reference)
    packages = packages_of(submission_of(hand_in, settings.files), settings.files)
    with redirect_stdout(sys.stderr):  # the suite may go to standard output
        outcome = run_own_tests(settings, hand_in, packages, shows=True)
    for name in outcome.ledger.uncollected:
        warn(f"no test could be collected: {one_line(name)}")
    reports = outcome.ledger.results.values()
    return [_as_recorded(each.graded, each.facts) for each in reports if each.graded is not None]


def _as_recorded(tested: GradedTest, facts: Mapping[str, Any]) -> RecordedTest:
    has_passed = tested.verdict is Verdict.PASSED
    return RecordedTest(
        file=tested.file,
        name=tested.name,
        title=tested.title,
        points=tested.max_points,
        names=facts.get(NAMES, ()),
        steps=facts.get(STEPS, ()) if has_passed else (),
        closed=facts.get(CLOSED) if has_passed else _FAILS,
    )


def _loadable(head: RecordedSuite, test: RecordedTest) -> RecordedTest:
    """Return `test`, without its steps if a suite with them does not load."""
    if not test.has_case:
        return test
    try:
        _parse(head.text([test], schema=None))
    except InvalidSuite as refused:
        reason = refused.diagnostics[0].message
        return replace(test, steps=(), closed=f"a suite cannot say it: {reason}")
    return test


def _parse(text: str) -> Suite:
    return parse_suite(text.encode(), "suite.yaml", KINDS)


def _proven_tests(
    head: RecordedSuite, tests: Sequence[RecordedTest], reference: Path
) -> list[RecordedTest]:
    """Return `tests`, each up to its first case that fails on the reference.

    Raises `UsageError` if no case is left.
    """
    tests_left = list(tests)
    with Worker() as worker:
        while any(each.has_case for each in tests_left):
            suite = _parse(head.text(tests_left, schema=None))
            record = worker.record_of(Task(suite, single_entry(reference)))
            failed = {case.id for case in record.cases if case.verdict is not Verdict.PASSED}
            if not failed:
                return tests_left
            tests_left = _cut_at_failures(tests_left, suite, failed)
    raise UsageError(
        "nothing that these tests do with the reference could be recorded",
        help="; ".join(one_line(each.left_out or "") for each in tests_left[:3]) or None,
    )


def _cut_at_failures(
    tests: Sequence[RecordedTest], suite: Suite, failed: Container[str]
) -> list[RecordedTest]:
    """Return `tests`, each up to its first case that has `failed`."""
    sessions = iter(suite.sessions)
    tests_left = []
    for test in tests:
        cases = next(sessions).cases if test.has_case else ()
        place = next((case.step_index for case in cases if case.id in failed), None)
        tests_left.append(test if place is None else cut_off(test, place, _NOT_REPEATABLE))
    return tests_left
