"""Probes: sessions that show how a submission works internally, for inputs of several sizes.

Rules run probes, separately from the sessions of cases.

A probe runs on an instrumented program, so its answers never decide a case. Like observations, the
reports of the instruments come from the process of the submission. They are evidence about that
submission only, and this module checks that they are well-formed. `grader.judging.calls` parses the
calls in them.
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

DRAWS: Final = 1_000
"""How many numbers are drawn. They differ between submissions but can be reproduced."""
DRAWN_BELOW: Final = 1_000_000
"""The exclusive upper bound of the drawn numbers."""
_BYTES_PER_DRAW: Final = 8


def probe_seed(secret: str, texts: Mapping[str, str]) -> str:
    """Return the seed of the draws for a submission with the source `texts`, keyed by import name.

    The seed depends on the `secret` of the course, if any, and on the code. So draws can be
    repeated, but a submission cannot hard-code them, because changed code gets other draws.
    """
    # `repr` escapes lone surrogates, which UTF-8 cannot encode.
    return hashlib.sha256(repr((secret, sorted(texts.items()))).encode()).hexdigest()


def draw_numbers(seed: str) -> tuple[int, ...]:
    """Return `DRAWS` numbers that are determined by `seed` and unpredictable without it."""
    # SHAKE derives as many bytes as needed from one seed.
    data = hashlib.shake_256(seed.encode()).digest(_BYTES_PER_DRAW * DRAWS)
    chunks = (
        data[start : start + _BYTES_PER_DRAW] for start in range(0, len(data), _BYTES_PER_DRAW)
    )
    # The 64-bit numbers are so large that their remainders are practically uniform.
    return tuple(int.from_bytes(chunk) % DRAWN_BELOW for chunk in chunks)


SIZE_NAME: Final = "n"
"""The variable that holds the size in the steps of a probe."""
Part: TypeAlias = Literal["front", "ends"]
PARTS: Final[tuple[Part, ...]] = ("front", "ends")
"""The parts of a collection that inner calls can still get; see `grader.executor.shifting`."""
DRAW_NAME: Final = "draw"
"""The variable that holds the numbers drawn for this submission and size."""
# Templates of calls. A lambda lets the instruments begin before the code is evaluated.
CALL: Final = "{name}_call__(lambda: ({code}))"
KNOWN: Final = "{name}_known__(lambda: ({code}), lambda: ({observed}))"
LEARN: Final = "{name}_learn__(lambda: ({code}))"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeStep:
    """One line of a probe."""

    code: str
    is_expression: bool
    binds: tuple[str, ...] = ()
    """The names that the line assigns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """A session that shows how a submission works internally, for inputs of several sizes.

    It runs once for each size, with `n` set to that size.
    """

    sizes: tuple[int, ...]
    """Ascending, at least one."""
    setup: tuple[ProbeStep, ...]
    call: ProbeStep
    """The expression that is examined."""
    observe: tuple[ProbeStep, ...] = ()
    """Expressions that show what the call changed."""
    also: tuple[ProbeStep, ...] = ()
    """Further calls; only their answers are compared."""
    modules: tuple[str, ...]
    """The exercise's module; if it has several, those that the steps use."""
    draws: bool = False
    """Whether the steps use `draw`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeObservation:
    """The observations of one session of a probe."""

    reached: bool
    """Whether the set-up succeeded, so that the call was reached."""
    call: Observation
    """The observation of the call, or of the set-up step that failed before it."""
    observed: tuple[Observation, ...]
    """The observations of the steps after the call."""
    evidence: Mapping[str, Any] | None
    """The report of the instruments; None if the session ended before the report."""

    @property
    def all_returned(self) -> bool:
        """Whether the call and all steps after it returned normally."""
        return self.reached and all(
            isinstance(observation.outcome, Returned) for observation in (self.call, *self.observed)
        )

    @property
    def died(self) -> Died | None:
        """How the executor died, or None if it did not."""
        # Nothing runs after a death, so only the last observation can report one.
        last = self.observed[-1] if self.observed else self.call
        return last.outcome if isinstance(last.outcome, Died) else None


class ProbeLimit(Exception):
    """The budget ran out before a rule was judged."""

    def __init__(self, reason: Message) -> None:
        """Store the reason, which is shown to the student."""
        super().__init__()
        self.reason: Final = reason


class ProbeSession(NamedTuple):
    """A session of a probe, ready to run.

    Its plan has `before` steps, then the call, then `observers`, then the instruments' report.
    """

    prober: ProbeRunner
    runner: SessionRunner
    plan: tuple[Item, ...]
    modules: tuple[str, ...]
    before: int
    observers: int
    is_blamed: bool = True
    """Whether the submission is to blame if the session dies."""

    def observe(self) -> ProbeObservation:
        """Run the session and return its observation; see `ProbeRunner.observe`."""
        return self.prober.observe(self)


class ProbeRunner:
    """Runs probes on one submission."""

    def __init__(self, runner: SessionRunner, seed: str = "") -> None:
        """Use the program and the limits of `runner`; `seed` determines the draws."""
        self.name: Final = f"__probe_{secrets.token_hex(4)}"
        """The prefix of the names of all instruments; random, so that no submission can guess
        it."""
        self._seed: Final = seed
        self._runner: Final = runner
        self._instrumented: Final = runner.instrument(self.name)
        self._sessions: Final[dict[Hashable, ProbeSession]] = {}
        self.deaths = 0
        """How many sessions died. Each has used up its time or its memory."""

    def session(
        self,
        probe: Probe,
        size: int,
        *,
        settings: Mapping[str, Any],
        call: str = CALL,
        prepare: tuple[ProbeStep, ...] = (),
        transformed: bool = True,
    ) -> ProbeSession:
        """Return the session of `probe` for one `size`, with `settings` for the instruments.

        `call` is the template of the call, and `prepare` has steps to run after the set-up. In
        both, `{name}` is replaced with the prefix of the instruments. A program must be
        `transformed` to report its calls.
        """
        before = (*self._setup_steps(probe, size), *self._with_instrument_name(prepare))
        settings = {**settings, "transform": transformed}
        return self._cached_session(settings, probe, before, call, also="{code}")

    def cut_session(
        self,
        probe: Probe,
        size: int,
        sites: Sequence[str],
        *,
        leaf_size: int | None = None,
        all_calls: bool = False,
    ) -> ProbeSession:
        """Return the session of `probe` in which recursive calls of `sites` do nothing.

        The session is not run yet. A call that does nothing returns None or, if `leaf_size` is
        given, the value that the first call to reach the base case returned in a run of that size
        without cuts. If `all_calls`, all calls of `sites` do nothing, not only recursive ones.
        """
        before = self._setup_steps(probe, size)
        if leaf_size is not None:
            learn = _expression(LEARN, name=self.name, code=probe.call.code)
            before = (*self._setup_steps(probe, leaf_size), learn, *before)
        settings = {"cut": list(sites), "whole": all_calls, "transform": True}
        return self._cached_session(settings, probe, before, CALL, also=CALL)

    def knowledge_session(self, probe: Probe, size: int, sites: Sequence[str]) -> ProbeSession:
        """Return the session that reports which values exist when the recursion begins.

        It begins when a function in `sites` first calls itself. A value that is known by then
        cannot be a result of the recursion. The session is not run yet.
        """
        observed = "".join(f"({step.code}), " for step in probe.observe)
        call_template = KNOWN.replace("{observed}", _escape_braces(observed))
        settings = {"knowing": list(sites), "transform": True}
        return self._cached_session(
            settings, probe, self._setup_steps(probe, size), call_template, also=call_template
        )

    def shifted_session(
        self, probe: Probe, size: int, sites: Sequence[str], part: Part
    ) -> ProbeSession:
        """Return the session in which inner calls of `sites` get only a `part` of their input."""
        settings = {"shift": list(sites), "part": part, "transform": True}
        session = self._cached_session(
            settings, probe, self._setup_steps(probe, size), CALL, also=CALL
        )
        # Our change can make the base case unreachable, which is not the submission's fault.
        return session._replace(is_blamed=False)

    def expect(self, sessions: Iterable[ProbeSession]) -> None:
        """Announce `sessions` that will probably be observed, so that they can share executors."""
        for session in sessions:
            session.runner.expect([session.plan], modules=session.modules)

    def observe(self, session: ProbeSession) -> ProbeObservation:
        """Run `session` and return its observation. Raises `ProbeLimit` if the budget is spent.

        Also counts the death in `deaths` if the session dies and the submission is to blame.
        """
        if reason := self._runner.why_exhausted:
            raise ProbeLimit(reason)
        run = session.runner.run(session.plan, modules=session.modules)
        observation = _observation(run, session.before, session.observers)
        self.deaths += session.is_blamed and observation.died is not None
        return observation

    def _setup_steps(self, probe: Probe, size: int) -> tuple[ProbeStep, ...]:
        """Return the set-up of `probe`, preceded by assignments of the size and any draws."""
        steps = (_assignment(SIZE_NAME, str(size)), *probe.setup)
        if not probe.draws:
            return steps
        # Each size gets different numbers.
        return (_assignment(DRAW_NAME, repr(draw_numbers(f"{self._seed}/{size}"))), *steps)

    def _cached_session(
        self,
        settings: Mapping[str, Any],
        probe: Probe,
        before: tuple[ProbeStep, ...],
        call: str,
        also: str,
    ) -> ProbeSession:
        """Return the session with these steps and settings, from the cache if possible.

        `call` and `also` are the templates of the call and of the calls in `probe.also`.
        """
        # Settings contain lists and dicts, which are not hashable.
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
            session = ProbeSession(self, runner, _plan(steps), modules, len(before), len(observers))
            self._sessions[key] = session
        return self._sessions[key]

    def _with_instrument_name(self, steps: tuple[ProbeStep, ...]) -> tuple[ProbeStep, ...]:
        """Return `steps` with `{name}` replaced with the prefix of the instruments."""
        return tuple(
            ProbeStep(
                code=step.code.format(name=self.name),
                is_expression=step.is_expression,
                binds=step.binds,
            )
            for step in steps
        )


def _assignment(name: str, code: str) -> ProbeStep:
    return ProbeStep(code=f"{name} = {code}", is_expression=False, binds=(name,))


def _escape_braces(code: str) -> str:
    """Return `code` with braces escaped for `str.format`."""
    return code.replace("{", "{{").replace("}", "}}")


def _expression(template: str, **parts: str) -> ProbeStep:
    return ProbeStep(code=template.format(**parts), is_expression=True)


def _plan(steps: tuple[ProbeStep, ...]) -> tuple[Item, ...]:
    """Return the plan that runs `steps` in order."""
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


def _observation(run: SessionRun, count_before: int, observer_count: int) -> ProbeObservation:
    """Return the observation of a probe from `run`.

    The plan of `run` has `count_before` steps, the call, `observer_count` steps and the report of
    the instruments.
    """
    if not run.is_loaded:
        return ProbeObservation(
            reached=False, call=run.imported.observation, observed=(), evidence=None
        )
    observations = run.observations
    # The first failed set-up step takes the place of the call, which was not reached.
    for observation in observations[:count_before]:
        if not isinstance(observation.outcome, Returned):
            return ProbeObservation(reached=False, call=observation, observed=(), evidence=None)
    observed = tuple(observations[count_before + 1 : count_before + 1 + observer_count])
    return ProbeObservation(
        reached=True,
        call=observations[count_before],
        observed=observed,
        evidence=evidence_in(observations[count_before + 1 + observer_count :]),
    )


def evidence_in(observations: list[Observation]) -> Mapping[str, Any] | None:
    """Return the instruments' report in `observations`. Return None if it is not a JSON object."""
    match observations:
        case [Observation(outcome=Returned(value=Atom(str() as text)))]:
            try:
                report = json.loads(text)
            # A forged report can be nested too deeply for the parser.
            except (ValueError, RecursionError):
                return None
            return report if isinstance(report, dict) else None
        case _:
            return None


def raised_recursion_error(observation: Observation) -> bool:
    """Return whether the step raised `RecursionError` or a subclass."""
    outcome = observation.outcome
    return isinstance(outcome, Raised) and "RecursionError" in outcome.type_names
