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
    first_sentence,
    most_points,
    said_of,
)
from grader.verdict import Verdict

_TUPLES: Final = frozenset({"longrepr", "location"})


class Telling:
    """Begins each test, and reports its result."""

    def __init__(self, own: OwnTests, tell: Callable[..., None], known: Mapping[str, Any]) -> None:
        """Begin tests with `own`, and `tell` their results; repeat the `known` reports, by id."""
        self._own: Final = own
        self._tell: Final = tell
        self._known: Final = dict(known)
        self._has_shown = not known
        self._is_known = False
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
        called = self._own.called.of(session.items)
        tests = [[*_planned(each), called[each.nodeid], _counts(each)] for each in session.items]
        self._tell(collected=[tests, self._uncollected, [*self._own.finder.clashes.items()]])
        try:
            return (yield)
        finally:
            self._tell_shown()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        """Begin a test, or repeat the reports of one with a result."""
        self._reports, self._item = [], item
        known = self._known.pop(item.nodeid, None)
        self._is_known = known is not None
        if self._is_known:
            self._show(item, known)
            return True
        self._tell_shown()
        self._tell(begin=item.nodeid)
        self._own.begin(item)
        return None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep a report until the test is over."""
        self._reports.append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Report the result of a test."""
        if not self._is_known:
            config = self._own.config
            travelling = [_travelling(config, each) for each in self._reports]
            told, facts = _told(self._reports, may_say=not self._own.workbench.has_operand)
            if told is None and self._item is not None:
                told = self._skipped(self._item)
            self._tell(tested=[nodeid, told, facts, travelling])

    def _skipped(self, item: pytest.Item) -> list[Any] | None:
        """Return the result of a skipped test, None if it was not skipped for the submission."""
        is_expected = any(hasattr(each, "wasxfail") for each in self._reports)
        if not self._own.may_have_skipped(item, is_expected=is_expected):
            return None
        evidence = "\n".join(str(each.longrepr) for each in self._reports if each.skipped)
        title = first_sentence(getattr(item, "obj", None))
        most = most_points(item)
        return [str(Verdict.NOT_RUN), 0.0, most, _clipped(evidence), _clipped(title), "", None]

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

    def _tell_shown(self) -> None:
        """Report once that all known reports have been repeated."""
        if not self._has_shown:
            self._has_shown = True
            sys.stdout.flush()  # else the grader would take the rest for what follows
            self._tell(shown=True)


def _planned(item: pytest.Item) -> list[Any]:
    said, title = said_of(item), first_sentence(getattr(item, "obj", None))
    return [item.nodeid, most_points(item), title, said.number, said.is_hidden, said.instead]


def _counts(item: pytest.Item) -> bool:
    return not COUNTING.isdisjoint(getattr(item, "fixturenames", ()))


def _told(
    reports: list[pytest.TestReport], *, may_say: bool
) -> tuple[list[Any] | None, dict[str, Any]]:
    """Return the result of a test, None if it was skipped or expected to fail, and other facts.

    Class, text and line of an exception are included if the submission `may_say` anything.
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
    raised = facts.get("raised") if may_say else None
    told = [
        str(verdict),
        facts.get("points", 0.0),
        facts.get("max_points", 1.0),
        _clipped("\n".join(str(each.longreprtext) for each in failed)),
        _clipped(facts.get("title", "")),
        _clipped(facts.get("said", "")),
        None if not raised else _raised(**raised),
    ]
    return told, others


def _raised(
    *,
    type: str,
    said: str,
    is_own: bool,
    file: str,
    line: int,
    function: str,
) -> list[object]:
    function = function[:MAX_NAME_CHARS]
    return [type[:MAX_NAME_CHARS], _clipped(said), is_own, _clipped(file), line, function]


def _clipped(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else text[-MAX_TEXT_CHARS:]


def _travelling(config: pytest.Config, report: pytest.TestReport) -> dict[str, Any]:
    """Return a report as plain data, with captured output cut to its beginning."""
    told: dict[str, Any] = config.hook.pytest_report_to_serializable(config=config, report=report)
    told["sections"] = [
        (name, text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}\n[...]\n")
        for name, text in told["sections"]
    ]
    told["user_properties"] = []  # they are among the facts
    # Tests and plug-ins can put anything into a report.
    plain: dict[str, Any] = json.loads(json.dumps(told, default=str))
    return plain


def _report(config: pytest.Config, told: dict[str, Any]) -> pytest.TestReport:
    """Return the report in plain data; pytest needs tuples again, as for the place of a skip."""
    told = {
        key: tuple(each) if key in _TUPLES and type(each) is list else each
        for key, each in told.items()
    }
    report: pytest.TestReport = config.hook.pytest_report_from_serializable(
        config=config, data=told
    )
    return report
