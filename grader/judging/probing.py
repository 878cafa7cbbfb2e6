"""Probes: sessions that show how a submission works inside, for several sizes.

They are run for the rules, in sessions of their own.

A probe runs on an instrumented program, so nothing that it gives is ever a functional verdict. What
its instruments report comes from the process of the submission, as observations do: it is evidence
about that submission and nothing else, and its shape is checked here.
What it saw of calls is in `grader.judging.calls`.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from grader.messages import Message
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.values.tree import Atom

# What probes draw: numbers that differ from submission to submission, and can be drawn again.


DRAWS: Final = 1_000
DRAWN_BELOW: Final = 1_000_000
_BYTES: Final = 8


def probe_seed(secret: str, texts: Mapping[str, str]) -> str:
    """Return what the inputs of probes are drawn from, for a submission that says `texts`.

    It follows from the secret of the course, where there is one, and from what was handed in. So a
    draw can be repeated, and who writes its inputs into a submission has changed them.
    """
    return hashlib.sha256(repr((secret, sorted(texts.items()))).encode()).hexdigest()


def drawn(seed: str) -> tuple[int, ...]:
    """Return numbers that nobody can tell who does not know `seed`, and everybody who does."""
    drawn = hashlib.shake_256(seed.encode()).digest(_BYTES * DRAWS)
    parts = (drawn[at : at + _BYTES] for at in range(0, len(drawn), _BYTES))
    return tuple(int.from_bytes(part) % DRAWN_BELOW for part in parts)


SIZE_NAME: Final = "n"
"""The name by which the steps of a probe know its size."""
Part: TypeAlias = Literal["front", "ends"]
PARTS: Final[tuple[Part, ...]] = ("front", "ends")
DRAW_NAME: Final = "draw"
"""The name by which they know what is drawn for this submission and this size."""
CALL: Final = "{name}_call__(lambda: ({code}))"
KNOWN: Final = "{name}_known__(lambda: ({code}), lambda: ({observed}))"
LEARN: Final = "{name}_learn__(lambda: ({code}))"


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
    draws: bool = False
    """Whether its steps read `draw`."""


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


class ProbeSession(NamedTuple):
    """A session of a probe, with how many steps of it come before the call, and how many look."""

    prober: ProbeRunner
    runner: SessionRunner
    plan: tuple[Item, ...]
    modules: tuple[str, ...]
    before: int
    observers: int
    is_blamed: bool = True
    """Whether the submission is to blame if it does not come to its end."""

    def observe(self) -> ProbeObservation:
        """Return what it shows; raises `ProbeLimit` where it would be one too many."""
        return self.prober.observe(self)


class ProbeRunner:
    """Runs probes on one submission."""

    def __init__(self, runner: SessionRunner, seed: str = "") -> None:
        """Use the program and the limits of `runner`; from `seed` comes what probes `draw`."""
        self.name: Final = f"__probe_{secrets.token_hex(4)}"
        """Beginning of the names of all instruments, which no submission can foresee."""
        self._seed: Final = seed
        self._runner: Final = runner
        self._instrumented: Final = runner.instrumented(self.name)
        self._sessions: Final[dict[Hashable, ProbeSession]] = {}
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
    ) -> ProbeSession:
        """Return the session of `probe` for one `size`, with instruments set by `settings`.

        `call` is how the call is made, and `prepare` are steps behind the set-up; in both `{name}`
        stands for the name of the instruments. Only a `transformed` program tells of its calls.
        """
        before = (*self._setup(probe, size), *self._named(prepare))
        settings = {**settings, "transform": transformed}
        return self._session(settings, probe, before, call, also="{code}")

    def cut(
        self,
        probe: Probe,
        size: int,
        sites: Sequence[str],
        *,
        leaf_of: int | None = None,
        whole: bool = False,
    ) -> ProbeSession:
        """Return the session in which `sites` are cut: called while active, they do nothing.

        They give None then, or what their first innermost call gave for the size `leaf_of` when
        they were not cut. As a `whole`, they do nothing whenever they are called.
        """
        before = self._setup(probe, size)
        if leaf_of is not None:
            learn = _expression(LEARN, name=self.name, code=probe.call.code)
            before = (*self._setup(probe, leaf_of), learn, *before)
        settings = {"cut": list(sites), "whole": whole, "transform": True}
        return self._session(settings, probe, before, CALL, also=CALL)

    def known(self, probe: Probe, size: int, sites: Sequence[str]) -> ProbeSession:
        """Return the session of `probe` that tells what is known when `sites` recur."""
        observed = "".join(f"({step.code}), " for step in probe.observe)
        known = KNOWN.replace("{observed}", _braced(observed))
        settings = {"knowing": list(sites), "transform": True}
        return self._session(settings, probe, self._setup(probe, size), known, also=known)

    def shifted(self, probe: Probe, size: int, sites: Sequence[str], part: Part) -> ProbeSession:
        """Return the session in which inner calls of `sites` get a `part` of what is left."""
        settings = {"shift": list(sites), "part": part, "transform": True}
        session = self._session(settings, probe, self._setup(probe, size), CALL, also=CALL)
        return session._replace(is_blamed=False)  # who skips its own end may go on for ever

    def expect(self, sessions: Iterable[ProbeSession]) -> None:
        """Take note that `sessions` will most likely be observed, so that they share executors."""
        for each in sessions:
            each.runner.expect([each.plan], modules=each.modules)

    def observe(self, session: ProbeSession) -> ProbeObservation:
        """Return what `session` shows; raises `ProbeLimit` where it would be one too many."""
        if reason := self._runner.spent:
            raise ProbeLimit(reason)
        run = session.runner.run(session.plan, modules=session.modules)
        observation = _observation(run, session.before, session.observers)
        self.deaths += session.is_blamed and observation.died is not None
        return observation

    def _setup(self, probe: Probe, size: int) -> tuple[ProbeStep, ...]:
        steps = (_binding(SIZE_NAME, str(size)), *probe.setup)
        if not probe.draws:
            return steps
        return (_binding(DRAW_NAME, repr(drawn(f"{self._seed}/{size}"))), *steps)

    def _session(
        self,
        settings: Mapping[str, Any],
        probe: Probe,
        before: tuple[ProbeStep, ...],
        call: str,
        also: str,
    ) -> ProbeSession:
        """Return one session, the same whenever it is asked for."""
        key = json.dumps(settings), probe, before, call, also
        if key not in self._sessions:
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
            runner, modules = self._instrumented(settings), probe.modules
            made = ProbeSession(self, runner, _plan(steps), modules, len(before), len(observers))
            self._sessions[key] = made
        return self._sessions[key]

    def _named(self, steps: tuple[ProbeStep, ...]) -> tuple[ProbeStep, ...]:
        return tuple(
            ProbeStep(
                code=step.code.format(name=self.name),
                is_expression=step.is_expression,
                binds=step.binds,
            )
            for step in steps
        )


def _binding(name: str, code: str) -> ProbeStep:
    return ProbeStep(code=f"{name} = {code}", is_expression=False, binds=(name,))


def _braced(code: str) -> str:
    """Return `code` as it can stand in a template."""
    return code.replace("{", "{{").replace("}", "}}")


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
