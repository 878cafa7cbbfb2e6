"""Probes: sessions that show how a submission works inside, for several sizes.

They are run for the rules, in sessions of their own.

A probe runs on an instrumented program, so nothing that it gives is ever a functional verdict. What
its instruments report comes from the process of the submission, as observations do: it is evidence
about that submission and nothing else, and its shape is checked here.

A *site* is one place where a function is defined: a `def`, a method, a nested function, a lambda.
It is *re-entered* when it is called while a call of it is still going on, directly or through
others: that is recursion, whatever it looks like in the source.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

from pydantic import Field, PlainValidator, TypeAdapter, ValidationError

from grader.messages import Message
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.sessions import SessionRun, SessionRunner
from grader.values.display import one_line
from grader.values.tree import Atom

SIZE_NAME: Final = "n"
"""The name by which the steps of a probe know its size."""
CALL: Final = "{name}_call__(lambda: ({code}))"
LEARN: Final = "{name}_learn__(lambda: ({code}))"
_MOST_SITES: Final = 300
_MOST_EDGES: Final = 500
_MOST_SHARES: Final = 5_001
_MOST: Final = 10**9
"""Nothing that happens in a session happens more often."""
_KEY_CHARS: Final = 1_000
_LINE: Final = re.compile(r":(\d+)(?:#\d+)?(?:\[(.*)\])?\Z", re.DOTALL)
"""What comes behind the name of a site in its key; of a wrapper, also what it wraps."""
_SHOWN_CHARS: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeStep:
    """One line of a probe."""

    code: str
    is_expression: bool
    binds: tuple[str, ...] = ()
    """Names that it assigns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A session that shows how a submission works inside, for several sizes.

    Each size has a session of its own, in which `n` is that size.
    """

    sizes: tuple[int, ...]
    """Ascending; one at least."""
    setup: tuple[ProbeStep, ...]
    call: ProbeStep
    """The expression that is looked into."""
    observe: tuple[ProbeStep, ...] = ()
    """Expressions that show what the call has changed."""
    also: tuple[ProbeStep, ...] = ()
    """Further calls, of which only the answers are looked at."""
    modules: tuple[str, ...]
    """The module of the exercise; of several those that the steps read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeObservation:
    """What one session of a probe showed."""

    reached: bool
    """Whether the set-up ran through, so that the call was reached."""
    call: Observation
    """What the call gave; where it was not reached, what kept it from that."""
    observed: tuple[Observation, ...]
    """What the steps behind the call gave."""
    evidence: Mapping[str, Any] | None
    """What the instruments report; None when the session did not last so long."""

    @property
    def ended(self) -> bool:
        """Whether the call was reached, and it and all that came after it gave something."""
        return self.reached and all(
            isinstance(each.outcome, Returned) for each in (self.call, *self.observed)
        )

    @property
    def died(self) -> Died | None:
        """How the executor died, if it did."""
        last = self.observed[-1] if self.observed else self.call
        return last.outcome if isinstance(last.outcome, Died) else None


class ProbeLimit(Exception):
    """Nothing more of the submission is tried, so a rule may have come to no end."""

    def __init__(self, reason: Message) -> None:
        """Keep why, for the student."""
        super().__init__()
        self.reason: Final = reason


