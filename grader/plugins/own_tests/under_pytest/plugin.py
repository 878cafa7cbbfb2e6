"""The pytest plug-in for tests of an instructor, which registers all others."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Generator, Mapping
from types import ModuleType
from typing import Any, Final

import pytest

from grader.intake.submissions import HandIn
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import CLOSED, NAMES, STEPS, RecordedSide
from grader.plugins.own_tests.under_pytest.own import OwnTests
from grader.plugins.own_tests.under_pytest.telling import Telling
from grader.sandbox.executor import Sandbox
from grader.values.foreign_text import for_log


class Recordings:
    """Adds the recorded steps of each test to its report."""

    def __init__(self, side: RecordedSide, settings: OwnSettings) -> None:
        """Take the steps from `side`, and set the folders of the tests there."""
        self._side: Final = side
        side.folders, side.is_only_module = tuple(settings.folders), len(settings.recorded) == 1

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        """Begin a session."""
        self._side.begin_session()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """End the session after the test itself; steps of a teardown are not recorded."""
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


def _skip_implicit_plugins(manager: pytest.PytestPluginManager) -> None:
    """Have pytest read `pytest_plugins` only from files that mention it."""
    consider = manager.consider_module

    def consider_mentioned(module: ModuleType) -> None:
        lines = linecache.getlines(getattr(module, "__file__", None) or "")
        if not lines or any("pytest_plugins" in line for line in lines):
            consider(module)

    vars(manager)["consider_module"] = consider_mentioned


class SubmissionPlugin:
    """Registers the submission, and the reporting of results, when pytest starts."""

    def __init__(
        self,
        settings: OwnSettings,
        hand_in: HandIn,
        sandbox: Sandbox,
        send: Callable[..., None],
        known: Mapping[str, Any],
    ) -> None:
        """Run the tests in `settings` on `hand_in`; see `OwnTests` and `Telling`."""
        self._settings: Final = settings
        self._hand_in: Final = hand_in
        self._sandbox: Final = sandbox
        self._send: Final = send
        self._known: Final = known

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> None:
        """Prepare the submission before any conftest.py, which may import it."""
        settings, manager = self._settings, early_config.pluginmanager
        own = OwnTests(settings, self._hand_in, self._sandbox, early_config, self._send)
        manager.register(own, "grader-own-tests")
        manager.register(own.reports, "grader-reports")
        manager.register(own.folders, "grader-folders")
        manager.register(own.display_names, "grader-called")
        if isinstance(own.workbench.side, RecordedSide):
            manager.register(Recordings(own.workbench.side, settings))
        manager.register(Telling(own, self._send, self._known), "grader-telling")
        _skip_implicit_plugins(manager)
        if settings.reach:
            # In place of `--confcutdir`, which takes one folder.
            vars(manager)["_is_in_confcutdir"] = settings.reads_conftest_of
        early_config.add_cleanup(own.close)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the marker `points`."""
        config.addinivalue_line("markers", "points(number): what a test is worth")

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Escape control characters in what pytest writes, as a submission chooses some of it."""
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            return
        writer = reporter._tw  # noqa: SLF001 - it has no public name
        write = writer.write

        def write_escaped(text: str, **how: Any) -> None:
            start = "\r" if text.startswith("\r") else ""  # pytest overwrites the line
            write(start + for_log(text.removeprefix("\r")), **how)

        writer.write = write_escaped
