"""Pins what would differ from run to run: the random seed, entropy, the clock and the date.

All of it depends on one seed, the `PYTHONHASHSEED` that the interpreter was started with. With the
same seed a session gets the same order of sets of strings, the same numbers from `random`, the same
bytes from `os.urandom` and everything that uses it, and a clock that starts at the same time. With
another seed all of these differ, which exposes programs that depend on them.

Only the start of the clock is pinned. It runs at its usual speed, since a program might wait for
it. But `time.sleep` puts the clocks forward and returns at once, so that sleeping takes no time;
the total is counted and limited. Time zone and locale come from the environment in which the judge
starts interpreters.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import gc
import os
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

SEED_VARIABLE: Final = "PYTHONHASHSEED"
START_S: Final = 1_772_442_000
"""The time at which the clock starts with seed 0: Monday 2 March 2026, 9:00 UTC."""
SEED_STEP_S: Final = 100 * 86_400 + 11_231
"""How much later the clock starts with each higher seed. Date, hour, minute and second all
change."""
_NS: Final = 1_000_000_000
_NS_PER_MS: Final = 1_000_000
_LONGEST_NAP_NS: Final = 2**63 - 1
"""The longest sleep that `time.sleep` accepts; for a longer one it raises its usual error."""
_ENTROPY_BITS: Final = 256
_real_time_ns: Final = time.time_ns
_seed_with: Final = random.Random.seed


def seed_at_start() -> int:
    """Return the seed that this interpreter was started with, or 0 if hashing is random."""
    seed = os.environ.get(SEED_VARIABLE, "")
    return int(seed) if seed.isdecimal() else 0


class Naps:
    """Counts the time that a submission sleeps, and puts the clocks forward instead of waiting."""

    def __init__(self) -> None:
        """Let `time.sleep` really sleep until `limit` is called."""
        self.real = True
        """Whether `time.sleep` really sleeps, as it must while a host works with the submission."""
        self.total_ns = 0
        """How much the clocks have been put forward."""
        self._step_end_ns = self._step_limit_ns = 0
        self._session_end_ns = 0
        self._on_limit: Callable[[], object] = _do_nothing

    def limit(self, step_ms: int, session_ms: int, on_limit: Callable[[], object]) -> None:
        """Stop `time.sleep` from really sleeping; limit how long a step or the session sleeps.

        `on_limit` is called once a step has slept for `step_ms`, or the session for `session_ms`.
        """
        self.real = False
        self._step_limit_ns = step_ms * _NS_PER_MS
        self._session_end_ns = self.total_ns + session_ms * _NS_PER_MS
        self._on_limit = on_limit

    def drop_limits(self) -> None:
        """Stop calling `on_limit`."""
        self._on_limit = _do_nothing

    def begin_step(self) -> None:
        """Begin to count the sleep of the next step."""
        self._step_end_ns = self.total_ns + self._step_limit_ns

    def add(self, nap_ns: int) -> None:
        """Put the clocks forward by `nap_ns`, and call `on_limit` if a limit is reached."""
        self.total_ns += nap_ns
        if self.total_ns >= min(self._step_end_ns, self._session_end_ns):
            self._on_limit()


def _do_nothing() -> None:
    """Do nothing, in place of a callback."""


class Pins:
    """The pins of this process: set once, before any fork, and reset for each session."""

    def __init__(self, seed: int) -> None:
        """Pin everything to `seed`: replace functions of `os`, `random`, `time` and `datetime`."""
        self._seed: Final = seed
        self._entropy: Final = random.Random(seed)  # noqa: S311 - there is no secret to keep
        self._shared: Final[random.Random] = vars(random)["_inst"]
        """The generator behind the functions of `random`."""
        self._ahead_ns = 0
        """How far the pinned clock is ahead of the real one, without naps."""
        self.naps: Final = Naps()
        self._pin_entropy()
        self._pin_clock()
        self._pin_sleep()
        self._pin_calendar()

    def start_session(self, now_s: int | None = None) -> None:
        """Reset the clock, and the generators of randomness and entropy, for a session.

        The clock starts at `now_s`, in seconds since 1970, if the exercise sets it.
        """
        for generator in (self._entropy, self._shared):
            _seed_with(generator, self._seed)
        start_s = START_S + self._seed * SEED_STEP_S if now_s is None else now_s
        self._ahead_ns = start_s * _NS - _real_time_ns()
        self.naps.total_ns = 0

    def show_real_time(self) -> None:
        """Make the clock show the real time, and `time.sleep` really sleep."""
        self._ahead_ns = 0
        self.naps.real = True

    def _pin_entropy(self) -> None:
        """Replace `os.urandom` and `os.getrandom`, and make seeding without a value repeatable."""
        entropy = self._entropy

        def urandom(size: int, /) -> bytes:
            return entropy.randbytes(size)

        def getrandom(size: int, flags: int = 0) -> bytes:
            return entropy.randbytes(size)

        def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
            _seed_with(self, entropy.getrandbits(_ENTROPY_BITS) if a is None else a, version)

        _replace_functions(os, urandom, getrandom)
        # `random` bound the real functions when it was imported.
        vars(random)["_urandom"] = urandom
        setattr(random.Random, "seed", seed)  # noqa: B010 - mypy forbids the assignment
        vars(random)["seed"] = vars(random)["_inst"].seed

    def _pin_clock(self) -> None:
        """Replace the functions of `time` that read the time of day or format the current time."""
        real = dict(vars(time))
        cpu_clocks = {real.get(f"CLOCK_{name}_CPUTIME_ID") for name in ("PROCESS", "THREAD")}

        def time_ns() -> int:
            return _real_time_ns() + self._ahead_ns + self.naps.total_ns

        def now() -> float:
            return time_ns() / _NS

        def clock_gettime(clock: int, /) -> float:
            return clock_gettime_ns(clock) / _NS

        def clock_gettime_ns(clock: int, /) -> int:
            if clock == real["CLOCK_REALTIME"]:
                return time_ns()
            naps_ns = 0 if clock in cpu_clocks else self.naps.total_ns  # sleep takes no CPU time
            return int(real["clock_gettime_ns"](clock)) + naps_ns

        now.__name__ = "time"
        _replace_functions(time, now, time_ns, clock_gettime, clock_gettime_ns)
        _replace_functions(
            time,
            *(_with_default_now(real[name], now) for name in ("localtime", "gmtime", "ctime")),
        )
        _replace_functions(time, _with_default_now(real["asctime"], time.localtime))
        _replace_functions(time, _with_default_now(real["strftime"], time.localtime, position=1))

    def _pin_sleep(self) -> None:
        """Replace `time.sleep`, and the clocks of `time` that must include time slept."""
        naps, real = self.naps, dict(vars(time))
        real_sleep: Callable[[Any], None] = real["sleep"]

        def sleep(seconds: Any, /) -> None:
            nap_ns = -1
            if not naps.real and isinstance(seconds, int | float):
                with suppress(ValueError, OverflowError):
                    nap_ns = int(seconds * _NS)
            if 0 <= nap_ns <= _LONGEST_NAP_NS:
                naps.add(nap_ns)
            else:  # also for invalid arguments, which raise the usual errors
                real_sleep(seconds)

        def monotonic_ns() -> int:
            return int(real["monotonic_ns"]()) + naps.total_ns

        def monotonic() -> float:
            return monotonic_ns() / _NS

        def perf_counter_ns() -> int:
            return int(real["perf_counter_ns"]()) + naps.total_ns

        def perf_counter() -> float:
            return perf_counter_ns() / _NS

        _replace_functions(time, sleep, monotonic, monotonic_ns, perf_counter, perf_counter_ns)

    def _pin_calendar(self) -> None:
        """Make `datetime.now` and `utcnow` read the pinned clock.

        `date.today` needs no change, as it calls `time.time`. The C class itself is changed,
        because a subclass would be visible in returned values.
        """
        time_now = time.time

        def now(cls: Any, tz: dt.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(time_now(), tz)

        def utcnow(cls: Any) -> Any:
            return cls.fromtimestamp(time_now(), dt.UTC).replace(tzinfo=None)

        # `vars` of a C class is a read-only proxy; the collector gives access to the dictionary.
        (namespace,) = gc.get_referents(vars(dt.datetime))
        namespace.update(now=classmethod(now), utcnow=classmethod(utcnow))
        ctypes.pythonapi.PyType_Modified(ctypes.py_object(dt.datetime))  # drops its method cache


def _with_default_now(
    original: Callable[..., Any], now: Callable[[], object], *, position: int = 0
) -> Callable[..., Any]:
    """Wrap `original` so that the argument at `position`, if missing or None, is `now()`."""

    def function(*args: Any) -> Any:
        # `is None`, because an argument can be unhashable, or compare in a way of its own.
        if all(argument is None for argument in args[position:]) and len(args) <= position + 1:
            args = (*args[:position], now())
        return original(*args)

    function.__name__ = original.__name__
    return function


def _replace_functions(module: Any, *functions: Any) -> None:
    """Replace the functions of `module` with those in `functions` that have the same name.

    The replacements are changed to look as if `module` defined them. A function that `module` lacks
    on this platform is not added.
    """
    for function in functions:
        if hasattr(module, function.__name__):
            function.__module__, function.__qualname__ = module.__name__, function.__name__
            setattr(module, function.__name__, function)
