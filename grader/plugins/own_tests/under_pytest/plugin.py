"""The way in for pytest to tests of an instructor: has all that they need take part in the run."""

from __future__ import annotations

import linecache
import os
from collections.abc import Generator
from types import ModuleType
from typing import Any, Final

import pytest

from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import CLOSED, NAMES, STEPS, RecordedSide
from grader.plugins.own_tests.under_pytest.apart import Apart
from grader.plugins.own_tests.under_pytest.own import OWN_TESTS, OwnTests
from grader.plugins.own_tests.under_pytest.submission import named_settings
from grader.values.foreign_text import for_log


class Recordings:
    """Adds to the report of each test what it has done."""

    def __init__(self, side: RecordedSide, settings: OwnSettings) -> None:
        """Listen at `side` to what tests ask."""
        self._side: Final = side
        side.folders, side.is_alone = tuple(settings.folders), len(settings.recorded) == 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin a session."""
        self._side.begin_session()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """End it with the test; what is torn down belongs to no test."""
        session = self._side.session
        if call.when == "call":
            facts = [
                (STEPS, session.steps()), (NAMES, sorted(session.names)), (CLOSED, session.closed)
            ]  # fmt: skip
            session.close("it is over")
        report = yield
        if call.when == "call":
            report.user_properties += facts
        return report


def _consider_what_is_said(manager: pytest.PytestPluginManager) -> None:
    """Have pytest take plugins from files that name some, and not from what they import."""
    consider = manager.consider_module

    def consider_said(module: ModuleType) -> None:
        lines = linecache.getlines(getattr(module, "__file__", None) or "")
        if not lines or any("pytest_plugins" in line for line in lines):
            consider(module)

    vars(manager)["consider_module"] = consider_said


def pytest_sessionstart(session: pytest.Session) -> None:
    """Escape what a submission printed, or called itself, where pytest writes it."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    writer = reporter._tw  # noqa: SLF001 - there is no other way to it
    write = writer.write

    def write_escaped(text: str, **how: Any) -> None:
        start = "\r" if text.startswith("\r") else ""  # the line is written anew
        write(start + for_log(text.removeprefix("\r")), **how)

    writer.write = write_escaped


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Get the submission, which a conftest.py may import."""
    is_spread = getattr(early_config.known_args_namespace, "numprocesses", None)
    if is_spread and "PYTEST_XDIST_WORKER" not in os.environ:
        return  # its workers come here as well
    settings = named_settings()
    manager, own = early_config.pluginmanager, OwnTests(settings)
    manager.register(own, OWN_TESTS)
    manager.register(own.reports, "grader-reports")
    manager.register(own.folders, "grader-folders")
    if isinstance(own.workbench.side, RecordedSide):
        manager.register(Recordings(own.workbench.side, settings))
    manager.register(Apart(own, early_config, settings.limits), "grader-apart")
    _consider_what_is_said(manager)
    if settings.reach:
        vars(manager)["_is_in_confcutdir"] = settings.reads_conftest_of
    early_config.add_cleanup(own.close)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker for points."""
    config.addinivalue_line("markers", "points(number): what a test is worth")
