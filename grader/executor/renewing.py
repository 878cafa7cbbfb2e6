"""Lets sessions of one submission run one after the other in one process, each as in a fresh one.

A fork costs as much as twenty short sessions, and many cases run in their own session. So the
interpreter is restored to its state before the submission was first imported: the state of modules,
and settings. If something cannot be restored, that is reported and the process ends: a class
permanently registered, a function that something still refers to, memory that was filled.
"""

from __future__ import annotations

import csv
import decimal
import gc
import importlib
import os
import signal
import sys
import time
import typing
from abc import get_cache_token
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import is_
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final, NamedTuple

from grader.executor.holdings import HeldDict, Holdings
from grader.executor.stdout import Stderr

if sys.platform == "linux":
    from resource import RUSAGE_SELF, getrusage

_SIGNALS: Final = tuple(sorted(map(int, signal.valid_signals())))
_MEMORY_DIVISOR: Final = 4
"""A session that used more than this fraction of the memory leaves too little for later ones."""
_CODE_TYPES: Final = frozenset({FunctionType, MethodType, ModuleType})
_COMPARABLE: Final = frozenset({int, float, bool, str, tuple, dict})
_collect: Final = gc.collect
_objects: Final = gc.get_objects
_environ: Final[dict[bytes, bytes]] = vars(os.environ).get("_data", {})
_putenv: Final = os.putenv
_unsetenv: Final = os.unsetenv
_set_zone: Final[Callable[[], None]] = getattr(time, "tzset", lambda: None)
_set_context: Final = decimal.setcontext
_usual_context: Final = decimal.DefaultContext


def _private(module: str, name: str) -> Any:
    """Return a private function or value of a module for which there is no public name."""
    return vars(importlib.import_module(module))[name]


_filters_changed: Final[Callable[[], None]] = _private("warnings", "_filters_mutated")
_registry: Final[Callable[[type], tuple[Any, ...]]] = _private("_abc", "_get_dump")
_signal_handler: Final[Callable[[int], object]] = _private("_signal", "getsignal")
_set_locale: Final[Callable[..., str]] = partial(
    _private("_locale", "setlocale"), _private("_locale", "LC_ALL")
)


class _Setting(NamedTuple):
    """A setting that is read and set by calls."""

    get: Callable[[], Any]
    put: Callable[[Any], object]
    before: Any

    def put_back(self) -> None:
        """Restore the value `before`, if the setting has changed."""
        current = self.get()
        # Objects of other types may be the submission's: their `__eq__` must not be called.
        if current is not self.before and (
            type(current) not in _COMPARABLE or current != self.before
        ):
            self.put(self.before)


def _settings() -> Iterator[_Setting]:
    """Yield all settings, with their current values."""
    calls: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
        (sys.getrecursionlimit, sys.setrecursionlimit),
        (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
        (sys.getswitchinterval, sys.setswitchinterval),
        (sys.gettrace, sys.settrace),
        (sys.getprofile, sys.setprofile),
        (gc.get_threshold, lambda before: gc.set_threshold(*before)),
        (gc.get_debug, gc.set_debug),
        (gc.isenabled, partial(_switch, gc.enable, gc.disable)),
        (csv.field_size_limit, csv.field_size_limit),
        (_set_locale, _set_locale),
    ]
    if (numpy := sys.modules.get("numpy")) is not None:
        random, set_errors, set_printing = numpy.random, numpy.seterr, numpy.set_printoptions
        calls += [
            (numpy.geterr, lambda before: set_errors(**before)),
            (numpy.geterrcall, numpy.seterrcall),
            (numpy.get_printoptions, lambda before: set_printing(**before)),
        ]
        yield _Setting(_read_nothing, random.set_state, random.get_state())
    for get, put in calls:
        yield _Setting(get, put, get())


def _read_nothing() -> None:
    """Return None, for a setting that takes longer to read than to set."""


def _switch(on: Callable[[], object], off: Callable[[], object], is_on: bool) -> None:
    (on if is_on else off)()


def _registration_counts(classes: Iterable[type]) -> list[int]:
    """Return how many classes are registered with each of the abstract `classes`."""
    return [len(_registry(each)[0]) for each in classes]


def _peak_kib() -> int:
    """Return the peak memory of this process in KiB; 0 where it is unknown."""
    return getrusage(RUSAGE_SELF).ru_maxrss if sys.platform == "linux" else 0


class Beginning:
    """The state of the interpreter before code of a submission ran in it."""

    def __init__(self) -> None:
        """Record the current state; this may be long before a submission runs, and before forks."""
        self._holdings: Final = Holdings()
        self._modules: Final = HeldDict.of(sys.modules)
        self._sys_names: Final = HeldDict.of(vars(sys))
        self._environment: Final = _environ.copy()
        self._settings: Final = [*_settings()]
        self._clear_caches: Final[tuple[Callable[[], None], ...]] = (*vars(typing)["_cleanups"],)
        self._cache_token = get_cache_token()
        self._registration_counts: Final = _registration_counts(self._holdings.abstract)
        self._signal_handlers: Final = [*map(_signal_handler, _SIGNALS)]
        self._counters_before: list[object] = []
        self._max_peak_kib = 0

    def start(self, memory_bytes: int) -> None:
        """Prepare for sessions with `memory_bytes` each; existing objects do not count."""
        gc.freeze()  # so that `gc.get_objects` returns only what sessions leave
        self._counters_before = self._counter_states()
        self._max_peak_kib = _peak_kib() + memory_bytes // _MEMORY_DIVISOR // 1024

    def put_back(self) -> str | None:
        """Undo the changes of the last session; return what cannot be undone, or None.

        Nothing may refer to that session any more. Its objects are collected, and anything that
        they print while being collected is dropped.
        """
        self._put_settings_back()
        for clear_cache in self._clear_caches:
            clear_cache()
        dropped = [*self._modules.put_back(), *self._sys_names.put_back()]
        sys.stdout = sys.stderr = Stderr()
        dropped.clear()
        _collect()
        if dropped := self._holdings.put_back():  # collecting objects may have changed something
            dropped.clear()
            _collect()
            if self._holdings.put_back():
                return "what changes when it goes"
        self._sys_names.put_back()
        self._put_settings_back()
        return self._remains()

    def _put_settings_back(self) -> None:
        for setting in self._settings:
            setting.put_back()
        _set_context(_usual_context)
        _filters_changed()
        self._put_environment_back()

    def _put_environment_back(self) -> None:
        current, saved = _environ, self._environment
        if not current and not saved:  # nearly always
            return
        for name in current:
            _unsetenv(name)  # of the C library; `os.environ` is put back with the modules
        for name, value in saved.items():
            _putenv(name, value)
        _set_zone()  # TZ may have been among them

    def _counter_states(self) -> list[object]:
        """Return the states of counters, which cannot be restored."""
        counters = map(repr, self._holdings.counters)
        return [repr(_usual_context), *counters]

    def _remains(self) -> str | None:
        """Return what is left of the last session, or None if nothing is left."""
        if self._counters_before != self._counter_states():
            return "what is counted"
        if self._cache_token != (token := get_cache_token()):  # changes with any registration
            self._cache_token = token
            if self._registration_counts != _registration_counts(self._holdings.abstract):
                return "a class that is registered"
        if not all(map(is_, map(_signal_handler, _SIGNALS), self._signal_handlers)):
            return "what answers to a signal"
        if _peak_kib() > self._max_peak_kib:
            return "memory"
        kinds = {*map(type, _objects())}
        if not kinds.isdisjoint(_CODE_TYPES) or any(issubclass(each, type) for each in kinds):
            return "code"
        return None
