"""Explains why a case failed because the submission recursed too deeply.

The case's own session runs again, in separate executors: once with instruments that trace the
calls, and once with the highest recursion limit that the suite allows. A recursion that ends within
that limit was deep, but not endless.

The traced calls (`grader.executor.tracing`) are those active when the stack was deepest. Only calls
of functions that were observed to lead back to themselves count. The longest stretch of these calls
that repeats in a cycle is chosen, and the arguments of one of its functions are compared from
round to round.
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
    format_call,
    function_display_name,
    is_complete,
    is_summary,
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
"""How many cases of one submission are explained; most fail for the same reason."""
_MAX_DEPTH: Final = 10**6
"""A reported depth beyond this is forged."""
_RESOURCE_ERRORS: Final = frozenset({"RecursionError", "MemoryError"})
_MAX_ENTRIES: Final = 200
"""The executor reports at most this many calls (see `grader.executor.tracing`)."""
_MIN_ROUNDS: Final = 3
"""How many rounds a repetition needs to count as a cycle."""
_MAX_SHOWN: Final = 6
"""How many functions of a cycle are named."""
_SHOWN_CHARS: Final = 40
_KEY_CHARS: Final = 1_000

Parameters = Mapping[tuple[str, int], Sequence[str]]
"""Parameter names of functions, by dotted name and line."""


class DepthExplainer:
    """Explains cases of one submission that recursed too deeply."""

    def __init__(self, runner: SessionRunner, recursion: int, parameters: Parameters) -> None:
        """Prepare to run sessions as `runner` does, with a recursion limit of up to `recursion`.

        `parameters` names the arguments in explanations.
        """
        # Random, so that no submission can guess it.
        self._probe_name: Final = f"__probe_{secrets.token_hex(4)}"
        self._runner: Final = runner
        self._instrumented: Final = runner.instrument(self._probe_name)
        self._recursion: Final = recursion
        self._parameters: Final = parameters
        self._remaining_cases = _MAX_EXPLAINED
        self._tries_highest_limit = True
        """Whether to run at the highest limit; false once a session has died at that limit, because
        a death takes long."""

    def add_explanations(self, session: Session, results: Results) -> Results:
        """Return `results` with explanations for cases of `session` that recursed too deeply.

        Runs further sessions, but for at most `_MAX_EXPLAINED` cases of the submission.
        """
        deep = [case for case in session.cases if results[case.id].too_deep]
        return {
            **results,
            **{case.id: self._explain_case(session, case, results[case.id]) for case in deep},
        }

    def _explain_case(self, session: Session, case: Case, result: Result) -> Result:
        """Return `result` of `case`, which recursed too deeply, with an explanation if possible.

        Runs the case's own session once or twice more, unless the budget is spent or enough cases
        have been explained.
        """
        if not self._remaining_cases or self._runner.why_exhausted:
            return result
        self._remaining_cases -= 1
        traced_run = self._run(session, case, {})
        # If the case did not recurse too deeply under the instruments, the trace explains nothing.
        if not traced_run.observations or not _recursed_too_deeply(traced_run):
            return result
        if self._tries_highest_limit and (depth := self._measure_depth(session, case)):
            reason = message("endless.deep", depth=depth)
            # Replaces the first message, which calls the recursion endless.
            return replace(result, explanation=(reason, *result.explanation[1:]))
        reasons: tuple[Message, ...] = endless_messages(
            traced_calls(_reported_facts(traced_run)), self._parameters
        )
        return replace(result, explanation=(*result.explanation, *reasons))

    def _measure_depth(self, session: Session, case: Case) -> int | None:
        """Return the recursion depth of `case` at the highest limit.

        Return None if the recursion exceeds that limit, too, or if the depth was not reported. If
        the executor dies, the highest limit is not tried again.
        """
        run = self._run(session, case, {"recursion": self._recursion})
        self._tries_highest_limit = not any(
            isinstance(observation.outcome, Died) for observation in run.observations
        )
        return _depth_reached(run)

    def _run(self, session: Session, case: Case, settings: Mapping[str, object]) -> SessionRun:
        """Run the case's own session with tracing and `settings`, then request the report."""
        tracing = {"transform": True, "always": True, "trace": True}
        runner = self._instrumented({**tracing, **settings})
        plan = own_session(session, case.step_index, observed=False)
        evidence = Item(step_index=len(session.steps), code=f"{self._probe_name}_evidence__()")
        return runner.run((*plan, evidence), modules=session.modules)


