"""What comes home from an executor: the run of a plan, read from the replies to it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

from grader.errors import ProtocolError, ZygoteError
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES, NO_ROOM, SLEPT, SPENT, TOO_LONG, ValueLimits
from grader.sandbox.budget import Prices, StepLimits, failed_by, units
from grader.sandbox.executor import ExecutorEnded, parsed
from grader.sandbox.observation import (
    Died,
    ImportObservation,
    Observation,
    Returned,
    decode_observation,
)
from grader.sandbox.planning import Item, Role
from grader.suite.limits import Limits
from grader.verdict import Verdict

_ENDINGS: Final = {
    json.dumps(each, separators=(",", ":")).encode(): ending
    for each, ending in (
        (SPENT, (Verdict.TIMED_OUT, "units of the step", False)),
        (SLEPT, (Verdict.TIMED_OUT, "it would sleep too long", True)),
        (NO_ROOM, (Verdict.MEMORY, "no room to reply", False)),
    )
}
"""What a reply that says no more than why it ends makes of a step."""
_MOST_KEPT: Final = 8192
_MOST_KEPT_BYTES: Final = 4096
"""Replies up to this size are remembered: so many of them, those that were used longest ago go."""


@dataclass(slots=True)
class SessionRun:
    """What came of one plan: an observation for each item that was reached."""

    plan: tuple[Item, ...]
    imported: ImportObservation
    observations: list[Observation] = field(default_factory=list)
    cheap: bool = False
    """Whether a step failed that had less room than the suite gives, as it had failed before."""
    in_doubt: bool = False
    """Whether that was one that had not."""

    @property
    def left(self) -> tuple[Item, ...]:
        """What of the plan has not been reached."""
        return self.plan[len(self.observations) :]

    @property
    def fell_short(self) -> bool:
        """Whether a step failed by a limit."""
        return any(failed_by(each) is not None for each in self.observations)

    @property
    def went_on(self) -> bool:
        """Whether it came to its end, and no step failed by a limit on the way."""
        is_whole = self.loaded and len(self.observations) == len(self.plan)
        return is_whole and not self.fell_short

    @property
    def died(self) -> Died | None:
        """How the executor died, if it did not survive."""
        last = (self.imported.observation, *self.observations)[-1].outcome
        return last if isinstance(last, Died) else None

    @property
    def units(self) -> int:
        """What it computed, where that is counted."""
        return self.imported.observation.units + sum(each.units for each in self.observations)

    @property
    def loaded(self) -> bool:
        """Whether the submission could be imported at all."""
        return isinstance(self.imported.observation.outcome, Returned)


class BatchLimits:
    """What the steps of a batch of plans may use, as it follows from how those before them went."""

    def __init__(
        self,
        prices: Prices,
        plans: Sequence[Sequence[Item]],
        memory_bytes: int,
        *,
        in_full: bool = False,
    ) -> None:
        """Begin with the present `prices`, or with full ones; all memory is `memory_bytes`."""
        self._prices: Final = prices
        self._items: Final = [item for plan in plans for item in plan]
        self._is_full: Final = in_full
        self._ahead: Prices | None = None
        """What prices will be after what is known of the batch."""
        self._learned = 0
        wanted = memory_bytes if in_full else prices.memory_bytes(self._items, memory_bytes)
        self.memory_bytes: Final = wanted
        self.has_all_memory: Final = wanted == memory_bytes
        of_item = prices.full if in_full else prices.of
        self.of_steps: Final = list(map(of_item, self._items))

    def renew(self, runs: Sequence[SessionRun]) -> list[StepLimits]:
        """Return the limits of the steps to come: what failed in `runs` may get less there."""
        observed = self._observed(runs)[self._learned :]
        self._learned += len(observed)
        if not self._is_full:
            self._ahead = self._ahead or deepcopy(self._prices)
            self._learn(observed, self._ahead)
            self.of_steps[self._learned :] = map(self._ahead.of, self._items[self._learned :])
        return self.of_steps[self._learned :]

    def settle(self, runs: Sequence[SessionRun]) -> int:
        """Have prices follow from what the steps of `runs` cost; return their units.

        It is noted which of them failed by less than a full limit.
        """
        return self._learn(self._observed(runs), self._prices)

    def _observed(self, runs: Sequence[SessionRun]) -> list[_Observed]:
        steps = (
            (run, item, observation)
            for run in runs
            for item, observation in zip(run.plan, run.observations, strict=False)
        )
        return [_Observed(*step, got) for step, got in zip(steps, self.of_steps, strict=False)]

    def _learn(self, steps: Iterable[_Observed], prices: Prices) -> int:
        used = 0
        for run, item, observation, got in steps:
            verdict = failed_by(observation)
            used += observation.units
            if verdict is None:
                prices.went_well(item, observation)
                continue
            full = prices.full(item)
            is_full = {
                Verdict.TIMED_OUT: got.units == full.units,
                Verdict.OUTPUT: got.chars == full.chars,
                Verdict.MEMORY: self.has_all_memory,
            }[verdict]
            if verdict is Verdict.TIMED_OUT:
                used += got.units
            if is_full:
                prices.paid(item, verdict)
            else:
                run.cheap = True
                run.in_doubt |= verdict is Verdict.MEMORY and not prices.is_cheap(verdict, item)
        return used


class _Observed(NamedTuple):
    """A step that has run, and what it could use."""

    run: SessionRun
    item: Item
    observation: Observation
    got: StepLimits


def pay_again(runs: Sequence[SessionRun], prices: Prices) -> None:
    """Have `prices` count a time-out at full price in `runs` twice, before another seed tries it.

    With that seed it would most likely be the same.
    """
    for run in runs:
        died_late = run.observations and run.died is not None and not run.cheap
        if died_late and failed_by(run.observations[-1]) is Verdict.TIMED_OUT:
            prices.paid(run.plan[len(run.observations) - 1], Verdict.TIMED_OUT)


def value_caps(limits: Limits) -> ValueLimits:
    """Return how large a value may be within `limits`; digits are rounded up to whole bits."""
    return ValueLimits(
        value_items=limits.value_items,
        value_depth=limits.value_depth,
        value_chars=limits.value_chars,
        int_bits=_bits_of(limits.int_digits),
    )


@cache
def _bits_of(digits: int) -> int:
    return int((10**digits - 1).bit_length())


def executor_limits(
    limits: Limits, *, session_cpu_s: float, memory_bytes: int | None = None
) -> dict[str, int]:
    """Return what an executor is told of `limits`; the kernel ends it after `session_cpu_s`."""
    return {
        "memory_bytes": memory_bytes or limits.memory_bytes,
        "session_cpu_s": math.ceil(session_cpu_s),
        "output_chars": limits.output_chars,
        "recursion": limits.recursion,
        "units": units(limits.cpu_s),
        "session_units": units(limits.session_cpu_s),
        "sleep_ms": math.ceil(1000 * limits.wall_s),
        "session_sleep_ms": math.ceil(1000 * limits.session_wall_s),
        **asdict(value_caps(limits)),
    }


def first_reply(replies: Iterator[bytes]) -> bytes:
    """Return the reply to a load request; raises `ZygoteError` when it was none of our walls."""
    try:
        return next(replies)
    except ExecutorEnded as ended:
        if ended.verdict is Verdict.EXITED:  # no line of the submission has run yet
            raise ZygoteError(f"an executor did not start: {ended.evidence}") from ended
        raise


def checked(payload: bytes) -> bytes:
    """Return `payload`, unless it says that a step may use no more; raises `ExecutorEnded`."""
    if (ending := _ENDINGS.get(payload)) is not None:
        verdict, evidence, idle = ending
        raise ExecutorEnded(verdict, evidence, idle=idle)
    return payload


_Decode: TypeAlias = Callable[[bytes, tuple[str, ...]], Observation]


@cache
def _decoders(caps: ValueLimits) -> tuple[_Decode, _Decode]:
    """Return what decodes observations of values within `caps`; it raises `ProtocolError`.

    The second one gives the same object for the same bytes: most answers of a class are the same.
    """

    def decoded(payload: bytes, binds: tuple[str, ...]) -> Observation:
        return decode_observation(parsed(payload), binds, caps)

    return decoded, lru_cache(_MOST_KEPT)(decoded)


def observe(
    runs: Sequence[SessionRun],
    replies: Iterator[bytes],
    caps: ValueLimits,
    received_bytes: int = 0,
) -> int:
    """Add the observations in `replies` to `runs`, one by one, up to a step that fell short.

    Values are within `caps`. Returns how much has come, with what is `received_bytes` before.
    Raises `ExecutorEnded` for a reply that ends it all, and `ProtocolError`.
    """
    decoded, kept = _decoders(caps)
    for run in runs:
        for item, payload in zip(run.left, replies, strict=False):  # they go on behind the plan
            received_bytes += len(payload)
            if payload == TOO_LONG or received_bytes > MAX_SUBMISSION_REPLY_BYTES:
                raise ExecutorEnded(Verdict.OUTPUT, "reply too long")
            checked(payload)
            decode = kept if len(payload) <= _MOST_KEPT_BYTES else decoded
            observation = decode(payload, item.binds)
            if observation.overflowed and item.role is Role.LOOK:
                raise ExecutorEnded(Verdict.OUTPUT, "a look printed too much")
            run.observations.append(observation)
            if failed_by(observation) is not None:
                return received_bytes  # it waits to be told what the others may cost
    return received_bytes


def cut_short(
    plans: Sequence[tuple[Item, ...]], runs: list[SessionRun], died: Observation
) -> list[SessionRun]:
    """Return `runs`, none before the import, with how they ended in the place of a step."""
    if not (runs and runs[0].loaded and any(plans)):
        nothing = ImportObservation(observation=died, defined=frozenset())
        return [SessionRun(plan, nothing) for plan in plans]
    under_way = next((run for run in runs if len(run.observations) < len(run.plan)), runs[-1])
    # What came after the last step spoils that one.
    under_way.observations[len(under_way.plan) - 1 :] = [died]
    return runs


def died_of(error: ExecutorEnded | ProtocolError) -> Observation:
    """Return what `error` shows of the step under way."""
    if isinstance(error, ProtocolError):
        return Observation(outcome=Died(verdict=Verdict.TAMPERED, evidence=error.message))
    return Observation(outcome=Died(verdict=error.verdict, evidence=error.evidence))
