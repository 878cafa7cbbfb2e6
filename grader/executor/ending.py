"""Stands in for `atexit` and for threads, which run to completion as soon as they are started.

Python calls `atexit` handlers when the interpreter exits, but an executor continues with the next
session. And since its process is not allowed to create threads, a thread runs to completion within
the step that starts it: nothing keeps running after the step, and the thread's units count towards
it.
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from grader.executor.stdout import OutputLimitReached

_Call: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
_ident: Final = threading.get_ident  # bound now, because a submission could replace it
_start: Final = threading.Thread.start
_ACTIVE: Final[dict[int, threading.Thread]] = vars(threading)["_active"]
LIMITS: Final = (OutputLimitReached, MemoryError)
"""Exceptions that end a step, wherever they are raised."""


class AtExit:
    """Stands in for the functions of `atexit`."""

    def __init__(self) -> None:
        """Replace `register` and `unregister` of `atexit` with the methods below."""
        self._calls: Final[list[_Call]] = []
        vars(atexit).update(register=self.register, unregister=self.unregister)

    def register(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Stand in for `atexit.register`: store the call for `run`, and return `function`."""
        if not callable(function):
            raise TypeError("the first argument must be callable")
        self._calls.append((function, args, kwargs))
        return function

    def unregister(self, function: object, /) -> None:
        """Stand in for `atexit.unregister`: remove all stored calls of `function`."""
        # `!=` and not `is not`, because `atexit` compares by value, too.
        self._calls[:] = [call for call in self._calls if call[0] != function]

    def run(self) -> None:
        """Call and remove the registered functions, most recently registered first.

        An exception ends only the call that raised it, except for the `LIMITS`, which are
        re-raised.
        """
        # A copy, because a handler can register further calls, which wait for the next `run`.
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
    """Replace methods of `Thread`, so that a thread runs to completion in its `start`.

    The seccomp filter and RLIMIT_NPROC let this process create no threads.
    """
    for name, replacement in (("start", _run_at_once), ("join", _join), ("is_alive", _is_alive)):
        setattr(threading.Thread, name, replacement)


def _run_at_once(thread: threading.Thread) -> None:
    """Stand in for `Thread.start`: run `thread` to completion in the calling thread.

    Exceptions are handled as in `threading`, except for the `LIMITS`, which are re-raised. Raises
    `RuntimeError` for a timer and for a thread that was not initialised or has already started.
    """
    state, active = vars(thread), _ACTIVE
    # A timer must not run at once, because a program could cancel it before it is due.
    is_timer = isinstance(thread, threading.Timer)
    if is_timer or "_started" not in state or state["_started"].is_set():
        _start(thread)  # raises the same error as without this stand-in
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
    """Stand in for `Thread.join`, which never has to wait, because `start` ran the thread.

    Raises `RuntimeError` where `join` does: before the start, and within the thread itself.
    """
    del timeout
    if not vars(thread)["_started"].is_set():
        raise RuntimeError("cannot join thread before it is started")
    if thread is threading.current_thread():
        raise RuntimeError("cannot join current thread")


def _is_alive(thread: threading.Thread) -> bool:
    """Stand in for `Thread.is_alive`: a thread is alive only within its own `start`."""
    state = vars(thread)
    # Since Python 3.13, a thread has this attribute only after `_run_at_once`.
    return bool(state["_started"].is_set() and not state.get("_is_stopped"))
