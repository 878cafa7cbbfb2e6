"""Runs many programs on the sessions of a suite, and finds which cases each of them fails.

An audit tries hundreds of wrong programs of our own making, which do not attack one another. So the
sessions of a suite run in batches that share an executor, which is many times as fast as one each.
When it does not survive, because a program never ends, the sessions run one by one to find out
which of them it is.
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
    """Return what asks the expression `code`, which is no step of a session."""
    return Item(step_index=sys.maxsize, code=code)


_CLOCK: Final = _asking("__import__('time').process_time()")
"""Tells what CPU time the session took, loading the program included."""
MAX_DEATHS: Final = 3
"""After so many sessions that a program does not survive, the rest is not tried any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """What a program fails on the sessions that it was tried on."""

    cases: Mapping[str, frozenset[str]]
    """The cases that it does not pass, by the id of their session; sessions without any are not
    there."""
    loads: bool = True
    """Whether it can be imported at all."""
    only_died: bool = False
    """Whether all that went wrong is that it did not survive, within limits that are tighter than
    those of the suite."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The largest part of a limit that it took, by the id of the session that it survived."""

    @property
    def killed(self) -> bool:
        """Whether anything at all goes wrong."""
        return not self.loads or bool(self.cases)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Sessions that run one after the other in one executor, and the plan that does so."""

    sessions: tuple[Session, ...]
    offsets: tuple[int, ...]
    """What is added to the index of a step of each session in the plan."""
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
            tuple(name for name in modules if name in used),
        )

    def asking(self, code: str) -> tuple[tuple[Item, ...], tuple[str, ...]]:
        """Return the plan that asks the expression `code` after each session, and the modules."""
        plan: list[Item] = []
        for session in self.sessions:
            plan += whole_session(session)
            plan.append(_asking(code))
        return tuple(plan), self.modules

    def shares(self, run: SessionRun, limits: Limits) -> Iterator[tuple[str, float]]:
        """Yield the sessions, each with the largest part of one of the `limits` that it took."""
        prices = Prices(limits)
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
        """Yield the sessions that have cases which failed in `run`, and these cases.

        Raises `SuiteError` where the suite's own `checker` fails.
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
        raise SuiteError(message, help="a checker has to say True, False or what is wrong")
    return outcome is not None and outcome.passed


class MutantRunner:
    """Programs on one side, the sessions of a suite on the other."""

    def __init__(self, suite: Suite, sandboxes: Sequence[Sandbox], reference: Sources) -> None:
        """Run programs on as many threads as there are `sandboxes`.

        In a session they may take ten to twenty times as long as the `reference`: it should not
        take all day to find out that one never ends.
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
        """Return what each of the programs in `tries` fails on its sessions, in their order.

        With `apart` each session has an executor of its own, for programs that may remember
        something from one to the next. What seems to take too long is run once more, alone,
        for `patience` times as long, if the suite allows: a program may be slow and right, and on a
        busy machine the time of others may be counted as its own. A program that fails `enough`
        sessions, or does not survive one, is then tried no further.
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
        """Yield what `failures` returns, as it comes; who closes it waits for what runs only."""
        size = 1 if apart else _BATCH_SIZE

        def tried(one: tuple[Sources, Sequence[Session]], sandbox: Sandbox) -> ProgramResult:
            sources, sessions = one
            batches = self._batches(sessions, size)
            return self._tried(self._program(sources), sandbox, batches, enough, patience)

        yield from self.side_by_side(tried, tries)

    def side_by_side(
        self, work: Callable[[_T, Sandbox], _R], items: Iterable[_T]
    ) -> Generator[_R, None, None]:
        """Yield what `work` makes of each of `items`, in their order, on all threads."""

        def worked(item: _T) -> _R:
            with self.sandbox() as sandbox:
                return work(item, sandbox)

        threads = ThreadPoolExecutor(self._threads)
        try:
            yield from threads.map(worked, items)
        finally:
            threads.shutdown(cancel_futures=True)

    def _batches(self, sessions: Sequence[Session], size: int) -> list[_Batch]:
        """Return `sessions` in batches of `size`; a batch of the same sessions is made once.

        Programs are run apart: nothing is imported before them.
        """
        modules = self._suite.modules
        batches = []
        plain = [session for session in sessions if not session.runs]
        # What one writes, the next of a batch reads: who writes a file makes all that it needs.
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
        """Return what the expression `code` gives at the end of each of `sessions`, by its id.

        Sessions that the program does not survive are not there, nor those that run programs: these
        have ended when they could be asked.
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
            elif len(batch.sessions) > 1:
                waiting += self._batches(batch.sessions, 1)
        return found

    def reference_runner(self, reference: Sources) -> SessionRunner:
        """Return what runs sessions on the `reference`; only while nothing else is tried."""
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
        """Return the most CPU time that the `reference` takes for a batch of `size` sessions."""
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
        """Run `batch`, which may take so many `times` as long as usual."""
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
        waiting = list(reversed(list(batches)))
        while waiting and deaths_left and len(failing) < most:
            batch = waiting.pop()
            run = self._run(program, sandbox, batch)
            if patience and _is_late(run) and len(batch.sessions) == 1:
                run = self._run(program, sandbox, batch, patience)
                if _is_late(run):
                    patience = 0  # once is enough to know that it never ends
            if isinstance(run, Died) and len(batch.sessions) > 1:
                # Nobody knows which session it did not survive: each is tried alone, next.
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
    """Return at least `seconds`, in steps so large that what a machine measures seldom matters."""
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
