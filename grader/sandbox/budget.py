"""What a submission may use and has used, counted in units where possible and by clocks elsewhere.

The speed of the machine must not decide a mark. So programs are rewritten to count their
computation in units (see `grader.executor.metering`); one second of a limit is `UNITS_PER_S`
units. Clocks catch what units miss. They are set far beyond the limits, and staff get a remark
when a clock ends a submission.

A submission should not spend its budget on the same failure again and again. When two calls of a
function have used up all units, memory or output, its further calls get a small limit, but always
at least four times what a successful call used; see `Prices`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from grader.messages import Message, message
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.sandbox.observation import Died, Observation, Raised
from grader.sandbox.planning import Item, called_names
from grader.suite.limits import Limits
from grader.verdict import Verdict

UNITS_PER_S: Final = 200_000_000
"""Roughly what plain code computed per second on the developer's machine."""
_CLOCK_FACTOR: Final = 10
"""Factor by which clocks exceed the limits on CPU time. A machine under load takes more than twice
as long for the same code, and a lab machine can be slower by another factor of two."""
_SUBMISSION_CLOCK_FACTOR: Final = 4
"""The corresponding factor for the clock on all sessions of a submission together."""
_FAILURES_UNTIL_CHEAP: Final = 2
"""After this many failures at full price, calls of a name get the cheap price."""
_TIME_OUTS_UNTIL_CHEAP: Final = 4
"""After this many time-outs at full price, names whose calls never succeeded get the cheap
price at once."""
_MAX_DEATHS_IN_LOOKS: Final = 3
_CHEAP_DIVISOR: Final = 50
_CHEAP_CHARS: Final = 10_000
_CHEAP_MEMORY_BYTES: Final = 24 * 1024 * 1024
_CHEAP_MEMORY_DIVISOR: Final = 4
_SUCCESS_FACTOR: Final = 4
_MIN_CLOCK_S: Final = 0.5


class StepLimits(NamedTuple):
    """What one step is allowed to use."""

    units: int
    chars: int


class Clocks(NamedTuple):
    """The clocks, in seconds, that end a step or a session however few units it has used."""

    cpu_s: float
    """CPU time of a step."""
    idle_s: float
    """How long a step is allowed to wait for anything but CPU."""
    session_idle_s: float
    session_cpu_s: float

    @classmethod
    def from_limits(cls, limits: Limits) -> Clocks:
        """Return the clocks of a session within `limits`."""
        # Idle time does not depend on the speed of the machine, so it needs no factor.
        return cls(
            _CLOCK_FACTOR * limits.cpu_s,
            limits.wall_s,
            limits.session_wall_s,
            _CLOCK_FACTOR * limits.session_cpu_s,
        )

    def step_cpu_limits_s(self, limits: Sequence[StepLimits]) -> list[float]:
        """Return the CPU seconds allowed for each step, given their `limits`."""
        allowed_s = (_CLOCK_FACTOR * step.units / UNITS_PER_S for step in limits)
        return [max(_MIN_CLOCK_S, step_s) for step_s in allowed_s]


def units(limit_s: float) -> int:
    """Convert a limit in seconds to units."""
    return int(limit_s * UNITS_PER_S)


@dataclass(slots=True, kw_only=True)
class Budget:
    """What the sessions of one submission have used, for all its programs and seeds together."""

    bounded: bool = True
    """False for programs by the author, such as a reference, which are allowed any number of
    sessions."""
    units: int = 0
    received_bytes: int = 0
    cpu_s: float = 0.0
    idle_s: float = 0.0
    """How long the sessions waited for anything but CPU."""
    deaths_in_looks: int = 0
    """How many sessions died in a look."""
    clock_decided: bool = False
    """Whether a clock ended a session that was within its units."""
    slept: bool = False
    """Whether the submission slept, or waited, for longer than allowed."""
    confirmed_groups: set[str] = field(default_factory=set)
    """Groups in which a case that failed at the cheap price also failed at full price."""

    @property
    def includes_looks(self) -> bool:
        """Whether sessions include looks; they no longer do after several deaths in looks."""
        return self.deaths_in_looks < _MAX_DEATHS_IN_LOOKS

    def why_exhausted(self, limits: Limits) -> Message | None:
        """Return why no more sessions are run, or None while some budget is left.

        Also record whether a clock or idle time used up the budget.
        """
        if not self.bounded:
            return None
        if self.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return message("not_run.replies")
        return message("not_run.budget") if self._is_exhausted(limits) else None

    def is_half_spent(self, limits: Limits) -> bool:
        """Return whether less than half of the submission's units are left."""
        return self.units > units(limits.submission_cpu_s) // 2

    def staff_remarks(self, limits: Limits) -> tuple[Message, ...]:
        """Return remarks for staff on how the submission exceeded its time or budget.

        Also records whether a clock or idle time used up the budget.
        """
        # `why_exhausted` comes first, because it sets the flags that are read after it.
        remarks = (
            ("staff.budget", self.why_exhausted(limits)),
            ("staff.clock", self.clock_decided),
            ("staff.slept", self.slept),
        )
        return tuple(message(key) for key, applies in remarks if applies)

    def _is_exhausted(self, limits: Limits) -> bool:
        """Return whether the budget is used up; record if a clock or idle time was the cause."""
        by_units = self.units > units(limits.submission_cpu_s)
        by_clock = self.cpu_s > _SUBMISSION_CLOCK_FACTOR * limits.submission_cpu_s
        by_waiting = self.idle_s > limits.submission_wall_s
        # If the units are used up as well, the submission would be stopped without the clock too.
        self.clock_decided |= by_clock and not by_units
        self.slept |= by_waiting
        return by_clock or by_waiting or by_units


