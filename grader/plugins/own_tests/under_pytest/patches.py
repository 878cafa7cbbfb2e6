"""Functions that are patched while tests run: to notice a use, to refuse it, or to forward it.

One `pytest.MonkeyPatch` makes all patches, and undoes them.
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

_OPTIONS: Final = frozenset({"include_extras", "eval_str", "follow_wrapped"})
_FORWARDED_FUNCTIONS: Final = (
    (inspect, "signature"),
    (typing, "get_type_hints"),
    (typing, "get_origin"),
    (typing, "get_args"),
)


def patch_for_proxies(workbench: Workbench, is_calling: Callable[[], bool]) -> pytest.MonkeyPatch:
    """Patch functions that tests call on objects of `workbench`; return what undoes the patches.

    `is_calling` says whether a test is running, rather than a fixture.
    """
    patches = pytest.MonkeyPatch()
    _notice_output_reads(patches, workbench.printed.report_truncation)
    _guard_examples(patches, workbench.record_refusal)
    for module, name in _FORWARDED_FUNCTIONS:
        _forward_to_submission(patches, module, name, workbench.side.request)
    look_up_on_proxies(patches.setattr)
    _release_on_collect(patches, workbench.settle, is_calling)
    return patches


def _notice_output_reads(patches: pytest.MonkeyPatch, notice: Callable[[], None]) -> None:
    """Call `notice` whenever a fixture such as `capsys` is read."""
    read = pytest.CaptureFixture.readouterr

    def readouterr(self: Any) -> object:
        notice()
        return read(self)

    patches.setattr(pytest.CaptureFixture, "readouterr", readouterr)


def _guard_examples(patches: pytest.MonkeyPatch, refuse: Callable[[Uncrossable], None]) -> None:
    """Have doctest refuse to look for examples in objects of a submission."""
    find = doctest.DocTestFinder.find

    def guarded_find(self: Any, obj: Any, *about: Any, **named: Any) -> object:
        if is_proxy(obj) or (isinstance(obj, type) and is_mirror(obj)):
            error = Uncrossable(
                "a test runs examples that a submission has written, and they would run among the"
                " tests; write them into a file of the tests, such as session.txt"
            )
            refuse(error)
            raise error
        return find(self, obj, *about, **named)

    patches.setattr(doctest.DocTestFinder, "find", guarded_find)


def _forward_to_submission(patches: pytest.MonkeyPatch, module: Any, name: str, ask: Any) -> None:
    """Forward a function to the submission's process, by `request`, if its argument is a proxy.

    Otherwise annotations, for one, would be evaluated here.
    """
    function = getattr(module, name)

    @wraps(function)
    def forwarded(*about: Any, **named: Any) -> Any:
        options = dict(named)
        # `inspect` calls its first parameter `obj`, `typing` calls it `tp`.
        value = about[0] if about else options.pop("obj", options.pop("tp", None))
        is_class = isinstance(value, type) and is_mirror(value)
        if (
            len(about) < 2
            and options.keys() <= _OPTIONS
            and (is_class or (is_proxy(value) and module is typing))
        ):
            return ask("inquire", module.__name__, name, value, options)
        return function(*about, **named)

    patches.setattr(module, name, forwarded)


def _release_on_collect(
    patches: pytest.MonkeyPatch, settle: Callable[[], None], may_release: Callable[[], bool]
) -> None:
    """Have `gc.collect` also collect the objects that `settle` releases, if `may_release` permits.

    The tables of one side keep objects that the other side uses, until the next message says that
    it no longer does. A test that calls `gc.collect` expects the effect at once.
    """
    collect = gc.collect

    @wraps(collect)
    def collect_and_release(generation: int = 2) -> int:
        found = collect(generation)
        if not may_release():
            return found
        settle()
        return found + collect(generation)

    patches.setattr(gc, "collect", collect_and_release)
