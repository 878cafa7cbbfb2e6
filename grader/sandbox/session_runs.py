"""The runs of plans in an executor, as read from its replies."""

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
from grader.sandbox.budget import Prices, StepLimits, exceeded_limit, units
from grader.sandbox.executor import ExecutorEnded, parse_reply
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
    json.dumps(reply, separators=(",", ":")).encode(): ending  # the bytes that executors send
    for reply, ending in (
        (SPENT, (Verdict.TIMED_OUT, "units of the step", False)),
        (SLEPT, (Verdict.TIMED_OUT, "it would sleep too long", True)),
        (NO_ROOM, (Verdict.MEMORY, "no room to reply", False)),
    )
}
"""The verdict, the evidence, and whether the step was idle, keyed by a reply that only says why the
step stopped."""
_MAX_CACHED: Final = 8192
_MAX_CACHED_BYTES: Final = 4096
"""Decoded replies up to this size are cached, so a full cache has at most 32 MiB of replies."""


@dataclass(slots=True)
class SessionRun:
    """The result of one plan, with an observation for each item that was reached."""

    plan: tuple[Item, ...]
    imported: ImportObservation
    observations: list[Observation] = field(default_factory=list)
    had_cheap_limit: bool = False
    """Whether a step exceeded a limit that was lower than the suite's because of earlier
    failures."""
    in_doubt: bool = False
    """Whether the lowered limit was the memory limit, which had been lowered only because of calls
    in other steps."""

    @property
    def remaining_items(self) -> tuple[Item, ...]:
        """The items of the plan that have not been reached."""
        return self.plan[len(self.observations) :]

    @property
    def exceeded_a_limit(self) -> bool:
        """Whether a step exceeded a limit."""
        return any(exceeded_limit(observation) is not None for observation in self.observations)

    @property
    def completed(self) -> bool:
        """Whether all items of the plan were reached and no step exceeded a limit."""
        reached_all = self.is_loaded and len(self.observations) == len(self.plan)
        return reached_all and not self.exceeded_a_limit

    @property
    def death(self) -> Died | None:
        """How the executor died, or None if it survived."""
        last = (self.imported.observation, *self.observations)[-1].outcome
        return last if isinstance(last, Died) else None

    @property
    def units(self) -> int:
        """The units that the run used, where they are counted."""
        return self.imported.observation.units + sum(
            observation.units for observation in self.observations
        )

    @property
    def is_loaded(self) -> bool:
        """Whether the submission could be imported at all."""
        return isinstance(self.imported.observation.outcome, Returned)


