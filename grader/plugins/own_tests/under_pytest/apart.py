"""Runs tests of an instructor in a process apart, which is ended where a test never ends.

Tests are collected here. A copy of this process runs them one by one, as it stands after that, and
what they are said to have come to is told to pytest here. Where the copy has to be ended, its test
fails, and a new copy goes on with the next one.
"""

from __future__ import annotations

import traceback
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from grader.plugins.own_tests.proxying.watched import (
    CAN_WATCH,
    Bounds,
    Message,
    ProcessEnded,
    Watched,
)
from grader.plugins.own_tests.under_pytest.own import OwnTests
from grader.suite.limits import Limits

_MEMORY_BYTES: Final = 1 << 30
_MOST_SHOWN: Final = 200_000
"""How many characters of a stream go with the report of a test."""
_TIMES: Final = 3
"""How often a test may take, by itself, the time that it gives to a submission."""


class Apart:
    """Has each test run in a copy of this process, or here where nobody may end it."""

    def __init__(self, own: OwnTests, config: pytest.Config, limits: Limits) -> None:
        """Give each test a few times what `limits` give to a submission."""
        self._own: Final = own
        self._bounds: Final = Bounds(
            cpu_s=_TIMES * limits.session_cpu_s,
            wall_s=_TIMES * limits.session_cpu_s + limits.session_wall_s,
            memory_bytes=_MEMORY_BYTES,
        )
        self._is_watched: Final = CAN_WATCH and not config.known_args_namespace.usepdb
        self._copy: Watched | None = None
        self._is_copy = False
        self._places: dict[int, int] = {}
        self._reports: list[pytest.TestReport] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> object:
        """Run a test, or have it run."""
        if self._is_watched and not self._is_copy:
            item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
            for report in self._reports_of(item, nextitem):
                item.ihook.pytest_runtest_logreport(report=report)
            item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
            return True
        self._own.begin(item)
        if self._is_copy:
            self._reports = runtestprotocol(item, log=False, nextitem=nextitem)
            return True
        return None

    def _reports_of(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> list[pytest.TestReport]:
        if self._copy is None:
            if (factory := getattr(item.config, "_tmp_path_factory", None)) is not None:
                factory.getbasetemp()  # which all copies are to have in common
            self._own.part()
            self._places = {id(each): place for place, each in enumerate(item.session.items)}
            self._copy = Watched(lambda message: self._served(item.session, message))
        asked = [self._places.get(id(each)) for each in (item, nextitem)]
        try:
            answer = self._copy.ask({"run": asked}, self._bounds)
        except KeyboardInterrupt:
            self._copy.end()  # it may not have noticed
            self._copy = None
            raise
        except ProcessEnded as ended:
            self._copy = None
            _forget_output(item.config)
            self._own.renew()
            return [self._own.reports.failed(item, ended.trouble)]
        if "exit" in answer:
            raise pytest.exit.Exception(*answer["exit"])
        if "broken" in answer:
            raise RuntimeError(answer["broken"])
        item.session.shouldstop = answer["stop"] or item.session.shouldstop
        return [_report(item.config, each) for each in answer["reports"]]

    def pytest_sessionfinish(self) -> None:
        """Tear down what tests still share, as nobody runs any more of them."""
        if self._copy is not None:
            try:
                self._copy.ask({"finish": True}, self._bounds)
            except ProcessEnded:
                return  # no test is left that this could be said of
            self._copy.end()
            self._copy = None

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_set_timer(self) -> object:
        """Have the clock of pytest-timeout run where the test does, and not here as well."""
        return None if self._is_copy or not self._is_watched else True

    # In the copy

    def _served(self, session: pytest.Session, message: Message) -> Message:
        self._is_copy = True
        try:
            if "run" not in message:
                session._setupstate.teardown_exact(None)  # noqa: SLF001 - as pytest itself does it
                return {}
            item, nextitem = (
                None if each is None else session.items[each] for each in message["run"]
            )
            hook = session.config.hook
            hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
            told = [
                hook.pytest_report_to_serializable(config=session.config, report=each)
                for each in self._reports
            ]
            for each in told:
                _clip_sections(each)
        except pytest.exit.Exception as left:
            return {"exit": [left.msg, left.returncode]}
        except Exception:  # noqa: BLE001 - it is told, and raised there
            return {"broken": traceback.format_exc()}
        return {"reports": told, "stop": session.shouldstop}


def _clip_sections(told: dict[str, Any]) -> None:
    """Shorten what was captured in a report that is to travel."""
    told["sections"] = [
        (name, text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}\n[...]\n")
        for name, text in told["sections"]
    ]


def _report(config: pytest.Config, told: dict[str, Any]) -> pytest.TestReport:
    """Return a report that has travelled; pytest tells by its type where a test was skipped."""
    told = {
        key: tuple(each) if key in _TUPLES and type(each) is list else each
        for key, each in told.items()
    }
    report: pytest.TestReport = config.hook.pytest_report_from_serializable(
        config=config, data=told
    )
    return report


_TUPLES: Final = frozenset({"longrepr", "location"})


def _forget_output(config: pytest.Config) -> None:
    """Leave nothing of what was printed by then to the next test, which would have to read it."""
    capture: Any = getattr(config.pluginmanager.getplugin("capturemanager"), "_global_capturing", 0)
    for name in ("out", "err"):
        file = getattr(getattr(capture, name, None), "tmpfile", None)
        if file is not None:
            file.seek(0)
            file.truncate()
