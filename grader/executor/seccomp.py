"""Two seccomp filters, compiled from `syscall_policy`, that can only forbid calls.

A seccomp filter is a tiny program that the kernel runs at each system call of a process and of all
its descendants, forever. Filters accumulate, and the strictest result counts. We load two:

- the *zygote filter*, once, in the zygote. It contains the whole policy and costs nothing per
  session, since the kernel caches which calls are always allowed. It must let the zygote fork.
- the *child filter*, in each executor at the end of `lock_child`. It refuses the calls that only
  the zygote can make (fork, receiving descriptors, prctl, limits ...), so that an executor cannot
  fork even if RLIMIT_NPROC does not apply, as for root. It is a dozen comparisons long, because
  loading a filter takes about as long as the kernel needs to compile it.

The process of an instructor's tests loads one filter instead, which also allows the calls that
tests need.

A program is a list of 8-byte instructions. Jumps only go forward, and store the number of
instructions to skip in one byte. So every call gets its own block, which ends with a return. In
another system call table (32-bit, x32) the same number means another call, so a call through such a
table kills the process. A call whose number has no block fails with ENOSYS.
"""

from __future__ import annotations

import ctypes
import errno
import struct
from collections.abc import Iterable
from typing import Final

from grader.executor import kernel
from grader.executor.kernel import Machine
from grader.executor.syscall_policy import (
    DENIALS,
    GRANTS,
    GRANTS_FOR_TESTS,
    GRANTS_IN_ROOM,
    GRANTS_WITHOUT_ROOM,
    SECCOMP_SET_MODE_FILTER,
    Arg,
    Grant,
)

KILL: Final = 0x80000000
ALLOW: Final = 0x7FFF0000
ERROR: Final = 0x00050000
"""To be combined with an error number by `|`."""

_TSYNC: Final = 1
_X32_BIT: Final = 0x40000000  # __X32_SYSCALL_BIT
_INSTRUCTION: Final = struct.Struct("=HBBI")
_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGS_OFFSET = 0, 4, 16
"""Offsets in `struct seccomp_data`. The arguments have 64 bits, with the low half first."""


