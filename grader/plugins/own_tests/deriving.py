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
from grader.plugins.authoring.recorded_suite import RecordedSuite, RecordedTest, truncate_test
from grader.plugins.authoring.schema import SUITE_SCHEMA, schema_path
from grader.plugins.own_tests.proxying.handed_in import (
    modules_for,
    modules_imported_by,
    packages_of,
    submission_of,
)
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import END_REASON, RECORDED_STEPS, USED_NAMES
from grader.plugins.own_tests.proxying.records import GradedTest
from grader.plugins.own_tests.under_pytest.configuration import with_configuration
from grader.plugins.own_tests.under_pytest.run import run_own_tests
from grader.plugins.own_tests.under_pytest.submission import (
    default_settings,
    hand_in_at,
    submission_at,
)
from grader.reporting.writing import write_atomically
from grader.run.tasks import Task
from grader.run.worker import Worker
from grader.suite.loading import InvalidSuite, parse_suite
from grader.suite.model import LanguageCode, Suite
from grader.values.foreign_text import count_noun, one_line
from grader.verdict import Verdict

_NOT_REPEATABLE: Final = "the reference gives another result when the step is run again"
"""Why a session ends at a step."""
_FAILS: Final = "the test does not pass on the reference"
"""Why a test has no session."""


def derive_from_tests(
    paths: Sequence[Path],
    title: str | None,
    language: LanguageCode,
    reference: Path,
    out: Path | None,
) -> None:
    """Record what the tests at `paths` do with the `reference`, and write it to `out` as a suite.

    If `out` is `-`, print the suite instead. Print a warning for each test that the suite omits,
    wholly or in part, and say why. Raises `UsageError` if the file already exists, or if nothing
    can be recorded.
    """
    settings = default_settings(paths, title, language)
    target = out or Path(f"{settings.exercise}.yaml")
    if str(target) != "-" and target.exists():
        raise UsageError(
            f"{one_line(str(target))} already exists, and may have been edited",
            help="name another file with --out",
        )
    # Without a submission, because the reference is the instructor's own and so can be trusted.
    settings, _ = with_configuration(settings, None)
    head = _suite_head(settings, reference)
    tests = _record_tests(replace(settings, recorded=tuple(head.modules)), reference)
    schema = schema_path(target.parent, SUITE_SCHEMA)
    tests = _cut_to_proven(
        head, [_without_unloadable_steps(head, test) for test in tests], reference
    )
    text = head.text(tests, schema=schema)
    for test in tests:
        if test.omission is not None:
            warn(one_line(test.omission, 300))
    if str(target) == "-":
        sys.stdout.write(text)
        return
    write_atomically(target, text.encode())
    count = sum(test.has_case for test in tests)
    say(
        f"{count} of {count_noun(len(tests), 'test')} recorded and proven on the reference:"
        f" {one_line(str(target))}"
    )


def _suite_head(settings: OwnSettings, reference: Path) -> RecordedSuite:
    """Return a suite that has no tests yet: its title, language, modules and packages.

    Raises `UsageError` if the tests import no module of the reference.
    """
    submission = submission_at(reference, settings)
    available = {name.partition(".")[0] for name in modules_for(submission, settings.files)}
    modules = [
        name for name in dict.fromkeys(modules_imported_by(settings.files)) if name in available
    ]
    if not modules:
        raise UsageError(
            f"the tests import no module of the reference {one_line(str(reference))}",
            help="with --reference, give the folder or file with the modules that the tests import",
        )
    return RecordedSuite(
        exercise=settings.exercise,
        title=settings.title,
        language=settings.language,
        modules=modules,
        packages=packages_of(submission, settings.files),
    )


def _record_tests(settings: OwnSettings, reference: Path) -> list[RecordedTest]:
    """Run the tests as `grader pytest` does, and return what each test does with the reference.

    Skipped tests are left out. Print a warning for each file in which no test could be collected.
    """
    settings = replace(settings, arguments=("-q", "--no-header", *settings.arguments))
    hand_in = hand_in_at(reference)
    packages = packages_of(submission_of(hand_in, settings.files), settings.files)
    with redirect_stdout(sys.stderr):  # the suite may be written to standard output
        outcome = run_own_tests(settings, hand_in, packages, shows_output=True)
    for name in outcome.ledger.uncollected:
        warn(f"no test in {one_line(name)} could be collected: see the output of pytest above")
    results = outcome.ledger.results.values()
    return [
        _recorded_test(result.graded, result.facts)
        for result in results
        if result.graded is not None
    ]


def _recorded_test(test: GradedTest, facts: Mapping[str, Any]) -> RecordedTest:
    """Return `test` with its recorded steps, or without steps if it did not pass."""
    has_passed = test.verdict is Verdict.PASSED
    return RecordedTest(
        file=test.file,
        name=test.name,
        title=test.title,
        points=test.max_points,
        names=facts.get(USED_NAMES, ()),
        steps=facts.get(RECORDED_STEPS, ()) if has_passed else (),
        end_reason=facts.get(END_REASON) if has_passed else _FAILS,
    )


def _without_unloadable_steps(head: RecordedSuite, test: RecordedTest) -> RecordedTest:
    """Return `test`, but without its steps if a suite that contains them does not load."""
    if not test.has_case:
        return test
    try:
        _parse(head.text([test], schema=None))
    except InvalidSuite as error:
        reason = error.diagnostics[0].message
        return replace(test, steps=(), end_reason=f"a suite cannot express its steps: {reason}")
    return test


def _parse(text: str) -> Suite:
    """Return the suite in `text`. Raises `InvalidSuite` if it does not load."""
    return parse_suite(text.encode(), "suite.yaml", KINDS)


def _cut_to_proven(
    head: RecordedSuite, tests: Sequence[RecordedTest], reference: Path
) -> list[RecordedTest]:
    """Return `tests`, each cut before its first case that fails on the reference.

    The tests are run and cut again until all cases pass. Raises `UsageError` if no case is left.
    """
    remaining_tests = list(tests)
    with Worker() as worker:
        while any(test.has_case for test in remaining_tests):
            suite = _parse(head.text(remaining_tests, schema=None))
            record = worker.record_of(Task(suite, single_entry(reference)))
            failed = {case.id for case in record.cases if case.verdict is not Verdict.PASSED}
            if not failed:
                return remaining_tests
            remaining_tests = _cut_at_failures(remaining_tests, suite, failed)
    if not remaining_tests:
        raise UsageError(
            "there is no test to record: pytest ran no test in these files",
            help="name files with tests that pytest collects and does not skip",
        )
    omissions = "; ".join(one_line(test.omission or "") for test in remaining_tests[:3])
    raise UsageError(
        f"no step of these tests could be recorded on the reference: {omissions}",
        help="correct the tests or the reference, so that the tests pass and call its functions",
    )


def _cut_at_failures(
    tests: Sequence[RecordedTest], suite: Suite, failed: Container[str]
) -> list[RecordedTest]:
    """Return `tests`, each cut before its first case whose id is in `failed`."""
    sessions = iter(suite.sessions)
    remaining_tests = []
    for test in tests:
        cases = next(sessions).cases if test.has_case else ()
        index = next((case.step_index for case in cases if case.id in failed), None)
        remaining_tests.append(
            test if index is None else truncate_test(test, index, _NOT_REPEATABLE)
        )
    return remaining_tests
