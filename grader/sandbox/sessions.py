"""Runs plans in executors and brings home observations, never verdicts.

A session travels as one batch; each step is answered when it ends. So it is known at which step an
executor died, ran out of time or broke the protocol. Of several that run together it is known for
the part: quick steps of a part may be answered together.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias, TypeVar

from grader.errors import ExecutorKilled, ProtocolError, ZygoteError
from grader.messages import Message, message
from grader.protocol import (
    HIGHEST_CAPS,
    MAX_SUBMISSION_REPLY_BYTES,
    TOO_LONG,
    ValueLimits,
)
from grader.sandbox.executor import Executor, ExecutorEnded, parsed
from grader.sandbox.gate import Gate
from grader.sandbox.observation import (
    Died,
    ImportObservation,
    Observation,
    Returned,
    decode_import,
    decode_observation,
)
from grader.sandbox.planning import Item, Role, request
from grader.sandbox.program import CompileError, Program, as_source
from grader.sandbox.sandbox import Sandbox
from grader.suite.limits import Limits
from grader.verdict import Verdict

_Came = TypeVar("_Came")


@dataclass(slots=True)
class SessionRun:
    """What came of one plan: an observation for each item that was reached."""

    plan: tuple[Item, ...]
    imported: ImportObservation
    observations: list[Observation] = field(default_factory=list)

    @property
    def loaded(self) -> bool:
        """Whether the submission could be imported at all."""
        return isinstance(self.imported.observation.outcome, Returned)


_MOST_KEPT: Final = 8192
_MOST_KEPT_BYTES: Final = 4096
"""Replies up to this size are remembered: so many of them, those that were used longest ago go."""


def value_caps(limits: Limits) -> ValueLimits:
    """Return how large a value may be within `limits`; digits are rounded up to whole bits."""
    return ValueLimits(
        value_items=limits.value_items,
        value_depth=limits.value_depth,
        value_chars=limits.value_chars,
        int_bits=_bits_of(limits.int_digits),
    )


@cache
def _bits_of(digits: int) -> int:
    return int((10**digits - 1).bit_length())


@dataclass(slots=True)
class Usage:
    """What the sessions of one submission have used so far, on all of its programs and seeds."""

    received_bytes: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    """Without the time that it waited for others: for its turn, or for a processor."""
    sleeps: bool = False
    """Whether the submission ran out of time on the clock even when it ran alone."""
    has_budget: bool = True
    """Programs of the author have none: many sessions of a reference are no reason for doubt."""

    def spent(self, limits: Limits) -> Message | None:
        """Return why nothing more of the submission is tried, None while something is left."""
        if not self.has_budget:
            return None
        if self.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return message("not_run.replies")
        if self.cpu_s > limits.submission_cpu_s or self.wall_s > limits.submission_wall_s:
            return message("not_run.budget")
        return None


class SessionRunner:
    """Runs the sessions of one submission, each in an executor of its own."""

    def __init__(
        self,
        zygote: Sandbox,
        program: Program,
        limits: Limits,
        gate: Gate,
        usage: Usage | None = None,
        instruments: Mapping[str, Any] | None = None,
    ) -> None:
        """Use `zygote` for all sessions; `gate` decides what runs beside what.

        With `instruments`, the settings of them, sessions tell what happens inside. `usage` is
        shared by all that runs the same submission; without it there is no budget.
        """
        self._zygote: Final = zygote
        self._program: Final = program
        self._limits: Final = limits
        self._gate: Final = gate
        self._usage: Final = usage or Usage(has_budget=False)
        self._instruments: Final = instruments
        self._caps: Final = value_caps(limits)
        self._executor_limits: Final = {
            "memory_bytes": limits.memory_bytes,
            "session_cpu_s": math.ceil(limits.session_cpu_s),
            "output_chars": limits.output_chars,
            "recursion": limits.recursion,
            **asdict(self._caps),
        }

    @property
    def spent(self) -> Message | None:
        """Why nothing more of this submission is tried; None while something of it is left."""
        return self._usage.spent(self._limits)

    @property
    def nearly_spent(self) -> bool:
        """Whether less than half of the time that this submission may take is left."""
        limits = self._limits
        half = limits.changed(
            submission_cpu_s=limits.submission_cpu_s / 2,
            submission_wall_s=limits.submission_wall_s / 2,
        )
        return self._usage.spent(half) is not None

    @property
    def staff_remarks(self) -> tuple[Message, ...]:
        """What staff should know of how this submission used its time."""
        usage, limits = self._usage, self._limits
        slept = usage.sleeps or usage.wall_s > max(limits.submission_wall_s, 4 * usage.cpu_s)
        troubles = (("staff.budget", self.spent), ("staff.slept", slept))
        return tuple(message(key) for key, is_there in troubles if is_there)

    @property
    def compile_errors(self) -> Mapping[str, CompileError]:
        """Why modules of the program cannot be compiled, by name; known after the first run."""
        return self._program.errors

    def on_stand_ins(self, sources: Mapping[str, str]) -> SessionRunner:
        """Return a runner for the same submission with `sources` of ours in place of its modules.

        What the one runs counts for the other, and so it is with all runners made of this one.
        """
        return self._with(program=self._program.on_stand_ins(sources))

    def on_helpers(self, module: str, source: str, names: Sequence[str]) -> SessionRunner:
        """Return a runner for the same submission, of which `names` in `module` give way to ours.

        They come from `source`; see `on_stand_ins`.
        """
        return self._with(program=self._program.on_helpers(module, source, names))

    def within(self, limits: Limits) -> SessionRunner:
        """Return a runner for the same submission with other `limits`."""
        return self._with(limits=limits)

    def aside(self) -> SessionRunner:
        """Return a runner for the same submission of which nothing counts for it.

        All that it runs together has the time of one session.
        """
        of_one = self._limits.changed(
            submission_cpu_s=self._limits.session_cpu_s,
            submission_wall_s=self._limits.session_wall_s,
        )
        usage = Usage(sleeps=self._usage.sleeps, has_budget=self._usage.has_budget)
        return self._with(limits=of_one, usage=usage)

    def instrumented(self, name: str) -> Callable[[Mapping[str, Any]], SessionRunner]:
        """Return what makes runners with instruments in the submission, named after `name`.

        It takes the settings of the instruments: with `transform`, the submission is rewritten so
        that it tells of its calls; see `grader.executor.instruments` for the others. What is
        compiled is shared by all runners that can share it.
        """
        rewritten = self._program.to_be_rewritten()
        limits = self._limits.changed(value_chars=HIGHEST_CAPS.value_chars)  # evidence is text

        def set_to(settings: Mapping[str, Any]) -> SessionRunner:
            program = rewritten if settings["transform"] else self._program
            return self._with(program, limits, {**settings, "name": name})

        return set_to

    def _with(
        self,
        program: Program | None = None,
        limits: Limits | None = None,
        instruments: Mapping[str, Any] | None = None,
        usage: Usage | None = None,
    ) -> SessionRunner:
        return SessionRunner(
            self._zygote,
            program or self._program,
            limits or self._limits,
            self._gate,
            usage or self._usage,
            instruments or self._instruments,
        )

    def sources(self, modules: Collection[str]) -> Mapping[str, dict[str, str | bytes]]:
        """Return the sources of those of `modules` that the program has, as they are sent."""
        sources = self._program.sources
        return {name: as_source(*sources[name]) for name in modules if name in sources}

    def asked(self, question: dict[str, object]) -> dict[str, Any] | None:
        """Return what a fresh executor replies to `question`, None when that kills it.

        None of the submission has run in it.
        """
        try:
            return self._tried(lambda: self._asked(question))
        except ExecutorEnded as ended:
            if not ended.doubtful:
                return None
        with self._gate.alone(), suppress(ExecutorEnded):
            return self._asked(question)
        return None

    def _asked(self, question: dict[str, object]) -> dict[str, Any] | None:
        limits = self._limits
        with self._executor() as executor, suppress(ProtocolError):
            return executor.ask(question, cpu_s=limits.cpu_s, wall_s=limits.wall_s)
        return None

    @contextmanager
    def _executor(self) -> Iterator[Executor]:
        """Hold a fresh executor, and count what it uses."""
        executor = self._zygote.fork(self._executor_limits)
        start_s = time.monotonic()
        try:
            yield executor
        finally:
            executor.end()
            wall_s = time.monotonic() - start_s
            self._gate.took(self._limits, executor.cpu_s or wall_s, wall_s)
            self._usage.received_bytes += executor.received_bytes
            self._usage.cpu_s += executor.cpu_s
            self._usage.wall_s += max(0.0, wall_s - executor.waited_s)

    def run(self, plan: tuple[Item, ...], *, modules: tuple[str, ...]) -> SessionRun:
        """Return the result of `plan`, before which `modules` are imported.

        Where a busy machine may have brought about its end, it is run once more, alone.
        """
        (run,), doubtful = self._tried(lambda: self._run((plan,), modules))
        if doubtful and not self._usage.sleeps and not self.spent:
            with self._gate.alone():
                (run,), self._usage.sleeps = self._run((plan,), modules)
        return run

    def run_together(
        self, plans: Sequence[tuple[Item, ...]], *, modules: tuple[str, ...]
    ) -> list[SessionRun]:
        """Return the results of `plans`, run once, one after the other in one executor.

        Those after the one that it did not survive have no observations.
        """
        runs, _ = self._tried(lambda: self._run(plans, modules))
        return runs

    def run_in_batch(self, plan: tuple[Item, ...], modules: tuple[str, ...]) -> SessionRun | Died:
        """Return the result of `plan` in one executor, without a second look.

        That is how it died if it did not survive, whichever step that was.
        """
        (run,) = self.run_together((plan,), modules=modules)
        last = run.observations[-1] if run.observations else run.imported.observation
        return last.outcome if isinstance(last.outcome, Died) else run

    def _tried(self, attempt: Callable[[], _Came]) -> _Came:
        """Return what `attempt` comes to beside others.

        Where somebody else kills its executor, that is what it comes to alone: it says nothing of
        the submission. Raises `ExecutorKilled` when it is killed once more.
        """
        with suppress(ExecutorKilled), self._gate.shared():
            return attempt()
        with self._gate.alone():
            return attempt()

    def _run(
        self, plans: Sequence[tuple[Item, ...]], modules: tuple[str, ...]
    ) -> tuple[list[SessionRun], bool]:
        runs: list[SessionRun] = []
        count = sum(map(len, plans))
        with self._executor() as executor:
            replies = executor.replies(
                [
                    (self._program.load_request(self._instruments), 1),
                    (request(plans, self._program.imported(modules)), 1 + count),
                ],
                cpu_s=self._limits.cpu_s,
                wall_s=self._limits.wall_s,
                session_wall_s=self._limits.session_wall_s,
            )
            try:
                self._take(_first(replies))
                imported = decode_import(parsed(next(replies)))
                runs += (SessionRun(plan, imported) for plan in plans)
                if runs[0].loaded:
                    self._observe(runs, replies)
                if executor.surplus(cpu_s=self._limits.cpu_s, wall_s=self._limits.wall_s):
                    raise ProtocolError("bytes after a reply that nobody asked for")
            except (ExecutorEnded, ProtocolError) as error:
                doubtful = isinstance(error, ExecutorEnded) and error.doubtful
                return _cut_short(plans, runs, _died(error)), doubtful
        return runs, False

    def _observe(self, runs: Sequence[SessionRun], replies: Iterator[bytes]) -> None:
        """Add the observations in `replies` to `runs`, one by one."""
        received_bytes, (decoded, kept) = 0, _decoders(self._caps)
        for run in runs:
            for item, payload in zip(run.plan, replies, strict=False):  # they go on behind the plan
                received_bytes += len(payload)
                if payload == TOO_LONG or received_bytes > MAX_SUBMISSION_REPLY_BYTES:
                    raise ExecutorEnded(Verdict.OUTPUT, "reply too long")
                decode = kept if len(payload) <= _MOST_KEPT_BYTES else decoded
                observation = decode(payload, item.binds)
                if observation.overflowed and item.role is Role.LOOK:
                    raise ExecutorEnded(Verdict.OUTPUT, "a look printed too much")
                run.observations.append(observation)

    def _take(self, payload: bytes) -> None:
        """Keep what a load request came back with."""
        reply = parsed(payload)
        if reply == {"no_room": True}:
            raise ExecutorEnded(Verdict.MEMORY, "no room for the program")
        self._program.take(reply)


def _first(replies: Iterator[bytes]) -> bytes:
    """Return the reply to a load request; raises `ZygoteError` when it was none of our walls."""
    try:
        return next(replies)
    except ExecutorEnded as ended:
        if ended.verdict is Verdict.EXITED:  # no line of the submission has run yet
            raise ZygoteError(f"an executor did not start: {ended.evidence}") from ended
        raise


_Decode: TypeAlias = Callable[[bytes, tuple[str, ...]], Observation]


@cache
def _decoders(caps: ValueLimits) -> tuple[_Decode, _Decode]:
    """Return what decodes observations of values within `caps`; it raises `ProtocolError`.

    The second one gives the same object for the same bytes: most answers of a class are the same.
    """

    def decoded(payload: bytes, binds: tuple[str, ...]) -> Observation:
        return decode_observation(parsed(payload), binds, caps)

    return decoded, lru_cache(_MOST_KEPT)(decoded)


def _cut_short(
    plans: Sequence[tuple[Item, ...]], runs: list[SessionRun], died: Observation
) -> list[SessionRun]:
    """Return `runs`, none before the import, with how they ended in the place of a step."""
    if not (runs and runs[0].loaded and any(plans)):
        nothing = ImportObservation(observation=died, defined=frozenset())
        return [SessionRun(plan, nothing) for plan in plans]
    under_way = next((run for run in runs if len(run.observations) < len(run.plan)), runs[-1])
    # What came after the last step spoils that one.
    under_way.observations[len(under_way.plan) - 1 :] = [died]
    return runs


def _died(error: ExecutorEnded | ProtocolError) -> Observation:
    if isinstance(error, ProtocolError):
        return Observation(outcome=Died(verdict=Verdict.TAMPERED, evidence=error.message))
    died = Died(verdict=error.verdict, evidence=error.evidence, on_the_clock=error.doubtful)
    return Observation(outcome=died)
