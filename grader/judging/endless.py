"""Explains a case that failed because the submission recursed too deep.

The case's own session runs again, in separate executors: once with instruments that trace the
calls, and once with the highest recursion limit that the suite allows. A recursion that ends under
that limit was deep, but not endless.

The traced calls (`grader.executor.tracing`) are those active when the stack was deepest. Only calls
of functions that were seen to lead back to themselves count. The longest stretch of these that
repeats in a cycle is chosen, and the arguments of one of its functions are followed from round
to round.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from grader.judging.calls import (
    MAX_NUMBER,
    CallEvidence,
    Site,
    is_complete,
    is_summary,
    shown_call,
    shown_function,
)
from grader.judging.probing import evidence_in, raised_recursion_error
from grader.judging.results import Result, Results
from grader.messages import Message, message
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item, own_session
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.foreign_text import one_line

_MAX_EXPLAINED: Final = 3
"""Cases of one submission that are explained; the others mostly fail for the same reason."""
_MAX_DEEP: Final = 10**6
_RESOURCE_ERRORS: Final = frozenset({"RecursionError", "MemoryError"})
_MAX_ENTRIES: Final = 200
_MIN_ROUNDS: Final = 3
"""Rounds that must be seen before a repetition counts as a cycle."""
_MAX_SHOWN: Final = 6
_SHOWN_CHARS: Final = 40
_KEY_CHARS: Final = 1_000

Parameters = Mapping[tuple[str, int], Sequence[str]]
"""Parameter names of functions, by dotted name and line."""


class DepthExplainer:
    """Explains cases of one submission that went too deep."""

    def __init__(self, runner: SessionRunner, recursion: int, parameters: Parameters) -> None:
        """Run sessions like `runner`, with a recursion limit of up to `recursion`."""
        # Random, so that no submission can guess it.
        self._name: Final = f"__probe_{secrets.token_hex(4)}"
        self._runner: Final = runner
        self._instrumented: Final = runner.instrumented(self._name)
        self._recursion: Final = recursion
        self._parameters: Final = parameters
        self._left = _MAX_EXPLAINED
        self._tries_highest_limit = True
        """Whether to try the highest limit: not after a session died there, which may take long."""

    def explained(self, session: Session, results: Results) -> Results:
        """Return `results`, with an explanation of cases that went too deep where one is found."""
        deep = [case for case in session.cases if results[case.id].too_deep]
        return {
            **results,
            **{case.id: self._explained_case(session, case, results[case.id]) for case in deep},
        }

    def _explained_case(self, session: Session, case: Case, result: Result) -> Result:
        """Return `result` of a case that went too deep, with an explanation if one is found."""
        if not self._left or self._runner.spent:
            return result
        self._left -= 1
        traced = self._run(session, case, {})
        # Instrumented, it did not go too deep: the calls explain nothing.
        if not traced.observations or not _too_deep(traced):
            return result
        if self._tries_highest_limit and (depth := self._depth_at_most(session, case)):
            reason = message("endless.deep", depth=depth)
            # This replaces the first message, which said that the recursion was endless.
            return replace(result, explanation=(reason, *result.explanation[1:]))
        reasons: tuple[Message, ...] = why_endless(traced_calls(_facts(traced)), self._parameters)
        return replace(result, explanation=(*result.explanation, *reasons))

    def _depth_at_most(self, session: Session, case: Case) -> int | None:
        """Return how deep `case` goes at the highest limit; None if it does not end there.

        If the executor dies, the highest limit is not tried again.
        """
        run = self._run(session, case, {"recursion": self._recursion})
        self._tries_highest_limit = not any(
            isinstance(each.outcome, Died) for each in run.observations
        )
        return _depth_reached(run)

    def _run(self, session: Session, case: Case, settings: Mapping[str, object]) -> SessionRun:
        traced = {"transform": True, "always": True, "trace": True}
        runner = self._instrumented({**traced, **settings})
        plan = own_session(session, case.step_index, observed=False)
        evidence = Item(step_index=len(session.steps), code=f"{self._name}_evidence__()")
        return runner.run((*plan, evidence), modules=session.modules)


def _too_deep(run: SessionRun) -> bool:
    """Return whether the last step before the evidence went too deep."""
    steps = run.observations[: len(run.plan) - 1]
    return len(steps) == len(run.plan) - 1 and raised_recursion_error(steps[-1])


def _facts(run: SessionRun) -> Mapping[str, object] | None:
    return evidence_in(run.observations[len(run.plan) - 1 :])


def _depth_reached(run: SessionRun) -> int | None:
    """Return how deep calls went in `run`; None if a step ran out of stack or memory, or died."""
    if any(map(_ran_out, run.observations)):
        return None
    facts = _facts(run)
    calls = CallEvidence.of(facts)
    if facts is None or calls is None or not any(site.reentered for site in calls.sites):
        return None
    # The depth comes from the submission's process, so it may be forged.
    depth = facts.get("depth")
    return depth if isinstance(depth, int) and 1 < depth <= _MAX_DEEP else None


def _ran_out(observation: Observation) -> bool:
    """Return whether a step was cut off for lack of stack or memory."""
    match observation.outcome:
        case Raised(type_names=names):
            return not _RESOURCE_ERRORS.isdisjoint(names)
        case Returned():
            return False
        case Died():
            return True


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it was traced: its site, and a summary of each argument."""

    site: Site
    arguments: tuple[Sequence[Any], ...]