class ProbeRunner:
    """Runs probes on one submission; raises `ProbeLimit` where it would be one too many."""

    def __init__(self, runner: SessionRunner) -> None:
        """Use the program and the limits of `runner`."""
        self.name: Final = f"__probe_{secrets.token_hex(4)}"
        """Beginning of the names of all instruments, which no submission can foresee."""
        self._runner: Final = runner
        self._instrumented: Final = runner.instrumented(self.name)
        self.deaths = 0
        """How many sessions did not come to an end: each has used up its time, or its memory."""

    def look(
        self,
        probe: Probe,
        size: int,
        *,
        settings: Mapping[str, Any],
        call: str = CALL,
        prepare: tuple[ProbeStep, ...] = (),
        transformed: bool = True,
    ) -> ProbeObservation:
        """Return what `probe` shows for one `size`, with instruments that are set by `settings`.

        `call` is how the call is made, and `prepare` are steps behind the set-up; in both `{name}`
        stands for the name of the instruments. Only a `transformed` program tells of its calls.
        """
        before = (*_setup(probe, size), *self._named(prepare))
        runner = self._instrumented({**settings, "transform": transformed})
        return self._observation(runner, probe, before, call, also="{code}")

    def cut(
        self,
        probe: Probe,
        size: int,
        sites: Sequence[str],
        *,
        leaf_of: int | None = None,
        whole: bool = False,
    ) -> ProbeObservation:
        """Return what `probe` shows when `sites` are cut: called while active, they do nothing.

        They give None then, or what their first innermost call gave for the size `leaf_of` when
        they were not cut. As a `whole`, they do nothing whenever they are called.
        """
        before = _setup(probe, size)
        if leaf_of is not None:
            learn = _expression(LEARN, name=self.name, code=probe.call.code)
            before = (*_setup(probe, leaf_of), learn, *before)
        settings = {"cut": list(sites), "whole": whole, "transform": True}
        runner = self._instrumented(settings)
        return self._observation(runner, probe, before, CALL, also=CALL)

    def _observation(
        self,
        runner: SessionRunner,
        probe: Probe,
        before: tuple[ProbeStep, ...],
        call: str,
        also: str,
    ) -> ProbeObservation:
        observers = (
            *probe.observe,
            *(_expression(also, name=self.name, code=step.code) for step in probe.also),
        )
        steps = (
            *before,
            _expression(call, name=self.name, code=probe.call.code),
            *observers,
            _expression("{name}_evidence__()", name=self.name),
        )
        if reason := runner.spent:
            raise ProbeLimit(reason)
        run = runner.run(_plan(steps), modules=probe.modules)
        observation = _observation(run, len(before), len(observers))
        self.deaths += observation.died is not None
        return observation

    def _named(self, steps: tuple[ProbeStep, ...]) -> tuple[ProbeStep, ...]:
        return tuple(
            ProbeStep(
                code=step.code.format(name=self.name),
                is_expression=step.is_expression,
                binds=step.binds,
            )
            for step in steps
        )


def _setup(probe: Probe, size: int) -> tuple[ProbeStep, ...]:
    step = ProbeStep(code=f"{SIZE_NAME} = {size}", is_expression=False, binds=(SIZE_NAME,))
    return (step, *probe.setup)


def _expression(template: str, **parts: str) -> ProbeStep:
    return ProbeStep(code=template.format(**parts), is_expression=True)


def _plan(steps: tuple[ProbeStep, ...]) -> tuple[Item, ...]:
    return tuple(
        Item(
            role=Role.STEP,
            step_index=index,
            code=step.code,
            is_expression=step.is_expression,
            binds=step.binds,
        )
        for index, step in enumerate(steps)
    )


def _observation(run: SessionRun, before: int, observers: int) -> ProbeObservation:
    if not run.loaded:
        return ProbeObservation(
            reached=False, call=run.imported.observation, observed=(), evidence=None
        )
    observations = run.observations
    for observation in observations[:before]:
        if not isinstance(observation.outcome, Returned):
            return ProbeObservation(reached=False, call=observation, observed=(), evidence=None)
    observed = tuple(observations[before + 1 : before + 1 + observers])
    return ProbeObservation(
        reached=True,
        call=observations[before],
        observed=observed,
        evidence=evidence_in(observations[before + 1 + observers :]),
    )


def evidence_in(observations: list[Observation]) -> Mapping[str, Any] | None:
    """Return what the instruments report, None for anything that is no JSON object."""
    match observations:
        case [Observation(outcome=Returned(value=Atom(str() as text)))]:
            try:
                facts = json.loads(text)
            except (ValueError, RecursionError):
                return None
            return facts if isinstance(facts, dict) else None
        case _:
            return None


