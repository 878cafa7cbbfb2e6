"""Patches functions while tests run: to detect a call, to refuse it, or to forward it.

One `pytest.MonkeyPatch` makes all patches and undoes them.
"""

from __future__ import annotations

import doctest
import gc
import inspect
import typing
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import pytest

from grader.plugins.own_tests.bridge.proxies import is_mirror, is_proxy, look_up_on_proxies
from grader.plugins.own_tests.bridge.wire import Uncrossable
from grader.plugins.own_tests.proxying.workbench import Workbench

_FORWARDED_OPTIONS: Final = frozenset({"include_extras", "eval_str", "follow_wrapped"})
"""Keyword arguments that can be forwarded."""
_FORWARDED_FUNCTIONS: Final = (
    (inspect, "signature"),
    (typing, "get_type_hints"),
    (typing, "get_origin"),
    (typing, "get_args"),
)


def patch_for_proxies(workbench: Workbench, is_calling: Callable[[], bool]) -> pytest.MonkeyPatch:
    """Patch functions that tests call on the submission's objects; return what undoes the patches.

    Calls are reported to `workbench`, or forwarded by it.

    `is_calling` returns whether a test itself is running, rather than a fixture.
    """
    patches = pytest.MonkeyPatch()
    _patch_output_reads(patches, workbench.printed.report_truncation)
    _patch_doctest(patches, workbench.record_refusal)
    for module, name in _FORWARDED_FUNCTIONS:
        _forward_to_submission(patches, module, name, workbench.side.request)
    look_up_on_proxies(patches.setattr)
    _patch_garbage_collection(patches, workbench.settle, is_calling)
    return patches


def _patch_output_reads(patches: pytest.MonkeyPatch, before_read: Callable[[], None]) -> None:
    """Call `before_read` before captured output is read from a fixture such as `capsys`."""
    read = pytest.CaptureFixture.readouterr

    def readouterr(self: Any) -> object:
        before_read()
        return read(self)

    patches.setattr(pytest.CaptureFixture, "readouterr", readouterr)


def _patch_doctest(patches: pytest.MonkeyPatch, refuse: Callable[[Uncrossable], None]) -> None:
    """Prevent doctest from looking for examples in objects of a submission.

    Such a search raises `Uncrossable`, after `refuse` has recorded the refusal.
    """
    find = doctest.DocTestFinder.find

    def guarded_find(self: Any, obj: Any, *args: Any, **kwargs: Any) -> object:
        """Find the examples in `obj`, or raise `Uncrossable` if it belongs to the submission."""
        if is_proxy(obj) or (isinstance(obj, type) and is_mirror(obj)):
            error = Uncrossable(
                "a test searches the submission for doctest examples, which would run in the"
                " tests' process; write the examples into a test file, such as session.txt"
            )
            refuse(error)
            raise error
        return find(self, obj, *args, **kwargs)

    patches.setattr(doctest.DocTestFinder, "find", guarded_find)


def _forward_to_submission(
    patches: pytest.MonkeyPatch, module: Any, name: str, request: Any
) -> None:
    """Patch a function: if its argument is a proxy, `request` runs it in the submission's process.

    In this process, the function might evaluate the submission's annotations as code.
    """
    function = getattr(module, name)

    @wraps(function)
    def forwarded(*args: Any, **kwargs: Any) -> Any:
        """Call the function here, or in the submission's process if its argument is a proxy."""
        options = dict(kwargs)
        # `inspect` calls its first parameter `obj`, `typing` calls it `tp`.
        value = args[0] if args else options.pop("obj", options.pop("tp", None))
        is_class = isinstance(value, type) and is_mirror(value)
        if (
            len(args) < 2
            and options.keys() <= _FORWARDED_OPTIONS
            and (is_class or (is_proxy(value) and module is typing))
        ):
            return request("inquire", module.__name__, name, value, options)
        return function(*args, **kwargs)

    patches.setattr(module, name, forwarded)


def _patch_garbage_collection(
    patches: pytest.MonkeyPatch, settle: Callable[[], None], may_release: Callable[[], bool]
) -> None:
    """Let `gc.collect` also collect the objects that `settle` releases, if `may_release` permits.

    The tables of one side keep an object while the other side uses it, until a message from the
    other side reports that it no longer uses the object. A test that calls `gc.collect` expects the
    effect immediately.
    """
    collect = gc.collect

    @wraps(collect)
    def collect_and_release(generation: int = 2) -> int:
        count = collect(generation)
        if not may_release():
            return count
        settle()
        return count + collect(generation)

    patches.setattr(gc, "collect", collect_and_release)
