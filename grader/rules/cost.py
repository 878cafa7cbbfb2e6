"""What calls cost: the memory of what they return, and the time that they take.

*Memory* is counted in bytes, of what a call returns and of the module variables of the submission,
where a student may hide the rest. It is the same in every run.

*Time* is counted first, where the suite says of what: how often integers are compared, which is the
same in every run too, but sees nothing of arithmetic. Then the CPU time of the call is measured, on
a clock that stands still while another process has the core, and held against that of the smallest
size. Only a ratio is judged, never a time, and nothing of it is told: a record is the same in every
run.

    counted    measured                   verdict
    too much   -                          broken
    fine       too much, twice            broken
    fine       anything else              passed
    -          fine                       passed
    -          too much, twice            broken
    -          too much, and fine again   a person decides
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from grader.demands import Growth, Memory, ProbeStep, Time
from grader.display import one_line
from grader.matching.equality import equal
from grader.messages import Message, message
from grader.observation import Died, Raised, Returned
from grader.probing.prober import Prober, Sighting
from grader.rules.finding import RuleFinding, broken, passed, review, skipped
from grader.rules.functions import label
from grader.rules.growth import LEAST_RATIO, at_most, ratio
from grader.values import Atom, Value
from grader.values import Sequence as Items
from grader.verdict import Verdict

SLACK_BYTES: Final = 64
"""Numbers take more room when they are larger."""
STRAY_COMPARISONS: Final = 8
"""So many more are no growth: they depend on which numbers fall together in a set."""
_MOST: Final = 10**15
"""No call takes so many bytes, comparisons or nanoseconds: whoever says so has forged it."""
_OUT_OF_ROOM: Final = (Verdict.TIMED_OUT, Verdict.MEMORY)
_NAME_CHARS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """What the call gave for one size, and what was measured."""

    answer: Value
    figure: int
    shown: int
    """What is told of it where it is too much: also comparisons that may be our doing."""


class _NoFigure(Exception):
    """A size has no figure; carries the finding of the rule."""

    def __init__(self, finding: RuleFinding) -> None:
        super().__init__()
        self.finding: Final = finding


def judge_memory(demand: Memory, prober: Prober) -> RuleFinding:
    """Return whether what the call of the probe returns takes as much memory for each size."""
    every = demand.probe.sizes
    sizes = sorted({every[0], every[len(every) // 2], every[-1]})
    try:
        figures = [_bytes(demand, prober, size) for size in sizes]
    except _NoFigure as without:
        return without.finding
    own, in_all = [each[0] for each in figures], [each[1] for each in figures]
    function, (small, large) = label(demand.function), _ends(sizes)
    if not _grow(in_all):
        said = message("cost.memory_same", function=function, small=small, large=large)
        return passed(said, _byte_table(sizes, own))
    if _grow(own):
        said = message("cost.memory_grows", function=function, small=small, large=large)
        return broken(said, _byte_table(sizes, own))
    said = message("cost.memory_hidden", function=function, small=small, large=large)
    return broken(said, _byte_table(sizes, in_all))


def _bytes(demand: Memory, prober: Prober, size: int) -> tuple[int, int]:
    """Return the bytes of what the call gives, and those of all that the submission keeps."""
    sighting = prober.look(
        demand.probe, size, settings={}, call="{name}_size__({code})", transformed=False
    )
    match _items(sighting, demand.function, is_first=size == demand.probe.sizes[0]):
        case Atom(int() as own), Atom(int() as in_all) if 0 <= own <= in_all <= _MOST:
            return own, in_all
        case _:
            raise _NoFigure(review(message("cost.unclear", function=label(demand.function))))


def _grow(figures: Sequence[int]) -> bool:
    return figures[-1] - figures[0] > SLACK_BYTES


def _byte_table(sizes: Sequence[int], figures: Sequence[int]) -> Message:
    return message("cost.bytes", bytes=_at_sizes(sizes, figures))


def judge_time(demand: Time, prober: Prober) -> RuleFinding:
    """Return whether the call of the probe takes no more time for larger sizes than it may."""
    try:
        return _Timing(demand, prober).finding()
    except _NoFigure as without:
        return without.finding


class _Timing:
    """Counts and measures the call of one rule, for its smallest and its largest size."""

    def __init__(self, demand: Time, prober: Prober) -> None:
        self._demand: Final = demand
        self._prober: Final = prober
        self._sizes: Final = _ends(demand.probe.sizes)
        self._function: Final = label(demand.function)

    def finding(self) -> RuleFinding:
        """Return the finding; raises `_NoFigure`."""
        if ratio(self._sizes) < LEAST_RATIO:
            return self._unclear()
        measured = self._measured()
        counts = self._counts([each.answer for each in measured])
        if counts is not None and not self._fits(counts, STRAY_COMPARISONS):
            return broken(self._too_slow(), self._told([each.shown for each in counts]))
        sure = [] if counts is None else [each.figure for each in counts]
        told = (self._told(sure),) if any(sure) else ()
        if self._fits(measured):
            return passed(self._fast_enough(), *told)
        if not self._fits(self._measured()):
            return broken(self._too_slow(), message("cost.time_measured"))
        return self._unclear() if counts is None else passed(self._fast_enough(), *told)

    def _fits(self, figures: Sequence[_Figure], stray: int = 0) -> bool:
        values = [each.figure + stray for each in figures]
        return at_most(self._demand.growth, self._sizes, values)

    def _measured(self) -> list[_Figure]:
        """Return the CPU nanoseconds of a call for both sizes."""
        return [self._figure(size, "{name}_timed__(lambda: ({code}))") for size in self._sizes]

    def _counts(self, answers: Sequence[Value]) -> list[_Figure] | None:
        """Return how often a call compares numbers, None where that cannot be told.

        So it is where nothing is counted, or where the call gives anything but `answers` now.
        """
        if not self._demand.counted:
            return None
        prepare = tuple(map(_counting, self._demand.counted))
        call = "{name}_counts__(lambda: ({code}))"
        try:
            figures = [self._figure(size, call, prepare) for size in self._sizes]
        except _NoFigure:
            return None
        same = all(map(equal, answers, (each.answer for each in figures)))
        return figures if same else None

    def _figure(self, size: int, call: str, prepare: tuple[ProbeStep, ...] = ()) -> _Figure:
        sighting = self._prober.look(
            self._demand.probe, size, settings={}, call=call, prepare=prepare, transformed=False
        )
        match _items(sighting, self._demand.function, is_first=size == self._sizes[0]):
            case answer, Atom(int() as figure), Atom(int() as shown) if (
                0 <= figure <= shown <= _MOST
            ):
                return _Figure(answer=answer, figure=figure, shown=shown)
            case _:
                raise _NoFigure(self._unclear())

    def _told(self, counts: Sequence[int]) -> Message:
        return message("cost.comparisons", counts=_at_sizes(self._sizes, counts))

    def _unclear(self) -> RuleFinding:
        return review(message("cost.unclear", function=self._function))

    def _too_slow(self) -> Message:
        match self._demand.growth:
            case Growth.CONSTANT:
                return message("cost.above_constant", function=self._function)
            case Growth.LOGARITHMIC:
                return message("cost.above_logarithmic", function=self._function)
            case Growth.LINEAR:
                return message("cost.above_linear", function=self._function)

    def _fast_enough(self) -> Message:
        match self._demand.growth:
            case Growth.CONSTANT:
                return message("cost.constant", function=self._function)
            case Growth.LOGARITHMIC:
                return message("cost.logarithmic", function=self._function)
            case Growth.LINEAR:
                return message("cost.linear", function=self._function)


def _counting(name: str) -> ProbeStep:
    code = f"{name} = {{name}}_counting__({name})"
    return ProbeStep(code=code, is_expression=False, binds=(name,))


def _ends(sizes: Sequence[int]) -> tuple[int, int]:
    return sizes[0], sizes[-1]


def _at_sizes(sizes: Sequence[int], figures: Sequence[int]) -> str:
    shown = (f"{figure} (n = {size})" for size, figure in zip(sizes, figures, strict=True))
    return ", ".join(shown)


def _items(sighting: Sighting, function: str, *, is_first: bool) -> tuple[Value, ...]:
    """Return the tuple that our instrument gives, an empty one for anything else.

    It raises `_NoFigure` where the call gave nothing; `is_first` says whether of the smallest size.
    """
    match sighting.call.outcome:
        case Returned(value=Items("tuple", items)):
            return items
        case Returned():
            return ()
        case Raised(type_names=names) if "MemoryError" in names and not is_first:
            raise _NoFigure(review(message("cost.out_of_room", function=label(function))))
        case Raised(type_names=(error, *_)):
            shown = one_line(error, _NAME_CHARS)
            raise _NoFigure(skipped(message("cost.raised", function=label(function), error=shown)))
        case Died(verdict=verdict) if verdict in _OUT_OF_ROOM and not is_first:
            raise _NoFigure(review(message("cost.out_of_room", function=label(function))))
        case _:
            raise _NoFigure(skipped(message("cost.died", function=label(function))))
