"""What a submission may use and has used: counted where that can be, by clocks where it cannot.

How fast a machine is must decide no mark. So programs are rewritten to tell what they compute, in
units (see `grader.executor.metering`), and a second of a limit stands for `UNITS_PER_S` of them.
Clocks are there for what units do not see. They are far beyond the limits, and staff are told of
whoever is ended by one.

A failure is paid once. Who has used up all units, the memory or the room for output in two calls of
the same function gets little of it in further calls, but always four times what such a call took
when it went well; see `Prices`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from grader.messages import Message, message
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.sandbox.observation import Died, Observation, Raised
from grader.sandbox.planning import Item, called
from grader.suite.limits import Limits
from grader.verdict import Verdict

UNITS_PER_S: Final = 200_000_000
"""Of plain code about as much as a second of the machine that this was written on."""
_PATIENTLY: Final = 10
"""How many times a limit on CPU time a clock allows where units count: a machine under load takes
more than twice its time for the same code, and one of a lab may be as slow again."""
_IN_ALL: Final = 4
"""The same for all sessions together."""
_ENOUGH: Final = 2
"""So many failures of a call at full price are believed."""
_MOST_TIME_OUTS: Final = 4
"""After so many at full price, calls that never ended well are not waited for at all."""
_MOST_LOOKS_DIED: Final = 3
_CHEAP_PART: Final = 50
_CHEAP_CHARS: Final = 10_000
_CHEAP_MEMORY_BYTES: Final = 24 * 1024 * 1024
_CHEAP_MEMORY_PART: Final = 4
_TIMES_WHAT_WENT_WELL: Final = 4
_LEAST_CLOCK_S: Final = 0.5


class StepLimits(NamedTuple):
    """What one step may use."""

    units: int
    chars: int


class Clocks(NamedTuple):
    """What ends a step or a session whatever is counted, in seconds."""

    cpu_s: float
    """CPU time of a step."""
    idle_s: float
    """How long a step may wait for something else than a processor."""
    session_idle_s: float
    session_cpu_s: float

    @classmethod
    def within(cls, limits: Limits) -> Clocks:
        """Return the clocks of a session within `limits`."""
        return cls(
            _PATIENTLY * limits.cpu_s,
            limits.wall_s,
            limits.session_wall_s,
            _PATIENTLY * limits.session_cpu_s,
        )

    def of_steps(self, limits: Sequence[StepLimits]) -> list[float]:
        """Return the CPU time of each step, of which some have other `limits` than usual."""
        counted_s = (_PATIENTLY * each.units / UNITS_PER_S for each in limits)
        return [max(_LEAST_CLOCK_S, each) for each in counted_s]


def units(limit_s: float) -> int:
    """Return how many units a limit of so many seconds stands for."""
    return int(limit_s * UNITS_PER_S)


@dataclass(slots=True, kw_only=True)
class Budget:
    """What the sessions of one submission have used, on all of its programs and seeds."""

    bounded: bool = True
    """Programs of the author are not: many sessions of a reference are no reason for doubt."""
    units: int = 0
    received_bytes: int = 0
    cpu_s: float = 0.0
    idle_s: float = 0.0
    """How long it waited for something else than a processor."""
    looks_died: int = 0
    """How many sessions a look has brought to their end."""
    clock_decided: bool = False
    """Whether a clock has ended what units would have let go on."""
    slept: bool = False
    """Whether it slept, or waited, for longer than it may."""
    confirmed: set[str] = field(default_factory=set)
    """Groups of which a case that failed for little room has failed with all of it, too."""

    @property
    def looks(self) -> bool:
        """Whether steps are looked at; not where looks only take time."""
        return self.looks_died < _MOST_LOOKS_DIED

    def spent(self, limits: Limits) -> Message | None:
        """Return why nothing more is tried, None while something is left."""
        if not self.bounded:
            return None
        if self.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return message("not_run.replies")
        return message("not_run.budget") if self._is_over(limits) else None

    def nearly_spent(self, limits: Limits) -> bool:
        """Return whether less than half of what the submission may use is left."""
        return self.units > units(limits.submission_cpu_s) // 2

    def staff_remarks(self, limits: Limits) -> tuple[Message, ...]:
        """Return what staff should know of how the submission used its time."""
        troubles = (
            ("staff.budget", self.spent(limits)),
            ("staff.clock", self.clock_decided),
            ("staff.slept", self.slept),
        )
        return tuple(message(key) for key, is_there in troubles if is_there)

    def _is_over(self, limits: Limits) -> bool:
        by_units = self.units > units(limits.submission_cpu_s)
        by_clock = self.cpu_s > _IN_ALL * limits.submission_cpu_s
        by_waiting = self.idle_s > limits.submission_wall_s
        self.clock_decided |= by_clock and not by_units
        self.slept |= by_waiting
        return by_clock or by_waiting or by_units


class _Kind(NamedTuple):
    """Of which limit a call has failed, and what is called."""

    verdict: Verdict
    name: str


class Prices:
    """What failures of one program have cost, so that each is paid once.

    The key is what a step calls: `puzzle.is_solved()` asks for the price of `is_solved`. Full price
    is the limit of the suite. A call that has failed at full price twice gets a fiftieth of it.
    """

    def __init__(self, limits: Limits) -> None:
        """Begin with the full price of each call, which `limits` tell."""
        self._usual: Final = StepLimits(units(limits.cpu_s), limits.output_chars)
        self._calls: Final = {name: units(limit_s) for name, limit_s in limits.calls.items()}
        self._failures: Final[Counter[_Kind]] = Counter()
        self._units: Final[dict[str, int]] = {}
        """The most that a call of a name has used and ended well; so with characters."""
        self._chars: Final[dict[str, int]] = {}
        self._pardoned: Final[set[str]] = set()

    def full(self, item: Item) -> StepLimits:
        """Return what the suite gives the step of `item`."""
        if not self._calls:
            return self._usual
        given = [self._calls[name] for name in called(item.code) if name in self._calls]
        return StepLimits(max(given, default=self._usual.units), self._usual.chars)

    def of(self, item: Item) -> StepLimits:
        """Return what the step of `item` gets."""
        full, names = self.full(item), called(item.code)
        if not self._failures:
            return full
        timed = [name for name in names if self._is_slow(name)]
        printed = [name for name in names if self._is_cheap(Verdict.OUTPUT, name)]
        return StepLimits(
            self._less(timed, self._units, full.units, full.units // _CHEAP_PART),
            self._less(printed, self._chars, full.chars, _CHEAP_CHARS),
        )

    def _less(self, names: Iterable[str], best: dict[str, int], full: int, least: int) -> int:
        """Return what calls of `names` get of one kind, at most what is `full`."""
        good = [best.get(name, 0) for name in names]
        return min(full, max(least, _TIMES_WHAT_WENT_WELL * max(good))) if good else full

    def memory_bytes(self, plan: Sequence[Item], full_bytes: int) -> int:
        """Return how much memory the session of `plan` gets."""
        names = {name for item in plan for name in called(item.code)}
        if any(self._is_cheap(Verdict.MEMORY, name) for name in names):
            return min(full_bytes, max(_CHEAP_MEMORY_BYTES, full_bytes // _CHEAP_MEMORY_PART))
        return full_bytes

    def _is_slow(self, name: str) -> bool:
        if self._is_cheap(Verdict.TIMED_OUT, name):
            return True
        never_went_well = name not in self._units and name not in self._pardoned
        return never_went_well and self._time_outs >= _MOST_TIME_OUTS

    @property
    def _time_outs(self) -> int:
        return self._failures[_Kind(Verdict.TIMED_OUT, "")]

    def _is_cheap(self, verdict: Verdict, name: str) -> bool:
        return self._failures[_Kind(verdict, name)] >= _ENOUGH and name not in self._pardoned

    def are_full(self, memory_bytes: int, plan: Sequence[Item]) -> bool:
        """Return whether all in `plan` has its full price, of `memory_bytes` for the session."""
        has_all = self.memory_bytes(plan, memory_bytes) == memory_bytes
        return has_all and all(self.of(item) == self.full(item) for item in plan)

    def is_cheap(self, verdict: Verdict, item: Item) -> bool:
        """Return whether a call in `item` has failed by a limit as often as is believed."""
        return any(self._is_cheap(verdict, name) for name in called(item.code))

    def paid(self, item: Item, verdict: Verdict) -> None:
        """Take note that the step of `item` has failed by a limit, at its full price."""
        for name in called(item.code):
            self._failures[_Kind(verdict, name)] += 1
        self._failures[_Kind(verdict, "")] += 1

    def went_well(self, item: Item, observation: Observation) -> None:
        """Take note of what a step has used that failed by no limit."""
        for name in called(item.code):
            self._units[name] = max(self._units.get(name, 0), observation.units)
            self._chars[name] = max(self._chars.get(name, 0), len(observation.stdout))

    def pardon(self, plan: Sequence[Item]) -> None:
        """Have the calls in `plan`, which goes well at full price, cost that from now on."""
        self._pardoned.update(name for item in plan for name in called(item.code))


def failed_by(observation: Observation) -> Verdict | None:
    """Return by which limit a step has failed, None if by none."""
    match observation.outcome:
        case Died(verdict=Verdict.TIMED_OUT | Verdict.MEMORY | Verdict.OUTPUT as verdict):
            return verdict
        case Raised(type_names=names) if "MemoryError" in names:
            return Verdict.MEMORY
        case _:
            return Verdict.OUTPUT if observation.overflowed else None