class FilterProgram:
    """A compiled filter, in memory that the kernel can read."""

    def __init__(self, code: bytes) -> None:
        """Copy `code` to memory, and make the header that the kernel expects."""
        # Attributes, because the header and `address` do not keep these buffers alive.
        self._code: Final = ctypes.create_string_buffer(code, len(code))
        self._header: Final = ctypes.create_string_buffer(
            # `struct sock_fprog`, padded as in C.
            struct.pack("@HP", len(code) // _INSTRUCTION.size, ctypes.addressof(self._code))
        )
        self.address: Final = ctypes.addressof(self._header)


def prepare_load(program: FilterProgram) -> kernel.PreparedCall:
    """Return the call that permanently applies `program` to the calling thread."""
    return kernel.prepare("seccomp", "seccomp", SECCOMP_SET_MODE_FILTER, 0, program.address)


def load_in_all_threads(program: FilterProgram) -> None:
    """Apply `program` to all threads permanently; raise OSError if a thread has another filter."""
    # With TSYNC a positive result is the id of a thread that could not be changed.
    thread_id = kernel.call("seccomp", SECCOMP_SET_MODE_FILTER, _TSYNC, program.address)
    if thread_id:
        raise OSError(errno.EBUSY, f"thread {thread_id} already has another filter", "seccomp")


def compile_zygote_filter(machine: Machine) -> bytes:
    """Return the whole policy for executors as a filter program."""
    return _compile(machine, GRANTS)


def compile_tests_filter(machine: Machine, *, in_room: bool) -> bytes:
    """Return the policy for an instructor's tests, with or without a room, as a filter program."""
    files = GRANTS_IN_ROOM if in_room else GRANTS_WITHOUT_ROOM
    general = (grant for grant in GRANTS if not grant.zygote_only)
    return _compile(machine, (*GRANTS_FOR_TESTS, *files, *general))


def _compile(machine: Machine, grants: Iterable[Grant]) -> bytes:
    """Return a program that applies `grants` and the `DENIALS`; all other calls fail with ENOSYS.

    If several grants or denials name the same call, the first one applies. Grants come first.
    """
    blocks = [_require_known_table(machine)]
    for grant in grants:
        blocks += [_compile_grant(number, grant) for number in _call_numbers(machine, grant.calls)]
    for denial in DENIALS:
        blocks += [
            _only_if_call(number, _return(ERROR | denial.error))
            for number in _call_numbers(machine, denial.calls)
        ]
    return b"".join([*blocks, _return(ERROR | errno.ENOSYS)])


def compile_child_filter(machine: Machine) -> bytes:
    """Return a program that refuses just the calls which the policy grants to the zygote alone."""
    calls = " ".join(grant.calls for grant in GRANTS if grant.zygote_only)
    numbers = _call_numbers(machine, calls)
    return b"".join(
        [
            _load(_NUMBER_OFFSET),
            _skip_unless_in(numbers, 1),
            _return(ERROR | errno.EPERM),
            _return(ALLOW),
        ]
    )


def _call_numbers(machine: Machine, calls: str) -> list[int]:
    return [machine.numbers[name] for name in calls.split() if name in machine.numbers]


def _require_known_table(machine: Machine) -> bytes:
    """Return code that loads the call number, but kills the process if it is from another table."""
    return b"".join(
        [
            _load(_MACHINE_OFFSET),
            _skip_unless_in([machine.audit_number], 1),
            _jump_always(1),
            _return(KILL),
            _load(_NUMBER_OFFSET),
            _jump_at_least(_X32_BIT, 0, 1),
            _return(KILL),
        ]
    )


def _compile_grant(number: int, grant: Grant) -> bytes:
    """Return the block for the call `number`, which allows it as far as `grant` does."""
    if grant.is_noop:
        return _only_if_call(number, _return(ERROR))  # error 0 is success
    if not grant.args:
        return _only_if_call(number, _return(ALLOW))
    body = _return(ALLOW)
    for arg in reversed(grant.args):
        body = _only_if_arg(arg, body)
    return _only_if_call(number, body + _return(ERROR | grant.error_otherwise))


def _only_if_call(number: int, body: bytes) -> bytes:
    """Return code that runs `body` if the loaded number is `number`."""
    return _skip_unless_in([number], _instruction_count(body)) + body


def _only_if_arg(arg: Arg, body: bytes) -> bytes:
    """Return code that runs `body` if `arg` has an allowed value.

    All allowed values fit into the low half, so the high half must be 0.
    """
    offset = _ARGS_OFFSET + 8 * arg.index
    check_low = _load(offset) + _skip_unless_in(arg.allowed_values, _instruction_count(body)) + body
    return _load(offset + 4) + _skip_unless_in([0], _instruction_count(check_low)) + check_low


def _skip_unless_in(numbers: Iterable[int], skip_count: int) -> bytes:
    """Return code that skips `skip_count` instructions unless the loaded number is in `numbers`.

    `numbers` must not be empty.
    """
    ordered = list(numbers)
    last = len(ordered) - 1
    return b"".join(
        _jump_if_equal(number, last - index, skip_count if index == last else 0)
        for index, number in enumerate(ordered)
    )


def _instruction_count(code: bytes) -> int:
    return len(code) // _INSTRUCTION.size


def _load(offset: int) -> bytes:
    return _INSTRUCTION.pack(0x20, 0, 0, offset)  # BPF_LD | BPF_W | BPF_ABS


def _jump_if_equal(number: int, skip_then: int, skip_otherwise: int) -> bytes:
    return _INSTRUCTION.pack(0x15, skip_then, skip_otherwise, number)  # BPF_JMP | BPF_JEQ | BPF_K


def _jump_at_least(number: int, skip_then: int, skip_otherwise: int) -> bytes:
    return _INSTRUCTION.pack(0x35, skip_then, skip_otherwise, number)  # BPF_JMP | BPF_JGE | BPF_K


def _jump_always(skip_count: int) -> bytes:
    return _INSTRUCTION.pack(0x05, 0, 0, skip_count)  # BPF_JMP | BPF_JA


def _return(action: int) -> bytes:
    return _INSTRUCTION.pack(0x06, 0, 0, action)  # BPF_RET | BPF_K