class BatchLimits:
    """The limits of the steps in a batch of plans, which are lowered as earlier steps fail."""

    def __init__(
        self,
        prices: Prices,
        plans: Sequence[Sequence[Item]],
        memory_bytes: int,
        *,
        in_full: bool = False,
    ) -> None:
        """Start with the current `prices`, or with full prices if `in_full`.

        `memory_bytes` is the full memory limit.
        """
        self._prices: Final = prices
        self._items: Final = [item for plan in plans for item in plan]
        self._has_full_limits: Final = in_full
        self._batch_prices: Prices | None = None
        """The prices after the failures in this batch so far, or None before the first `renew`."""
        self._handled_steps = 0
        initial_bytes = memory_bytes if in_full else prices.memory_bytes(self._items, memory_bytes)
        self.memory_bytes: Final = initial_bytes
        self.has_all_memory: Final = initial_bytes == memory_bytes
        limits_for = prices.full if in_full else prices.limits_for
        self.step_limits: Final = list(map(limits_for, self._items))

    def renew(self, runs: Sequence[SessionRun]) -> list[StepLimits]:
        """Update the limits after failures in `runs`; return the limits of the remaining steps.

        Full limits are never changed.
        """
        observed = self._observed_steps(runs)[self._handled_steps :]
        self._handled_steps += len(observed)
        if not self._has_full_limits:
            # A copy, because `settle` will count the same failures in the real prices.
            self._batch_prices = self._batch_prices or deepcopy(self._prices)
            self._update_prices(observed, self._batch_prices)
            self.step_limits[self._handled_steps :] = map(
                self._batch_prices.limits_for, self._items[self._handled_steps :]
            )
        return self.step_limits[self._handled_steps :]

    def settle(self, runs: Sequence[SessionRun]) -> int:
        """Update the prices with what the steps of `runs` used, and return the units used.

        Also mark the runs in which a step exceeded a limit lower than the full one.
        """
        return self._update_prices(self._observed_steps(runs), self._prices)

    def _observed_steps(self, runs: Sequence[SessionRun]) -> list[_ObservedStep]:
        """Return the steps of `runs` that have been observed, with their limits."""
        steps = (
            (run, item, observation)
            for run in runs
            for item, observation in zip(run.plan, run.observations, strict=False)
        )
        return [
            _ObservedStep(*step, limits)
            for step, limits in zip(steps, self.step_limits, strict=False)
        ]

    def _update_prices(self, steps: Iterable[_ObservedStep], prices: Prices) -> int:
        """Update `prices` with the usage of `steps`, and return the units used.

        Also marks the runs that exceeded a lowered limit.
        """
        used_units = 0
        for run, item, observation, limits in steps:
            verdict = exceeded_limit(observation)
            used_units += observation.units
            if verdict is None:
                prices.record_success(item, observation)
                continue
            full = prices.full(item)
            is_full = {
                Verdict.TIMED_OUT: limits.units == full.units,
                Verdict.OUTPUT: limits.chars == full.chars,
                Verdict.MEMORY: self.has_all_memory,
            }[verdict]
            # The executor stopped without reporting the units of this step, so count all of them.
            if verdict is Verdict.TIMED_OUT:
                used_units += limits.units
            if is_full:
                prices.record_failure(item, verdict)
            else:
                run.had_cheap_limit = True
                run.in_doubt |= verdict is Verdict.MEMORY and not prices.is_cheap(verdict, item)
        return used_units


class _ObservedStep(NamedTuple):
    """A step that has run, and the limits that it had."""

    run: SessionRun
    item: Item
    observation: Observation
    limits: StepLimits


def count_time_outs_twice(runs: Sequence[SessionRun], prices: Prices) -> None:
    """Count each time-out at full price in `runs` once more, before another seed is tried.

    Otherwise the same step would most likely use up the full price with that seed as well.
    """
    for run in runs:
        died_at_full_price = run.observations and run.death is not None and not run.had_cheap_limit
        if died_at_full_price and exceeded_limit(run.observations[-1]) is Verdict.TIMED_OUT:
            prices.record_failure(run.plan[len(run.observations) - 1], Verdict.TIMED_OUT)


def value_caps(limits: Limits) -> ValueLimits:
    """Return the caps that `limits` set on values; the limit on digits becomes one on bits."""
    return ValueLimits(
        value_items=limits.value_items,
        value_depth=limits.value_depth,
        value_chars=limits.value_chars,
        int_bits=_bits_for_digits(limits.int_digits),
    )


@cache
def _bits_for_digits(digits: int) -> int:
    """Return the bit length of the largest number with this many digits."""
    return int((10**digits - 1).bit_length())


def executor_limits(
    limits: Limits, *, session_cpu_s: float, memory_bytes: int | None = None
) -> dict[str, int]:
    """Return `limits` as sent to an executor; the kernel kills it after `session_cpu_s` of CPU."""
    return {
        "memory_bytes": memory_bytes or limits.memory_bytes,
        "session_cpu_s": math.ceil(session_cpu_s),  # RLIMIT_CPU counts whole seconds
        "output_chars": limits.output_chars,
        "recursion": limits.recursion,
        "units": units(limits.cpu_s),
        "session_units": units(limits.session_cpu_s),
        "sleep_ms": math.ceil(1000 * limits.wall_s),
        "session_sleep_ms": math.ceil(1000 * limits.session_wall_s),
        **asdict(value_caps(limits)),
    }


