"""What an executor may use up."""

from __future__ import annotations

import signal
from collections.abc import Callable

from locked_forks import MIB, everywhere, in_executor, on_linux

pytestmark = on_linux


@everywhere
def test_memory_is_bounded(surroundings: Callable[[], object]) -> None:
    """An allocation beyond the limit raises MemoryError, and the executor lives on."""

    def attempt() -> str:
        try:
            bytearray(400 * MIB)
        except MemoryError:
            return "refused"
        return "allowed"

    assert "refused" == in_executor(attempt, surroundings).value


def test_memory_limit_is_what_comes_on_top() -> None:
    """What the warm interpreter itself takes does not count."""
    assert 100 * MIB == in_executor(lambda: len(bytearray(100 * MIB)), memory_bytes=128 * MIB).value


def test_cpu_time_is_bounded() -> None:
    """An executor that nobody watches ends with SIGXCPU."""

    def attempt() -> None:
        while True:
            pass

    assert signal.SIGXCPU == in_executor(attempt, cpu_s=0.5).killed_by


def test_cpu_limit_cannot_be_ignored() -> None:
    """An executor that ignores SIGXCPU is killed one second later."""

    def attempt() -> None:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        while True:
            pass

    assert signal.SIGKILL == in_executor(attempt, cpu_s=1).killed_by
