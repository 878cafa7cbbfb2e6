"""An executor in its own interpreter, one per session, where no zygote can fork it.

It serves the same requests as a forked executor, in the same surroundings, but without isolation:
a submission here may do what its user may do. The judge starts it with a clean environment and two
pipes as standard input and output. Both are moved to other descriptors at once: what a
submission prints or reads must not get into the channel.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

from grader.executor.channel import Channel
from grader.executor.serving import serve
from grader.executor.surroundings import warm

if sys.platform == "linux":
    import resource

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_EXIT_INTERNAL_ERROR: Final = 70  # EX_SOFTWARE of sysexits.h


def main(modules: str, extras: str) -> None:
    """Answer the first request, which carries the limits, when ready; then serve one session.

    Ends the process. See `warm` for `modules` and `extras`.
    """
    null_fd = os.open(os.devnull, os.O_RDWR)
    channel = Channel(os.dup(_STDOUT), os.dup(_STDIN))
    os.dup2(null_fd, _STDIN)
    os.dup2(null_fd, _STDOUT)
    surroundings = warm(modules, extras)
    os.environ.clear()  # after `warm`, which reads the seed from it
    surroundings.remember()
    limits = channel.receive()
    if limits is None:
        return
    _limit_memory(limits["memory_bytes"])
    os.dup2(null_fd, _STDERR)  # only now: the judge reads why an executor did not start
    channel.send({})
    try:
        serve(channel, surroundings, limits)
        os._exit(0)
    finally:
        # Not `sys.exit`, which would wait for threads of the submission and run its exit handlers.
        os._exit(_EXIT_INTERNAL_ERROR)


def _limit_memory(additional_bytes: int) -> None:
    """Limit further memory to `additional_bytes`, where the system can enforce that.

    A list that grows forever could bring a whole computer to a standstill.
    """
    if sys.platform == "linux":
        with suppress(OSError, ValueError):  # a lower limit is in force already
            with open("/proc/self/statm", encoding="ascii") as file:
                mapped_bytes = int(file.read().split()[0]) * resource.getpagesize()
            max_bytes = mapped_bytes + additional_bytes
            resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
