"""An executor in its own interpreter, one per session, where no zygote can fork it.

It serves the same requests as a forked executor, in the same environment, but without isolation: a
submission here has all the permissions of its user. The judge starts it with a clean environment
and two pipes as standard input and output. Both are moved to other descriptors at once, so that
output of the submission cannot get into the channel, and the submission cannot read from it.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

from grader.executor.channel import Channel
from grader.executor.serving import serve
from grader.executor.surroundings import load_surroundings

if sys.platform == "linux":
    import resource

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_EXIT_INTERNAL_ERROR: Final = 70  # EX_SOFTWARE of sysexits.h


def main(modules: str, extras: str) -> None:
    """Serve one session over the pipes on standard input and output, and then exit.

    The first request contains the limits; the reply to it is sent once everything has been
    imported. Returns without serving a session if the judge closes its end instead of sending a
    request. Clears the environment, and redirects the standard streams to the null device. See
    `load_surroundings` for the contents of `modules` and `extras`.
    """
    null_fd = os.open(os.devnull, os.O_RDWR)
    channel = Channel(os.dup(_STDOUT), os.dup(_STDIN))
    os.dup2(null_fd, _STDIN)
    os.dup2(null_fd, _STDOUT)
    surroundings = load_surroundings(modules, extras)
    os.environ.clear()  # after `load_surroundings`, which reads the seed from it
    surroundings.record_state()
    limits = channel.receive()
    if limits is None:
        return
    _limit_memory(limits["memory_bytes"])
    os.dup2(null_fd, _STDERR)  # only now: the judge reads from stderr why a start failed
    channel.send({})
    try:
        serve(channel, surroundings, limits)
        os._exit(0)
    finally:
        # Not `sys.exit`, which would wait for threads of the submission and run its exit handlers.
        os._exit(_EXIT_INTERNAL_ERROR)


def _limit_memory(additional_bytes: int) -> None:
    """Limit this process to `additional_bytes` more memory, on systems that can enforce that.

    Without a limit, a list that grows forever could bring a whole computer to a standstill.
    """
    if sys.platform == "linux":
        with suppress(OSError, ValueError):  # a lower limit is already in force
            with open("/proc/self/statm", encoding="ascii") as file:
                mapped_bytes = int(file.read().split()[0]) * resource.getpagesize()
            max_bytes = mapped_bytes + additional_bytes
            resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))
