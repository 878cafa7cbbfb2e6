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
from functools import cache
from pathlib import Path
from subprocess import Popen
from typing import Final, TypeAlias

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


def busy_s() -> float:
    """Return how long this thread has computed, or waited for a processor while others did."""
    try:
        told = Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()
        return (int(told[0]) + int(told[1])) / 1e9
    except (OSError, IndexError, ValueError):
        return time.thread_time()


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