def first_reply(replies: Iterator[bytes]) -> bytes:
    """Return the reply to a load request.

    Raises `ZygoteError` if the executor exited instead, and `ExecutorEnded` if it ended in any
    other way.
    """
    try:
        return next(replies)
    except ExecutorEnded as ended:
        # The exit is not the submission's fault, because none of its code has run yet.
        if ended.verdict is Verdict.EXITED:
            raise ZygoteError(
                f"an executor did not start: {ended.evidence}",
                help="if this machine is out of memory, run fewer executors at once with `--jobs`",
            ) from ended
        raise


def check_reply(payload: bytes) -> bytes:
    """Return `payload`; raises `ExecutorEnded` if it reports that a step used up a limit."""
    if (ending := _ENDINGS.get(payload)) is not None:
        verdict, evidence, idle = ending
        raise ExecutorEnded(verdict, evidence, idle=idle)
    return payload


_Decode: TypeAlias = Callable[[bytes, tuple[str, ...]], Observation]


@cache
def _decoders(caps: ValueLimits) -> tuple[_Decode, _Decode]:
    """Return two decoders of observations with values within `caps`, which raise `ProtocolError`.

    The second one has a cache, because the submissions in a course give many identical answers.
    """

    def decode_reply(payload: bytes, binds: tuple[str, ...]) -> Observation:
        return decode_observation(parse_reply(payload), binds, caps)

    return decode_reply, lru_cache(_MAX_CACHED)(decode_reply)


def observe(
    runs: Sequence[SessionRun],
    replies: Iterator[bytes],
    caps: ValueLimits,
    received_bytes: int = 0,
) -> int:
    """Append the observations in `replies` to `runs`, up to a step that exceeded a limit.

    Values must be within `caps`. Return the total number of bytes received, including
    `received_bytes`. Raises `ExecutorEnded` for a reply that ends the session, and
    `ProtocolError` for a malformed one.
    """
    decode_once, decode_cached = _decoders(caps)
    for run in runs:
        # The zip is not strict, as replies to later runs stay in `replies`.
        for item, payload in zip(run.remaining_items, replies, strict=False):
            received_bytes += len(payload)
            if payload == TOO_LONG or received_bytes > MAX_SUBMISSION_REPLY_BYTES:
                raise ExecutorEnded(Verdict.OUTPUT, "reply too long")
            check_reply(payload)
            decode = decode_cached if len(payload) <= _MAX_CACHED_BYTES else decode_once
            observation = decode(payload, item.binds)
            if observation.overflowed and item.role is Role.LOOK:
                raise ExecutorEnded(Verdict.OUTPUT, "a look printed too much")
            run.observations.append(observation)
            if exceeded_limit(observation) is not None:
                return received_bytes  # the executor now waits for new limits
    return received_bytes


def record_death(
    plans: Sequence[tuple[Item, ...]], runs: list[SessionRun], died: Observation
) -> list[SessionRun]:
    """Record `died` as the last observation of the current run in `runs`, and return `runs`.

    If no import succeeded, or no plan has steps, return new runs of `plans` in which the import
    died instead.
    """
    if not (runs and runs[0].is_loaded and any(plans)):
        failed_import = ImportObservation(observation=died, defined=frozenset())
        return [SessionRun(plan, failed_import) for plan in plans]
    current = next((run for run in runs if len(run.observations) < len(run.plan)), runs[-1])
    # If all steps were observed, the executor died later; the last observation is replaced.
    current.observations[len(current.plan) - 1 :] = [died]
    return runs


def death_observation(error: ExecutorEnded | ProtocolError) -> Observation:
    """Return the observation of the step during which `error` ended the executor."""
    if isinstance(error, ProtocolError):
        return Observation(outcome=Died(verdict=Verdict.TAMPERED, evidence=error.message))
    return Observation(outcome=Died(verdict=error.verdict, evidence=error.evidence))
