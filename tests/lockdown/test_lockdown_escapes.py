"""Every attempt to get out really is made, in every kind of host."""

from __future__ import annotations

import ctypes
import mmap
import platform
import signal
from collections.abc import Callable

import pytest
from attempts import FILES, KERNEL, OTHERS, PROCESSES, SOCKETS, UNLOCKING, escapes, raw
from locked_forks import everywhere, in_executor, on_linux

pytestmark = on_linux


def assert_refused(
    attempts: dict[str, Callable[[], object]], surroundings: Callable[[], object]
) -> None:
    """Make the attempts in an executor, and expect a plain no to each."""
    outcome = in_executor(lambda: escapes(attempts), surroundings)

    assert 0 == outcome.killed_by
    assert {} == outcome.value


@everywhere
def test_no_path_can_be_reached(surroundings: Callable[[], object]) -> None:
    """An executor cannot open, change or even learn the existence of a file."""
    assert_refused(FILES, surroundings)


@everywhere
def test_no_socket_but_the_kept_one(surroundings: Callable[[], object]) -> None:
    """An executor cannot make a socket, nor do more with its own than read and write."""
    assert_refused(SOCKETS, surroundings)


@everywhere
def test_no_new_process_thread_or_namespace(surroundings: Callable[[], object]) -> None:
    """An executor stays one process with one thread that runs one program."""
    assert_refused(PROCESSES, surroundings)


@everywhere
def test_other_processes_are_out_of_reach(surroundings: Callable[[], object]) -> None:
    """An executor cannot signal, read, slow down or measure another process."""
    assert_refused(OTHERS, surroundings)


@everywhere
def test_rest_of_the_kernel_is_out_of_reach(surroundings: Callable[[], object]) -> None:
    """An executor gets no new descriptor and nothing of the kernel that it does not need."""
    assert_refused(KERNEL, surroundings)


@everywhere
def test_a_lock_cannot_be_lifted(surroundings: Callable[[], object]) -> None:
    """An executor cannot take back any restriction, nor change it in its favour."""
    assert_refused(UNLOCKING, surroundings)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x32 is a table of x86_64")
def test_x32_call_kills() -> None:
    """A call from the x32 table, where numbers mean something else, kills the process."""
    assert signal.SIGSYS == in_executor(lambda: raw(0x40000000 + 39)).killed_by


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of x86_64")
def test_32_bit_call_kills() -> None:
    """A call from the 32-bit table, by its own instruction, kills the process."""

    def attempt() -> int:
        getpid_the_old_way = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(getpid_the_old_way)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        pid: int = ctypes.CFUNCTYPE(ctypes.c_int)(start)()
        return pid

    assert signal.SIGSYS == in_executor(attempt).killed_by
