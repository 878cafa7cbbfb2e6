"""Resource limits, which the kernel itself enforces.

Limits are only lowered here, the soft and the hard one together, so that neither can be raised
again. The CPU limit is the exception, by one second: the soft limit sends SIGXCPU, which says why;
the hard one SIGKILL, which cannot be ignored. Both are a backstop, as the judge watches the
executor's CPU clock. RLIMIT_NPROC = 0 refuses every fork and thread, except to root: it is the
second wall behind the child filter. RLIMIT_FSIZE is not set in the zygote, whose stderr may be
a file.
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
"""The lowest limit on descriptors of the zygote; it needs a handful."""
CHILD_FILES: Final = 16
"""The limit on descriptors of an executor, which has four. Not lower, as `select.poll` refuses to
watch more descriptors than the limit."""
STACK_BYTES: Final = 8 * 1024 * 1024
"""The C stack. With the recursion limit capped at 20,000, CPython 3.11 stays within it."""

_PAIR: Final = struct.Struct("=QQ")
"""`struct rlimit64`: soft and hard limit; the highest value means unlimited."""


class _Limit(enum.IntEnum):
    """The kernel's numbers, the same on all machines that `kernel` knows."""

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
"""For all processes of the user together, as the kernel counts; the tests cannot fork."""


def limit_zygote(files: int) -> None:
    """Set the limits that the zygote and its children share, with `files` open at most."""
    _lower({_Limit.STACK: STACK_BYTES, _Limit.NOFILE: files})


def limit_tests(*, address_space_bytes: int, file_bytes: int, cpu_s: float) -> None:
    """Set the limits of a process of an instructor's tests."""
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
    """Lower the `limits` of this process, but never raise one."""
    for which, amount in {**_ZERO_LIMITS, **limits}.items():
        _, ceiling = _current(which)
        lowered = min(amount, ceiling)  # raising a hard limit takes a privilege
        pair = ctypes.create_string_buffer(_PAIR.pack(lowered, lowered))
        kernel.call("prlimit64", 0, which, ctypes.addressof(pair), 0)


class ExecutorLimits:
    """The limits of an executor, laid out in memory as the kernel reads them."""

    def __init__(self) -> None:
        wanted = {
            _Limit.CPU: 0,  # set by `choose`, like AS
            _Limit.AS: 0,
            _Limit.NPROC: 0,
            _Limit.FSIZE: 0,
            _Limit.NOFILE: CHILD_FILES,
        }
        pairs = [amount for amount in wanted.values() for _ in ("soft", "hard")]
        self._pairs: Final = (ctypes.c_uint64 * len(pairs))(*pairs)
        self._cpu_ceiling_s: Final = _current(_Limit.CPU)[1]
        self._memory_ceiling_bytes: Final = _current(_Limit.AS)[1]
        start = ctypes.addressof(self._pairs)
        self.calls: Final = tuple(
            kernel.prepare("resource limits", "prlimit64", 0, which, start + _PAIR.size * index)
            for index, which in enumerate(wanted)
        )
        """The system calls that put these limits in force."""

    def choose(self, address_space_bytes: int, cpu_s: float) -> None:
        """Set the limits of one child, `cpu_s` rounded up, but keep lower ones of the host."""
        soft_s = math.ceil(cpu_s)
        pairs = self._pairs
        pairs[0] = min(soft_s, self._cpu_ceiling_s)
        pairs[1] = min(soft_s + 1, self._cpu_ceiling_s)
        pairs[2] = pairs[3] = min(address_space_bytes, self._memory_ceiling_bytes)


def open_files() -> int:
    """Return the limit on descriptors: new ones are below it."""
    return _current(_Limit.NOFILE)[0]


def _current(which: _Limit) -> tuple[int, int]:
    """Return the soft and the hard limit that are in force."""
    pair = ctypes.create_string_buffer(_PAIR.size)
    kernel.call("prlimit64", 0, which, 0, ctypes.addressof(pair))
    soft, hard = _PAIR.unpack(pair)
    return soft, hard
