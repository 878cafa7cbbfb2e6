"""The CPU time of other processes, and which clocks are believed."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from grader.sandbox.clocks import Clock, clock_key, is_reliable, system_clock

BUSY = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"


def told(clock: Clock, program: str) -> float:
    """Return what `clock` tells of a process that has run `program` and waits."""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.1)
        used_s = clock(clock_key(process))
        process.stdin.close()
    return used_s


def test_clock_tells_what_another_process_has_computed() -> None:
    """Its waiting does not count, and neither does ours."""
    clock = system_clock()
    assert clock is not None
    assert 0.3 <= told(clock, BUSY)
    assert told(clock, "print(flush=True)\ninput()") < 0.3


def test_a_process_that_is_gone_has_no_clock() -> None:
    """Its number may be that of another one some day."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    clock = system_clock()
    assert clock is not None
    with pytest.raises(OSError, match="Invalid argument"):
        clock(process.pid)


def absent(_pid: int) -> float:
    """Look for a function that the system has not got."""
    return float(ctypes.CDLL(None).grader_has_no_such_function())


def refusing(_pid: int) -> float:
    """Refuse to tell."""
    raise PermissionError


@pytest.mark.parametrize(
    ("clock", "is_believed"),
    [
        (lambda _pid: time.process_time(), True),
        (lambda _pid: time.process_time() + 0.016, True),
        (lambda _pid: 0.0, False),
        (lambda _pid: 24 * time.process_time(), False),
        (absent, False),
        (refusing, False),
    ],
    ids=["true", "in ticks", "stands still", "other units", "absent", "refusing"],
)
def test_a_clock_that_does_not_know_us_is_not_believed(
    clock: Callable[[int], float], is_believed: bool
) -> None:
    """What it tells of our own process has to be what that process knows of itself."""
    assert is_believed is is_reliable(clock, os.getpid())