class _Failure(NamedTuple):
    """The key of a failure count: the exceeded limit, as a verdict, and the called name."""

    verdict: Verdict
    name: str


class Prices:
    """What each call in one program is allowed to use, given its earlier failures.

    Prices are kept per called name: `puzzle.is_solved()` has the price of `is_solved`. The full
    price is the suite's limit. A name whose calls failed twice at full price gets a fiftieth of it.
    """

    def __init__(self, limits: Limits) -> None:
        """Give each call its full price, which `limits` set."""
        self._suite_limits: Final = StepLimits(units(limits.cpu_s), limits.output_chars)
        self._calls: Final = {name: units(limit_s) for name, limit_s in limits.calls.items()}
        self._failures: Final[Counter[_Failure]] = Counter()
        self._units: Final[dict[str, int]] = {}
        """The most units that a successful call of a name has used, keyed by name."""
        self._chars: Final[dict[str, int]] = {}
        """The most characters that a successful call of a name has printed, keyed by name."""
        self._pardoned: Final[set[str]] = set()

    def full(self, item: Item) -> StepLimits:
        """Return the limits that the suite sets for the step of `item`."""
        if not self._calls:
            return self._suite_limits
        call_units = [self._calls[name] for name in called_names(item.code) if name in self._calls]
        return StepLimits(
            max(call_units, default=self._suite_limits.units), self._suite_limits.chars
        )

    def limits_for(self, item: Item) -> StepLimits:
        """Return the limits for the step of `item`, lowered after earlier failures of its calls."""
        full, names = self.full(item), called_names(item.code)
        if not self._failures:
            return full
        slow_names = [name for name in names if self._gets_cheap_units(name)]
        verbose_names = [name for name in names if self._gets_cheap_price(Verdict.OUTPUT, name)]
        return StepLimits(
            self._cheap_limit(slow_names, self._units, full.units, full.units // _CHEAP_DIVISOR),
            self._cheap_limit(verbose_names, self._chars, full.chars, _CHEAP_CHARS),
        )

    def _cheap_limit(
        self, names: Iterable[str], highest: dict[str, int], full: int, minimum: int
    ) -> int:
        """Return the cheap price of calls to `names`, or `full` if `names` is empty.

        The cheap price is at least `minimum`, and at least a multiple of the most that a successful
        call used, as recorded in `highest`. It is never more than `full`.
        """
        successes = [highest.get(name, 0) for name in names]
        return min(full, max(minimum, _SUCCESS_FACTOR * max(successes))) if successes else full

    def memory_bytes(self, plan: Sequence[Item], full_bytes: int) -> int:
        """Return the memory limit of the session that runs `plan`.

        It is lower than `full_bytes` if the plan calls a name that has used up the memory twice.
        """
        names = {name for item in plan for name in called_names(item.code)}
        if any(self._gets_cheap_price(Verdict.MEMORY, name) for name in names):
            return min(full_bytes, max(_CHEAP_MEMORY_BYTES, full_bytes // _CHEAP_MEMORY_DIVISOR))
        return full_bytes

    def _gets_cheap_units(self, name: str) -> bool:
        """Return whether calls of `name` get the cheap price for units."""
        if self._gets_cheap_price(Verdict.TIMED_OUT, name):
            return True
        never_succeeded = name not in self._units and name not in self._pardoned
        return never_succeeded and self._time_outs >= _TIME_OUTS_UNTIL_CHEAP

    @property
    def _time_outs(self) -> int:
        """The number of time-outs at full price, whatever was called."""
        return self._failures[_Failure(Verdict.TIMED_OUT, "")]

    def _gets_cheap_price(self, verdict: Verdict, name: str) -> bool:
        """Return whether calls of `name` get the cheap price for the limit that `verdict` names."""
        return (
            self._failures[_Failure(verdict, name)] >= _FAILURES_UNTIL_CHEAP
            and name not in self._pardoned
        )

    def have_full_price(self, memory_bytes: int, plan: Sequence[Item]) -> bool:
        """Return whether all calls in `plan`, and its memory, still have their full price.

        The full price of memory is `memory_bytes`.
        """
        has_full_memory = self.memory_bytes(plan, memory_bytes) == memory_bytes
        return has_full_memory and all(self.limits_for(item) == self.full(item) for item in plan)

    def is_cheap(self, verdict: Verdict, item: Item) -> bool:
        """Return whether a call in `item` has the cheap price for the limit named by `verdict`."""
        return any(self._gets_cheap_price(verdict, name) for name in called_names(item.code))

    def record_failure(self, item: Item, verdict: Verdict) -> None:
        """Record that the step of `item` exceeded the limit that `verdict` names, at full price."""
        for name in called_names(item.code):
            self._failures[_Failure(verdict, name)] += 1
        self._failures[_Failure(verdict, "")] += 1  # the total, see `_time_outs`

    def record_success(self, item: Item, observation: Observation) -> None:
        """Record from `observation` what the step of `item` used; it exceeded no limit."""
        for name in called_names(item.code):
            self._units[name] = max(self._units.get(name, 0), observation.units)
            self._chars[name] = max(self._chars.get(name, 0), len(observation.stdout))

    def pardon(self, plan: Sequence[Item]) -> None:
        """Give the calls in `plan` their full price from now on, because they succeeded with it."""
        self._pardoned.update(name for item in plan for name in called_names(item.code))


def exceeded_limit(observation: Observation) -> Verdict | None:
    """Return the verdict for the limit that a step exceeded, or None if it exceeded none."""
    match observation.outcome:
        case Died(verdict=Verdict.TIMED_OUT | Verdict.MEMORY | Verdict.OUTPUT as verdict):
            return verdict
        case Raised(type_names=names) if "MemoryError" in names:
            return Verdict.MEMORY
        case _:
            return Verdict.OUTPUT if observation.overflowed else None