def traced_calls(facts: Mapping[str, Any] | None) -> tuple[Call, ...]:
    """Return the innermost recursive calls in `facts`; empty if these are malformed."""
    evidence = CallEvidence.of(facts)
    if facts is None or evidence is None:
        return ()
    match facts:
        case {"calls": list() as calls} if len(calls) <= _MAX_ENTRIES and all(map(_is_call, calls)):
            recursive = {key for key in {call[0] for call in calls} if evidence.cycle(key)}
            return tuple(
                Call(_site(key), tuple(tuple(argument) for argument in arguments))
                for key, arguments in calls
                if key in recursive
            )
        case _:
            return ()


def _is_call(facts: object) -> bool:
    match facts:
        case [str() as key, list() as arguments]:
            return _is_key(key) and all(map(is_summary, arguments))
        case _:
            return False


def _is_key(key: str) -> bool:
    return len(key) <= _KEY_CHARS and _site(key).line <= MAX_NUMBER


def _site(key: str) -> Site:
    return Site(key=key, entered=1, reentered=0, deepest=1)


def longest_cycle(calls: Sequence[Call]) -> tuple[Sequence[Call], int]:
    """Return the longest stretch of `calls` that repeats in a cycle, and the length of one round.

    The stretch is empty if nothing repeats `_MIN_ROUNDS` times. Calls before it led into the cycle;
    calls after it happened to be active when the stack ran out.
    """
    keys = [call.site.key for call in calls]
    best, best_length = range(0), 1
    # Quadratic, but there are at most `_MAX_ENTRIES` calls.
    for length in range(1, len(keys) // _MIN_ROUNDS + 1):
        start = 0
        for end in range(length, len(keys) + 1):
            if end < len(keys) and keys[end] == keys[end - length]:
                continue
            if end - start >= _MIN_ROUNDS * length and end - start > len(best):
                best, best_length = range(start, end), length
            # The next stretch may overlap the last round of this one.
            start = end - length + 1
    return calls[best.start : best.stop], best_length


def why_endless(calls: Sequence[Call], parameters: Parameters) -> tuple[Message, ...]:
    """Return the explanation of a recursion that went too deep and ended with `calls`.

    `parameters` has the parameter names of functions, by dotted name and line.
    """
    cycle, length = longest_cycle(calls)
    if not cycle:
        return ()
    path = [shown_function(call.site.function) for call in cycle[-length:]]
    last = cycle[-1]
    # All calls of one function, counted back from the innermost.
    rounds = [call.arguments for call in cycle[::-length]][::-1]
    names = parameters.get((last.site.function, last.site.line), ())
    about = next(_about_arguments(path[-1], rounds, names), None)
    if len(path) > 1:
        shown = [path[-1], *path[:-1]]
        rest = ["..."] if len(path) > _MAX_SHOWN else []
        first = message("endless.cycle", way=" → ".join([*shown[:_MAX_SHOWN], *rest, path[-1]]))
    else:
        first = message("endless.itself", function=path[0], line=last.site.line)
    return (first,) if about is None else (first, about)


def _about_arguments(
    function: str, rounds: Sequence[tuple[Sequence[Any], ...]], names: Sequence[str]
) -> Iterator[Message]:
    """Yield messages on how the arguments of `function` change per round, best first."""
    if len({len(arguments) for arguments in rounds}) != 1:
        return
    if not rounds[-1]:
        return
    if all(one == other and all(map(is_complete, one)) for one, other in pairwise(rounds)):
        yield message("endless.same", call=shown_call(function, rounds[-1]))
        return
    columns = list(zip(*rounds, strict=True))
    for describe in (_below_zero, _increasing, _lengthening, _same_length):
        for number, column in enumerate(columns):
            name = names[number] if number < len(names) else f"#{number + 1}"
            if found := describe(one_line(name, _SHOWN_CHARS), column):
                yield found
    times = rounds.count(rounds[-1])
    if times >= _MIN_ROUNDS and all(map(is_complete, rounds[-1])):
        yield message("endless.again", call=shown_call(function, rounds[-1]), count=times)


_Column = Sequence[Sequence[Any]]
"""The summaries of one argument, round by round."""


def _below_zero(name: str, column: _Column) -> Message | None:
    numbers = _numbers(column)
    if not numbers or numbers[-1] >= 0 or not _is_decreasing(numbers):
        return None
    return message("endless.past", name=name, values=_last_numbers(numbers))


def _increasing(name: str, column: _Column) -> Message | None:
    numbers = _numbers(column)
    if not _is_decreasing([-number for number in numbers]):
        return None
    return message("endless.rises", name=name, values=_last_numbers(numbers))


def _lengthening(name: str, column: _Column) -> Message | None:
    lengths = _lengths(column)
    if not _is_decreasing([-length for length in lengths]):
        return None
    return message("endless.grows", name=name, count=lengths[-1])


def _same_length(name: str, column: _Column) -> Message | None:
    lengths = _lengths(column)
    # A tuple may be a position and a dict a board: neither need get shorter.
    is_record = [*column[-1][:2]] in (["sized", "tuple"], ["sized", "dict"])
    if is_record or not lengths or not lengths[0] or len(set(lengths)) > 1:
        return None
    return message("endless.stays", name=name, count=lengths[-1])


def _last_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[-3:]))


def _numbers(column: _Column) -> list[int]:
    """Return the integers of `column`, one per round; empty if it has anything else."""
    # Beyond 10**12 the number comes as shortened text, which cannot be compared.
    if all(len(each) == 2 and each[0] == "int" and type(each[1]) is int for each in column):
        return [each[1] for each in column]
    return []


def _lengths(column: _Column) -> list[int]:
    """Return the lengths in `column`, one per round; empty if one has no length."""
    lengths = [_length(each) for each in column]
    return [length for length in lengths if length is not None] if None not in lengths else []


def _length(summary: Sequence[Any]) -> int | None:
    match summary:
        case ["sized", str(), int() as length, *_] | ["str", int() as length, *_]:
            return length
        case _:
            return None


def _is_decreasing(numbers: Sequence[int]) -> bool:
    return len(numbers) > 1 and all(one > other for one, other in pairwise(numbers))
