"""Runs many programs on the sessions of a suite, and finds which cases each of them fails.

An audit runs hundreds of wrong programs that we wrote or generated, which attack nothing. So
sessions run in batches that share an executor, which is many times faster than one executor for
each session. If a batch dies, because a program never ends, its sessions run one by one to find the
culprit.
"""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, TypeVar

from grader.judging.answers import AnswerChecker
from grader.plugins.authoring.auditing.batches import Batch, query_item
from grader.plugins.authoring.solutions import Sources, loading_failure
from grader.sandbox.observation import Died, Observation, Returned
from grader.sandbox.planning import whole_session
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import SessionRun
from grader.sandbox.sessions import SessionRunner
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values.tree import Atom
from grader.verdict import Verdict

_T = TypeVar("_T")
_R = TypeVar("_R")
_BATCH_SIZE: Final = 20
_TIME_FACTOR: Final = 10
_LEAST_CPU_S: Final = 0.05
_CLOCK: Final = query_item("__import__('time').process_time()")
"""Returns the CPU seconds of the session, including the time to load the program."""
MAX_DEATHS: Final = 3
"""After this many sessions in which a program dies, its other sessions are skipped.

Each death can take the full time limit.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramResult:
    """The failures of a program on some sessions."""

    cases: Mapping[str, frozenset[str]]
    """The cases that it fails, keyed by session id. Sessions without failures are omitted."""
    loads: bool = True
    """Whether it can be imported at all."""
    only_died: bool = False
    """Whether it only died or hung, under limits that are tighter than those of the suite."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """The largest share of a limit that it used in each session, keyed by session id. Sessions in
    which it died are omitted."""

    @property
    def killed(self) -> bool:
        """Whether it fails any case or cannot be imported."""
        return not self.loads or bool(self.cases)


class MutantRunner:
    """Runs programs on the sessions of a suite, on several threads."""

    def __init__(self, suite: Suite, sandboxes: Sequence[Sandbox], reference: Sources) -> None:
        """Prepare to run programs on as many threads as there are `sandboxes`.

        Runs the `reference` to measure its time. For each session, programs are allowed ten to
        twenty times as long as the reference takes, so that endless mutants are stopped early.
        """
        self._suite: Final = suite
        self._sandboxes: Final[queue.SimpleQueue[Sandbox]] = queue.SimpleQueue()
        self._threads: Final = len(sandboxes)
        for sandbox in sandboxes:
            self._sandboxes.put(sandbox)
        self._batch_cache: Final[dict[tuple[Session, ...], Batch]] = {}
        alone_s, batch_s = (self._measure_s(reference, size) for size in (1, _BATCH_SIZE))
        # The limits are measured with the reference on this machine. A fixed limit would be too
        # long for most exercises, and thousands of endless mutants would each use it up.
        self._alone_s: Final = _round_up(_TIME_FACTOR * alone_s)
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

        With `apart`, each session has its own executor, for programs that might keep state from one
        session to the next. A session that times out alone is retried if `patience` is not 0, with
        `patience` times the limit, but at most that of the suite: a program can be slow and right,
        and a busy machine can inflate its time. With `enough`, a program that fails that many
        sessions, or dies in one, is not run on further ones. Without it, a program is stopped after
        `MAX_DEATHS` deaths. Calls `progress` after each program. Raises `SuiteError` if a checker
        of the suite fails.
        """
        results = []
        for result in self.each_failure(tries, apart=apart, patience=patience, enough=enough):
            results.append(result)
            progress()
        return results

    def each_failure(
        self,
        tries: Iterable[tuple[Sources, Sequence[Session]]],
        *,
        apart: bool,
        patience: float = 0,
        enough: int | None = None,
    ) -> Generator[ProgramResult, None, None]:
        """Yield the results that `failures` returns, each as soon as it is known.

        Closing the generator waits for the running programs, but starts no further ones.
        """
        size = 1 if apart else _BATCH_SIZE

        def run_program(
            attempt: tuple[Sources, Sequence[Session]], sandbox: Sandbox
        ) -> ProgramResult:
            sources, sessions = attempt
            batches = self._batches(sessions, size)
            return self._run_batches(self._program(sources), sandbox, batches, enough, patience)

        yield from self.run_in_threads(run_program, tries)

    def run_in_threads(
        self, work: Callable[[_T, Sandbox], _R], items: Iterable[_T]
    ) -> Generator[_R, None, None]:
        """Yield the result of `work` for each of `items`, in order, using all threads.

        `work` is called with an item and a sandbox for its exclusive use.
        """

        def work_in_sandbox(item: _T) -> _R:
            with self.sandbox() as sandbox:
                return work(item, sandbox)

        threads = ThreadPoolExecutor(self._threads)
        try:
            yield from threads.map(work_in_sandbox, items)
        finally:
            # Without cancelling, a generator that is closed early would still process all items.
            threads.shutdown(cancel_futures=True)

    def _batches(self, sessions: Sequence[Session], size: int) -> list[Batch]:
        """Return `sessions` in batches of at most `size`. Equal batches are cached.

        A session that runs a program has its own batch, because it must run before any import.
        """
        modules = self._suite.modules
        batches = []
        plain = [session for session in sessions if not session.runs_programs]
        # Sessions in a batch share files. A session that writes files creates all files that it
        # needs, so writing sessions can share a batch. Sessions that only read get batches of their
        # own, in which no file changes.
        writing = [session for session in plain if _opens_file(session)]
        reading = [session for session in plain if not _opens_file(session)]
        parts = [
            tuple(kind[start : start + size])
            for kind in (reading, writing)
            for start in range(0, len(kind), size)
        ]
        parts += ((session,) for session in sessions if session.runs_programs)
        for part in parts:
            if part not in self._batch_cache:
                self._batch_cache[part] = Batch.from_sessions(part, modules)
            batches.append(self._batch_cache[part])
        return batches

    def answers(
        self, sources: Sources, sessions: Sequence[Session], code: str
    ) -> dict[str, Observation]:
        """Return the observation of the expression `code` at the end of each of `sessions`.

        The result is a dict keyed by session id. It omits sessions in which the program cannot be
        loaded or dies, and sessions that run programs, since those programs have ended by then.
        """
        runner = self.reference_runner(sources)
        answers: dict[str, Observation] = {}
        waiting = self._batches(
            [session for session in sessions if not session.runs_programs], _BATCH_SIZE
        )
        while waiting:
            batch = waiting.pop()
            plan, modules = batch.plan_with_query(code)
            run = runner.run(plan, modules=modules)
            if run.is_loaded and not run.death:
                ends = accumulate(len(whole_session(session)) + 1 for session in batch.sessions)
                for session, end in zip(batch.sessions, ends, strict=True):
                    answers[session.id] = run.observations[end - 1]
            elif len(batch.sessions) > 1:  # a single session would die again
                waiting += self._batches(batch.sessions, 1)
        return answers

    def reference_runner(self, reference: Sources) -> SessionRunner:
        """Return a runner that runs sessions on the `reference`.

        Use it only while no other program runs, because its sandbox is not reserved.
        """
        with self.sandbox() as sandbox:
            return SessionRunner(sandbox, self._program(reference), self._suite.limits)

    def loading_failure(self, reference: Sources, sessions: Sequence[Session]) -> str:
        """Return a message that explains why the `reference` cannot be loaded for `sessions`."""
        runner = self.reference_runner(reference)
        for batch in self._batches(sessions, 1):
            run = runner.run(batch.plan, modules=batch.modules)
            if not run.is_loaded:
                return loading_failure(run.imported.observation)
        return "the reference cannot be loaded in every run"

    @contextmanager
    def sandbox(self) -> Iterator[Sandbox]:
        """Lend a sandbox that no other thread uses, waiting for a free one."""
        sandbox = self._sandboxes.get()
        try:
            yield sandbox
        finally:
            self._sandboxes.put(sandbox)

    def _measure_s(self, reference: Sources, size: int) -> float:
        """Return the most CPU seconds that the `reference` takes for a batch of sessions.

        A batch has at most `size` sessions. Batches in which the reference cannot be loaded or dies
        are not counted.
        """
        runner = self.reference_runner(reference)
        taken_s = 0.0
        for batch in self._batches(self._suite.sessions, size):
            run = runner.run((*batch.plan, _CLOCK), modules=batch.modules)
            if run.is_loaded and not run.death:
                taken_s = max(taken_s, _seconds(run.observations[-1]))
        return taken_s

    def _program(self, sources: Sources) -> Program:
        """Return the program of these `sources`, with the suite's files and given modules."""
        suite = self._suite
        files = {name: text.encode() for name, text in suite.files.items()}
        modules = {name: (f"{name}.py", text) for name, text in {**sources, **suite.given}.items()}
        return Program.from_sources(
            modules,
            files,
            suite.imports,
            binds=suite.binds,
            overridden=suite.redefinable_builtins,
            now_s=suite.now_s,
        )

    def _run(
        self, program: Program, sandbox: Sandbox, batch: Batch, limit_factor: float = 1
    ) -> SessionRun | Died:
        """Run `program` on `batch`, and return the run, or how the program died.

        The CPU limit is `limit_factor` times the usual limit, but at most that of the suite.
        """
        cpu_s = limit_factor * (self._alone_s if len(batch.sessions) == 1 else self._batch_s)
        limits = self._suite.limits.with_changes(cpu_s=min(self._suite.limits.cpu_s, cpu_s))
        runner = SessionRunner(sandbox, program, limits)
        run = runner.run(batch.plan, modules=batch.modules)
        return run.death or run

    def _run_batches(
        self,
        program: Program,
        sandbox: Sandbox,
        batches: Iterable[Batch],
        enough: int | None,
        patience: float,
    ) -> ProgramResult:
        """Run `program` on `batches`, and return its failures.

        `enough` and `patience` are explained in `failures`.
        """
        failing: dict[str, frozenset[str]] = {}
        shares: dict[str, float] = {}
        sessions_with_wrong_answers, checker = 0, AnswerChecker(self._suite, sandbox)
        max_failures = sys.maxsize if enough is None else enough
        deaths_left = MAX_DEATHS if enough is None else 1
        waiting = list(reversed(list(batches)))  # batches are popped from the end
        while waiting and deaths_left and len(failing) < max_failures:
            batch = waiting.pop()
            run = self._run(program, sandbox, batch)
            if patience and _timed_out(run) and len(batch.sessions) == 1:
                run = self._run(program, sandbox, batch, patience)
                if _timed_out(run):
                    patience = 0  # two timeouts of one session suffice as evidence of a loop
            if isinstance(run, Died) and len(batch.sessions) > 1:
                # It is unknown which session killed the program, so each runs alone next.
                waiting += reversed(self._batches(batch.sessions, 1))
            elif isinstance(run, Died):
                (session,) = batch.sessions
                failing[session.id] = frozenset(case.id for case in session.cases)
                deaths_left -= 1
            elif not run.is_loaded:
                return ProgramResult(cases={}, loads=False)
            else:
                shares.update(batch.shares(run, self._suite.limits))
                failed_cases = dict(batch.failing(run, checker))
                sessions_with_wrong_answers += len(failed_cases)
                failing.update(failed_cases)
        only_died = bool(failing) and not sessions_with_wrong_answers
        return ProgramResult(cases=failing, only_died=only_died, shares=shares)


def _opens_file(session: Session) -> bool:
    """Return whether a step of `session` opens a file, and so might write to it."""
    return any("open(" in step.display_text for step in session.steps)


def _timed_out(run: SessionRun | Died) -> bool:
    return isinstance(run, Died) and run.verdict is Verdict.TIMED_OUT


def _round_up(seconds: float) -> float:
    """Return `seconds` rounded up to `_LEAST_CPU_S` times a power of two.

    With these steps, noise in measurements rarely changes a limit.
    """
    stepped_s = _LEAST_CPU_S
    while stepped_s < seconds:
        stepped_s *= 2
    return stepped_s


def _seconds(observation: Observation) -> float:
    """Return the seconds that `_CLOCK` measured, or 0 if it failed."""
    match observation.outcome:
        case Returned(value=Atom(value=float(seconds))):
            return seconds
        case _:
            return 0.0