def raised_recursion_error(observation: Observation) -> bool:
    """Return whether the step went too deep."""
    outcome = observation.outcome
    return isinstance(outcome, Raised) and "RecursionError" in outcome.type_names


def _key(key: object) -> str:
    """Return `key`; unlike a `str` of pydantic it may be no Unicode, as names of code may be."""
    if not isinstance(key, str) or len(key) > _KEY_CHARS:
        raise ValueError("a key of the wrong shape")
    return key


_Key: TypeAlias = Annotated[str, PlainValidator(_key)]
_Count: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=_MOST)]


class Site(NamedTuple):
    """The calls of one site during a probe."""

    key: _Key
    """`Board.free_all_cells:41`: module, qualified name and line."""
    entered: _Count
    reentered: _Count
    deepest: _Count
    """The most calls of it that went on at the same time."""

    @property
    def function(self) -> str:
        """Dotted name of the function, as in `grader.sandbox.survey.FunctionSurvey`."""
        return _LINE.sub("", self.key)

    @property
    def line(self) -> int:
        """The line of its definition; 0 when the key does not tell."""
        found = _LINE.search(self.key)
        return int(found[1]) if found else 0

    @property
    def shown(self) -> str:
        """Its name as people know it: without the module and the functions around it."""
        found = _LINE.search(self.key)
        wrapped = found[2] if found else None
        if wrapped:
            return one_line(wrapped.partition(",")[0], _SHOWN_CHARS)
        return shown_function(self.function)


def shown_function(dotted: str) -> str:
    """Return the name of a function as it is told to people: `Solver.solve`, `free_all_cells`."""
    within = dotted.rpartition(".<locals>.")[2]
    if within == dotted:
        within = dotted.partition(".")[2] or dotted
    return one_line(within, _SHOWN_CHARS)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvidence:
    """The calls during one call of a probe."""

    sites: Annotated[tuple[Site, ...], Field(max_length=_MOST_SITES)]
    """In the order of their first call."""
    edges: Annotated[tuple[tuple[_Key, _Key], ...], Field(max_length=_MOST_EDGES)]
    """Keys of callers and callees, each pair once."""
    cuts: _Count = 0
    """How many calls were cut."""
    spread: Annotated[tuple[tuple[_Count, _Count], ...], Field(max_length=_MOST_SHARES)] = ()
    """Who did the work, where that was asked: first all that is around the watched sites, then each
    call of one; how often it called another site, and how many turns its loops took."""

    @classmethod
    def of(cls, facts: Mapping[str, Any] | None) -> CallEvidence | None:
        """Return the evidence in `facts`, None if they have another shape."""
        if facts is None or not facts.keys() >= _KEYS:
            return None
        try:
            return _adapter().validate_python({key: facts[key] for key in _KEYS})
        except ValidationError:
            return None

    def named(self, key: str) -> Site | None:
        """Return the site of that key, None if it was never called."""
        return next((site for site in self.sites if site.key == key), None)

    def cycle(self, key: str) -> tuple[str, ...]:
        """Return the shortest way from site `key` back to itself, both ends included; or nothing.

        The way goes along calls that were seen.
        """
        callees: dict[str, list[str]] = {}
        for caller, callee in self.edges:
            callees.setdefault(caller, []).append(callee)
        ways: list[tuple[str, ...]] = [(key,)]
        reached: set[str] = set()
        while ways:
            longer = []
            for way in ways:
                for callee in callees.get(way[-1], ()):
                    if callee == key:
                        return (*way, key)
                    if callee not in reached:
                        reached.add(callee)
                        longer.append((*way, callee))
            ways = longer
        return ()


_KEYS: Final = {"sites", "edges", "cuts", "spread"}


@cache  # most submissions need none
def _adapter() -> TypeAdapter[CallEvidence]:
    return TypeAdapter(CallEvidence)
