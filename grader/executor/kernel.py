"""The door to the kernel: system calls by name, through the C library's `syscall`.

The standard library wraps none of seccomp, Landlock, prctl or capset. On a host that is not Linux,
or whose system call numbers we do not know, every call fails like one that an old kernel lacks:
with ENOSYS.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import Final, NamedTuple

from grader.executor.syscall_numbers import this_machine

_PADDING: Final = (0,) * 6

_machine: Final = this_machine()
_numbers: Final = {} if _machine is None else _machine.numbers
_raw: Final = ctypes.CDLL(None, use_errno=True).syscall if sys.platform == "linux" else None
if _raw is not None:
    _raw.restype = ctypes.c_long
    _raw.argtypes = [ctypes.c_long] * (1 + len(_PADDING))


class Prepared(NamedTuple):
    """A system call of which every number is known, for a process that must be quick about it.

    A fresh child shares its memory with its parent until it writes, and Python writes to all it
    touches. Such a first write costs more than most system calls, looking up a name several.
    """

    layer: str
    name: str
    expected_error: int
    """What it must fail with; 0 if it must succeed."""
    numbers: tuple[int, ...]


def prepare(layer: str, name: str, *args: int, expected_error: int = 0) -> Prepared:
    """Return the system call `name`, ready for `make`; raise OSError if there is none."""
    number = _numbers.get(name)
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    return Prepared(layer, name, expected_error, (number, *args, *_PADDING[len(args) :]))


def make(numbers: tuple[int, ...]) -> int:
    """Make a prepared system call; return what it returns, or minus the number of its error."""
    if _raw is None:
        return -errno.ENOSYS
    result: int = _raw(*numbers)
    return result if result >= 0 else -ctypes.get_errno()


def call(name: str, *args: int) -> int:
    """Make the system call `name` and return what it returns; raise OSError when it fails."""
    result = make(prepare("", name, *args).numbers)
    if result < 0:
        raise OSError(-result, os.strerror(-result), name)
    return result
