"""Runs many programs on the sessions of a suite, and tells which cases each of them fails.

An audit tries hundreds of wrong programs of our own making, which do not attack one another. So the
sessions of a suite are strung together and share an executor, which is many times as fast as one
each. When it does not survive, because a program never ends, the sessions run one by one to find
out which of them it is.
"""

from __future__ import annotations

import queue
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from grader.observation import Died, Observation, Returned
from grader.planning import Item, Role, whole_session
from grader.program import Program
from grader.sandbox.nursery import Nursery
from grader.sessions import Gate, SessionRun, SessionRunner
from grader.sights import assess, breakdowns, sights
from grader.suite import Session, Suite
from grader.values import Atom
from grader.verdict import Verdict

Sources: TypeAlias = Mapping[str, str]
"""A program: the text of each of its modules, by name."""

_SESSIONS_PER_STRAND: Final = 20
_TIMES_AS_LONG: Final = 10
_LEAST_CPU_S: Final = 0.05
_CLOCK: Final = Item(
    role=Role.STEP,
    step_index=sys.maxsize,
    code="__import__('time').process_time()",
    is_expression=True,
    binds=(),
)
"""Tells what CPU time the session took, loading the program included."""
MAX_DEATHS: Final = 3
"""After so many sessions that a program does not survive, the rest is not tried any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """What a program fails on the sessions that it was tried on."""

    cases: Mapping[str, frozenset[str]]
    """The cases that it does not pass, by the id of their session; sessions without any are not
    there."""
    loads: bool = True
    """Whether it can be imported at all."""
    only_died: bool = False
    """Whether all that went wrong is that it did not survive, within limits that are tighter than
    those of the suite."""

    @property
    def killed(self) -> bool:
        """Whether anything at all goes wrong."""
        return not self.loads or bool(self.cases)


@dataclass(frozen=True, slots=True)
class _Strand:
    """Sessions strung together, and the plan that runs them in a row."""

    sessions: tuple[Session, ...]
    offsets: tuple[int, ...]
    """What is added to the index of a step of each session in the plan."""
    plan: tuple[Item, ...]
    modules: tuple[str, ...]

    @classmethod
    def of(cls, sessions: Sequence[Session], modules: Sequence[str]) -> _Strand:
        """String `sessions` together; `modules` are those of the suite, in order."""
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

    def failing(self, run: SessionRun) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the sessions that have cases which failed in `run`, and these cases."""
        seen = sights(run)
        broken = set(breakdowns(run))
        for session, offset in zip(self.sessions, self.offsets, strict=True):
            indexes = range(len(session.steps))
            own = {index: seen[index + offset] for index in indexes if index + offset in seen}
            first = next((index for index in indexes if index + offset in broken), len(indexes))
            failed = [
                case.id
                for case in session.cases
                if case.step_index > first
                or not ((outcome := assess(session, case, own)) and outcome.passed)
            ]
            if failed:
                yield session.id, frozenset(failed)


