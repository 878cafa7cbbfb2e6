"""Resource limits: what the kernel itself stops, when nobody is looking.

Limits only go down here, and soft and hard limit go together, so that nothing is left to raise.
The CPU limit is the exception by one second: at the soft limit comes SIGXCPU, which says why; at
the hard one SIGKILL, which cannot be ignored. Both are a backstop, as the judge watches the
executor's CPU clock. RLIMIT_NPROC = 0 refuses every fork and thread, but not to root: it is the
second wall behind the filter there. RLIMIT_FSIZE is not set in the zygote, whose stderr may be
a file.
"""

from __future__ import annotations

import math
import sys
from typing import Final

if sys.platform == "linux":
    import resource

ZYGOTE_FILES: Final = 256
"""Descriptors that the zygote may hold; it needs one per session under way."""
CHILD_FILES: Final = 16
"""Descriptors that an executor may hold; it has four. `select.poll` refuses to look at more
descriptors than this, so it is not lower."""
STACK_BYTES: Final = 8 * 1024 * 1024
"""The C stack. With the recursion limit clamped to 20,000 CPython 3.11 stays within."""


def limit_zygote() -> None:
    """Set what is the same for the zygote and all its children."""
    if sys.platform == "linux":
        _lower(resource.RLIMIT_CORE, 0)
        _lower(resource.RLIMIT_MEMLOCK, 0)
        _lower(resource.RLIMIT_MSGQUEUE, 0)
        _lower(resource.RLIMIT_STACK, STACK_BYTES)
        _lower(resource.RLIMIT_NOFILE, ZYGOTE_FILES)


def limit_child(*, address_space_bytes: int, cpu_s: float) -> None:
    """Set what an executor may use; `cpu_s` is rounded up to whole seconds."""
    if sys.platform == "linux":
        seconds = math.ceil(cpu_s)
        _lower(resource.RLIMIT_NPROC, 0)
        _lower(resource.RLIMIT_FSIZE, 0)
        _lower(resource.RLIMIT_NOFILE, CHILD_FILES)
        _lower(resource.RLIMIT_CPU, seconds, seconds + 1)
        _lower(resource.RLIMIT_AS, address_space_bytes)


def open_files() -> int:
    """Return the number that every descriptor is below, as far as the current limit tells."""
    if sys.platform == "linux":
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 0


def _lower(which: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, or leave the host's own where that is lower."""
    if sys.platform == "linux":
        wanted = soft if hard is None else hard
        _, ceiling = resource.getrlimit(which)
        if ceiling != resource.RLIM_INFINITY:
            wanted = min(wanted, ceiling)
        resource.setrlimit(which, (min(soft, wanted), wanted))
