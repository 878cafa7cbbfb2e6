"""Runs an instructor's own tests on a submission, and makes the record of what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from grader.intake.submission import Submission
from grader.judging.load_errors import LoadErrors
from grader.judging.record import Record
from grader.messages import Message
from grader.plugins.own_tests.proxying.handed_in import packages_of, program_of, wanted_by
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.records import RaisedInTest, Tested, record_of
from grader.plugins.own_tests.under_pytest.own import OWN_TESTS
from grader.plugins.own_tests.under_pytest.run import run_own_tests
from grader.plugins.own_tests.under_pytest.submission import submission_at
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.verdict import Verdict

_Reports: TypeAlias = dict[str, list[pytest.TestReport]]
_FINISHED: Final = (0, 1)
"""What pytest returns where tests were found, and run to the end."""


class Results:
    """Takes in what came of each test, wherever it ran."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._reports: Final[_Reports] = {}
        self.uncollected: Final[list[str]] = []
        self.isolation: Isolation | None = None
        """What held the submission, where it was in this process that it was asked."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Ask what has held the submission."""
        own = session.config.pluginmanager.get_plugin(OWN_TESTS)
        self.isolation = getattr(own, "isolation", None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in a report."""
        self._reports.setdefault(report.nodeid, []).append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notice files that hold no test that could be run."""
        if report.failed:
            self.uncollected.append(report.nodeid)

    def with_facts(self) -> Iterator[tuple[Tested, dict[str, Any]]]:
        """Yield what came of each test that was neither skipped nor expected to fail.

        Each comes with whatever else its reports have.
        """
        for nodeid, reports in self._reports.items():
            found = [dict(each.user_properties) for each in reports]
            facts: dict[str, Any] = {key: value for each in found for key, value in each.items()}
            failed = [each for each in reports if each.failed]
            if not failed and any(each.skipped for each in reports):
                continue
            file, _, name = nodeid.partition("::")
            verdict = Verdict(facts.get("verdict", Verdict.ERROR)) if failed else Verdict.PASSED
            if not failed and all(each.when != "call" for each in reports):
                verdict = Verdict.FAULT  # pytest broke off
            tested = Tested(
                file=file,
                name=name,
                verdict=verdict,
                points=facts.get("points", 0.0),
                max_points=facts.get("max_points", 1.0),
                evidence="\n".join(str(each.longreprtext) for each in failed),
                title=facts.get("title", ""),
                said=facts.get("said", ""),
                raised=RaisedInTest(**facts["raised"]) if facts.get("raised") else None,
            )
            yield tested, facts


def record_from_tests(own: OwnSettings, submission: Path) -> tuple[int, Record]:
    """Try `own` tests on what lies at `submission`, in this process.

    Returns the exit code of pytest, and the record.
    """
    results = Results()
    handed_in = submission_at(submission, own)  # before pytest knows modules that are not there
    wanted = wanted_by(own.files)
    exit_code = run_own_tests(own, submission, [results])
    tested = [each for each, _ in results.with_facts()]
    reasons: list[Message] = []
    if handed_in.ungradable is not None:
        reasons = [handed_in.ungradable]
    packages = packages_of(handed_in, own.files)
    isolation = results.isolation
    is_explained = bool(reasons) or any(each.verdict is Verdict.PASSED for each in tested)
    if isolation is None or not is_explained:
        with new_sandbox(packages) as sandbox:
            isolation = sandbox.isolation
            if not is_explained:
                reasons = _why_nothing_loads(handed_in, wanted, packages, sandbox, own.limits)
    record = record_of(
        handed_in,
        tested,
        own,
        isolation=isolation,
        uncollected=results.uncollected or ([] if exit_code in _FINISHED else _names(own)),
        reasons=reasons,
    )
    return exit_code, record


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
