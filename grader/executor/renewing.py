"""Restores the interpreter, so that sessions of one submission can share one process.

A fork costs as much as twenty short sessions, and many cases run in their own session. So between
sessions the interpreter is restored to its state before the submission was first imported: the
state of modules, and settings. If something cannot be restored, that is reported and the process
ends. Examples are a class that is registered permanently, a function that is still referred to, and
memory that was filled.
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

from grader.executor.module_states import ModuleStates, SavedDict
from grader.executor.stdout import Stderr

if sys.platform == "linux":
    from resource import RUSAGE_SELF, getrusage

_SIGNALS: Final = tuple(sorted(map(int, signal.valid_signals())))
_MEMORY_DIVISOR: Final = 4
"""A session that used more than its memory limit divided by this leaves too little for later
ones."""
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
    """Return the private function or value `name` of `module`, for which there is no public one."""
    return vars(importlib.import_module(module))[name]


_invalidate_warning_filters: Final[Callable[[], None]] = _private("warnings", "_filters_mutated")
_abc_state: Final[Callable[[type], tuple[Any, ...]]] = _private("_abc", "_get_dump")
_signal_handler: Final[Callable[[int], object]] = _private("_signal", "getsignal")
_set_locale: Final[Callable[..., str]] = partial(
    _private("_locale", "setlocale"), _private("_locale", "LC_ALL")
)


class _Setting(NamedTuple):
    """A setting of the interpreter that is read and changed by calling functions."""

    read: Callable[[], Any]
    write: Callable[[Any], object]
    initial: Any

    def restore(self) -> None:
        """Restore the value `initial` if the setting has changed."""
        current = self.read()
        # Other types might be classes of the submission, whose `__eq__` must not be called.
        if current is not self.initial and (
            type(current) not in _COMPARABLE or current != self.initial
        ):
            self.write(self.initial)


def _settings() -> Iterator[_Setting]:
    """Yield all settings that can be restored, each with its current value as `initial`."""
    accessors: list[tuple[Callable[[], Any], Callable[[Any], object]]] = [
        (sys.getrecursionlimit, sys.setrecursionlimit),
        (sys.get_int_max_str_digits, sys.set_int_max_str_digits),
        (sys.getswitchinterval, sys.setswitchinterval),
        (sys.gettrace, sys.settrace),
        (sys.getprofile, sys.setprofile),
        (gc.get_threshold, lambda initial: gc.set_threshold(*initial)),
        (gc.get_debug, gc.set_debug),
        (gc.isenabled, partial(_switch, gc.enable, gc.disable)),
        (csv.field_size_limit, csv.field_size_limit),
        (_set_locale, _set_locale),
    ]
    if (numpy := sys.modules.get("numpy")) is not None:
        random, set_errors, set_printing = numpy.random, numpy.seterr, numpy.set_printoptions
        accessors += [
            (numpy.geterr, lambda initial: set_errors(**initial)),
            (numpy.geterrcall, numpy.seterrcall),
            (numpy.get_printoptions, lambda initial: set_printing(**initial)),
        ]
        yield _Setting(_read_nothing, random.set_state, random.get_state())
    for read, write in accessors:
        yield _Setting(read, write, read())


def _read_nothing() -> None:
    """Return None as the current value of a setting that is slower to read than to restore."""


def _switch(on: Callable[[], object], off: Callable[[], object], is_on: bool) -> None:
    (on if is_on else off)()


def _registration_counts(classes: Iterable[type]) -> list[int]:
    """Return, for each of the abstract `classes`, how many classes are registered with it."""
    return [len(_abc_state(cls)[0]) for cls in classes]


def _peak_kib() -> int:
    """Return the peak memory of this process in KiB, or 0 if the system does not report it."""
    return getrusage(RUSAGE_SELF).ru_maxrss if sys.platform == "linux" else 0


class InitialState:
    """The state of the interpreter before code of a submission ran in it."""

    def __init__(self) -> None:
        """Record the current state, possibly long before a submission runs, and before forks."""
        self._module_states: Final = ModuleStates()
        self._modules: Final = SavedDict.record(sys.modules)
        self._sys_names: Final = SavedDict.record(vars(sys))
        self._environment: Final = _environ.copy()
        self._settings: Final = [*_settings()]
        self._clear_caches: Final[tuple[Callable[[], None], ...]] = (*vars(typing)["_cleanups"],)
        self._cache_token = get_cache_token()
        self._registration_counts: Final = _registration_counts(self._module_states.abstract)
        self._signal_handlers: Final = [*map(_signal_handler, _SIGNALS)]
        self._counters_before: list[object] = []
        self._max_peak_kib = 0

    def start(self, memory_bytes: int) -> None:
        """Prepare for sessions that can use `memory_bytes` each.

        Objects that already exist are not counted as remains of a session.
        """
        gc.freeze()  # so that `gc.get_objects` returns only later objects
        self._counters_before = self._counter_states()
        self._max_peak_kib = _peak_kib() + memory_bytes // _MEMORY_DIVISOR // 1024

    def restore(self) -> str | None:
        """Undo the changes of the last session; return a description of what remains, or None.

        The caller must have dropped all references to that session. Its objects are
        collected, and anything that they print while being collected is discarded.
        """
        self._restore_settings()
        for clear_cache in self._clear_caches:
            clear_cache()
        dropped = [*self._modules.restore(), *self._sys_names.restore()]
        sys.stdout = sys.stderr = Stderr()
        dropped.clear()
        _collect()
        # Only after the collection, because finalizers might have changed something.
        if dropped := self._module_states.restore():
            dropped.clear()
            _collect()
            if self._module_states.restore():
                return "changes made by finalizers"
        self._sys_names.restore()
        self._restore_settings()
        return self._find_remains()

    def _restore_settings(self) -> None:
        """Restore the settings, the decimal context and the environment.

        The warning filters are restored with the modules; this makes Python read them again.
        """
        for setting in self._settings:
            setting.restore()
        _set_context(_usual_context)
        _invalidate_warning_filters()
        self._restore_environment()

    def _restore_environment(self) -> None:
        """Restore the environment of the C library; that of `os` is restored with the modules."""
        current, saved = _environ, self._environment
        if not current and not saved:  # usual, as executors start with an empty environment
            return
        for name in current:
            _unsetenv(name)
        for name, value in saved.items():
            _putenv(name, value)
        _set_zone()  # the time zone might have been changed through TZ

    def _counter_states(self) -> list[object]:
        """Return the states of counters and of the default decimal context, for a comparison.

        These cannot be restored.
        """
        counters = map(repr, self._module_states.counters)
        return [repr(_usual_context), *counters]

    def _find_remains(self) -> str | None:
        """Return a description of what remains of the last session, or None if nothing does."""
        if self._counters_before != self._counter_states():
            return "counters"
        if self._cache_token != (token := get_cache_token()):  # any registration changes the token
            self._cache_token = token
            if self._registration_counts != _registration_counts(self._module_states.abstract):
                return "a registered class"
        if not all(map(is_, map(_signal_handler, _SIGNALS), self._signal_handlers)):
            return "a signal handler"
        if _peak_kib() > self._max_peak_kib:
            return "memory"
        # All objects that `start` froze are left out, so any code here is the submission's.
        kinds = {*map(type, _objects())}
        if not kinds.isdisjoint(_CODE_TYPES) or any(issubclass(kind, type) for kind in kinds):
            return "code"
        return None
