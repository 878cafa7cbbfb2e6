"""Stands in for `atexit` and for threads, which run to their end when they are started.

Python calls `atexit` handlers when the interpreter ends, but an executor goes on with the next
session. And as its process may not create threads, a thread runs at once in the step that starts
it: nothing goes on after a step, and its units are counted there.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from grader.executor.stdout import OutputLimitReached

_Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
_ident: Final = threading.get_ident
_start: Final = threading.Thread.start
_ACTIVE: Final[dict[int, threading.Thread]] = vars(threading)["_active"]
LIMITS: Final = (OutputLimitReached, MemoryError)
"""Exceptions that end a step, wherever they are raised."""


class AtExit:
    """Stands in for the functions of `atexit`."""

    def __init__(self) -> None:
        """Replace the functions of `atexit`."""
        self._calls: Final[list[_Call]] = []
        vars(atexit).update(register=self.register, unregister=self.unregister)

    def register(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Stand in for `atexit.register`: keep the call for `run`."""
        if not callable(function):
            raise TypeError("the first argument must be callable")
        self._calls.append((function, args, kwargs))
        return function

    def unregister(self, function: object, /) -> None:
        """Stand in for `atexit.unregister`."""
        # Compared with `==`, as in `atexit`.
        self._calls[:] = [each for each in self._calls if each[0] != function]

    def run(self) -> None:
        """Call the registered functions, last one first; an exception ends only its own call."""
        calls = self._calls.copy()
        self._calls.clear()
        while calls:
            function, args, kwargs = calls.pop()
            try:
                function(*args, **kwargs)
            except LIMITS:
                raise
            except BaseException:
                sys.excepthook(*sys.exc_info())

    def clear(self) -> None:
        """Forget the registered functions."""
        self._calls.clear()


def run_threads_at_once() -> None:
    """Make threads run when they are started, as this process may not create any."""
    for name, replacement in (("start", _run_at_once), ("join", _join), ("is_alive", _is_alive)):
        setattr(threading.Thread, name, replacement)


def _run_at_once(thread: threading.Thread) -> None:
    """Stand in for `Thread.start`: run `thread` to its end."""
    state, active = vars(thread), _ACTIVE
    is_timer = isinstance(thread, threading.Timer)  # it must not run at once: it can be cancelled
    if is_timer or "_started" not in state or state["_started"].is_set():
        _start(thread)  # raises the usual error
    previous, state["_ident"] = active.get(_ident()), _ident()
    state["_started"].set()
    active[_ident()] = thread
    try:
        thread.run()
    except LIMITS:
        raise
    except SystemExit:  # as in `threading`, it ends only the thread
        pass
    except Exception:
        state["_invoke_excepthook"](thread)
    finally:
        state["_is_stopped"] = True
        del active[_ident()]
        if previous is not None:
            active[_ident()] = previous


def _join(thread: threading.Thread, timeout: float | None = None) -> None:
    """Stand in for `Thread.join`: the thread has always ended already."""
    del timeout
    if not vars(thread)["_started"].is_set():
        raise RuntimeError("cannot join thread before it is started")
    if thread is threading.current_thread():
        raise RuntimeError("cannot join current thread")


def _is_alive(thread: threading.Thread) -> bool:
    """Stand in for `Thread.is_alive`: a thread is alive only within its own `start`."""
    state = vars(thread)
    return bool(state["_started"].is_set() and not state["_is_stopped"])
