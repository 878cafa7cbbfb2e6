"""A rule on the cost of calls: the memory of their results, or their time.

*Memory* is counted as the bytes of the result and of the submission's module variables, where a
student could hide data. It is the same in every run.

*Time* is counted in loop iterations and calls (see `grader.executor.metering`) and, for values that
the suite names, in comparisons of integers. Both counts are the same in every run, but neither
includes work inside a built-in function that compares nothing. So the CPU time of the call is
measured as well, on a clock that stops while another process has the core, and compared with the
CPU time for the smallest size. A clock alone never breaks a rule: if only the measured time is too
long, a person decides.

    counted    measured           verdict
    too much   -                  broken
    fine       too much, twice    a person decides
    fine       anything else      passed
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from grader.judging.probing import ProbeObservation, ProbeStep
from grader.judging.results import (
    Ruling,
    broken_ruling,
    passed_ruling,
    review_ruling,
    skipped_ruling,
)
from grader.judging.rules.probes import (
    MAX_SIZES,
    MIN_RATIO,
    Growth,
    ProbeRule,
    Size,
    grows_at_most,
    ratio,
)
from grader.judging.rules.rule import Evidence, unqualified_name
from grader.messages import Message, message
from grader.sandbox.observation import Died, Raised, Returned
from grader.suite import texts
from grader.suite.diagnostics import did_you_mean, join_words, quote
from grader.suite.fields import Items, key, optional, parsed_by
from grader.suite.rules import ONE_COST, RuleScope
from grader.values import tree
from grader.values.equality import equal
from grader.values.foreign_text import one_line
from grader.values.tree import Atom, Value
from grader.verdict import Verdict

if TYPE_CHECKING:  # at run time it would import YAML, which cached suites do not need
    from grader.suite.document import NodePath

_CountedName: TypeAlias = Annotated[str, parsed_by(texts.identifier)]

SLACK_BYTES: Final = 64
"""Growth up to this size is ignored, because larger numbers take more memory."""
EXTRA_UNITS: Final = 400
"""Units added to each count, so that a few more iterations do not count as growth."""
EXTRA_COMPARISONS: Final = 8
"""Comparisons added to each count, because hash collisions in sets vary."""
_MAX_FIGURE: Final = 10**15
"""Bytes, comparisons or nanoseconds; any larger figure was forged."""
_RESOURCE_VERDICTS: Final = (Verdict.TIMED_OUT, Verdict.MEMORY)
_NAME_CHARS: Final = 80


_COST_SCHEMA: Final[dict[str, Any]] = {
    **ONE_COST,
    "oneOf": [{"required": ["memory"]}, {"required": ["time"]}],
    "dependentRequired": {"counted": ["time"]},
}


class Cost(ProbeRule, title="cost", json_schema_extra=_COST_SCHEMA):
    """How the cost of a call may grow with the size."""

    kind: ClassVar[str] = "cost"
    summary: ClassVar[str] = "What calls may cost in memory or in time."
    example: ClassVar[dict[str, Any]] = {
        "function": "make",
        "memory": "constant",
        "sizes": [8, 512],
        "call": "make(n)",
    }

    sizes: Items[Size] = key(
        "At least two sizes, in ascending order. The set-up and the call run once "
        "for each, in a separate session in which n is the size.",
        [8, 64, 512],
        min_length=2,
        max_length=MAX_SIZES,
    )
    memory: Literal["constant"] | None = optional(
        "How the memory that the result takes may grow with the size: not at all.", "constant"
    )
    time: Growth | None = optional(
        "How fast the time of the call may grow with the size, at most; instead of memory.",
        "constant",
    )
    counted: Items[_CountedName] = key(
        "Names that the set-up binds. The integers in their values count how often "
        "they are compared, which tells more than a clock.",
        ["position"],
        default_factory=tuple,
    )

    @property
    def name(self) -> str | None:
        """The function and the kind of cost."""
        return f"{self.function}/{'time' if self.memory is None else 'memory'}"

    def split(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield the rule itself if it is about exactly one kind of cost, else nothing."""
        if (self.memory is None) is not (self.time is None):
            yield ("function",), self

    def check(self, scope: RuleScope) -> None:
        """Report to `scope` errors in the probe and sizes, and a wrong number of kinds of cost."""
        self.check_probe(scope)
        self._check_counted(scope)
        first, last = max(1, self.sizes[0]), self.sizes[-1]
        if self.time is not None and last < MIN_RATIO * first:
            problem = f"from {first} to {last} is too little to show how a time grows"
            advice = f"make the last size at least {MIN_RATIO} times the first"
            scope.report_key("sizes", problem, advice)
        if self.memory is not None and self.time is not None:
            problem = "a rule on cost is about one cost, and 'memory' is already given"
            scope.report_key("time", problem, "split it into two rules")
        elif self.memory is None and self.time is None:
            problem = "this rule does not say which cost it is about"
            advice = "add `memory: constant`, or `time:` with constant, logarithmic or linear"
            scope.report_key("function", problem, advice)

    def _check_counted(self, scope: RuleScope) -> None:
        """Report to `scope` names in `counted` that are unbound, repeated, or without effect."""
        if self.counted and self.time is None:
            scope.report_key("counted", "'counted' means nothing without 'time'", "leave it out")
            return
        scope.report_repeated("name", "counted")
        bound = [name for code in self.setup for name in code.binds]
        for index, name in enumerate(self.counted):
            if name not in bound:
                problem = f"no step of the set-up binds {quote(name)}{did_you_mean(name, bound)}"
                advice = (
                    f"names to choose from: {join_words(bound)}"
                    if bound
                    else "bind the name in `setup`, or leave out `counted`"
                )
                scope.report_value(("counted", index), problem, advice)

    def sentence(self) -> Message:
        """Return the demand: how the cost is allowed to grow."""
        key = "demand.memory" if self.time is None else f"demand.time_{self.time}"
        return message(key, function=unqualified_name(self.function))

    def judge(self, evidence: Evidence) -> Ruling:
        """Return the ruling, based on probes."""
        try:
            if self.time is None:
                return _MemoryMeasurement(self, evidence).ruling()
            return _TimeMeasurement(self, self.time, evidence).ruling()
        except _NotMeasured as failure:
            return failure.ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """The answer of the call for one size, and a count or measurement of its cost."""

    answer: Value
    figure: int
    figure_to_show: int
    """The figure to show if it is too large. It includes comparisons that could be due to our
    instruments."""


