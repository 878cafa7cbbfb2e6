"""How long another process has computed, or waited to, read from outside as each system tells it.

Where a clock of a system differs from what we know of our own process, it is not believed, and
there is none: a clock that stands still would let a program go on for ever, and one that is fast
would end right ones.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from enum import Enum
from functools import cache
from pathlib import Path
from subprocess import Popen
from typing import Final, Protocol, TypeAlias

Clock: TypeAlias = Callable[[int], float]
"""Returns the CPU seconds of a process: by its number, on Windows by a handle of it.

Raises `OSError` for one that is not there any more.
"""

_TRUE_WITHIN_S: Final = 0.05
"""The ticks of Windows, of 16 ms, and what passes between two readings."""
_TRUE_WITHIN: Final = 0.1
_TICK_S: Final = 1e-7
"""What Windows counts in."""


def clock_id(pid: int) -> int:
    """Return the number by which Linux knows the CPU clock of process `pid`."""
    return (~pid << 3) | 2


def waited_s(pid: int) -> float | None:
    """Return how long the main thread of process `pid` was ready to run while others did.

    None where nobody is told; 0 of a process that has gone.
    """
    try:
        told = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii")
        return int(told.split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0 if _waiting_is_told() else None


@cache
def _waiting_is_told() -> bool:
    return Path("/proc/self/schedstat").exists()  # not by every kernel


_thread_time: Final[Callable[[], float]] = getattr(time, "thread_time", time.process_time)
"""Where nobody tells threads apart, as in a browser, there is one."""


def busy_s() -> float:
    """Return how long this thread has computed, or waited for a processor while others did."""
    try:
        told = Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()
        return (int(told[0]) + int(told[1])) / 1e9
    except (OSError, IndexError, ValueError):
        return _thread_time()


def believed(clock: Clock, own: int) -> bool:
    """Return whether `clock` tells of process `own`, which is ours, what we know of it."""
    try:
        told, known_s = clock(own), time.process_time()
    except (OSError, AttributeError):  # no such function in this version of the system
        return False
    return abs(told - known_s) <= max(_TRUE_WITHIN_S, _TRUE_WITHIN * known_s)


def key(process: Popen[bytes]) -> int:
    """Return what a clock knows `process` by."""
    # Popen keeps the handle for as long as it lives: the number may be that of another process.
    return int(vars(process)["_handle"]) if sys.platform == "win32" else process.pid


@cache
def system_clock() -> Clock | None:
    """Return the clock of this system, None where it has none that can be believed."""
    own = -1 if sys.platform == "win32" else os.getpid()  # Windows calls each process so itself
    return _clock if believed(_clock, own) else None


_LEAST_PATIENCE_S: Final = 0.001
_UNMEASURED_PATIENCE: Final = 10
_LATE_S: Final = 1.0
_LEAST_UNMEASURED_S: Final = 1.0
"""What a step may take at least where the clock on the wall stands in for its CPU time."""


class Measured(Protocol):
    """A process of which it can be told from outside what it has computed, and waited."""

    @property
    def measures_cpu(self) -> bool:
        """Whether `used_s` is CPU time; else it goes on while others keep the machine busy."""

    def used_s(self) -> float:
        """Return the seconds that it has used so far, since whenever it began to count."""

    def waited_s(self) -> float | None:
        """Return the seconds that it would have run if others had not, None if nobody tells."""


class Passed(Enum):
    """The clock of a deadline that has run out, by what staff read of it."""

    COMPUTING = "CPU time of the step"
    WAITING = "it waited too long"


class TimeLimits:
    """The two clocks of one request."""

    def __init__(self, process: Measured, cpu_s: float, wall_s: float) -> None:
        self._process: Final = process
        if not process.measures_cpu:
            cpu_s = max(cpu_s, _LEAST_UNMEASURED_S)
            wall_s *= _UNMEASURED_PATIENCE  # what others take cannot be told from what it takes
        self._used_s: Final = process.used_s()
        self._cpu_end_s: Final = self._used_s + cpu_s
        self._wall_s: Final = wall_s
        self._start_s = time.monotonic()
        self._awake_s = self._start_s
        """When somebody was last here to look."""
        self._asked_s = 0.0

    def patience_s(self) -> float:
        """Return how long it is safe to sleep: one thread uses CPU no faster than time passes."""
        self._awake_s = time.monotonic()
        cpu_left_s = self._cpu_end_s - self._process.used_s()
        wall_left_s = self._wall_s - (self._awake_s - self._start_s)
        self._asked_s = max(_LEAST_PATIENCE_S, min(cpu_left_s, wall_left_s))
        if wall_left_s <= 0:  # it has waited for a processor, and may go on to do so
            self._asked_s = max(_LEAST_PATIENCE_S, min(cpu_left_s, self._wall_s))
        return self._asked_s

    def passed(self) -> Passed | None:
        """Return which clock has run out, None when none has."""
        used_s = self._process.used_s()
        if used_s >= self._cpu_end_s:
            return Passed.COMPUTING
        now_s = time.monotonic()
        if now_s - self._awake_s > self._asked_s + _LATE_S:
            # We have been asleep ourselves, as the whole machine may have been: it is not to blame.
            self._start_s += now_s - self._awake_s - self._asked_s
        if now_s - self._start_s < self._wall_s or self.idle_left_s() > 0:
            return None
        return Passed.WAITING

    def is_young(self) -> bool:
        """Return whether it cannot have waited for half as long as it may."""
        return time.monotonic() - self._start_s < self._wall_s / 2

    def idle_left_s(self) -> float:
        """Return how long it may still wait for something else than a processor.

        All that it has ever waited for one is taken off: to ask for that costs too much at each
        step. Where nobody tells, it may wait many times as long.
        """
        passed_s = time.monotonic() - self._start_s
        if not self._process.measures_cpu:
            return self._wall_s - passed_s
        waited_s = self._process.waited_s()
        if waited_s is None:
            return self._wall_s - passed_s / _UNMEASURED_PATIENCE
        busy_s = self._process.used_s() - self._used_s + waited_s
        return self._wall_s - max(0.0, passed_s - busy_s)


if sys.platform == "win32":

    def _clock(handle: int) -> float:
        times = [ctypes.c_uint64() for _ in range(4)]
        told = ctypes.WinDLL("kernel32", use_last_error=True).GetProcessTimes(
            ctypes.c_void_p(handle), *map(ctypes.byref, times)
        )
        if not told:
            raise ctypes.WinError(ctypes.get_last_error())
        _, _, in_kernel, in_user = times
        return (in_kernel.value + in_user.value) * _TICK_S

elif sys.platform == "darwin":

    class _Usage(ctypes.Structure):
        """`rusage_info_v0` of `<sys/resource.h>`."""

        _fields_ = (("uuid", ctypes.c_uint8 * 16), ("user", ctypes.c_uint64),
                    ("system", ctypes.c_uint64), ("others", ctypes.c_uint64 * 8))  # fmt: skip

    class _Timebase(ctypes.Structure):
        """`mach_timebase_info` of `<mach/mach_time.h>`: what a tick is in nanoseconds."""

        _fields_ = (("numerator", ctypes.c_uint32), ("denominator", ctypes.c_uint32))

    def _clock(pid: int) -> float:
        system, usage, timebase = ctypes.CDLL(None, use_errno=True), _Usage(), _Timebase()
        system.mach_timebase_info(ctypes.byref(timebase))
        if system.proc_pid_rusage(pid, 0, ctypes.byref(usage)):
            raise OSError(ctypes.get_errno(), "proc_pid_rusage")
        ticks = usage.user + usage.system
        return float(ticks * timebase.numerator / timebase.denominator / 1e9)

else:

    def _clock(pid: int) -> float:
        return time.clock_gettime(clock_id(pid))
