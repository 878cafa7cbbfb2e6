"""Runs an instructor's own tests on a submission, and makes the record of what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from grader.cli.own_submission import submission_at
from grader.cli.pytest_run import run_own_tests
from grader.judging.record import Record
from grader.proxying.own_settings import OwnSettings
from grader.proxying.records import Raised, Tested, record_of
from grader.sandbox.executor import Isolation
from grader.sandbox.sandbox import new_sandbox
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

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take in a report."""
        self._reports.setdefault(report.nodeid, []).append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Notice files that hold no test that could be run."""
        if report.failed:
            self.uncollected.append(report.nodeid)

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Notice what held the submission."""
        own = config.pluginmanager.get_plugin("grader-own-tests")
        if own is not None:
            self.isolation = own.isolation

    def tested(self) -> Iterator[Tested]:
        """Yield what came of each test that was neither skipped nor expected to fail."""
        return (tested for tested, _ in self.with_facts())

    def with_facts(self) -> Iterator[tuple[Tested, dict[str, Any]]]:
        """Yield the same, each with whatever else its reports have."""
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
                raised=Raised.from_json(facts["raised"]) if facts.get("raised") else None,
            )
            yield tested, facts


def record_from_tests(own: OwnSettings, submission: Path) -> tuple[int, Record]:
    """Try `own` tests on what lies at `submission`, in this process.

    Returns the exit code of pytest, and the record.
    """
    results = Results()
    exit_code = run_own_tests(own, submission, [results])
    if results.isolation is None:  # workers of xdist had it, and are like this one
        with closing(new_sandbox()) as sandbox:
            results.isolation = sandbox.isolation
    record = record_of(
        submission_at(submission, own),
        list(results.tested()),
        own,
        isolation=results.isolation,
        uncollected=results.uncollected or ([] if exit_code in _FINISHED else _names(own)),
    )
    return exit_code, record


def _names(own: OwnSettings) -> list[str]:
    return [Path(path).name for path in own.paths]
