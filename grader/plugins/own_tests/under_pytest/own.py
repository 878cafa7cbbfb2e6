"""Connects pytest to `grader.plugins.own_tests.proxying`, which gives tests proxies to import.

pytest collects and runs the tests unmodified; each gets a fresh executor, unless a fixture that
several tests share uses the submission.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

import pytest
from _pytest.runner import pytest_make_collect_report as make_collect_report

from grader.intake.submissions import HandIn
from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy
from grader.plugins.own_tests.bridge.side import BridgeSide
from grader.plugins.own_tests.bridge.writing import support_numpy
from grader.plugins.own_tests.proxying.borrowed import BorrowedSandbox
from grader.plugins.own_tests.proxying.bypassing import watch_for
from grader.plugins.own_tests.proxying.conditions import conditions_depend_on, skips_depend_on
from grader.plugins.own_tests.proxying.evaluating import EvaluationGuard
from grader.plugins.own_tests.proxying.finder import SubmissionFinder
from grader.plugins.own_tests.proxying.handed_in import (
    compares_by_id,
    missing_modules,
    modules_for,
    modules_imported_by,
    modules_replaced_in,
    packages_of,
    program_of,
    submission_of,
)
from grader.plugins.own_tests.proxying.link import Link
from grader.plugins.own_tests.proxying.own_settings import CONFTEST, OwnSettings
from grader.plugins.own_tests.proxying.recorder import RecordedSide
from grader.plugins.own_tests.proxying.workbench import Workbench
from grader.plugins.own_tests.under_pytest.called import DisplayNames
from grader.plugins.own_tests.under_pytest.folders import SharedFolders
from grader.plugins.own_tests.under_pytest.patches import patch_for_proxies
from grader.plugins.own_tests.under_pytest.reports import UNSHOWN, Reports, passed_through
from grader.sandbox.executor import Sandbox

_CONDITIONS: Final = frozenset({"skipif", "xfail"})
_Wrapper: TypeAlias = Generator[None, object, object]


class OwnTests:
    """The pytest plug-in that runs tests on a submission."""

    def __init__(
        self,
        settings: OwnSettings,
        hand_in: HandIn,
        sandbox: Sandbox,
        config: pytest.Config,
        send: Callable[..., None],
    ) -> None:
        """Run `hand_in` in executors of `sandbox`; report points with `send`."""
        self.config: Final = config
        files = settings.files
        submission = submission_of(hand_in, files)
        self._folders: Final = tuple(settings.folders)
        self._fresh: Final = settings.fresh
        packages = packages_of(submission, files)
        if "numpy" in packages:
            support_numpy(import_module("numpy"))
        link = Link(sandbox, program_of(submission, packages), settings.limits)
        self.folders: Final = SharedFolders()
        side = RecordedSide if settings.recorded else BridgeSide
        self.workbench: Final = Workbench(
            link, submission.modules, self._folders, self.folders.shared, side
        )
        self.workbench.has_threads = "threading" in modules_imported_by(files)
        if compares_by_id(files):
            self.workbench.side.tables.keep_recent()
        modules = modules_for(submission, files)
        self.finder: Final = SubmissionFinder(
            self.workbench,
            modules,
            missing_modules(submission, files),
            settings.unfit,
            settings.was_handed_in,
        )
        self.finder.clashes.update(modules_replaced_in(submission, files))
        self.reports: Final = Reports(self.workbench, self._folders, send)
        self._requests_before = 0
        self._fixtures_in_use: Final[set[int]] = set()
        self._module: object = None
        sys.meta_path.insert(0, self.finder)  # it asks the others itself
        self._patches: Final = patch_for_proxies(self.workbench, lambda: self.reports.is_calling)
        self._evaluating: Final = EvaluationGuard(
            self._folders, files, lambda: self.workbench.in_test and not self.workbench.is_reporting
        )
        self.display_names: Final = DisplayNames(files, self._evaluating.is_in_test_files)
        watch_for(
            modules,
            self.folders.shared,
            self.workbench.record_refusal,
            self._evaluating,
            is_walled=isinstance(sandbox, BorrowedSandbox),
        )

    def close(self) -> None:
        """Undo all patches, and end the executors."""
        sys.meta_path.remove(self.finder)
        self._patches.undo()
        self.workbench.link.end()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> _Wrapper:
        """Collect tests, which may import the submission, and keep the state after it."""
        result = yield
        if not self.finder.has_imported:
            name, place = next(iter(self.finder.clashes.items()))
            raise pytest.UsageError(
                f"the tests import {name} from {place}, and nothing of the submission: give the"
                " module of the exercise a name that nothing else has"
            )
        self.workbench.keep()
        self.finder.keep()
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Collect a file again without the submission if the submission raises."""
        previous = self.workbench.failures
        try:
            report = yield
            reason = report.longreprtext.strip().rpartition("\n")[2] if report.failed else None
        except Exception as error:
            if passed_through(error, self._folders) or self.workbench.failures == previous:
                raise
            reason = UNSHOWN
        if (
            reason is None
            or self.workbench.failures == previous
            or type(collector) is not pytest.Module
        ):
            return report
        self.workbench.recover()
        with self.finder.without_submission(reason):
            return make_collect_report(
                pytest.Module.from_parent(collector.parent, path=collector.path)
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_pycollect_makeitem(self, obj: object) -> _Wrapper:
        """Collect no object of a submission as a test."""
        result = yield
        return [] if is_proxy(obj) or (isinstance(obj, type) and is_mirror(obj)) else result

    def begin(self, item: pytest.Item) -> None:
        """Prepare a test, and restart the submission if the test needs that."""
        self.reports.begin(item)
        self._replace_string_conditions(item)
        self.folders.begin(item)
        self.workbench.printed.begin()
        if self._needs_restart(item):
            self._fixtures_in_use.clear()
            self.finder.restart()
            self.workbench.restart()
        else:
            self.workbench.link.restart_clock()
        self._requests_before = self.workbench.messages_sent

    def _replace_string_conditions(self, item: pytest.Item) -> None:
        """Replace string conditions of `item` from elsewhere: pytest would `eval` them."""
        for node in item.listchain():
            node.own_markers[:] = map(self._evaluated_mark, node.own_markers)

    def _evaluated_mark(self, mark: pytest.Mark) -> pytest.Mark:
        conditions = (*mark.args, mark.kwargs.get("condition"))
        texts = [each for each in conditions if isinstance(each, str)]
        if mark.name not in _CONDITIONS or all(map(self._evaluating.is_in_test_files, texts)):
            return mark
        args = tuple(bool(each) if isinstance(each, str) else each for each in mark.args)
        kwargs = {"reason": "", **mark.kwargs}
        if isinstance(kwargs.get("condition"), str):
            kwargs["condition"] = bool(kwargs["condition"])
        new_mark: pytest.Mark = getattr(pytest.mark, mark.name)(*args, **kwargs).mark
        return new_mark

    def may_have_skipped(self, item: pytest.Item, *, is_expected: bool) -> bool:
        """Return whether `item` may have been skipped, or expected to fail, by the submission.

        With `is_expected` it was expected to fail. Otherwise any test that has sent the submission
        a request may have been skipped for the reply.
        """
        marks = {each.name for each in item.iter_markers()}
        modules = frozenset(self.finder.names)
        own_marks = _marks_in_file(item)
        if "skip" in own_marks:
            return False
        if marks & _CONDITIONS and conditions_depend_on(str(item.path), modules):
            return True
        is_by_hook = not own_marks & _CONDITIONS
        if is_by_hook and any(skips_depend_on(path, modules) for path in self._conftests()):
            return True
        if "skip" in marks:
            return False
        return not is_expected and self.workbench.messages_sent > self._requests_before

    def _conftests(self) -> Iterator[str]:
        plugins = self.config.pluginmanager.get_plugins()
        files = (vars(each).get("__file__") for each in plugins if type(each) is ModuleType)
        return (each for each in files if each and Path(each).name == CONFTEST)

    def _needs_restart(self, item: pytest.Item) -> bool:
        module = item.getparent(pytest.Module)
        previous, self._module = self._module, module
        if not self.workbench.link.has_begun:
            return True
        if self._fresh == "test":
            return not self._fixtures_in_use
        return self._fresh == "module" and previous is not module

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> _Wrapper:
        """Note a shared fixture that uses the submission: its tests share one executor."""
        previous = self.workbench.messages_sent
        result = yield
        if fixturedef.scope != "function" and self.workbench.messages_sent > previous:
            self._fixtures_in_use.add(id(fixturedef))
        return result

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Note that a fixture is gone."""
        self._fixtures_in_use.discard(id(fixturedef))  # another fixture may get its id


def _marks_in_file(item: pytest.Item) -> set[str]:
    """Return the names of the marks of a test that its file sets, and no hook."""
    owners = (getattr(item, name, None) for name in ("obj", "cls", "module"))
    marks = (getattr(each, "pytestmark", ()) for each in owners)
    lists = (each if isinstance(each, list | tuple) else [each] for each in marks)
    return {getattr(each, "name", "") for each in chain(*lists)}
