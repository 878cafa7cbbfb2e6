"""Runs many programs on the sessions of a suite, and finds which cases each of them fails.

An audit runs hundreds of wrong programs of our own making, which attack nothing. So sessions run in
batches that share an executor, which is many times as fast as one executor each. If a batch dies,
as a program never ends, its sessions run one by one to find the culprit.
"""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final, TypeVar

from grader.errors import SuiteError
from grader.judging.answers import AnswerChecker
from grader.judging.matching import StepObservation, assess, breakdowns, observed
from grader.plugins.authoring.solutions import Sources
from grader.sandbox.budget import Prices, units
from grader.sandbox.observation import Died, Observation, Returned
from grader.sandbox.planning import Item, whole_session
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.limits import Limits
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.tree import Atom
from grader.verdict import Verdict

_T = TypeVar("_T")
_R = TypeVar("_R")
_BATCH_SIZE: Final = 20
_TIMES_AS_LONG: Final = 10
_LEAST_CPU_S: Final = 0.05


def _asking(code: str) -> Item:
    """Return an item that evaluates the expression `code`, which is not a step of a session."""
    return Item(step_index=sys.maxsize, code=code)


_CLOCK: Final = _asking("__import__('time').process_time()")
"""Returns the CPU seconds of the session, including the time to load the program."""
MAX_DEATHS: Final = 3
"""After so many sessions in which a program dies, the rest is skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """The failures of a program on some sessions."""

    cases: Mapping[str, frozenset[str]]
    """The cases that it fails, by id of their session; sessions without any are left out."""
    loads: bool = True
    """Whether it can be imported at all."""
    only_died: bool = False
    """Whether it only died or hung, within limits that are tighter than those of the suite."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The largest share of a limit that it used, by id of each session that it survived."""

    @property
    def killed(self) -> bool:
        """Whether it fails anything."""
        return not self.loads or bool(self.cases)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Sessions that run one after the other in one executor, with their common plan."""

    sessions: tuple[Session, ...]
    offsets: tuple[int, ...]
    """For each session, the offset of its step indexes in the plan."""
    plan: tuple[Item, ...]
    modules: tuple[str, ...]

    @classmethod
    def of(cls, sessions: Sequence[Session], modules: Sequence[str]) -> _Batch:
        """Return the batch of `sessions`; `modules` are those of the suite, in order."""
        offsets, offset = [], 0
        plan: list[Item] = []
        for session in sessions:
            offsets.append(offset)
            items = whole_session(session)
            plan += [replace(item, step_index=item.step_index + offset) for item in items]
            offset += len(session.steps)
        used = {name for session in sessions for name in session.modules}
        return cls(
            tuple(sessions),
            tuple(offsets),
            tuple(plan),
            tuple(name for name in modules if name in used),  # in the order of the suite
        )

    def asking(self, code: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
        """Return a plan that evaluates `code` after each session, and the modules."""
        plan: list[Item] = []
        for session in self.sessions:
            plan += whole_session(session)
            plan.append(_asking(code))
        return tuple(plan), self.modules

    def shares(self, run: SessionRun, limits: Limits) -> Iterator[tuple[str, float]]:
        """Yield the id of each session with the largest share of one of the `limits` it used."""
        prices = Prices(limits)
        # Observations come item by item, limits hold for a whole session.
        places = [at for at, each in enumerate(self.sessions) for _ in whole_session(each)]
        used = [0] * len(self.sessions)
        most = [0.0] * len(self.sessions)
        for at, item, seen in zip(places, self.plan, run.observations, strict=True):
            used[at] += seen.units
            most[at] = max(most[at], seen.units / prices.full(item).units)
        for session, total, share in zip(self.sessions, used, most, strict=True):
            yield session.id, max(share, total / units(limits.session_cpu_s))

    def failing(
        self, run: SessionRun, checker: AnswerChecker
    ) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the sessions with cases that failed in `run`, and these cases.

        Raises `SuiteError` if the suite's own `checker` fails.
        """
        steps = [step for session in self.sessions for step in session.steps]
        seen = observed(run, checker.outcomes(steps, run))
        broken = set(breakdowns(run))
        for session, offset in zip(self.sessions, self.offsets, strict=True):
            indexes = range(len(session.steps))
            own = {index: seen[index + offset] for index in indexes if index + offset in seen}
            first = next((index for index in indexes if index + offset in broken), len(indexes))
            failed = [
                case.id
                for case in session.cases
                if case.step_index > first or not _passes(session, case, own)
            ]
            if failed:
                yield session.id, frozenset(failed)


