"""Runs an instructor's own tests on a submission, and makes the record."""

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
from grader.plugins.own_tests.proxying.own_settings import OwnSettings, Shown
from grader.plugins.own_tests.proxying.records import GradedTest, build_record, name_shown_at
from grader.plugins.own_tests.under_pytest.run import run_own_tests
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.verdict import Status, Verdict, Visibility

_OWN_FAULT: Final = (
    "the tests of others come to their end here, and this submission breaks them off"
)
_FINISHED: Final = (0, 1)
"""Exit codes of pytest if tests were found and run to the end."""


def record_from_tests(
    own: OwnSettings,
    hand_in: HandIn,
    *,
    shows_output: bool = False,
    others: Mapping[str, OthersTest] | None = None,
) -> tuple[int, Record]:
    """Run `own` tests on `hand_in`; return the exit code of pytest, and the record.

    A fault in a test that one of the `others` passed is charged to this hand-in. Raises
    `RuntimeError` if the tests end their process, which is our fault or theirs.
    """
    handed_in = submission_of(hand_in, own.files)
    packages = packages_of(handed_in, own.files)
    outcome = run_own_tests(own, hand_in, packages, shows_output=shows_output)
    tested = [each.graded for each in outcome.ledger.results.values() if each.graded is not None]
    has_finished = outcome.exit_code in _FINISHED
    uncollected = outcome.ledger.uncollected or ([] if has_finished else _file_names(own))
    if others:
        uncollected_tests = (
            {name: each.tested for name, each in others.items()} if uncollected else {}
        )
        tested, uncollected = _with_own_faults(tested, others, uncollected_tests, own.show), []
    reasons: list[Message] = []
    if handed_in.ungradable is not None:
        reasons = [handed_in.ungradable]
    if not reasons and all(each.verdict is not Verdict.PASSED for each in tested):
        with new_sandbox(packages) as sandbox:
            wanted = modules_wanted_by(own.files)
            reasons = _why_nothing_loads(handed_in, wanted, packages, sandbox, own.limits)
    record = build_record(
        handed_in,
        tested,
        own,
        isolation=outcome.isolation,
        uncollected=uncollected,
        reasons=reasons,
    )
    return outcome.exit_code, record


class OthersTest(NamedTuple):
    """A test, as known from hand-ins on which the tests ran to the end."""

    tested: GradedTest
    """Its points and visibility."""
    is_passed: bool
    """Whether one of these hand-ins has passed it."""


def others_tests(records: Iterable[Record]) -> dict[str, OthersTest]:
    """Return the tests of the `records` without a fault, by id."""
    by_name: dict[str, OthersTest] = {}
    for record in records:
        for case in record.cases if record.status is Status.GRADED else ():
            tested = GradedTest(
                file=case.group,
                name=case.id.removeprefix(f"{case.group}::"),
                verdict=Verdict.FORBIDDEN,
                points=0.0,
                max_points=case.max_points,
                evidence=_OWN_FAULT,
                is_hidden=case.visibility is Visibility.HIDDEN,
            )
            is_passed = case.verdict is Verdict.PASSED
            is_passed |= case.id in by_name and by_name[case.id].is_passed
            by_name[case.id] = OthersTest(tested, is_passed)
    return by_name


def _with_own_faults(
    tested: Sequence[GradedTest],
    others: Mapping[str, OthersTest],
    uncollected_tests: Mapping[str, GradedTest],
    show: Shown,
) -> list[GradedTest]:
    """Return all tests, with `forbidden` for a fault in a test that others passed."""
    by_name = {f"{each.file}::{name_shown_at(show, each)}": each for each in tested}
    for name, each in by_name.items():
        if each.verdict is Verdict.FAULT and name in others and others[name].is_passed:
            summary = f"{_OWN_FAULT}: {each.evidence}"
            by_name[name] = replace(each, verdict=Verdict.FORBIDDEN, points=0.0, evidence=summary)
    return list({**uncollected_tests, **by_name}.values())


def _why_nothing_loads(
    submission: Submission,
    modules: Sequence[str],
    packages: Sequence[str],
    sandbox: Sandbox,
    limits: Limits,
) -> list[Message]:
    """Return why none of these `modules` of `submission` can be imported, empty if one can.

    The submission may import `packages`, which are installed in `sandbox`. A missing module is
    reported only if all are missing.
    """
    runner = SessionRunner(sandbox, program_of(submission, packages), limits)
    errors = LoadErrors(modules, submission, runner)
    errors.load_alone()
    blocking = errors.blocking_all()
    present = errors.known(name for name in modules if name in submission.parts)
    return list(dict.fromkeys(error.reason for error in (blocking and present) or blocking))


def _file_names(own: OwnSettings) -> list[str]:
    return [Path(path).name for path in own.paths]