def _recursed_too_deeply(run: SessionRun) -> bool:
    """Return whether the last step before the instruments' report recursed too deeply."""
    steps = run.observations[: len(run.plan) - 1]
    return len(steps) == len(run.plan) - 1 and raised_recursion_error(steps[-1])


def _reported_facts(run: SessionRun) -> Mapping[str, object] | None:
    """Return the report of the instruments, which is the last observation of `run`, or None."""
    return evidence_in(run.observations[len(run.plan) - 1 :])


def _depth_reached(run: SessionRun) -> int | None:
    """Return the maximum call depth in `run`, as reported by the instruments.

    Return None if a step ran out of stack or memory or died, or if nothing was recursive.
    """
    if any(map(_ran_out_of_resources, run.observations)):
        return None
    facts = _reported_facts(run)
    calls = CallEvidence.of(facts)
    if facts is None or calls is None or not any(site.reentered for site in calls.sites):
        return None
    # The depth comes from the submission's process, so it might be forged.
    depth = facts.get("depth")
    return depth if isinstance(depth, int) and 1 < depth <= _MAX_DEPTH else None


def _ran_out_of_resources(observation: Observation) -> bool:
    """Return whether a step ran out of stack or memory, or died."""
    match observation.outcome:
        case Raised(type_names=names):
            return not _RESOURCE_ERRORS.isdisjoint(names)
        case Returned():
            return False
        case Died():
            return True


@dataclass(frozen=True, slots=True)
class Call:
    """A traced call: its site, and a summary of each argument."""

    site: Site
    arguments: tuple[Sequence[Any], ...]


def traced_calls(facts: Mapping[str, Any] | None) -> tuple[Call, ...]:
    """Return the traced recursive calls in `facts`, innermost last; () if `facts` are malformed."""
    evidence = CallEvidence.of(facts)
    if facts is None or evidence is None:
        return ()
    match facts:
        case {"calls": list() as calls} if len(calls) <= _MAX_ENTRIES and all(map(_is_call, calls)):
            recursive = {key for key in {call[0] for call in calls} if evidence.cycle(key)}
            return tuple(
                Call(_site_for_key(key), tuple(tuple(argument) for argument in arguments))
                for key, arguments in calls
                if key in recursive
            )
        case _:
            return ()


def _is_call(facts: object) -> bool:
    """Return whether `facts` are a well-formed call: a site's key, and argument summaries."""
    match facts:
        case [str() as key, list() as arguments]:
            return _is_key(key) and all(map(is_summary, arguments))
        case _:
            return False


def _is_key(key: str) -> bool:
    return len(key) <= _KEY_CHARS and _site_for_key(key).line <= MAX_NUMBER


def _site_for_key(key: str) -> Site:
    return Site(key=key, entered=1, reentered=0, deepest=1)


