"""Presents the cases and rules of a suite as pytest items.

The judge of `grader check` grades the submission once, in another process, when the first item
runs. Each item then reports the verdict of its case or rule. Student code never runs in pytest's
process. pytest-timeout, if active, only guards the grader's own code: the limits on a submission
apply in its executor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest

from grader.cli.suites import with_course_wording
from grader.errors import GraderError
from grader.intake.submissions import single_entry
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE
from grader.reporting.terminal import case_text, rule_text
from grader.run.tasks import Task
from grader.run.worker import grade_task
from grader.suite.files import load_suite
from grader.suite.model import Suite
from grader.values.foreign_text import log_safe, one_line
from grader.verdict import RuleVerdict, Verdict

_RULE_PREFIX: Final = "rule: "
"""The prefix in the name of each rule's item; no case id begins with it."""
_MAX_REASON_CHARS: Final = 500
_TIMEOUT_S: Final = 600
"""Longer than any submission can take: only the grader's own code reaches it, if it hangs."""


class SuiteFile(pytest.File):
    """One suite; grades the submission once, however many of its cases are selected."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item per case, session by session, then one per rule that can cost points."""
        for session in self.suite.sessions:
            for case in session.cases:
                yield CaseItem.from_parent(self, name=case.id)
        for rule in self.suite.rules:
            if rule.costs_points:
                yield RuleItem.from_parent(self, name=f"{_RULE_PREFIX}{rule.id}")

    @cached_property
    def suite(self) -> Suite:
        """The suite in this file; if it is invalid, collection fails with its diagnostics."""
        try:
            return with_course_wording(self.path.parent, load_suite(self.path, KINDS))
        except GraderError as error:
            raise self.CollectError(_with_help(error)) from error

    @cached_property
    def record(self) -> Record:
        """The record of the submission on this suite; the first use grades the submission."""
        entry = single_entry(Path(os.environ[SUBMISSION_VARIABLE]))
        return grade_task(Task(self.suite, entry))


def _with_help(error: GraderError) -> str:
    """Return the text of `error`, followed by its help if it has any."""
    return f"{error}\n  = help: {error.help}" if error.help else str(error)


class ItemFailure(Exception):
    """A case did not pass, or a rule is broken; the message explains why."""


class _SuiteItem(pytest.Item):
    """One case or rule of a suite."""

    parent: SuiteFile

    def __init__(self, *, name: str, parent: SuiteFile) -> None:
        """Create the item, with a generous timeout if pytest-timeout is active."""
        super().__init__(name, parent)
        if self.config.pluginmanager.hasplugin("timeout"):
            self.add_marker(pytest.mark.timeout(_TIMEOUT_S))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """Return an explanation of the failure, or a traceback if the exception is unexpected."""
        match excinfo.value:
            case ItemFailure() as failure:
                return str(failure)
            case GraderError() as error:
                return log_safe(f"error: {_with_help(error)}")
            case _:
                return str(excinfo.getrepr(style="long"))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the suite's file, no line number, and the item's name for display."""
        return self.path, None, f"{self.parent.suite.exercise}: {self.name}"


class CaseItem(_SuiteItem):
    """One case of a suite."""

    def runtest(self) -> None:
        """Add the case's points to the report, and raise `ItemFailure` unless the case passed."""
        record = self.parent.record
        result = next(case for case in record.cases if case.id == self.name)
        self.user_properties.append(("points", result.points))
        self.user_properties.append(("max_points", result.max_points))
        if result.verdict is not Verdict.PASSED:
            raise ItemFailure(case_text(result, record))


class RuleItem(_SuiteItem):
    """One rule of a suite that can cost points."""

    def runtest(self) -> None:
        """Add the penalty to the report, and raise `ItemFailure` if the rule is broken.

        If the rule was not checked or not decided, the item is skipped.
        """
        record = self.parent.record
        rules = (rule for rule in record.rules if f"{_RULE_PREFIX}{rule.id}" == self.name)
        result = next(rules, None)
        if result is None:  # the rules were not checked, and the cases show why
            pytest.skip(f"the rules were not checked: {record.status.value}")
        self.user_properties.append(("penalty", result.penalty))
        match result.verdict:
            case RuleVerdict.PASSED:
                return
            case RuleVerdict.BROKEN:
                raise ItemFailure(rule_text(result, record))
            case RuleVerdict.REVIEW | RuleVerdict.SKIPPED:
                reason = " ".join(rule_text(result, record).split())
                pytest.skip(one_line(reason, _MAX_REASON_CHARS))