def _passes(session: Session, case: Case, seen: Mapping[int, StepObservation]) -> bool:
    outcome = assess(session, case, seen)
    if outcome is not None and outcome.verdict is Verdict.FAULT:
        message = f"nobody can tell whether an answer to {case.id} is right: {outcome.evidence}"
        raise SuiteError(
            message, help="a checker must return True, False, or a text that says what is wrong"
        )
    return outcome is not None and outcome.passed


class MutantRunner:
    """Runs programs on the sessions of a suite."""

    def __init__(self, suite: Suite, sandboxes: Sequence[Sandbox], reference: Sources) -> None:
        """Run programs on as many threads as there are `sandboxes`.

        In a session they may take ten to twenty times as long as the `reference`, so that endless
        mutants end soon.
        """
        self._suite: Final = suite
        self._sandboxes: Final[queue.SimpleQueue[Sandbox]] = queue.SimpleQueue()
        self._threads: Final = len(sandboxes)
        for sandbox in sandboxes:
            self._sandboxes.put(sandbox)
        self._batched: Final[dict[tuple[Session, ...], _Batch]] = {}
        alone_s, batch_s = (self._taken_s(reference, size) for size in (1, _BATCH_SIZE))
        # Measured on the reference, on this machine: a fixed limit is too long for most exercises,
        # and thousands of endless mutants would each use it up.
        self._alone_s: Final = _stepped_up(_TIMES_AS_LONG * alone_s)
        self._batch_s: Final = self._alone_s + 2 * batch_s

    def failures(
        self,
        tries: Iterable[tuple[Sources, Sequence[Session]]],
        *,
        apart: bool = False,
        patience: float = 0,
        enough: int | None = None,
        progress: Callable[[], object] = lambda: None,
    ) -> list[ProgramResult]:
        """Return the failures of each program in `tries` on its sessions, in order.

        With `apart` each session has its own executor, for programs that may keep state from one to
        the next. A session that takes too long is retried alone, with `patience` times the limit if
        the suite allows: a program may be slow and right, and a busy machine may inflate its time.
        With `enough`, a program that fails so many sessions, or dies in one, is not run further.
        Calls `progress` after each program.
        """
        found = []
        for result in self.each_failure(tries, apart=apart, patience=patience, enough=enough):
            found.append(result)
            progress()
        return found

    def each_failure(
        self,
        tries: Iterable[tuple[Sources, Sequence[Session]]],
        *,
        apart: bool,
        patience: float = 0,
        enough: int | None = None,
    ) -> Generator[ProgramResult, None, None]:
        """Yield what `failures` returns, as it comes; closing waits for running programs only."""
        size = 1 if apart else _BATCH_SIZE

        def tried(one: tuple[Sources, Sequence[Session]], sandbox: Sandbox) -> ProgramResult:
            sources, sessions = one
            batches = self._batches(sessions, size)
            return self._tried(self._program(sources), sandbox, batches, enough, patience)

        yield from self.side_by_side(tried, tries)

    def side_by_side(
        self, work: Callable[[_T, Sandbox], _R], items: Iterable[_T]
    ) -> Generator[_R, None, None]:
        """Yield the result of `work` for each of `items`, in order, on all threads."""

        def worked(item: _T) -> _R:
            with self.sandbox() as sandbox:
                return work(item, sandbox)

        threads = ThreadPoolExecutor(self._threads)
        try:
            yield from threads.map(worked, items)
        finally:
            threads.shutdown(cancel_futures=True)

    def _batches(self, sessions: Sequence[Session], size: int) -> list[_Batch]:
        """Return `sessions` in batches of `size`; equal batches are cached.

        Sessions that run programs have their own batches, as nothing may be imported before them.
        """
        modules = self._suite.modules
        batches = []
        plain = [session for session in sessions if not session.runs]
        # Sessions of a batch share files. A session that writes files makes all that it needs, so
        # these come together, where those that only read cannot find their files changed.
        writing = [session for session in plain if _opens(session)]
        reading = [session for session in plain if not _opens(session)]
        parts = [
            tuple(some[start : start + size])
            for some in (reading, writing)
            for start in range(0, len(some), size)
        ]
        parts += ((session,) for session in sessions if session.runs)
        for some in parts:
            if some not in self._batched:
                self._batched[some] = _Batch.of(some, modules)
            batches.append(self._batched[some])
        return batches

    def answers(
        self, sources: Sources, sessions: Sequence[Session], code: str
    ) -> dict[str, Observation]:
        """Return the value of the expression `code` at the end of each of `sessions`, by id.

        Left out are sessions in which the program dies, and sessions that run programs, which have
        ended by then.
        """
        runner = self.reference_runner(sources)
        found: dict[str, Observation] = {}
        waiting = self._batches([each for each in sessions if not each.runs], _BATCH_SIZE)
        while waiting:
            batch = waiting.pop()
            plan, modules = batch.asking(code)
            run = runner.run(plan, modules=modules)
            if run.loaded and not run.died:
                ends = accumulate(len(whole_session(each)) + 1 for each in batch.sessions)
                for session, end in zip(batch.sessions, ends, strict=True):
                    found[session.id] = run.observations[end - 1]
            elif len(batch.sessions) > 1:  # alone it would die again
                waiting += self._batches(batch.sessions, 1)
        return found

    def reference_runner(self, reference: Sources) -> SessionRunner:
        """Return a runner of sessions on the `reference`; for use while no other program runs."""
        with self.sandbox() as sandbox:
            return SessionRunner(sandbox, self._program(reference), self._suite.limits)

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Lend a sandbox that no other thread uses."""
        sandbox = self._sandboxes.get()
        try:
            yield sandbox
        finally:
            self._sandboxes.put(sandbox)

    def _taken_s(self, reference: Sources, size: int) -> float:
        """Return the most CPU seconds that the `reference` takes for a batch of `size` sessions."""
        runner = self.reference_runner(reference)
        taken_s = 0.0
        for batch in self._batches(self._suite.sessions, size):
            run = runner.run((*batch.plan, _CLOCK), modules=batch.modules)
            if run.loaded and not run.died:
                taken_s = max(taken_s, _seconds(run.observations[-1]))
        return taken_s

    def _program(self, sources: Sources) -> Program:
        suite = self._suite
        files = {name: text.encode() for name, text in suite.files.items()}
        modules = {name: (f"{name}.py", text) for name, text in {**sources, **suite.given}.items()}
        return Program.of(
            modules,
            files,
            suite.imports,
            binds=suite.binds,
            overridden=suite.overridden,
            now_s=suite.now_s,
        )

    def _run(
        self, program: Program, sandbox: Sandbox, batch: _Batch, times: float = 1
    ) -> SessionRun | Died:
        """Run `batch`, with `times` the usual CPU limit."""
        cpu_s = times * (self._alone_s if len(batch.sessions) == 1 else self._batch_s)
        limits = self._suite.limits.changed(cpu_s=min(self._suite.limits.cpu_s, cpu_s))
        runner = SessionRunner(sandbox, program, limits)
        run = runner.run(batch.plan, modules=batch.modules)
        return run.died or run

    def _tried(
        self,
        program: Program,
        sandbox: Sandbox,
        batches: Iterable[_Batch],
        enough: int | None,
        patience: float,
    ) -> ProgramResult:
        failing: dict[str, frozenset[str]] = {}
        shares: dict[str, float] = {}
        answers, checker = 0, AnswerChecker(self._suite, sandbox)
        most = sys.maxsize if enough is None else enough
        deaths_left = MAX_DEATHS if enough is None else 1
        waiting = list(reversed(list(batches)))  # popped from its end
        while waiting and deaths_left and len(failing) < most:
            batch = waiting.pop()
            run = self._run(program, sandbox, batch)
            if patience and _is_late(run) and len(batch.sessions) == 1:
                run = self._run(program, sandbox, batch, patience)
                if _is_late(run):
                    patience = 0  # once is enough to know that it never ends
            if isinstance(run, Died) and len(batch.sessions) > 1:
                # It is unknown which session killed it: run each alone, next.
                waiting += reversed(self._batches(batch.sessions, 1))
            elif isinstance(run, Died):
                (session,) = batch.sessions
                failing[session.id] = frozenset(case.id for case in session.cases)
                deaths_left -= 1
            elif not run.loaded:
                return ProgramResult(cases={}, loads=False)
            else:
                shares.update(batch.shares(run, self._suite.limits))
                wrong = dict(batch.failing(run, checker))
                answers += len(wrong)
                failing.update(wrong)
        only_died = bool(failing) and not answers
        return ProgramResult(cases=failing, only_died=only_died, shares=shares)


def _opens(session: Session) -> bool:
    """Return whether a step of `session` may write a file."""
    return any("open(" in step.shown for step in session.steps)


def _is_late(run: SessionRun | Died) -> bool:
    return isinstance(run, Died) and run.verdict is Verdict.TIMED_OUT


def _stepped_up(seconds: float) -> float:
    """Return `seconds` rounded up to a power of two of the least, so that noise rarely matters."""
    stepped_s = _LEAST_CPU_S
    while stepped_s < seconds:
        stepped_s *= 2
    return stepped_s


def _seconds(observation: Observation) -> float:
    match observation.outcome:
        case Returned(value=Atom(value=float(seconds))):
            return seconds
        case _:
            return 0.0
