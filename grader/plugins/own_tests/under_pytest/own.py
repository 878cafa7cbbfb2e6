"""Tests of an instructor as pytest runs them, with proxies in the place of a submission.

This module translates between pytest and `grader.plugins.own_tests.proxying`. pytest collects and
runs the tests as they are; each of them gets a fresh executor, unless something that
several share holds on to one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from _pytest.runner import pytest_make_collect_report as make_collect_report

from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy
from grader.plugins.own_tests.bridge.side import BridgeSide
from grader.plugins.own_tests.bridge.writing import know_numpy
from grader.plugins.own_tests.proxying.bypassing import watch_for
from grader.plugins.own_tests.proxying.finder import SubmissionFinder
from grader.plugins.own_tests.proxying.handed_in import (
    compares_by_id,
    imported_by,
    missing_of,
    modules_for,
    packages_of,
    program_of,
)
from grader.plugins.own_tests.proxying.link import HOST, Link
from grader.plugins.own_tests.proxying.own_settings import OwnSettings
from grader.plugins.own_tests.proxying.recorder import RecordedSide
from grader.plugins.own_tests.proxying.watched import unhurried
from grader.plugins.own_tests.proxying.workbench import Workbench
from grader.plugins.own_tests.pytest_plugin import SUBMISSION_VARIABLE
from grader.plugins.own_tests.under_pytest.folders import Folders
from grader.plugins.own_tests.under_pytest.patches import patched
from grader.plugins.own_tests.under_pytest.reports import UNSHOWN, Reports, is_of_tests
from grader.plugins.own_tests.under_pytest.submission import named_submission
from grader.sandbox.isolation import Isolation
from grader.sandbox.sandbox import new_sandbox

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
        self._packages: Final = packages_of(submission, files)
        if "numpy" in self._packages:
            know_numpy(import_module("numpy"))
        self._sandbox = new_sandbox(self._packages, hosts=[HOST])
        link = Link(self._sandbox, program_of(submission, self._packages), settings.limits)
        self.folders: Final = Folders()
        side = RecordedSide if settings.recorded else BridgeSide
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
        self.reports: Final = Reports(self.workbench, self._folders)
        self._held: Final[set[int]] = set()
        self._module: object = None
        sys.meta_path.insert(0, self.finder)
        self._patches: Final = patched(self.workbench, lambda: self.reports.is_calling)
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
            if is_of_tests(error, self._folders) or self.workbench.raised == before:
                raise
            said = UNSHOWN
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
        self.reports.begin()
        self.folders.begin(item)
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
