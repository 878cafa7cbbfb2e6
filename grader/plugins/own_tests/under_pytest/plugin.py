"""The pytest plug-in for an instructor's tests, which registers all others."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Generator, Mapping
from types import ModuleType
from typing import Any, Final

import pytest

from grader.intake.submissions import HandIn
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import (
    END_REASON,
    RECORDED_STEPS,
    USED_NAMES,
    RecordedSide,
)
from grader.plugins.own_tests.under_pytest.own_tests import OwnTests
from grader.plugins.own_tests.under_pytest.result_reporter import ResultReporter
from grader.sandbox.executor import Sandbox
from grader.values.foreign_text import log_safe


class Recordings:
    """Adds the recorded steps of each test to its report."""

    def __init__(self, side: RecordedSide, settings: OwnSettings) -> None:
        """Read the steps from `side`, and tell it the folders of the tests."""
        self._side: Final = side
        side.folders, side.has_single_module = tuple(settings.folders), len(settings.recorded) == 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin a test's session, before its fixtures are set up, so that it has their steps."""
        self._side.begin_session()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Add the steps to the report of the test's call, and close the session.

        Steps of a teardown are not recorded.
        """
        session = self._side.session
        if call.when == "call":
            facts = [
                (RECORDED_STEPS, session.steps()),
                (USED_NAMES, sorted(session.names)),
                (END_REASON, session.end_reason),
            ]
            session.close("the test is over")
        report = yield
        if call.when == "call":
            report.user_properties += facts
        return report


def _ignore_implicit_plugins(manager: pytest.PytestPluginManager) -> None:
    """Have pytest read the variable `pytest_plugins` only from files that mention it.

    Other modules, such as proxies, can have an attribute of that name, and pytest would import the
    modules that it lists. A module whose source is not known is read as usual.
    """
    consider = manager.consider_module

    def consider_mentioned(module: ModuleType) -> None:
        lines = linecache.getlines(getattr(module, "__file__", None) or "")
        if not lines or any("pytest_plugins" in line for line in lines):
            consider(module)

    vars(manager)["consider_module"] = consider_mentioned


class SubmissionPlugin:
    """Registers the plug-ins that import the submission and report results when pytest starts."""

    def __init__(
        self,
        settings: OwnSettings,
        hand_in: HandIn,
        sandbox: Sandbox,
        send: Callable[..., None],
        known_reports: Mapping[str, Any],
    ) -> None:
        """Run the tests in `settings` on `hand_in`; see `OwnTests` and `ResultReporter`."""
        self._settings: Final = settings
        self._hand_in: Final = hand_in
        self._sandbox: Final = sandbox
        self._send: Final = send
        self._known_reports: Final = known_reports

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        """Prepare the submission before any conftest.py is loaded, as that file may import it."""
        settings, manager = self._settings, early_config.pluginmanager
        own_tests = OwnTests(settings, self._hand_in, self._sandbox, early_config, self._send)
        manager.register(own_tests, "grader-own-tests")
        manager.register(own_tests.reports, "grader-reports")
        manager.register(own_tests.folders, "grader-folders")
        manager.register(own_tests.display_names, "grader-called")
        if isinstance(own_tests.workbench.side, RecordedSide):
            manager.register(Recordings(own_tests.workbench.side, settings))
        manager.register(
            ResultReporter(own_tests, self._send, self._known_reports), "grader-telling"
        )
        _ignore_implicit_plugins(manager)
        if settings.reach:
            # A patch instead of `--confcutdir`, because that option accepts only one folder.
            vars(manager)["_is_in_confcutdir"] = settings.reads_conftest_of
        early_config.add_cleanup(own_tests.close)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the marker `points`, as pytest warns of unknown markers."""
        config.addinivalue_line("markers", "points(number): the maximum points of a test")

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Escape control characters in pytest's output, as the submission chooses some of it."""
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        writer = reporter._tw  # noqa: SLF001 - the writer has no public name
        write = writer.write

        def write_escaped(text: str, **options: Any) -> None:
            start = "\r" if text.startswith("\r") else ""  # pytest uses it to overwrite the line
            write(start + log_safe(text.removeprefix("\r")), **options)

        writer.write = write_escaped