class _NotMeasured(Exception):
    """The call could not be measured for some size; `ruling` is the result."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__()
        self.ruling: Final = ruling


class _MemoryMeasurement:
    """Counts the bytes of the call's result, for up to three sizes."""

    def __init__(self, rule: Cost, evidence: Evidence) -> None:
        self._rule: Final = rule
        self._evidence: Final = evidence
        self._probe: Final = rule.probe(evidence)

    def ruling(self) -> Ruling:
        """Return the ruling on whether the result takes the same memory for each size.

        Raises `_NotMeasured` if a call fails.
        """
        all_sizes = self._probe.sizes
        # A set, because with two sizes the middle one is also the last.
        sizes = sorted({all_sizes[0], all_sizes[len(all_sizes) // 2], all_sizes[-1]})
        figures = [self._count_bytes(size) for size in sizes]
        result_bytes = [result for result, _ in figures]
        total_bytes = [total for _, total in figures]
        # If only the total grows, the data is hidden in module variables.
        fits, key, figures_to_show = False, "cost.memory_hidden", total_bytes
        if total_bytes[-1] - total_bytes[0] <= SLACK_BYTES:
            fits, key, figures_to_show = True, "cost.memory_same", result_bytes
        elif result_bytes[-1] - result_bytes[0] > SLACK_BYTES:
            key, figures_to_show = "cost.memory_grows", result_bytes
        function = unqualified_name(self._rule.function)
        reason = message(key, function=function, small=sizes[0], large=sizes[-1])
        details = message("cost.bytes", bytes=_format_figures(sizes, figures_to_show))
        return passed_ruling(reason, details) if fits else broken_ruling(reason, details)

    def _count_bytes(self, size: int) -> tuple[int, int]:
        """Return the bytes of the result for `size`, and of all data kept by the submission.

        Raises `_NotMeasured` if the call or the report fails.
        """
        observation = self._evidence.prober.session(
            self._probe, size, settings={}, call="{name}_size__({code})", transformed=False
        ).observe()
        function = self._rule.function
        match _instrument_items(observation, function, is_first=size == self._probe.sizes[0]):
            # The report comes from the submission's process: other figures are forged.
            case Atom(int() as result_bytes), Atom(int() as total_bytes) if (
                0 <= result_bytes <= total_bytes <= _MAX_FIGURE
            ):
                return result_bytes, total_bytes
            case _:
                raise _NotMeasured(
                    review_ruling(message("cost.unclear", function=unqualified_name(function)))
                )


class _TimeMeasurement:
    """Counts and measures the time of a rule's call, for the smallest and the largest size."""

    def __init__(self, rule: Cost, growth: Growth, evidence: Evidence) -> None:
        self._rule: Final = rule
        self._growth: Final = growth
        self._prober: Final = evidence.prober
        self._probe: Final = rule.probe(evidence)
        self._sizes: Final = rule.sizes[0], rule.sizes[-1]
        self._function: Final = unqualified_name(rule.function)

    def ruling(self) -> Ruling:
        """Return the ruling on whether the call is fast enough.

        Raises `_NotMeasured` if the call fails.
        """
        if ratio(self._sizes) < MIN_RATIO:
            return self._unclear_ruling()
        units = self._count_units()
        if not grows_at_most(self._growth, self._sizes, [count + EXTRA_UNITS for count in units]):
            return broken_ruling(self._too_slow_message(), message("cost.work"))
        timings = self._measure_cpu_time()
        counts = self._count_comparisons([figure.answer for figure in timings])
        if counts is not None and not self._fits(counts, EXTRA_COMPARISONS):
            return broken_ruling(
                self._too_slow_message(),
                self._comparisons_message([figure.figure_to_show for figure in counts]),
            )
        certain_counts = [] if counts is None else [figure.figure for figure in counts]
        details = (self._comparisons_message(certain_counts),) if any(certain_counts) else ()
        if self._fits(timings):
            return passed_ruling(self._fast_enough_message(), *details)
        # Measured twice, because a busy machine can cause one slow run.
        if self._fits(self._measure_cpu_time()):
            return passed_ruling(self._fast_enough_message(), *details)
        return review_ruling(self._too_slow_message(), message("cost.time_measured"))

    def _fits(self, figures: Sequence[_Figure], extra: int = 0) -> bool:
        """Return whether `figures`, with `extra` added to each, grow as the rule allows."""
        values = [figure.figure + extra for figure in figures]
        return grows_at_most(self._growth, self._sizes, values)

    def _count_units(self) -> list[int]:
        """Return the units of work that the measured call takes for each of the two sizes.

        A unit is a loop iteration or a call.

        Raises `_NotMeasured` if the call fails.
        """
        units = []
        for size in self._sizes:
            observation = self._prober.session(
                self._probe, size, settings={}, call="{code}", transformed=False
            ).observe()
            # Called only for its exceptions: the work of a failed call proves nothing.
            _instrument_items(observation, self._rule.function, is_first=size == self._sizes[0])
            units.append(observation.call.units)
        return units

    def _measure_cpu_time(self) -> list[_Figure]:
        """Return the CPU time of the call in nanoseconds for each of the two sizes.

        Raises `_NotMeasured` if the call or the report fails.
        """
        return [self._measure(size, "{name}_timed__(lambda: ({code}))") for size in self._sizes]

    def _count_comparisons(self, answers: Sequence[Value]) -> list[_Figure] | None:
        """Return how often the call compares integers for each of the two sizes.

        Return None if the rule counts nothing, or if counting makes the call fail or changes its
        `answers`.
        """
        if not self._rule.counted:
            return None
        prepare = tuple(
            ProbeStep(
                code=f"{name} = {{name}}_counting__({name})", is_expression=False, binds=(name,)
            )
            for name in self._rule.counted
        )
        call = "{name}_counts__(lambda: ({code}))"
        try:
            figures = [self._measure(size, call, prepare) for size in self._sizes]
        except _NotMeasured:
            return None  # the call succeeded before, so our instruments made it fail
        counted_answers = (figure.answer for figure in figures)
        return figures if all(map(equal, answers, counted_answers)) else None

    def _measure(self, size: int, call: str, prepare: tuple[ProbeStep, ...] = ()) -> _Figure:
        """Run the template `call` for `size` and return its measurement.

        Raises `_NotMeasured` if the call or the report fails.
        """
        observation = self._prober.session(
            self._probe, size, settings={}, call=call, prepare=prepare, transformed=False
        ).observe()
        match _instrument_items(observation, self._rule.function, is_first=size == self._sizes[0]):
            case answer, Atom(int() as figure), Atom(int() as figure_to_show) if (
                0 <= figure <= figure_to_show <= _MAX_FIGURE
            ):
                return _Figure(answer=answer, figure=figure, figure_to_show=figure_to_show)
            case _:
                raise _NotMeasured(self._unclear_ruling())

    def _comparisons_message(self, counts: Sequence[int]) -> Message:
        return message("cost.comparisons", counts=_format_figures(self._sizes, counts))

    def _unclear_ruling(self) -> Ruling:
        return review_ruling(message("cost.unclear", function=self._function))

    def _too_slow_message(self) -> Message:
        return message(f"cost.above_{self._growth}", function=self._function)

    def _fast_enough_message(self) -> Message:
        return message(f"cost.{self._growth}", function=self._function)


def _format_figures(sizes: Sequence[int], figures: Sequence[int]) -> str:
    """Return `figures`, each with its size, such as `24 (n = 8), 512 (n = 64)`."""
    figures_at_sizes = (
        f"{figure} (n = {size})" for size, figure in zip(sizes, figures, strict=True)
    )
    return ", ".join(figures_at_sizes)


def _instrument_items(
    observation: ProbeObservation, function: str, *, is_first: bool
) -> tuple[Value, ...]:
    """Return the items of the tuple that our instrument returned, or () for any other value.

    Raises `_NotMeasured` with the ruling if the call failed. `is_first` marks the smallest size.
    """
    match observation.call.outcome:
        case Returned(value=tree.Sequence("tuple", items)):
            return items
        case Returned():
            return ()
        # At the smallest size, running out of memory does not prove that the cost grows.
        case Raised(type_names=names) if "MemoryError" in names and not is_first:
            raise _NotMeasured(
                review_ruling(message("cost.out_of_room", function=unqualified_name(function)))
            )
        case Raised(type_names=(error, *_)):
            type_name = one_line(error, _NAME_CHARS)
            raise _NotMeasured(
                skipped_ruling(
                    message("cost.raised", function=unqualified_name(function), error=type_name)
                )
            )
        case Died(verdict=verdict) if verdict in _RESOURCE_VERDICTS and not is_first:
            raise _NotMeasured(
                review_ruling(message("cost.out_of_room", function=unqualified_name(function)))
            )
        case _:
            raise _NotMeasured(
                skipped_ruling(message("cost.died", function=unqualified_name(function)))
            )