def longest_cycle(calls: Sequence[Call]) -> tuple[Sequence[Call], int]:
    """Return the longest cyclic stretch of `calls`, and the number of calls in one round of it.

    The stretch is empty if nothing repeats `_MIN_ROUNDS` times. Calls before the stretch led into
    the cycle; calls after it happened to be active when the stack ran out.
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
            # The next stretch can overlap the last round of this one.
            start = end - length + 1
    return calls[best.start : best.stop], best_length


def endless_messages(calls: Sequence[Call], parameters: Parameters) -> tuple[Message, ...]:
    """Explain a recursion whose innermost calls were `calls`; return () if they show no cycle.

    `parameters` has the parameter names of functions, keyed by dotted name and line.
    """
    cycle, length = longest_cycle(calls)
    if not cycle:
        return ()
    path = [function_display_name(call.site.function) for call in cycle[-length:]]
    last = cycle[-1]
    # The arguments of one call per round, each time at the position of the innermost call.
    rounds = [call.arguments for call in cycle[::-length]][::-1]
    names = parameters.get((last.site.function, last.site.line), ())
    argument_message = next(_argument_messages(path[-1], rounds, names), None)
    if len(path) > 1:
        names_in_order = [path[-1], *path[:-1]]
        ellipsis = ["..."] if len(path) > _MAX_SHOWN else []
        path_message = message(
            "endless.cycle", way=" → ".join([*names_in_order[:_MAX_SHOWN], *ellipsis, path[-1]])
        )
    else:
        path_message = message("endless.itself", function=path[0], line=last.site.line)
    return (path_message,) if argument_message is None else (path_message, argument_message)


def _argument_messages(
    function: str, rounds: Sequence[tuple[Sequence[Any], ...]], names: Sequence[str]
) -> Iterator[Message]:
    """Yield messages about how arguments of `function` change from round to round, best first."""
    if len({len(arguments) for arguments in rounds}) != 1 or not rounds[-1]:
        return
    if all(before == after and all(map(is_complete, before)) for before, after in pairwise(rounds)):
        yield message("endless.same", call=format_call(function, rounds[-1]))
        return
    columns = list(zip(*rounds, strict=True))
    for describe in (
        _describe_below_zero,
        _describe_increasing,
        _describe_lengthening,
        _describe_same_length,
    ):
        for index, column in enumerate(columns):
            name = names[index] if index < len(names) else f"#{index + 1}"
            if explanation := describe(one_line(name, _SHOWN_CHARS), column):
                yield explanation
    times = rounds.count(rounds[-1])
    if times >= _MIN_ROUNDS and all(map(is_complete, rounds[-1])):
        yield message("endless.again", call=format_call(function, rounds[-1]), count=times)


_Column = Sequence[Sequence[Any]]
"""The summaries of one argument, one per round."""


def _describe_below_zero(name: str, column: _Column) -> Message | None:
    """Return a message if argument `name` decreases every round and is below 0, else None."""
    numbers = _numbers(column)
    if not numbers or numbers[-1] >= 0 or not _is_decreasing(numbers):
        return None
    return message("endless.past", name=name, values=_last_numbers(numbers))


def _describe_increasing(name: str, column: _Column) -> Message | None:
    """Return a message if argument `name` is a number that increases every round, else None."""
    numbers = _numbers(column)
    if not _is_decreasing([-number for number in numbers]):
        return None
    return message("endless.rises", name=name, values=_last_numbers(numbers))


def _describe_lengthening(name: str, column: _Column) -> Message | None:
    """Return a message if argument `name` gets longer every round, else None."""
    lengths = _lengths(column)
    if not _is_decreasing([-length for length in lengths]):
        return None
    return message("endless.grows", name=name, count=lengths[-1])


def _describe_same_length(name: str, column: _Column) -> Message | None:
    """Return a message if argument `name` is a container that keeps its length, else None."""
    lengths = _lengths(column)
    # A tuple can be a position and a dict can be a board: neither has to get shorter.
    is_record = [*column[-1][:2]] in (["sized", "tuple"], ["sized", "dict"])
    if is_record or not lengths or not lengths[0] or len(set(lengths)) > 1:
        return None
    return message("endless.stays", name=name, count=lengths[-1])


def _last_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[-3:]))


def _numbers(column: _Column) -> list[int]:
    """Return the integers in `column`, one per round; empty if any round has something else."""
    # Numbers beyond 10**12 are reported as truncated text, which cannot be compared.
    if all(
        len(summary) == 2 and summary[0] == "int" and type(summary[1]) is int for summary in column
    ):
        return [summary[1] for summary in column]
    return []


def _lengths(column: _Column) -> list[int]:
    """Return the lengths in `column`, one per round; empty if any value has no length."""
    lengths = [_length(summary) for summary in column]
    return [length for length in lengths if length is not None] if None not in lengths else []


def _length(summary: Sequence[Any]) -> int | None:
    """Return the length in the `summary` of an argument. Return None if it has no length."""
    match summary:
        case ["sized", str(), int() as length, *_] | ["str", int() as length, *_]:
            return length
        case _:
            return None


def _is_decreasing(numbers: Sequence[int]) -> bool:
    return len(numbers) > 1 and all(before > after for before, after in pairwise(numbers))
