"""The door to the kernel: system calls by name, through the C library's `syscall`.

The standard library wraps none of seccomp, Landlock, prctl or capset. Everything here goes through
one function, so that there is one place where an argument can be mistyped. On a host that is not
Linux, or whose system call numbers we do not know, every call fails like one that an old kernel
lacks: with ENOSYS.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import Final

from grader.executor.syscall_numbers import this_machine

MAX_ARGS: Final = 6

_machine: Final = this_machine()
_numbers: Final = {} if _machine is None else _machine.numbers
_raw: Final = ctypes.CDLL(None, use_errno=True).syscall if sys.platform == "linux" else None
if _raw is not None:
    _raw.restype = ctypes.c_long
    _raw.argtypes = [ctypes.c_long] * (1 + MAX_ARGS)


def call(name: str, *args: int) -> int:
    """Make the system call `name` and return what it returns; raise OSError when it fails."""
    number = _numbers.get(name)
    if number is None or _raw is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), name)
    result: int = _raw(number, *args, *(0,) * (MAX_ARGS - len(args)))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), name)
    return result


def refuses(name: str, *args: int) -> bool:
    """Make the system call `name` and say whether the kernel refused permission for it."""
    try:
        call(name, *args)
    except PermissionError:
        return True
    except OSError:
        return False
    return False
