"""Reports the tests of pytest, and the result of each, to the grader.

If the process of the tests had to be stopped, the next process collects the tests again. It repeats
the reports of those tests that already have a result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

import pytest

from grader.plugins.own_tests.bridge.wire import MAX_NAME_CHARS
from grader.plugins.own_tests.proxying.ledger import MAX_TEXT_CHARS
from grader.plugins.own_tests.under_pytest.own_tests import OwnTests
from grader.plugins.own_tests.under_pytest.reports import (
    COUNTING,
    FACTS,
    decorated_values,
    first_sentence,
    max_points,
)
from grader.verdict import Verdict

_TUPLE_FIELDS: Final = frozenset({"longrepr", "location"})


class ResultReporter:
    """The pytest plug-in that announces each test and reports its result."""

    def __init__(
        self, own_tests: OwnTests, send: Callable[..., None], known_reports: Mapping[str, Any]
    ) -> None:
        """Prepare tests with `own_tests`, and `send` their results.

        `known_reports` are keyed by test id. Their tests are not run again: only the reports are
        repeated.
        """
        self._own_tests: Final = own_tests
        self._send: Final = send
        self._known_reports: Final = dict(known_reports)
        self._has_sent_end_of_repetition = not known_reports
        self._is_repeated = False
        self._reports: list[pytest.TestReport] = []
        self._item: pytest.Item | None = None
        self._uncollected: Final[list[str]] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file whose collection failed."""
        if report.failed:
            self._uncollected.append(report.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Report the collected tests before they run."""
        display_names = self._own_tests.display_names.by_id(session.items)
        tests = [
            [*_collected_facts(item), display_names[item.nodeid], _counts_points(item)]
            for item in session.items
        ]
        self._send(collected=[tests, self._uncollected, [*self._own_tests.finder.clashes.items()]])
        try:
            return (yield)
        finally:
            self._send_end_of_repetition()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        """Announce a test, or repeat its reports if it already has a result.

        Returns True if the reports are repeated: pytest then does not run the test.
        """
        self._reports, self._item = [], item
        known_reports = self._known_reports.pop(item.nodeid, None)
        self._is_repeated = known_reports is not None
        if self._is_repeated:
            self._repeat_reports(item, known_reports)
            return True
        self._send_end_of_repetition()
        self._send(begin=item.nodeid)
        self._own_tests.begin(item)
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report until the test is over."""
        self._reports.append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Report the result of a test, unless its reports were only repeated."""
        if not self._is_repeated:
            config = self._own_tests.config
            plain_reports = [_to_plain_data(config, report) for report in self._reports]
            result, facts = _result(
                self._reports, may_show=not self._own_tests.workbench.has_operand
            )
            if result is None and self._item is not None:
                result = self._skip_result(self._item)
            self._send(tested=[nodeid, result, facts, plain_reports])

    def _skip_result(self, item: pytest.Item) -> list[Any] | None:
        """Return the result of a skipped test, or None if the submission did not cause the skip."""
        is_expected_failure = any(hasattr(report, "wasxfail") for report in self._reports)
        if not self._own_tests.submission_may_have_skipped(
            item, is_expected_failure=is_expected_failure
        ):
            return None
        evidence = "\n".join(str(report.longrepr) for report in self._reports if report.skipped)
        title = first_sentence(getattr(item, "obj", None))
        maximum = max_points(item)
        return [str(Verdict.NOT_RUN), 0.0, maximum, _clip(evidence), _clip(title), "", None]

    def _repeat_reports(self, item: pytest.Item, known_reports: Any) -> None:
        """Repeat the reports of a test, so that pytest's output includes them.

        `known_reports` are the reports as plain data, or a text if the test had to be stopped.
        """
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if type(known_reports) is str:
            reports = [self._own_tests.reports.report_of_stopped_test(item, known_reports)]
        else:
            reports = [_from_plain_data(item.config, data) for data in known_reports]
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _send_end_of_repetition(self) -> None:
        """Report, once, that all known reports have been repeated."""
        if not self._has_sent_end_of_repetition:
            self._has_sent_end_of_repetition = True
            sys.stdout.flush()  # so that the grader drops all of the repeated output
            self._send(shown=True)


def _collected_facts(item: pytest.Item) -> list[Any]:
    """Return the facts that a test's own code determines, in the order that `Ledger` expects.

    The display name, and whether the test counts its points, come after these.
    """
    values, title = decorated_values(item), first_sentence(getattr(item, "obj", None))
    return [
        item.nodeid,
        max_points(item),
        title,
        values.number,
        values.is_hidden,
        values.failure_text,
    ]


def _counts_points(item: pytest.Item) -> bool:
    """Return whether a test requests a fixture with which it counts its points itself."""
    return not COUNTING.isdisjoint(getattr(item, "fixturenames", ()))


def _result(
    reports: list[pytest.TestReport], *, may_show: bool
) -> tuple[list[Any] | None, dict[str, Any]]:
    """Return the result of a test, and other facts about it.

    The result is None if the test was skipped or failed as expected. It includes the class, text
    and line of an exception only if `may_show`: the text of an exception of the submission might
    otherwise contain a value that the test expects.
    """
    facts: dict[str, Any] = {
        key: value for report in reports for key, value in report.user_properties
    }
    failed = [report for report in reports if report.failed]
    other_facts = {key: value for key, value in facts.items() if key not in FACTS}
    other_facts = json.loads(json.dumps(other_facts, default=str))
    if not failed and any(report.skipped for report in reports):
        return None, other_facts
    verdict = facts.get("verdict", Verdict.ERROR) if failed else Verdict.PASSED
    if not failed and all(report.when != "call" for report in reports):
        verdict = Verdict.FAULT  # pytest stopped before the test itself
    raised = facts.get("raised") if may_show else None
    result = [
        str(verdict),
        facts.get("points", 0.0),
        facts.get("max_points", 1.0),
        _clip("\n".join(str(report.longreprtext) for report in failed)),
        _clip(facts.get("title", "")),
        _clip(facts.get("said", "")),
        None if not raised else _exception_facts(**raised),
    ]
    return result, other_facts


def _exception_facts(
    *,
    type: str,
    summary: str,
    is_own: bool,
    file: str,
    line: int,
    function: str,
) -> list[object]:
    """Return the facts about an exception in the order in which `Ledger` reads them."""
    function = function[:MAX_NAME_CHARS]
    return [type[:MAX_NAME_CHARS], _clip(summary), is_own, _clip(file), line, function]


def _clip(text: str) -> str:
    """Return the end of a long text, where pytest names the exception, or a short text as it is."""
    return text if len(text) <= MAX_TEXT_CHARS else text[-MAX_TEXT_CHARS:]


def _to_plain_data(config: pytest.Config, report: pytest.TestReport) -> dict[str, Any]:
    """Return a report as plain data, with long captured output truncated and without facts."""
    result: dict[str, Any] = config.hook.pytest_report_to_serializable(config=config, report=report)
    result["sections"] = [
        (name, text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}\n[...]\n")
        for name, text in result["sections"]
    ]
    result["user_properties"] = []  # they are sent as facts, beside the report
    # Tests and plug-ins can put arbitrary objects into a report.
    plain: dict[str, Any] = json.loads(json.dumps(result, default=str))
    return plain


def _from_plain_data(config: pytest.Config, data: dict[str, Any]) -> pytest.TestReport:
    """Return the report that `data` describes.

    Some lists become tuples again, as pytest expects. JSON has only lists.
    """
    data = {
        key: tuple(value) if key in _TUPLE_FIELDS and type(value) is list else value
        for key, value in data.items()
    }
    report: pytest.TestReport = config.hook.pytest_report_from_serializable(
        config=config, data=data
    )
    return report
