"""A copy of this process that may be ended at any moment, while this one goes on."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from grader.plugins.own_tests.proxying.watched import (
    CAN_WATCH,
    Bounds,
    ProcessEnded,
    Watched,
    _resident_bytes,
    go_on_as_copy,
    unhurried,
)
from grader.verdict import Verdict

pytestmark = pytest.mark.skipif(not CAN_WATCH, reason="needs Linux")
ROOMY = Bounds(cpu_s=60, wall_s=60, memory_bytes=1 << 30)


@contextmanager
def watched(serve: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[Watched]:
    """Have a copy, and end it."""
    copy = Watched(serve)
    try:
        yield copy
    finally:
        copy.end()


def test_a_copy_remembers_and_this_process_does_not() -> None:
    """Whatever the copy does, it does to its own memory."""
    told: list[int] = []

    def serve(message: dict[str, Any]) -> dict[str, Any]:
        told.append(message["number"])
        return {"told": told}

    with watched(serve) as copy:
        copy.ask({"number": 1}, ROOMY)
        assert {"told": [1, 2]} == copy.ask({"number": 2}, ROOMY)
    assert [] == told


def compute(_: object) -> Any:
    """Compute without end, in a single call."""
    return sum(iter(int, 1))


def sleep(_: object) -> Any:
    """Do nothing, for long."""
    return time.sleep(60)


def grow(_: object) -> Any:
    """Take more and more memory."""
    kept = [bytearray(b"x") * (1 << 20)]
    while True:
        kept.append(bytearray(b"x") * (1 << 20))


def crash(_: object) -> Any:
    """Go down as an interpreter does."""
    return os.kill(os.getpid(), signal.SIGTRAP)


def leave(_: object) -> Any:
    """End the program."""
    return os._exit(0)


def be_killed(_: object) -> Any:
    """Die as whoever is in the way of the kernel."""
    return os.kill(os.getpid(), signal.SIGKILL)


def talk(_: object) -> Any:
    """Answer without end."""
    return {"said": "x" * (1 << 26)}


@pytest.mark.parametrize(
    ("serve", "verdict"),
    [
        (compute, Verdict.TIMED_OUT),
        (sleep, Verdict.TIMED_OUT),
        (grow, Verdict.MEMORY),
        (crash, Verdict.CRASHED),
        (leave, Verdict.EXITED),
        (be_killed, Verdict.FAULT),
        (talk, Verdict.OUTPUT),
    ],
)
def test_a_copy_that_goes_too_far_is_ended(serve: Any, verdict: Verdict) -> None:
    """Each way to its end has a verdict; only who else has killed it is nobody's doing."""
    bounds = Bounds(cpu_s=60, wall_s=60, memory_bytes=1 << 28)
    if serve in (compute, sleep):
        bounds = Bounds(cpu_s=0.1, wall_s=0.5, memory_bytes=1 << 28)
    with watched(serve) as copy, pytest.raises(ProcessEnded) as caught:
        copy.ask({}, bounds)
    assert verdict is caught.value.trouble.verdict


@pytest.mark.parametrize(("work", "code"), [(lambda: sys.exit(3), 3), (crash, 128 + 5)])
def test_who_waits_for_a_copy_ends_as_it_does(work: Any, code: int) -> None:
    """The exit code is that of the copy."""

    def serve(_: object) -> Any:
        try:
            assert go_on_as_copy(ROOMY) is None
            work(None) if work is crash else work()
        except SystemExit as left:
            os._exit(int(str(left.code)))

    with watched(serve) as copy, pytest.raises(ProcessEnded) as caught:
        copy.ask({}, ROOMY)
    assert f"exit code {code}" == caught.value.trouble.evidence


def test_a_second_copy_is_told_why_the_first_one_was_ended() -> None:
    """It goes on without what was too much; one that is unhurried has all the time."""

    def serve(_: object) -> Any:
        try:
            ended = go_on_as_copy(Bounds(cpu_s=0.1, wall_s=math.inf, memory_bytes=1 << 30))
            if ended is None:
                compute(None)
            unhurried()
            sum(range(20_000_000))
            sys.exit(7 if ended is not None and "took too long" in str(ended) else 8)
        except SystemExit as left:
            os._exit(int(str(left.code)))

    with watched(serve) as copy, pytest.raises(ProcessEnded) as caught:
        copy.ask({}, ROOMY)
    assert "exit code 7" == caught.value.trouble.evidence


def test_the_second_copy_can_be_interrupted_and_grow() -> None:
    """Who waits for it ignores Ctrl-C, it does not; and memory is bounded while it is hurried."""
    most = _resident_bytes(os.getpid()) + (200 << 20)

    def serve(_: object) -> Any:
        try:
            if go_on_as_copy(Bounds(cpu_s=60, wall_s=math.inf, memory_bytes=most)) is None:
                held = b"x" * (1 << 28)
                time.sleep(20)
            unhurried()
            held = b"x" * (1 << 28)
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(20)
            sys.exit(len(held) and 8)
        except KeyboardInterrupt:
            os._exit(7)
        except SystemExit as left:
            os._exit(int(str(left.code)))

    with watched(serve) as copy, pytest.raises(ProcessEnded) as caught:
        copy.ask({}, ROOMY)
    assert "exit code 7" == caught.value.trouble.evidence
