"""Tests of an instructor as pytest runs them, with proxies in the place of a submission.

This module translates between pytest and `grader.plugins.own_tests.proxying`. pytest collects and
runs the tests as they are; each of them gets a fresh executor, unless something that
several share holds on to one.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Generator
from doctest import DocTestFailure
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any, Final, TypeAlias

import pytest
from _pytest.runner import pytest_make_collect_report as make_collect_report

from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy
from grader.plugins.own_tests.bridge.side import Side
from grader.plugins.own_tests.bridge.writing import know_numpy
from grader.plugins.own_tests.proxying.bypassing import watch_for
from grader.plugins.own_tests.proxying.finder import SubmissionFinder, reason_of
from grader.plugins.own_tests.proxying.handed_in import (
    compares_by_id,
    imported_by,
    missing_of,
    modules_for,
    packages_of,
    program_of,
)
from grader.plugins.own_tests.proxying.link import HOST, STRAYED, Link, Trouble
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import RecordedSide
from grader.plugins.own_tests.proxying.watched import unhurried
from grader.plugins.own_tests.proxying.workbench import Workbench, lack_of
from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE
from grader.plugins.own_tests.under_pytest.apart import Apart
from grader.plugins.own_tests.under_pytest.folders import Folders
from grader.plugins.own_tests.under_pytest.patches import patched
from grader.plugins.own_tests.under_pytest.recordings import Recordings
from grader.plugins.own_tests.under_pytest.said import FACTS, facts_of, swallowed
from grader.plugins.own_tests.under_pytest.score import (
    IS_COUNTED,
    MAX_SCORE,
    SCORE,
    Score,
    new_board,
)
from grader.plugins.own_tests.under_pytest.submission import named_settings, named_submission
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import new_sandbox
from grader.values.display import for_log
from grader.verdict import Verdict

OWN_TESTS: Final = "grader-own-tests"
"""What pytest calls the one that has tests meet a submission."""
_Wrapper: TypeAlias = Generator[None, object, object]


class OwnTests:
    """Has tests meet a submission."""

    def __init__(self, settings: OwnSettings) -> None:
        """Read the submission, and get ready to start executors for it."""
        files, submission = settings.files, named_submission(settings)
        self._folders: Final = tuple(settings.folders)
        self._fresh: Final = settings.fresh
        self.limits: Final = settings.limits
        self._packages: Final = packages_of(submission, files)
        if "numpy" in self._packages:
            know_numpy(import_module("numpy"))
        self._sandbox = new_sandbox(self._packages, hosts=[HOST])
        link = Link(self._sandbox, program_of(submission, self._packages), self.limits)
        self.folders: Final = Folders()
        side = RecordedSide if settings.recorded else Side
        self.workbench: Final = Workbench(
            link, submission.modules, self._folders, self.folders.shared, side
        )
        self.workbench.has_threads = "threading" in imported_by(files)
        if compares_by_id(files):
            self.workbench.side.tables.hold()
        modules = modules_for(submission, files)
        self.finder: Final = SubmissionFinder(
            self.workbench,
            modules,
            missing_of(submission, files),
            settings.unfit,
            settings.was_handed_in,
        )
        self.isolation: Isolation | None = None
        """What held the submission, once tests are collected."""
        self._board: Final = new_board()
        self._held: Final[set[int]] = set()
        self._module: object = None
        self._is_calling = False
        self._failed_within: list[pytest.TestReport] = []
        sys.meta_path.insert(0, self.finder)
        self._patches: Final = patched(self.workbench, lambda: self._is_calling)
        watch_for(
            modules,
            Path(os.environ[SUBMISSION_VARIABLE]),
            self.folders.shared,
            self.workbench.refused,
            self._folders,
        )

    def close(self) -> None:
        """End whatever runs."""
        sys.meta_path.remove(self.finder)
        self._patches.undo()
        self.workbench.link.end()
        self._sandbox.close()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> _Wrapper:
        """Collect with the submission within reach, and remember what was done with it."""
        result = yield
        unhurried()
        self.isolation = self._sandbox.isolation  # copies of this process must not wait for it
        self.workbench.keep()
        self.finder.keep()
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Know the tests of a file, too, in which the submission raises before any of them runs."""
        before = self.workbench.raised
        try:
            report = yield
            said = report.longreprtext.strip().rpartition("\n")[2] if report.failed else None
        except Exception as error:
            if self._is_of_tests(error) or self.workbench.raised == before:
                raise
            said = _UNSHOWN
        if said is None or self.workbench.raised == before or type(collector) is not pytest.Module:
            return report
        self.workbench.recover()
        with self.finder.without_submission(said):
            return make_collect_report(
                pytest.Module.from_parent(collector.parent, path=collector.path)
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_pycollect_makeitem(self, obj: object) -> _Wrapper:
        """Take nothing of a submission for a test."""
        result = yield
        return [] if is_proxy(obj) or (isinstance(obj, type) and is_mirror(obj)) else result

    def begin(self, item: pytest.Item) -> None:
        """Give a test a submission of its own."""
        self._board[:] = [0, 0, 0]
        self.folders.begin(item)
        self.workbench.troubles.clear()
        self.workbench.last_raised = None
        self.workbench.printed.begin()
        if self._wants_fresh(item):
            self._held.clear()
            self.finder.begin_anew()
            self.workbench.begin_anew()
        else:
            self.workbench.link.allow_time()

    def part(self) -> None:
        """End what tests were collected with, unless it is to serve all of them."""
        if self._fresh != "session":
            self.workbench.link.end()

    def renew(self) -> None:
        """Leave the sandbox, to which somebody may have been talking when it was ended."""
        self.workbench.link.end()
        self._sandbox.close()
        self._sandbox = new_sandbox(self._packages, hosts=[HOST])
        self.workbench.link.move_to(self._sandbox)

    def _wants_fresh(self, item: pytest.Item) -> bool:
        module = item.getparent(pytest.Module)
        before, self._module = self._module, module
        if not self.workbench.link.has_begun:
            return True
        if self._fresh == "test":
            return not self._held
        return self._fresh == "module" and before is not module

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> _Wrapper:
        """Notice what several tests share: then they share a submission as well."""
        before = self.workbench.asked
        result = yield
        if fixturedef.scope != "function" and self.workbench.asked > before:
            self._held.add(id(fixturedef))
        return result

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Notice that nobody shares it any more."""
        self._held.discard(id(fixturedef))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> _Wrapper:
        """Know a report that is made meanwhile for one of a subtest."""
        self._is_calling = True
        self._failed_within.clear()
        try:
            return (yield)
        finally:
            self._is_calling = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let no test pass that met trouble, whatever it made of that itself."""
        self.workbench.is_reporting = True
        try:
            report = yield
            recorded = [each for each in report.user_properties if each[0] not in FACTS]
            report.user_properties[:] = recorded
            report.user_properties += facts_of(item, call, report)
        except Exception as error:
            if self._is_of_tests(error):
                raise
            met = Trouble(verdict=Verdict.ERROR, said=_UNSHOWN, evidence=type(error).__name__)
            report = self.failed(item, met)
            if self._is_calling:
                self._failed_within.append(report)
            return report
        finally:
            self.workbench.is_reporting = False
        if self._is_calling:
            if report.outcome == "failed":
                report.user_properties.append(("verdict", _verdict_of(call).value))
                self._failed_within.append(report)
            return report
        if call.when == "call":
            self._judge(item, call, report)
        self._note_troubles(call, report)
        if call.when == "call" or report.outcome == "failed":
            self._count(item, report)
        return report

    def _judge(
        self, item: pytest.Item, call: pytest.CallInfo[None], report: pytest.TestReport
    ) -> None:
        """Say what it means that a test has ended as it did."""
        if self.workbench.link.has_strayed:
            self.workbench.troubles.append(STRAYED)
        if (reason := _absent(item)) is not None:
            said = f"the submission could not be imported: {reason!r}"
            met = Trouble(verdict=Verdict.SKIPPED, said=said, evidence="import")
            self.workbench.troubles.append(lack_of(reason) or met)
            report.user_properties += swallowed(reason)
        elif report.outcome == "failed":
            report.user_properties.append(("verdict", _verdict_of(call).value))
        elif report.outcome == "passed" and self._failed_within:
            first = self._failed_within[0]  # pytest itself would only count them
            report.outcome, report.longrepr = "failed", first.longrepr
            report.user_properties += first.user_properties

    def _note_troubles(self, call: pytest.CallInfo[None], report: pytest.TestReport) -> None:
        """Have what the submission brought about come before whatever the test made of it."""
        if self.workbench.troubles:
            met = self.workbench.troubles[0]
            if report.outcome != "failed" or call.when == "call":
                report.outcome = "failed"
                report.longrepr = _told(met)
            report.user_properties.append(("verdict", met.verdict.value))
            self.workbench.troubles.clear()

    def failed(self, item: pytest.Item, met: Trouble) -> pytest.TestReport:
        """Return the report of a test that came to nothing."""
        report = pytest.TestReport(
            item.nodeid,
            item.location,
            dict.fromkeys(item.keywords, 1),
            "failed",
            _told(met),
            "call",
        )
        report.user_properties.append(("verdict", met.verdict.value))
        self._count(item, report)
        return report

    def _is_of_tests(self, error: BaseException) -> bool:
        """Return whether something beside the tests has raised `error`, such as a conftest.py."""
        files = (Path(frame.f_code.co_filename) for frame, _ in walk_tb(error.__traceback__))
        return any(file.is_relative_to(folder) for file in files for folder in self._folders)

    def _count(self, item: pytest.Item, report: pytest.TestReport) -> None:
        """Note the points of a test; one that counts has passed when nothing is missing."""
        if not self._board[IS_COUNTED]:
            most = _most_points(item)
            points = most if report.outcome == "passed" else 0.0
        else:
            points, most = self._board[SCORE], self._board[MAX_SCORE]
            points = 0.0 if _absent(item) is not None else points
            if report.outcome == "passed" and not 0 < points == most:
                report.outcome = "failed"  # also where it broke off before it counted anything
                report.longrepr = f"{points:g} of {most:g} points"
                report.user_properties.append(("verdict", Verdict.WRONG.value))
                report.user_properties += swallowed(self.workbench.last_raised)
        report.user_properties.append(("points", float(points)))
        report.user_properties.append(("max_points", float(most)))

    @pytest.fixture
    def score(self) -> Score:
        """What a test has earned."""
        return Score(self._board, SCORE)

    @pytest.fixture
    def max_score(self) -> Score:
        """What a test can earn."""
        return Score(self._board, MAX_SCORE)


_WRONG: Final = (AssertionError, DocTestFailure, pytest.fail.Exception)
"""What ends a test that has got something else than it expects."""
_UNSHOWN: Final = "how the test failed cannot be shown"


def _verdict_of(call: pytest.CallInfo[None]) -> Verdict:
    """Return the verdict on a test, or a subtest, that has failed without any trouble."""
    is_wrong = call.excinfo is not None and call.excinfo.errisinstance(_WRONG)
    return Verdict.WRONG if is_wrong else Verdict.ERROR


def _told(met: Trouble) -> str:
    return f"{met.verdict}: {met.said} ({met.evidence})"


def _absent(item: pytest.Item) -> BaseException | None:
    """Return why a module that the file of a test imports is not there, None where all are."""
    names = vars(getattr(item, "module", None) or object).values()
    return next((reason_of(each) for each in names if reason_of(each) is not None), None)


def _consider_what_is_said(manager: pytest.PytestPluginManager) -> None:
    """Have pytest take plugins from files that name some, and not from what they import."""
    consider = manager.consider_module

    def consider_said(module: ModuleType) -> None:
        lines = linecache.getlines(getattr(module, "__file__", None) or "")
        if not lines or any("pytest_plugins" in line for line in lines):
            consider(module)

    vars(manager)["consider_module"] = consider_said


def _most_points(item: pytest.Item) -> float:
    marker = item.get_closest_marker("points")
    return float(marker.args[0]) if marker is not None and marker.args else 1.0


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
    own = OwnTests(settings)
    early_config.pluginmanager.register(own, OWN_TESTS)
    early_config.pluginmanager.register(own.folders, "grader-folders")
    if isinstance(own.workbench.side, RecordedSide):
        early_config.pluginmanager.register(Recordings(own.workbench.side, settings))
    apart = Apart(own, early_config, own.limits)
    early_config.pluginmanager.register(apart, "grader-apart")
    _consider_what_is_said(early_config.pluginmanager)
    if settings.reach:
        vars(early_config.pluginmanager)["_is_in_confcutdir"] = settings.reads_conftest_of
    early_config.add_cleanup(own.close)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker for points."""
    config.addinivalue_line("markers", "points(number): what a test is worth")
