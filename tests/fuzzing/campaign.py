"""Fuzzing for as long as one likes: deliver spoilt replies, judge the outcome, keep count."""

from __future__ import annotations

import itertools
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Final

from fuzzing.damage import Frame, framed, spoilt
from fuzzing.delivery import Heard, Liar, deliver
from fuzzing.honest import Exchange, exchange
from fuzzing.usage import faults
from grader.protocol import NONCE_BYTES

_SPOILT_PER_EXCHANGE: Final = 15
_LOADS: Final = 0.1
"""How often it is the reply to the load request that is spoilt."""
_WEIGHED_BYTES: Final = 20_000
"""Memory is measured for replies of this size; smaller ones cannot take much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One session with its replies; `number` finds it again under the same seed."""

    number: int
    exchange: Exchange
    frames: tuple[Frame, ...]
    is_honest: bool

    def saved(self) -> bytes:
        """Return all frames as they are sent, under a nonce of zeros."""
        return b"".join(frame.packed(bytes(NONCE_BYTES)) for frame in self.frames)


class Failure(Exception):
    """The judge's code did what it must not; carries the input that made it."""

    def __init__(self, guilty: Input, what: str) -> None:
        super().__init__(f"input {guilty.number}: {what}")
        self.input: Final = guilty
        self.what: Final = what


@dataclass(slots=True)
class Tally:
    """What came of the inputs so far."""

    inputs: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int] = (0.0, -1)
    """CPU seconds of the judge, and the number of the input."""
    fattest: tuple[int, int] = (0, -1)
    """Most bytes of memory in use beyond those before, and the number of the input."""

    def lines(self) -> Iterator[str]:
        """Yield the summary, line by line."""
        yield f"inputs    {self.inputs:>9}"
        yield f"accepted  {self.accepted:>9}"
        yield f"refused   {self.refused.total():>9}"
        for reason, count in self.refused.most_common():
            yield f"          {count:>9}  {reason}"
        seconds, number = self.slowest
        yield f"slowest   {seconds * 1000:>9.1f}  ms of CPU time, input {number}"
        size, number = self.fattest
        yield f"fattest   {size / (1 << 20):>9.1f}  MiB of memory, input {number}"


def inputs(seed: int) -> Iterator[Input]:
    """Yield inputs without end: each session as it was, then spoilt in several ways."""
    other = b"{}"
    for number in itertools.count():
        rng = Random(f"{seed}/{number}")
        base = exchange(rng)
        honest = tuple(Frame(payload=reply) for reply in base.replies)
        first = number * (1 + _SPOILT_PER_EXCHANGE)
        yield Input(number=first, exchange=base, frames=honest, is_honest=True)
        for index in range(1, 1 + _SPOILT_PER_EXCHANGE):
            yield Input(
                number=first + index,
                exchange=base,
                frames=_spoilt_frames(rng, base.replies, other),
                is_honest=False,
            )
        other = base.replies[-1]


def _spoilt_frames(rng: Random, replies: tuple[bytes, ...], other: bytes) -> tuple[Frame, ...]:
    target = 0 if rng.random() < _LOADS else rng.randrange(1, len(replies))
    return tuple(
        framed(rng, spoilt(rng, reply, other)) if index == target else Frame(payload=reply)
        for index, reply in enumerate(replies)
    )


def run(tally: Tally, liar: Liar, each: Input) -> None:
    """Deliver `each` and add what came of it to `tally`; raises `Failure`."""
    heard = _measured(tally, liar, each)
    tally.inputs += 1
    if heard.refusal is not None:
        tally.refused[heard.refusal] += 1
        if each.is_honest and heard.refusal != "reply too long":
            raise Failure(each, f"an honest reply was refused: {heard.refusal}")
    else:
        tally.accepted += 1
        if not all(frame.is_sound for frame in each.frames):
            raise Failure(each, "accepted: a frame that no executor sends")
    for fault in _used(each, heard):
        raise Failure(each, f"accepted: {fault}")


def _used(each: Input, heard: Heard) -> list[str]:
    """Return what the judge cannot do with what was accepted, all of a session or its beginning."""
    try:
        return list(faults(each.exchange, heard.run))
    except Exception as error:
        raise _escaped(each, error) from error


def _measured(tally: Tally, liar: Liar, each: Input) -> Heard:
    """Deliver `each`; remember it if it took the judge longer, or more memory, than any other."""
    is_large = sum(len(frame.payload) for frame in each.frames) >= _WEIGHED_BYTES
    if is_large:
        tracemalloc.start()
    start_s = time.thread_time()
    try:
        return deliver(liar, each.exchange, each.frames)
    except Exception as error:  # whatever it is, it should not have come out
        raise _escaped(each, error) from error
    finally:
        used_s = time.thread_time() - start_s
        if is_large:
            tally.fattest = max(tally.fattest, (tracemalloc.get_traced_memory()[1], each.number))
            tracemalloc.stop()
        else:
            tally.slowest = max(tally.slowest, (used_s, each.number))


def _escaped(each: Input, error: Exception) -> Failure:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return Failure(each, f"{type(error).__name__} escaped from {place.name}: {error}"[:300])
