"""Runs an instructor's own tests on a submission, and builds the record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from grader.intake.submission import Submission
from grader.intake.submissions import HandIn
from grader.judging.load_errors import LoadErrors
from grader.judging.record import Record
from grader.messages import Message
from grader.plugins.own_tests.proxying.handed_in import (
    modules_wanted_by,
    packages_of,
    program_of,
    submission_of,
)
from grader.plugins.own_tests.proxying.own_settings import DetailLevel, OwnSettings
from grader.plugins.own_tests.proxying.records import GradedTest, build_record, name_shown_at
from grader.plugins.own_tests.under_pytest.run import run_own_tests
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.verdict import Status, Verdict, Visibility

_FAULT_OF_SUBMISSION: Final = (
    "with other submissions this test ends normally, so this submission causes the fault"
)
_FINISHED: Final = (0, 1)
"""The exit codes of pytest if it has found tests and run all of them."""


def record_from_tests(
    settings: OwnSettings,
    hand_in: HandIn,
    *,
    shows_output: bool = False,
    other_results: Mapping[str, PeerResult] | None = None,
) -> tuple[int, Record]:
    """Run the tests in `settings` on `hand_in`; return pytest's exit code and the record.

    If a test ends with a fault, but another hand-in passed it according to `other_results`, this
    hand-in is blamed for the fault. Raises `RuntimeError` if the tests end their own process, which
    is the fault of the grader or of the tests.
    """
    submission = submission_of(hand_in, settings.files)
    packages = packages_of(submission, settings.files)
    outcome = run_own_tests(settings, hand_in, packages, shows_output=shows_output)
    graded = [
        result.graded for result in outcome.ledger.results.values() if result.graded is not None
    ]
    has_finished = outcome.exit_code in _FINISHED
    uncollected = outcome.ledger.uncollected or ([] if has_finished else _test_path_names(settings))
    if other_results:
        # The other hand-ins show which tests the uncollected files contain.
        uncollected_tests = (
            {name: test.graded for name, test in other_results.items()} if uncollected else {}
        )
        graded, uncollected = (
            _blame_submission_for_faults(graded, other_results, uncollected_tests, settings.show),
            [],
        )
    reasons: list[Message] = []
    if submission.ungradable is not None:
        reasons = [submission.ungradable]
    if not reasons and all(test.verdict is not Verdict.PASSED for test in graded):
        with new_sandbox(packages) as sandbox:
            modules = modules_wanted_by(settings.files)
            reasons = _reasons_nothing_loads(
                submission, modules, packages, sandbox, settings.limits
            )
    record = build_record(
        submission,
        graded,
        settings,
        isolation=outcome.isolation,
        uncollected=uncollected,
        reasons=reasons,
    )
    return outcome.exit_code, record


class PeerResult(NamedTuple):
    """What is known about a test from hand-ins that were graded without a fault."""

    graded: GradedTest
    """The test with its maximum points and visibility, but the verdict for a hand-in at fault."""
    is_passed: bool
    """Whether one of these hand-ins passed the test."""


def results_without_fault(records: Iterable[Record]) -> dict[str, PeerResult]:
    """Return what the `records` without a fault show about each test, keyed by test id."""
    by_name: dict[str, PeerResult] = {}
    for record in records:
        for case in record.cases if record.status is Status.GRADED else ():
            graded = GradedTest(
                file=case.group,
                name=case.id.removeprefix(f"{case.group}::"),
                verdict=Verdict.FORBIDDEN,
                points=0.0,
                max_points=case.max_points,
                evidence=_FAULT_OF_SUBMISSION,
                is_hidden=case.visibility is Visibility.HIDDEN,
            )
            is_passed = case.verdict is Verdict.PASSED
            is_passed |= case.id in by_name and by_name[case.id].is_passed
            by_name[case.id] = PeerResult(graded, is_passed)
    return by_name


def _blame_submission_for_faults(
    graded: Sequence[GradedTest],
    other_results: Mapping[str, PeerResult],
    uncollected_tests: Mapping[str, GradedTest],
    show: DetailLevel,
) -> list[GradedTest]:
    """Return all tests; a fault in a test that another hand-in passed becomes `FORBIDDEN`.

    `uncollected_tests` are included unless they have a result in `graded`.
    """
    by_name = {f"{test.file}::{name_shown_at(show, test)}": test for test in graded}
    for name, test in by_name.items():
        if (
            test.verdict is Verdict.FAULT
            and name in other_results
            and other_results[name].is_passed
        ):
            evidence = f"{_FAULT_OF_SUBMISSION}: {test.evidence}"
            by_name[name] = replace(test, verdict=Verdict.FORBIDDEN, points=0.0, evidence=evidence)
    return list({**uncollected_tests, **by_name}.values())


def _reasons_nothing_loads(
    submission: Submission,
    modules: Sequence[str],
    packages: Sequence[str],
    sandbox: Sandbox,
    limits: Limits,
) -> list[Message]:
    """Return why none of these `modules` can be imported, or an empty list if one of them can.

    The `submission` is allowed to import `packages`, which are available in `sandbox`. If some of
    the modules are missing and others fail to load, only the failures are reported.
    """
    runner = SessionRunner(sandbox, program_of(submission, packages), limits)
    errors = LoadErrors(modules, submission, runner)
    errors.load_alone()
    blocking = errors.errors_if_all_blocked()
    errors_of_present = errors.known_errors(name for name in modules if name in submission.parts)
    return list(
        dict.fromkeys(error.reason for error in (blocking and errors_of_present) or blocking)
    )


def _test_path_names(settings: OwnSettings) -> list[str]:
    """Return the names of the files and folders that contain the tests."""
    return [Path(path).name for path in settings.paths]
