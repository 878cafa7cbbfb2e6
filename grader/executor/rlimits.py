"""Resource limits, which the kernel itself enforces.

Hard limits are only lowered here, and soft limits are set to the same value, so that neither can be
raised again. The exception is the CPU limit of executors, where the hard one is a second higher. At
the soft limit the kernel sends SIGXCPU, which shows the cause; at the hard one SIGKILL, which
cannot be ignored. Both are a backstop, since the judge watches the executor's CPU clock.
RLIMIT_NPROC = 0 refuses every fork and thread, except to root: it is the second wall behind the
child filter. RLIMIT_FSIZE is not set in the zygote, whose stderr might be a file.
"""

from __future__ import annotations

import ctypes
import enum
import math
import struct
from collections.abc import Mapping
from typing import Final

from grader.executor import kernel

ZYGOTE_FILES: Final = 256
"""The minimum for the zygote's limit on descriptors, of which it needs a handful."""
CHILD_FILES: Final = 16
"""The limit on descriptors of an executor, which has four. It is not lower because `select.poll`
refuses to watch more descriptors than the limit."""
STACK_BYTES: Final = 8 * 1024 * 1024
"""The C stack. With the recursion limit capped at 20,000, CPython 3.11 stays within it."""

_PAIR: Final = struct.Struct("=QQ")
"""`struct rlimit64`: soft and hard limit; the highest value means unlimited."""


class _Limit(enum.IntEnum):
    """The kernel's numbers for the limits, the same on all machines that `kernel` supports."""

    CPU = 0
    FSIZE = 1
    STACK = 3
    CORE = 4
    NPROC = 6
    NOFILE = 7
    MEMLOCK = 8
    AS = 9
    MSGQUEUE = 12


_ZERO_LIMITS: Final = {_Limit.CORE: 0, _Limit.MEMLOCK: 0, _Limit.MSGQUEUE: 0}
_MAX_THREADS: Final = 512
"""The kernel counts all of the user's threads together, not only those of the tests. The tests
cannot fork anyway."""


def limit_zygote(files: int) -> None:
    """Lower the limits that the zygote shares with its children.

    `files` is the number of descriptors that can be open at once.
    """
    _lower({_Limit.STACK: STACK_BYTES, _Limit.NOFILE: files})


def limit_tests(*, address_space_bytes: int, file_bytes: int, cpu_s: float) -> None:
    """Lower the limits of this process, which is about to run an instructor's tests.

    The CPU limit is `cpu_s` seconds, rounded up.
    """
    _lower(
        {
            _Limit.CPU: math.ceil(cpu_s),
            _Limit.FSIZE: file_bytes,
            _Limit.NPROC: _MAX_THREADS,
            _Limit.NOFILE: ZYGOTE_FILES,
            _Limit.AS: address_space_bytes,
        }
    )


def _lower(limits: Mapping[_Limit, int]) -> None:
    """Set the `limits` of this process, soft and hard, and set those in `_ZERO_LIMITS` to zero.

    If the present hard limit is already lower, it stays, and the soft limit is set to it.
    """
    for resource, amount in {**_ZERO_LIMITS, **limits}.items():
        _, ceiling = _current(resource)
        lowered = min(amount, ceiling)  # an ordinary user cannot raise a hard limit
        pair = ctypes.create_string_buffer(_PAIR.pack(lowered, lowered))
        kernel.call("prlimit64", 0, resource, ctypes.addressof(pair), 0)


class ExecutorLimits:
    """The limits of an executor, stored as the structs that the kernel reads."""

    def __init__(self) -> None:
        """Read the current hard limits, and prepare the calls that lower them in a child."""
        initial_limits = {
            _Limit.CPU: 0,  # set by `set_for_child`, like AS
            _Limit.AS: 0,
            _Limit.NPROC: 0,
            _Limit.FSIZE: 0,
            _Limit.NOFILE: CHILD_FILES,
        }
        pairs = [amount for amount in initial_limits.values() for _ in ("soft", "hard")]
        self._pairs: Final = (ctypes.c_uint64 * len(pairs))(*pairs)
        self._cpu_ceiling_s: Final = _current(_Limit.CPU)[1]
        self._memory_ceiling_bytes: Final = _current(_Limit.AS)[1]
        start = ctypes.addressof(self._pairs)
        self.calls: Final = tuple(
            kernel.prepare("resource limits", "prlimit64", 0, resource, start + _PAIR.size * index)
            for index, resource in enumerate(initial_limits)
        )
        """The system calls that apply these limits."""

    def set_for_child(self, address_space_bytes: int, cpu_s: float) -> None:
        """Set the limits that `calls` will apply in one child; `cpu_s` is rounded up.

        If a hard limit of the host is lower, it is used instead.
        """
        soft_s = math.ceil(cpu_s)
        pairs = self._pairs  # soft and hard limit on CPU time, then those on address space
        pairs[0] = min(soft_s, self._cpu_ceiling_s)
        pairs[1] = min(soft_s + 1, self._cpu_ceiling_s)
        pairs[2] = pairs[3] = min(address_space_bytes, self._memory_ceiling_bytes)


def descriptor_limit() -> int:
    """Return the soft limit on descriptors; every new descriptor is a number below it."""
    return _current(_Limit.NOFILE)[0]


def _current(resource: _Limit) -> tuple[int, int]:
    """Return the current soft and hard limit on `resource`."""
    pair = ctypes.create_string_buffer(_PAIR.size)
    kernel.call("prlimit64", 0, resource, 0, ctypes.addressof(pair))
    soft, hard = _PAIR.unpack(pair)
    return soft, hard