class Bench:
    """Programs on one side, the sessions of a suite on the other."""

    def __init__(self, suite: Suite, nurseries: Sequence[Nursery], reference: Sources) -> None:
        """Run programs on as many threads as there are `nurseries`.

        In a session they may take ten to twenty times as long as the `reference`: it should not
        take all day to find out that one never ends.
        """
        self._suite: Final = suite
        self._nurseries: Final[queue.SimpleQueue[Nursery]] = queue.SimpleQueue()
        self._threads: Final = len(nurseries)
        for nursery in nurseries:
            self._nurseries.put(nursery)
        self._strung: Final[dict[tuple[Session, ...], _Strand]] = {}
        alone_s, strand_s = (self._taken_s(reference, size) for size in (1, _SESSIONS_PER_STRAND))
        self._alone_s: Final = _stepped_up(_TIMES_AS_LONG * alone_s)
        self._strand_s: Final = self._alone_s + 2 * strand_s

    def failures(
        self,
        tries: Iterable[tuple[Sources, Sequence[Session]]],
        *,
        apart: bool = False,
        patience: float = 0,
        enough: int | None = None,
        told: Callable[[], object] = lambda: None,
    ) -> list[Failures]:
        """Return what each of the programs in `tries` fails on its sessions, in their order.

        With `apart` each session has an executor of its own, for programs that may remember
        something from one to the next. What seems to take too long is run once more, alone,
        for `patience` times as long, if the suite allows: a program may be slow and right, and on a
        busy machine the time of others may be counted as its own. A program that fails `enough`
        sessions, or does not survive one, is then tried no further.
        Calls `told` after each program.
        """
        size = 1 if apart else _SESSIONS_PER_STRAND

        def tried(one: tuple[Sources, Sequence[Session]]) -> Failures:
            sources, sessions = one
            nursery = self._nurseries.get()
            try:
                strands = self._strands(sessions, size)
                return self._tried(self._program(sources), nursery, strands, enough, patience)
            finally:
                self._nurseries.put(nursery)

        found = []
        with ThreadPoolExecutor(self._threads) as threads:
            for failures in threads.map(tried, tries):
                found.append(failures)
                told()
        return found

    def _strands(self, sessions: Sequence[Session], size: int) -> list[_Strand]:
        """Return `sessions` in strands of `size`; the same ones are strung together once."""
        modules = self._suite.modules
        strands = []
        for start in range(0, len(sessions), size):
            some = tuple(sessions[start : start + size])
            if some not in self._strung:
                self._strung[some] = _Strand.of(some, modules)
            strands.append(self._strung[some])
        return strands

    def deviating(self, programs: Sequence[Sources], session: Session) -> list[bool]:
        """Return for each of `programs` whether the last step of `session` shows that it is wrong.

        It does not when an earlier step does already, or when the program does not survive.
        """
        strand = _Strand.of([session], self._suite.modules)

        def deviates(sources: Sources) -> bool:
            nursery = self._nurseries.get()
            try:
                run = self._run(self._program(sources), nursery, strand)
            finally:
                self._nurseries.put(nursery)
            if run is None or isinstance(run, Died) or not run.loaded:
                return False
            last = len(session.steps) - 1
            return set(breakdowns(run)) <= {last} and bool(dict(strand.failing(run)))

        if len(programs) == 1:
            return [deviates(programs[0])]
        with ThreadPoolExecutor(self._threads) as threads:
            return list(threads.map(deviates, programs))

    def reference_runner(self, reference: Sources) -> SessionRunner:
        """Return what runs sessions on the `reference`; only while nothing else is tried."""
        nursery = self._nurseries.get()
        self._nurseries.put(nursery)
        return SessionRunner(nursery, self._program(reference), self._suite.limits, Gate())

    def _taken_s(self, reference: Sources, size: int) -> float:
        """Return the most CPU time that the `reference` takes for a strand of `size` sessions."""
        runner = self.reference_runner(reference)
        taken_s = 0.0
        for strand in self._strands(self._suite.sessions, size):
            run = runner.run_in_batch((*strand.plan, _CLOCK), strand.modules)
            if isinstance(run, SessionRun) and run.loaded:
                taken_s = max(taken_s, _seconds(run.observations[-1]))
        return taken_s

    def _program(self, sources: Sources) -> Program:
        suite = self._suite
        main = None if suite.modules else str(suite.module)
        files = {name: text.encode() for name, text in suite.files.items()}
        modules = {name: (f"{name}.py", text) for name, text in {**sources, **suite.given}.items()}
        return Program.of(main, modules, files, suite.imports)

    def _run(
        self, program: Program, nursery: Nursery, strand: _Strand, times: float = 1
    ) -> SessionRun | Died | None:
        """Return what came of `strand` when it may take so many `times` as long as usual."""
        cpu_s = times * (self._alone_s if len(strand.sessions) == 1 else self._strand_s)
        limits = replace(self._suite.limits, cpu_s=min(self._suite.limits.cpu_s, cpu_s))
        runner = SessionRunner(nursery, program, limits, Gate())
        return runner.run_in_batch(strand.plan, strand.modules)

    def _tried(
        self,
        program: Program,
        nursery: Nursery,
        strands: Iterable[_Strand],
        enough: int | None,
        patience: float,
    ) -> Failures:
        failing: dict[str, frozenset[str]] = {}
        answers = 0
        most = sys.maxsize if enough is None else enough
        deaths_left = MAX_DEATHS if enough is None else 1
        waiting = list(reversed(list(strands)))
        while waiting and deaths_left and len(failing) < most:
            strand = waiting.pop()
            run = self._run(program, nursery, strand)
            if patience and _is_late(run) and len(strand.sessions) == 1:
                run = self._run(program, nursery, strand, patience)
                if _is_late(run):
                    patience = 0  # once is enough to know that it never ends
            if isinstance(run, Died) and len(strand.sessions) > 1:
                waiting += reversed(self._strands(strand.sessions, 1))
            elif isinstance(run, Died):
                (session,) = strand.sessions
                failing[session.id] = frozenset(case.id for case in session.cases)
                deaths_left -= 1
            elif run is None or not run.loaded:
                return Failures(cases={}, loads=False)
            else:
                wrong = dict(strand.failing(run))
                answers += len(wrong)
                failing.update(wrong)
        return Failures(cases=failing, only_died=bool(failing) and not answers)


def _is_late(run: SessionRun | Died | None) -> bool:
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
