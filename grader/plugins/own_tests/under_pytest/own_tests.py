"""Connects pytest to `grader.plugins.own_tests.proxying`, so that tests import proxies.

pytest collects and runs the tests unmodified. By default, each test gets a fresh executor, except
that tests share one if they share a fixture that uses the submission.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
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
from grader.plugins.own_tests.proxying.bypassing import install_audit_hook
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
from grader.plugins.own_tests.under_pytest.display_names import DisplayNames
from grader.plugins.own_tests.under_pytest.folders import SharedFolders
from grader.plugins.own_tests.under_pytest.patches import patch_for_proxies
from grader.plugins.own_tests.under_pytest.reports import CANNOT_BE_SHOWN, Reports, passes_through
from grader.sandbox.executor import Sandbox

_CONDITIONAL_MARKS: Final = frozenset({"skipif", "xfail"})
_Wrapper: TypeAlias = Generator[None, object, object]


class OwnTests:
    """The pytest plug-in that runs an instructor's tests on a submission."""

    def __init__(
        self,
        settings: OwnSettings,
        hand_in: HandIn,
        sandbox: Sandbox,
        config: pytest.Config,
        send: Callable[..., None],
    ) -> None:
        """Run `hand_in` in executors of `sandbox`.

        `send` is called to report the points that tests count. Patches this process until `close`
        is called. Only the audit hooks stay, as Python cannot remove them.
        """
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
        _prepare_for_tests(self.workbench, files)
        modules = modules_for(submission, files)
        missing = missing_modules(submission, files)
        self.finder: Final = SubmissionFinder(
            self.workbench, modules, missing, settings.unfit, settings.was_handed_in
        )
        self.finder.clashes.update(modules_replaced_in(submission, files))
        self.reports: Final = Reports(self.workbench, self._folders, send)
        self._messages_before = 0
        self._shared_fixtures_in_use: Final[set[int]] = set()
        self._module: object = None
        sys.meta_path.insert(0, self.finder)  # first, as it calls the other finders itself
        self._patches: Final = patch_for_proxies(self.workbench, lambda: self.reports.is_calling)
        self._evaluation_guard: Final = EvaluationGuard(
            self._folders, files, lambda: self.workbench.in_test and not self.workbench.is_reporting
        )
        self.display_names: Final = DisplayNames(files, self._evaluation_guard.is_in_test_files)
        install_audit_hook(
            modules,
            self.folders.shared,
            self.workbench.record_refusal,
            self._evaluation_guard,
            is_walled=isinstance(sandbox, BorrowedSandbox),
        )

    def close(self) -> None:
        """Undo all patches, and stop the executors."""
        sys.meta_path.remove(self.finder)
        self._patches.undo()
        self.workbench.link.end()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> _Wrapper:
        """Collect tests, which may import the submission, and store the state afterwards.

        Raises `pytest.UsageError` if the tests have imported nothing from the submission, but
        modules of their own with the same names.
        """
        result = yield
        if not self.finder.has_imported:
            name, path = next(iter(self.finder.clashes.items()))
            raise pytest.UsageError(
                f"the tests import {name} from {path}, and nothing from the submission: give the"
                " module of the exercise a unique name"
            )
        self.workbench.keep()
        self.finder.keep()
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Collect a file again without the submission if the submission makes collection fail.

        Exceptions that the submission did not cause are raised as usual.
        """
        failures_before = self.workbench.failures
        try:
            report = yield
            reason = report.longreprtext.strip().rpartition("\n")[2] if report.failed else None
        except Exception as error:
            if passes_through(error, self._folders) or self.workbench.failures == failures_before:
                raise
            reason = CANNOT_BE_SHOWN
        if (
            reason is None
            or self.workbench.failures == failures_before
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
        """Do not collect objects of a submission as tests."""
        result = yield
        return [] if is_proxy(obj) or (isinstance(obj, type) and is_mirror(obj)) else result

    def begin(self, item: pytest.Item) -> None:
        """Prepare a test, and restart the submission if the test needs that."""
        self.reports.begin(item)
        self._replace_string_conditions(item)
        self.folders.begin(item)
        self.workbench.printed.begin()
        if self._needs_restart(item):
            self._shared_fixtures_in_use.clear()
            self.finder.restart()
            self.workbench.restart()
        else:
            self.workbench.link.restart_clock()
        self._messages_before = self.workbench.messages_sent

    def _replace_string_conditions(self, item: pytest.Item) -> None:
        """Replace string conditions in the marks of `item` that do not occur in the test files.

        pytest would evaluate them as code, but they might come from the submission.
        """
        for node in item.listchain():
            node.own_markers[:] = map(self._with_plain_conditions, node.own_markers)

    def _with_plain_conditions(self, mark: pytest.Mark) -> pytest.Mark:
        """Return `mark`, but without string conditions that are not in the test files.

        Each such condition is replaced with its truth value.
        """
        conditions = (*mark.args, mark.kwargs.get("condition"))
        if mark.name not in _CONDITIONAL_MARKS or not any(map(self._is_foreign_text, conditions)):
            return mark
        args = tuple(bool(arg) if self._is_foreign_text(arg) else arg for arg in mark.args)
        kwargs = {"reason": "", **mark.kwargs}
        if self._is_foreign_text(kwargs.get("condition")):
            kwargs["condition"] = bool(kwargs["condition"])
        new_mark: pytest.Mark = getattr(pytest.mark, mark.name)(*args, **kwargs).mark
        return new_mark

    def _is_foreign_text(self, condition: object) -> bool:
        """Return whether `condition` is a string that does not occur in the test files."""
        return isinstance(condition, str) and not self._evaluation_guard.is_in_test_files(condition)

    def submission_may_have_skipped(self, item: pytest.Item, *, is_expected_failure: bool) -> bool:
        """Return whether the submission might be the reason why `item` was not run as usual.

        With `is_expected_failure`, the test was expected to fail. Otherwise it was skipped. A test
        that has sent a request to the submission might have been skipped because of the reply.
        """
        marks = {mark.name for mark in item.iter_markers()}
        modules = frozenset(self.finder.names)
        file_marks = _marks_set_in_file(item)
        if "skip" in file_marks:
            return False
        if marks & _CONDITIONAL_MARKS and conditions_depend_on(str(item.path), modules):
            return True
        # A hook in a `conftest.py` can add marks that are not in the file of the test.
        is_by_hook = not file_marks & _CONDITIONAL_MARKS
        if is_by_hook and any(skips_depend_on(path, modules) for path in self._conftests()):
            return True
        if "skip" in marks:
            return False
        return not is_expected_failure and self.workbench.messages_sent > self._messages_before

    def _conftests(self) -> Iterator[str]:
        """Yield the paths of the `conftest.py` files that pytest has loaded."""
        plugins = self.config.pluginmanager.get_plugins()
        files = (vars(plugin).get("__file__") for plugin in plugins if type(plugin) is ModuleType)
        return (file for file in files if file and Path(file).name == CONFTEST)

    def _needs_restart(self, item: pytest.Item) -> bool:
        """Return whether a test needs a fresh process for the submission.

        Also stores the test's module, to be compared at the next call.
        """
        module = item.getparent(pytest.Module)
        previous, self._module = self._module, module
        if not self.workbench.link.has_begun:
            return True
        if self._fresh == "test":  # a restart would lose the objects of shared fixtures
            return not self._shared_fixtures_in_use
        return self._fresh == "module" and previous is not module

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> _Wrapper:
        """Record a fixture that several tests share and that uses the submission.

        Those tests then share one executor.
        """
        messages_before = self.workbench.messages_sent
        result = yield
        if fixturedef.scope != "function" and self.workbench.messages_sent > messages_before:
            self._shared_fixtures_in_use.add(id(fixturedef))
        return result

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[Any]) -> None:
        """Forget a fixture that has been torn down."""
        self._shared_fixtures_in_use.discard(id(fixturedef))  # another fixture can get the same id


def _prepare_for_tests(workbench: Workbench, files: Sequence[Path]) -> None:
    """Prepare `workbench` for tests in `files` that use threads, or that compare objects by id."""
    workbench.has_threads = "threading" in modules_imported_by(files)
    if compares_by_id(files):
        workbench.side.tables.keep_recent()


def _marks_set_in_file(item: pytest.Item) -> set[str]:
    """Return the names of those marks of a test that its own file sets, rather than a hook."""
    owners = (getattr(item, name, None) for name in ("obj", "cls", "module"))
    marks = (getattr(owner, "pytestmark", ()) for owner in owners)
    lists = (value if isinstance(value, list | tuple) else [value] for value in marks)
    return {getattr(mark, "name", "") for mark in chain(*lists)}
