"""An executor that is started by itself, one per session, where no zygote can fork it.

It serves what a forked executor serves, in the same surroundings, and nothing holds it: a
submission here may do what its user may do. The judge starts it by exec with an environment of its
own making and two pipes, which come as standard input and output and are taken from there at once:
what a submission prints or reads must not get into the channel.
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
_OUR_OWN_TROUBLE: Final = 70


def main(modules: str, extras: str) -> None:
    """Answer the first request, the limits, when ready; then serve one session.

    See `warm` for `modules` and `extras`.
    """
    null_fd = os.open(os.devnull, os.O_RDWR)
    channel = Channel(os.dup(_STDOUT), os.dup(_STDIN))
    os.dup2(null_fd, _STDIN)
    os.dup2(null_fd, _STDOUT)
    surroundings = warm(modules, extras)
    os.environ.clear()
    surroundings.remember()
    limits = channel.receive()
    if limits is None:
        return
    _bound_memory(limits["memory_bytes"])
    os.dup2(null_fd, _STDERR)  # until here the judge may want to know what went wrong
    channel.send({})
    try:
        serve(channel, surroundings, limits)
        os._exit(0)
    finally:
        # No thread of the submission keeps this process alive, and nothing is run at its exit.
        os._exit(_OUR_OWN_TROUBLE)


def _bound_memory(room_bytes: int) -> None:
    """Take no more than `room_bytes` from now on, where the system can keep us to it.

    A list that grows for ever would have a whole computer at a standstill.
    """
    if sys.platform == "linux":
        with suppress(OSError, ValueError):  # somebody has set a lower limit
            with open("/proc/self/statm", encoding="ascii") as file:
                mapped_bytes = int(file.read().split()[0]) * resource.getpagesize()
            most_bytes = mapped_bytes + room_bytes
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
