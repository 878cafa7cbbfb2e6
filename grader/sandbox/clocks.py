"""Measures from outside how long another process has used, or waited for, a CPU.

Each operating system has its own clock for this. It is first checked against the CPU time of this
process and not used if it is wrong: a stopped clock would let a program run forever, and a fast one
would kill correct programs.
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
"""Returns the CPU seconds that a process has used, given its pid or, on Windows, its handle.

Raises `OSError` if the process has ended.
"""

_TOLERANCE_S: Final = 0.05
"""Allows for the 16 ms ticks of Windows, and for the time between two readings."""
_RELATIVE_TOLERANCE: Final = 0.1
_TICK_S: Final = 1e-7
"""Windows counts in units of 100 ns."""


def clock_id(pid: int) -> int:
    """Return Linux's clock id for the CPU time of process `pid`."""
    return (~pid << 3) | 2  # what `clock_getcpuclockid` computes


def waited_s(pid: int) -> float | None:
    """Return how many seconds the main thread of process `pid` has waited for CPU.

    Return None if the system does not report this, and 0 if the process has ended.
    """
    try:
        schedstat = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii")
        # The fields are nanoseconds on a CPU, nanoseconds waited for one, and time slices.
        return int(schedstat.split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0 if _has_schedstat() else None


@cache
def _has_schedstat() -> bool:
    return Path("/proc/self/schedstat").exists()  # a build option of the kernel


_thread_time: Final[Callable[[], float]] = getattr(time, "thread_time", time.process_time)
"""Falls back on the process clock where threads have none, such as in a browser, which has only
one thread."""


def busy_s() -> float:
    """Return how many seconds this thread has computed or waited for CPU.

    Where the kernel does not report waiting, only CPU time counts.
    """
    try:
        fields = Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()
        return (int(fields[0]) + int(fields[1])) / 1e9
    except (OSError, IndexError, ValueError):
        return _thread_time()


def is_reliable(clock: Clock, process: int) -> bool:
    """Return whether `clock` reads the CPU time of this process correctly.

    `process` is what identifies this process to the clock.
    """
    try:
        measured_s, known_s = clock(process), time.process_time()
    except (OSError, AttributeError):  # this version of the system lacks the function
        return False
    return abs(measured_s - known_s) <= max(_TOLERANCE_S, _RELATIVE_TOLERANCE * known_s)


def clock_key(process: Popen[bytes]) -> int:
    """Return what identifies `process` to clocks: its handle on Windows, else its pid."""
    # On Windows a pid can be reused at once; the handle stays valid as long as the Popen object.
    return int(vars(process)["_handle"]) if sys.platform == "win32" else process.pid


@cache
def system_clock() -> Clock | None:
    """Return the clock of this system, or None if it has no correct one."""
    this_process = -1 if sys.platform == "win32" else os.getpid()  # -1: pseudo-handle
    return _clock if is_reliable(_clock, this_process) else None


_MIN_PATIENCE_S: Final = 0.001
_UNMEASURED_FACTOR: Final = 10
"""By this factor a process is allowed to wait longer where its waits for CPU cannot be deducted."""
_LATE_S: Final = 1.0
"""If the judge wakes up this much later than planned, the delay is not the process's fault."""
_MIN_UNMEASURED_S: Final = 1.0
"""The lowest limit on a step where wall time replaces CPU time."""


class MeasuredProcess(Protocol):
    """A process whose CPU time and waiting time can be read from outside."""

    @property
    def measures_cpu(self) -> bool:
        """Whether `used_s` is CPU time, and not wall time that other processes prolong."""

    def used_s(self) -> float:
        """Return the seconds used so far; the start is arbitrary, so use only differences."""

    def waited_s(self) -> float | None:
        """Return the seconds that the process has waited for CPU, or None if they are unknown."""


class ExpiredClock(Enum):
    """The clock that has expired; the values are evidence shown to staff."""

    COMPUTING = "CPU time of the step"
    WAITING = "it waited too long"


class TimeLimits:
    """The CPU clock and the wall clock of one request to a process."""

    def __init__(self, process: MeasuredProcess, cpu_s: float, wall_s: float) -> None:
        """Start both clocks; time in which the process waits for CPU counts for neither."""
        self._process: Final = process
        if not process.measures_cpu:
            cpu_s = max(cpu_s, _MIN_UNMEASURED_S)
            wall_s *= _UNMEASURED_FACTOR  # wall time includes what other processes use
        self._used_s: Final = process.used_s()
        self._cpu_end_s: Final = self._used_s + cpu_s
        self._wall_s: Final = wall_s
        self._start_s = time.monotonic()
        self._last_read_s = self._start_s
        """When the clocks were last read."""
        self._patience_s = 0.0

    def patience_s(self) -> float:
        """Record and return how long the judge can sleep before it must read the clocks again.

        No clock can expire earlier, as one thread uses at most one second of CPU time per second.
        """
        self._last_read_s = time.monotonic()
        cpu_left_s = self._cpu_end_s - self._process.used_s()
        wall_left_s = self._wall_s - (self._last_read_s - self._start_s)
        # It must not be negative, or `poll` would wait forever.
        self._patience_s = max(_MIN_PATIENCE_S, min(cpu_left_s, wall_left_s))
        if wall_left_s <= 0:  # the process might have waited for CPU, which does not count
            self._patience_s = max(_MIN_PATIENCE_S, min(cpu_left_s, self._wall_s))
        return self._patience_s

    def expired_clock(self) -> ExpiredClock | None:
        """Return the clock that has expired, or None; pauses of the judge itself do not count."""
        used_s = self._process.used_s()
        if used_s >= self._cpu_end_s:
            return ExpiredClock.COMPUTING
        now_s = time.monotonic()
        if now_s - self._last_read_s > self._patience_s + _LATE_S:
            # The judge itself overslept, for example because the machine was suspended.
            self._start_s += now_s - self._last_read_s - self._patience_s
        if now_s - self._start_s < self._wall_s or self.idle_left_s() > 0:
            return None
        return ExpiredClock.WAITING

    def is_young(self) -> bool:
        """Return whether less than half of the wall time has passed."""
        return time.monotonic() - self._start_s < self._wall_s / 2

    def idle_left_s(self) -> float:
        """Return how long the process is still allowed to wait for anything but CPU.

        All the time that the process has waited for CPU is deducted, even the time before this
        request, because reading it at each step would cost too much. Where that time is unknown,
        the limit is much longer.
        """
        elapsed_s = time.monotonic() - self._start_s
        if not self._process.measures_cpu:
            return self._wall_s - elapsed_s
        waited_s = self._process.waited_s()
        if waited_s is None:
            return self._wall_s - elapsed_s / _UNMEASURED_FACTOR
        busy_s = self._process.used_s() - self._used_s + waited_s
        return self._wall_s - max(0.0, elapsed_s - busy_s)


if sys.platform == "win32":

    def _clock(handle: int) -> float:
        """Return the CPU seconds of the process with this handle.

        Raises `OSError` if Windows does not report them.
        """
        times = [ctypes.c_uint64() for _ in range(4)]
        succeeded = ctypes.WinDLL("kernel32", use_last_error=True).GetProcessTimes(
            ctypes.c_void_p(handle), *map(ctypes.byref, times)
        )
        if not succeeded:
            raise ctypes.WinError(ctypes.get_last_error())
        _, _, in_kernel, in_user = times
        return (in_kernel.value + in_user.value) * _TICK_S

elif sys.platform == "darwin":

    class _Usage(ctypes.Structure):
        """`rusage_info_v0` of `<sys/resource.h>`."""

        _fields_ = (("uuid", ctypes.c_uint8 * 16), ("user", ctypes.c_uint64),
                    ("system", ctypes.c_uint64), ("others", ctypes.c_uint64 * 8))  # fmt: skip

    class _Timebase(ctypes.Structure):
        """`mach_timebase_info` of `<mach/mach_time.h>`: nanoseconds per tick, as a fraction."""

        _fields_ = (("numerator", ctypes.c_uint32), ("denominator", ctypes.c_uint32))

    def _clock(pid: int) -> float:
        """Return the CPU seconds of process `pid`; raises `OSError` if it has ended."""
        system, usage, timebase = ctypes.CDLL(None, use_errno=True), _Usage(), _Timebase()
        system.mach_timebase_info(ctypes.byref(timebase))
        if system.proc_pid_rusage(pid, 0, ctypes.byref(usage)):
            raise OSError(ctypes.get_errno(), "proc_pid_rusage")
        ticks = usage.user + usage.system
        return float(ticks * timebase.numerator / timebase.denominator / 1e9)

else:

    def _clock(pid: int) -> float:
        """Return the CPU seconds of process `pid`; raises `OSError` if it has ended."""
        return time.clock_gettime(clock_id(pid))
