"""Reports the tests of pytest, and the result of each, to the grader.

If the process of the tests had to be ended, the next one collects them again, and repeats the
reports of the tests that have a result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Mapping
from typing import Any, Final

import pytest

from grader.plugins.own_tests.bridge.wire import MAX_NAME_CHARS
from grader.plugins.own_tests.proxying.ledger import MAX_TEXT_CHARS
from grader.plugins.own_tests.under_pytest.own import OwnTests
from grader.plugins.own_tests.under_pytest.reports import (
    COUNTING,
    FACTS,
    decorated_values,
    first_sentence,
    max_points,
)
from grader.verdict import Verdict

_TUPLES: Final = frozenset({"longrepr", "location"})


class Telling:
    """Announces each test, and reports its result."""

    def __init__(self, own: OwnTests, send: Callable[..., None], known: Mapping[str, Any]) -> None:
        """Begin tests with `own`, and `send` their results; repeat the `known` reports, by id."""
        self._own: Final = own
        self._send: Final = send
        self._known: Final = dict(known)
        self._has_sent_shown = not known
        self._is_repeated = False
        self._reports: list[pytest.TestReport] = []
        self._item: pytest.Item | None = None
        self._uncollected: Final[list[str]] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file whose collection failed."""
        if report.failed:
            self._uncollected.append(report.nodeid)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Report the tests that were collected."""
        names = self._own.display_names.by_id(session.items)
        tests = [[*_planned(item), names[item.nodeid], _counts(item)] for item in session.items]
        self._send(collected=[tests, self._uncollected, [*self._own.finder.clashes.items()]])
        try:
            return (yield)
        finally:
            self._send_shown()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        """Announce a test, or repeat the reports of one with a result."""
        self._reports, self._item = [], item
        known = self._known.pop(item.nodeid, None)
        self._is_repeated = known is not None
        if self._is_repeated:
            self._show(item, known)
            return True
        self._send_shown()
        self._send(begin=item.nodeid)
        self._own.begin(item)
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report until the test is over."""
        self._reports.append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Report the result of a test."""
        if not self._is_repeated:
            config = self._own.config
            plain_reports = [_as_plain_data(config, each) for each in self._reports]
            result, facts = _result(self._reports, may_show=not self._own.workbench.has_operand)
            if result is None and self._item is not None:
                result = self._skipped(self._item)
            self._send(tested=[nodeid, result, facts, plain_reports])

    def _skipped(self, item: pytest.Item) -> list[Any] | None:
        """Return the result of a skipped test, None if it was not skipped for the submission."""
        is_expected = any(hasattr(each, "wasxfail") for each in self._reports)
        if not self._own.may_have_skipped(item, is_expected=is_expected):
            return None
        evidence = "\n".join(str(each.longrepr) for each in self._reports if each.skipped)
        title = first_sentence(getattr(item, "obj", None))
        maximum = max_points(item)
        return [str(Verdict.NOT_RUN), 0.0, maximum, _clipped(evidence), _clipped(title), "", None]

    def _show(self, item: pytest.Item, known: Any) -> None:
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if type(known) is str:
            reports = [self._own.reports.failed(item, known)]
        else:
            reports = [_report(item.config, each) for each in known]
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _send_shown(self) -> None:
        """Report once that all known reports have been repeated."""
        if not self._has_sent_shown:
            self._has_sent_shown = True
            sys.stdout.flush()  # else the grader would take the rest for what follows
            self._send(shown=True)


def _planned(item: pytest.Item) -> list[Any]:
    values, title = decorated_values(item), first_sentence(getattr(item, "obj", None))
    return [
        item.nodeid,
        max_points(item),
        title,
        values.number,
        values.is_hidden,
        values.failure_text,
    ]


def _counts(item: pytest.Item) -> bool:
    return not COUNTING.isdisjoint(getattr(item, "fixturenames", ()))


def _result(
    reports: list[pytest.TestReport], *, may_show: bool
) -> tuple[list[Any] | None, dict[str, Any]]:
    """Return the result of a test, None if it was skipped or expected to fail, and other facts.

    Class, text and line of an exception are included if the submission `may_show` any text.
    """
    facts: dict[str, Any] = {key: value for each in reports for key, value in each.user_properties}
    failed = [each for each in reports if each.failed]
    others = {key: value for key, value in facts.items() if key not in FACTS}
    others = json.loads(json.dumps(others, default=str))
    if not failed and any(each.skipped for each in reports):
        return None, others
    verdict = facts.get("verdict", Verdict.ERROR) if failed else Verdict.PASSED
    if not failed and all(each.when != "call" for each in reports):
        verdict = Verdict.FAULT  # pytest stopped before the test itself
    raised = facts.get("raised") if may_show else None
    result = [
        str(verdict),
        facts.get("points", 0.0),
        facts.get("max_points", 1.0),
        _clipped("\n".join(str(each.longreprtext) for each in failed)),
        _clipped(facts.get("title", "")),
        _clipped(facts.get("said", "")),
        None if not raised else _raised(**raised),
    ]
    return result, others


def _raised(
    *,
    type: str,
    summary: str,
    is_own: bool,
    file: str,
    line: int,
    function: str,
) -> list[object]:
    function = function[:MAX_NAME_CHARS]
    return [type[:MAX_NAME_CHARS], _clipped(summary), is_own, _clipped(file), line, function]


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else text[-MAX_TEXT_CHARS:]


def _as_plain_data(config: pytest.Config, report: pytest.TestReport) -> dict[str, Any]:
    """Return a report as plain data, with captured output truncated."""
    result: dict[str, Any] = config.hook.pytest_report_to_serializable(config=config, report=report)
    result["sections"] = [
        (name, text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}\n[...]\n")
        for name, text in result["sections"]
    ]
    result["user_properties"] = []  # they are among the facts
    # Tests and plug-ins can put anything into a report.
    plain: dict[str, Any] = json.loads(json.dumps(result, default=str))
    return plain


def _report(config: pytest.Config, result: dict[str, Any]) -> pytest.TestReport:
    """Return the report that the plain data describes; pytest needs tuples again in some places."""
    result = {
        key: tuple(each) if key in _TUPLES and type(each) is list else each
        for key, each in result.items()
    }
    report: pytest.TestReport = config.hook.pytest_report_from_serializable(
        config=config, data=result
    )
    return report
