"""Runs an instructor's own tests on a submission, and makes the record of what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from grader.intake.submission import Submission
from grader.intake.submissions import HandIn
from grader.judging.load_errors import LoadErrors
from grader.judging.record import Record
from grader.messages import Message
from grader.plugins.own_tests.proxying.handed_in import (
    packages_of,
    program_of,
    submission_of,
    wanted_by,
)
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.records import record_of
from grader.plugins.own_tests.under_pytest.run import run_own_tests
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.verdict import Verdict

_FINISHED: Final = (0, 1)
"""What pytest returns where tests were found, and run to the end."""


def record_from_tests(
    own: OwnSettings, hand_in: HandIn, *, shows: bool = False
) -> tuple[int, Record]:
    """Try `own` tests on `hand_in`; return the exit code of pytest, and the record.

    Raises `RuntimeError` where the tests end their process: a fault of ours, or of theirs.
    """
    handed_in = submission_of(hand_in, own.files)
    packages = packages_of(handed_in, own.files)
    ran = run_own_tests(own, hand_in, packages, shows=shows)
    tested = [each.tested for each in ran.ledger.told.values() if each.tested is not None]
    reasons: list[Message] = []
    if handed_in.ungradable is not None:
        reasons = [handed_in.ungradable]
    if not reasons and all(each.verdict is not Verdict.PASSED for each in tested):
        with new_sandbox(packages) as sandbox:
            wanted = wanted_by(own.files)
            reasons = _why_nothing_loads(handed_in, wanted, packages, sandbox, own.limits)
    has_finished = ran.exit_code in _FINISHED
    record = record_of(
        handed_in,
        tested,
        own,
        isolation=ran.isolation,
        uncollected=ran.ledger.uncollected or ([] if has_finished else _names(own)),
        reasons=reasons,
    )
    return ran.exit_code, record


def _why_nothing_loads(
    submission: Submission,
    modules: Sequence[str],
    packages: Sequence[str],
    sandbox: Sandbox,
    limits: Limits,
) -> list[Message]:
    """Return why none of these `modules` of `submission` can be imported, nothing where one can.

    It may use `packages`, which `sandbox` has. What is missing is told only where none is there.
    """
    runner = SessionRunner(sandbox, program_of(submission, packages), limits)
    errors = LoadErrors(modules, submission, runner)
    errors.look()
    found = errors.everywhere()
    there = errors.among(name for name in modules if name in submission.parts)
    return list(dict.fromkeys(error.reason for error in (found and there) or found))


def _names(own: OwnSettings) -> list[str]:
    return [Path(path).name for path in own.paths]
