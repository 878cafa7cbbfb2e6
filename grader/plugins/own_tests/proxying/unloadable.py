"""Why nothing of what was handed in can be tried by the tests of an instructor."""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.submission import Submission
from grader.judging.load_errors import LoadErrors
from grader.messages import Message
from grader.plugins.own_tests.proxying.handed_in import program_of
from grader.sandbox.gate import Gate
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits


def why_nothing_loads(
    submission: Submission,
    modules: Sequence[str],
    packages: Sequence[str],
    sandbox: Sandbox,
    limits: Limits,
) -> list[Message]:
    """Return why none of these `modules` of `submission` can be imported, nothing where one can.

    It may use `packages`, which `sandbox` has. What is missing is told only where none is there.
    """
    runner = SessionRunner(sandbox, program_of(submission, packages), limits, Gate())
    errors = LoadErrors(modules, submission, runner)
    errors.look()
    found = errors.everywhere()
    there = errors.among(name for name in modules if name in submission.parts)
    return list(dict.fromkeys(error.reason for error in (found and there) or found))
