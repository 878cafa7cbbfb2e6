"""Finds work that a few calls do, although real recursion distributes it over many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import nlargest
from itertools import accumulate
from typing import Final, NamedTuple

from grader.judging.calls import CallEvidence

_LARGE_SHARE: Final = 0.8
"""Work on this share of the elements counts as work on all of them, and this share of the work as
most of it."""
_MAX_SINGLE_SHARE: Final = 0.4
"""A single call with this share of the work does too much: real recursion distributes work."""
_FEW: Final = 5
"""There are few calls if there are fewer than one for this many elements."""
_ROOT: Final[float] = 0.3
"""If work grows by a factor, calls must grow by at least this power of the factor. Even if each
call compares all pairs of the remaining elements, the number of calls is the cube root of the
work."""
_TIMES_MORE: Final = 4
"""Inner calls that do this many times the work of any other call do nearly all of it."""


class Concentration(NamedTuple):
    """Work that is concentrated in a few calls, and the number of these calls."""

    places: int
    """The number of calls. The code around all calls counts as one."""
    work: int


def find_concentration(
    work: CallEvidence,
    size: int,
    *,
    outer_count: int,
    loop: bool,
    smallest_work: Callable[[], CallEvidence | None],
) -> Concentration | None:
    """Return the part of `work` that is concentrated in few calls, or in the code around them.

    Work means distinct calls of other functions if there are enough of them for `size`, otherwise
    loop iterations, including those of built-in functions. If `loop`, only calls count. Of the
    entries of `work`, the first `outer_count` belong to code around the recursion. `smallest_work`
    returns the work at the smallest size, or None if it is unknown.

    Return None if the work is distributed as in recursion, or if there is too little of it.
    """
    measures = [_distinct_calls] if loop else [_distinct_calls, _loop_iterations, _bulk_work]
    measure = next(
        (measure for measure in measures if sum(measure(work)) >= _LARGE_SHARE * size), None
    )
    if measure is None:
        return None
    work_per_call = measure(work)
    if measure is not _bulk_work:
        largest, call_count = max(work_per_call), _fewest_calls_with_most_work(work_per_call)
        if largest >= max(_LARGE_SHARE * size, _MAX_SINGLE_SHARE * sum(work_per_call)):
            return Concentration(1, round(largest))
        smallest = smallest_work()
        if call_count * _FEW < size or (
            smallest and _grows_slowly(measure(smallest), work_per_call)
        ):
            return Concentration(call_count, round(sum(nlargest(call_count, work_per_call))))
    if (
        measure is _distinct_calls
        and _repeats_outer_work(work, outer_count)
        and sum(work_per_call[:outer_count]) >= _LARGE_SHARE * size
    ):
        return Concentration(1, round(sum(work_per_call[:outer_count])))
    return _find_outliers(work_per_call, outer_count, size)


def _distinct_calls(work: CallEvidence) -> list[float]:
    """Return how many distinct calls each call made.

    A distinct call that several calls made is split equally among them.
    """
    return [part / 1_000 for part, _ in work.asked]


def _loop_iterations(work: CallEvidence) -> list[float]:
    """Return the number of loop iterations of each call."""
    return [iterations for _, iterations in work.spread]


def _bulk_work(work: CallEvidence) -> list[float]:
    """Return how many elements each call passed to built-in functions."""
    return list(work.bulk)


def _fewest_calls_with_most_work(work_per_call: Sequence[float]) -> int:
    """Return the smallest number of calls that do most of the work, given the work of each."""
    sums = accumulate(sorted(work_per_call, reverse=True))
    threshold = _LARGE_SHARE * sum(work_per_call)
    return next(
        (count for count, work in enumerate(sums, 1) if work >= threshold), len(work_per_call)
    )


def _grows_slowly(earlier_work: Sequence[float], work_per_call: Sequence[float]) -> bool:
    """Return whether the work grew, but the number of calls that share it hardly grew."""
    if sum(work_per_call) <= sum(earlier_work) or not any(earlier_work):
        return False
    expected_factor: float = (sum(work_per_call) / sum(earlier_work)) ** _ROOT
    return _fewest_calls_with_most_work(
        work_per_call
    ) < expected_factor * _fewest_calls_with_most_work(earlier_work)


def _repeats_outer_work(work: CallEvidence, outer_count: int) -> bool:
    """Return whether the outer calls do the work, and inner calls repeat small parts of it.

    The first `outer_count` calls are outer, all others are inner. Inner calls repeat the work if
    the recursion reads from a table, or retraces the path that a search found.
    """
    first_time_counts = [count for _, count in work.asked]
    parts = _distinct_calls(work)
    largest = max(parts[outer_count:], default=0)
    return sum(first_time_counts[:outer_count]) >= _LARGE_SHARE * sum(first_time_counts) and (
        max(parts[:outer_count]) >= _TIMES_MORE * largest
    )


def _find_outliers(
    work_per_call: Sequence[float], outer_count: int, size: int
) -> Concentration | None:
    """Return the work of a few inner calls that do far more than all other calls, or None.

    The first `outer_count` calls can do preparation, but all inner calls should do similar work.
    """
    inner = [*sorted(work_per_call[outer_count:], reverse=True), 0]
    preparation = min(sum(work_per_call[:outer_count]), inner[0])
    for call_count in range(1, max(2, size // _FEW)):
        work = preparation + sum(inner[:call_count])
        if work >= _LARGE_SHARE * size and inner[call_count - 1] >= _TIMES_MORE * inner[call_count]:
            return Concentration(call_count, round(work))
    return None
