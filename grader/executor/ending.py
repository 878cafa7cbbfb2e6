"""What a program has to be done at its end, and threads, of which each has ended when it began.

Python does what `atexit` has been given when it ends itself, which an executor does not: it serves
the sessions that follow. And a process that may make no thread runs what one would do at once, in
the step that started it: nothing goes on behind a step, and its units are counted with it.
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
"""What ends a step, whoever raises it."""


class AtExit:
    """Stands in for the functions of `atexit`."""

    def __init__(self) -> None:
        """Take their places."""
        self._calls: Final[list[_Call]] = []
        vars(atexit).update(register=self.register, unregister=self.unregister)

    def register(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        """Have `function` called at the end."""
        if not callable(function):
            raise TypeError("the first argument must be callable")
        self._calls.append((function, given, named))
        return function

    def unregister(self, function: object, /) -> None:
        """Have it called no more."""
        self._calls[:] = [each for each in self._calls if each[0] != function]

    def run(self) -> None:
        """Call what was registered, the last one first; what one of them raises ends only it."""
        calls = self._calls.copy()
        self._calls.clear()
        while calls:
            function, given, named = calls.pop()
            try:
                function(*given, **named)
            except LIMITS:
                raise
            except BaseException:
                sys.excepthook(*sys.exc_info())

    def clear(self) -> None:
        """Forget what was registered."""
        self._calls.clear()


def run_threads_at_once() -> None:
    """Have threads run where they start, in this process, which may make none."""
    for name, ours in (("start", _run_here), ("join", _join), ("is_alive", _is_alive)):
        setattr(threading.Thread, name, ours)


def _run_here(thread: threading.Thread) -> None:
    """Stand in for `Thread.start`."""
    state, active = vars(thread), _ACTIVE
    is_timer = isinstance(thread, threading.Timer)  # one may be cancelled before its time
    if is_timer or "_started" not in state or state["_started"].is_set():
        _start(thread)  # raises what there is to raise
    before, state["_ident"] = active.get(_ident()), _ident()
    state["_started"].set()
    active[_ident()] = thread
    try:
        thread.run()
    except LIMITS:
        raise
    except SystemExit:
        pass
    except Exception:
        state["_invoke_excepthook"](thread)
    finally:
        state["_is_stopped"] = True
        del active[_ident()]
        if before is not None:
            active[_ident()] = before


def _join(thread: threading.Thread, timeout: float | None = None) -> None:
    """Stand in for `Thread.join`: it has ended."""
    del timeout
    if not vars(thread)["_started"].is_set():
        raise RuntimeError("cannot join thread before it is started")
    if thread is threading.current_thread():
        raise RuntimeError("cannot join current thread")


def _is_alive(thread: threading.Thread) -> bool:
    """Stand in for `Thread.is_alive`: it is while it runs."""
    state = vars(thread)
    return bool(state["_started"].is_set() and not state["_is_stopped"])
