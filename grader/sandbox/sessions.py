"""Runs plans in executors and returns observations, never verdicts.

A session is sent as one batch, and each step is answered when it ends. So it is known at which
step an executor died, ran out of time or broke the protocol. In sessions that run together, quick
steps may be answered together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

from grader.errors import ExecutorKilled, ProtocolError
from grader.messages import Message
from grader.protocol import HIGHEST_CAPS, NO_ROOM
from grader.sandbox.budget import Budget, Clocks, Prices, StepLimits, units
from grader.sandbox.clocks import busy_s
from grader.sandbox.executor import Executor, ExecutorEnded, parsed
from grader.sandbox.lots import Lot, LotPlan, Lots, Modules, Plan
from grader.sandbox.planning import renewed, request
from grader.sandbox.program import CompileError, Program, Source, as_source
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import (
    BatchLimits,
    SessionRun,
    checked,
    cut_short,
    died_of,
    executor_limits,
    first_reply,
    observe,
    value_caps,
)
from grader.suite.limits import Limits
from grader.verdict import Verdict

_Result = TypeVar("_Result")
_LOT_DIVISOR: Final = 8
"""In a lot, all but the first plan get the usual units of a step divided by this."""


class SessionRunner:
    """Runs the sessions of one submission, each in a fresh executor or in a lot."""

    def __init__(
        self,
        zygote: Sandbox,
        program: Program,
        limits: Limits,
        budget: Budget | None = None,
        *,
        instruments: Mapping[str, Any] | None = None,
        prices: Prices | None = None,
        lots: Lots | None = None,
    ) -> None:
        """Use `zygote` for all sessions.

        `instruments` are settings with which sessions report what happens inside. Runners of the
        same submission share a `budget`, those of the same program `prices`, and those that differ
        only in the settings of instruments `lots`. Without a `budget` there is no bound.
        """
        self._zygote: Final = zygote
        self._program: Final = program
        self._limits: Final = limits
        self._budget: Final = budget or Budget(bounded=False)
        self._instruments: Final = instruments
        self._prices: Final = prices or Prices(limits)
        self._caps: Final = value_caps(limits)
        self._time_limits: Final = Clocks.within(limits)
        self._usual: Final = StepLimits(units(limits.cpu_s), limits.output_chars)
        is_usual = partial(self._prices.are_full, limits.memory_bytes)
        self._lots: Final = lots or Lots(self.run_lot, is_usual)
        self._executor_limits: Final = executor_limits(
            limits, session_cpu_s=self._time_limits.session_cpu_s
        )

    @property
    def budget(self) -> Budget:
        """What the submission has used so far."""
        return self._budget

    @property
    def prices(self) -> Prices:
        """The prices after the failures of the program so far."""
        return self._prices

    @property
    def spent(self) -> Message | None:
        """Why no more of this submission is run; None while some budget is left."""
        return self._budget.spent(self._limits)

    @property
    def compile_errors(self) -> Mapping[str, CompileError]:
        """Why modules of the program cannot be compiled, by name; known after the first run."""
        return self._program.errors

    def on_stand_ins(self, sources: Mapping[str, str]) -> SessionRunner:
        """Return a runner for the same submission with our `sources` in place of its modules.

        Like all runners made from this one, it shares the budget.
        """
        return self._with(program=self._program.on_stand_ins(sources), prices=Prices(self._limits))

    def on_helpers(self, module: str, source: str, names: Sequence[str]) -> SessionRunner:
        """Return a runner for the same submission with `names` in `module` replaced by ours.

        Ours come from `source`; see `on_stand_ins`.
        """
        program = self._program.on_helpers(module, source, names)
        return self._with(program=program, prices=Prices(self._limits))

    def within(self, limits: Limits) -> SessionRunner:
        """Return a runner for the same submission with other `limits`."""
        return self._with(limits=limits)

    def aside(self) -> SessionRunner:
        """Return a runner for the same submission that does not use up its budget.

        All its sessions together may use the time of one session.
        """
        limits = self._limits.changed(
            submission_cpu_s=self._limits.session_cpu_s,
            submission_wall_s=self._limits.session_wall_s,
        )
        budget = Budget(bounded=self._budget.bounded)
        return self._with(limits=limits, budget=budget)

    def instrumented(self, name: str) -> Callable[[Mapping[str, Any]], SessionRunner]:
        """Return a function that makes runners with instruments in the submission, named `name`.

        The function takes the settings of the instruments: with `transform`, the submission is
        rewritten to report its calls; see `grader.executor.instruments` for the others. Runners
        share compiled code where they can.
        """
        limits = self._limits.changed(value_chars=HIGHEST_CAPS.value_chars)  # evidence is text
        programs = {True: self._program.to_be_rewritten(), False: self._program}
        prices = Prices(limits)
        runners = {name: self._with(each, limits, prices=prices) for name, each in programs.items()}
        return lambda settings: runners[settings["transform"]].set_to({**settings, "name": name})

    def set_to(self, settings: Mapping[str, Any]) -> SessionRunner:
        """Return a runner with these `settings` of instruments, which shares lots with this one."""
        return self._with(instruments=settings, prices=Prices(self._limits), lots=self._lots)

    def _with(
        self,
        program: Program | None = None,
        limits: Limits | None = None,
        instruments: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        prices: Prices | None = None,
        lots: Lots | None = None,
    ) -> SessionRunner:
        return SessionRunner(
            self._zygote,
            program or self._program,
            limits or self._limits,
            budget or self._budget,
            instruments=instruments or self._instruments,
            prices=prices or self._prices,
            lots=lots,
        )

    def sources(self, modules: Collection[str]) -> Mapping[str, Source]:
        """Return the sources of those `modules` that the program has, in the form for executors."""
        sources = self._program.sources
        return {name: as_source(*sources[name]) for name in modules if name in sources}

    def asked(self, question: dict[str, object]) -> dict[str, Any] | None:
        """Return the reply of a fresh executor to `question`, or None if that kills it.

        No code of the submission has run in that executor.
        """
        return self._with_retry(partial(self._ask, question))

    def _ask(self, question: dict[str, object]) -> dict[str, Any] | None:
        """Return the reply to `question`, or None if the executor ended or broke the protocol."""
        cpu_s, idle_s, *_ = self._time_limits
        with self._executor() as executor, suppress(ProtocolError):
            try:
                return executor.ask(question, cpu_s=cpu_s, wall_s=idle_s)
            except ExecutorEnded as ended:
                self._record_end(ended)
        return None

    @contextmanager
    def _executor(self, memory_bytes: int | None = None) -> Iterator[Executor]:
        """Lend a fresh executor; then end it, and add what it used to the budget."""
        limits = self._executor_limits
        if memory_bytes is not None:
            limits = {**limits, "memory_bytes": memory_bytes}
        executor, budget = self._zygote.fork(limits), self._budget
        start_s, start_busy_s = time.monotonic(), busy_s()
        try:
            yield executor
        finally:
            executor.end()
            budget.received_bytes += executor.received_bytes
            budget.cpu_s += executor.cpu_s
            # While the judge computed, or waited for a processor, the executor was not idle.
            used_s = executor.cpu_s + executor.waited_s + busy_s() - start_busy_s
            budget.idle_s += max(0.0, time.monotonic() - start_s - used_s)

    def _record_end(self, ended: ExecutorEnded) -> None:
        """Record in the budget how an executor `ended`, for the remarks to staff."""
        self._budget.clock_decided |= ended.by_clock and not ended.idle
        self._budget.slept |= ended.idle

    def run(self, plan: Plan, *, modules: Modules, in_full: bool = False) -> SessionRun:
        """Return the result of `plan` after an import of `modules`: run it, or take it from a lot.

        Calls that have failed before get lower limits, unless the plan runs `in_full`.
        """
        if not in_full and (lot_run := self._run_from_lot(plan, modules)) is not None:
            return lot_run
        (run,) = self._run_plans((plan,), modules, in_full=in_full)
        return run

    def expect(self, plans: Iterable[Plan], *, modules: Modules) -> None:
        """Announce that `plans` will be run, in about this order; see `grader.sandbox.lots`."""
        self._lots.expect(plans, modules, self._instruments)

    def kept(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Return the result of `plan` in a lot, before `run` decides whether that counts."""
        return self._lots.kept(plan, modules)

    def run_together(self, plans: Sequence[Plan], *, modules: Modules) -> list[SessionRun]:
        """Run `plans` one after the other in one executor, and return their results.

        If the executor dies, the plans after that have no observations.
        """
        return self._run_plans(plans, modules, in_full=False)

    def _run_plans(
        self, plans: Sequence[Plan], modules: Modules, *, in_full: bool
    ) -> list[SessionRun]:
        """Run `plans`; repeat that after a cut, and with full limits if a result is in doubt."""
        run = partial(self._run, plans=plans, modules=modules, in_full=in_full)
        while not (runs := self._with_retry(run)):  # a module has been cut
            run = partial(run, in_full=True)
        if any(run.in_doubt for run in runs):
            return self._run_plans(plans, modules, in_full=True)
        return runs

    def _with_retry(self, attempt: Callable[[], _Result]) -> _Result:
        """Return the result of `attempt`, retried once if another process kills its executor.

        That says nothing about the submission. Raises `ExecutorKilled` the second time.
        """
        with suppress(ExecutorKilled):
            return attempt()
        return attempt()

    def _run(self, plans: Sequence[Plan], modules: Modules, *, in_full: bool) -> list[SessionRun]:
        """Run `plans` in one executor, charging the budget; return no runs if a module was cut."""
        runs: list[SessionRun] = []
        limits = BatchLimits(self._prices, plans, self._limits.memory_bytes, in_full=in_full)
        imported_names = self._program.imported(modules)
        run_request = request(plans, imported_names, self._unusual_limits(limits.of_steps))
        load = self._program.load_request(self._instruments)
        with self._executor(limits.memory_bytes) as executor:
            replies = self._replies(executor, load, run_request, limits.of_steps)
            try:
                self._store_reply(first_reply(replies))
                reply = parsed(checked(next(replies)))
                # With less memory the cut says nothing: the next try has all of it.
                if ("cut" in reply and not limits.has_all_memory) or self._program.cut(reply):
                    return []
                imported = self._program.imported_in(reply)
                self._budget.units += imported.observation.units
                runs += (SessionRun(plan, imported) for plan in plans)
                if runs[0].loaded:
                    received_bytes = observe(runs, replies, self._caps)
                    self._run_rest(executor, runs, limits, received_bytes)
                self._await_end(executor)
            except ExecutorEnded as ended:
                self._record_end(ended)
                runs = cut_short(plans, runs, died_of(ended))
            except ProtocolError as error:
                runs = cut_short(plans, runs, died_of(error))
        self._budget.units += limits.settle(runs)
        return runs

    def _run_rest(
        self,
        executor: Executor,
        runs: Sequence[SessionRun],
        limits: BatchLimits,
        received_bytes: int,
    ) -> None:
        """Run the rest of `runs`: after each failure the executor waits for new limits."""
        while remaining := [run for run in runs if run.left]:
            new_limits = limits.renew(runs)
            limits_request = renewed(self._unusual_limits(new_limits))
            replies = self._replies(executor, None, limits_request, new_limits, begins=False)
            received_bytes = observe(remaining, replies, self._caps, received_bytes)

    def _unusual_limits(self, limits: Sequence[StepLimits]) -> Sequence[StepLimits] | None:
        """Return the `limits` of steps to send, or None if all are the usual ones."""
        return None if all(each == self._usual for each in limits) else limits

    def _replies(
        self,
        executor: Executor,
        load: bytes | None,
        asked: bytes,
        limits: Sequence[StepLimits],
        *,
        begins: bool = True,
        gathers: bool = True,
    ) -> Iterator[bytes]:
        """Yield the replies to the `load` request, if any, and to the request `asked`.

        If a session `begins` with that, the first reply is about the import.
        """
        cpu_s, idle_s, session_idle_s, _ = self._time_limits
        loads = [] if load is None else [(load, 1)]
        steps_cpu_s = [*[cpu_s][: int(begins)], *self._time_limits.of_steps(limits)]
        return executor.replies(
            [*loads, (asked, len(steps_cpu_s))],
            cpu_s=cpu_s,
            steps_cpu_s=steps_cpu_s if self._unusual_limits(limits) else None,
            wall_s=idle_s,
            session_wall_s=session_idle_s,
            gathers=gathers,
            goes_on=not begins,
        )

    def _await_end(self, executor: Executor) -> None:
        """Await the end of `executor`; raises `ProtocolError` if it sends unrequested bytes."""
        cpu_s, idle_s, *_ = self._time_limits
        if executor.surplus(cpu_s=cpu_s, wall_s=idle_s):
            raise ProtocolError("bytes after a reply that nobody asked for")

    def _run_from_lot(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Return the result of `plan` in a lot, if it counts, and charge the budget for it."""
        run = self._lots.take(plan, modules)
        if run is not None:
            limits = BatchLimits(self._prices, (plan,), self._limits.memory_bytes, in_full=True)
            used = limits.settle((run,))
            self._budget.units += run.imported.observation.units + used
        return run

    def run_lot(self, lot: Sequence[LotPlan]) -> Lot:
        """Run `lot`; return the results of its first plans, as if each had run alone."""
        return self._with_retry(partial(self._run_lot_once, lot))

    def _run_lot_once(self, lot: Sequence[LotPlan]) -> Lot:
        """Run `lot` once; see `run_lot`.

        Each plan is sent after the previous one has been answered, so that no session can read a
        later one, which may be hidden.
        """
        finished: list[SessionRun] = []
        current: list[SessionRun] = []
        with self._executor() as executor, suppress(ProtocolError):
            try:
                for lot_plan in lot:
                    is_last = len(finished) == len(lot) - 1
                    replies = self._replies_in_lot(executor, lot_plan, bool(finished), is_last)
                    if not finished:
                        self._store_reply(first_reply(replies))
                    reply = parsed(checked(next(replies)))
                    if "stale" in reply or self._program.cut(reply):
                        return Lot(runs=finished, is_stale="stale" in reply)
                    current = [SessionRun(lot_plan.plan, self._program.imported_in(reply))]
                    if current[0].loaded:
                        observe(current, replies, self._caps)
                    if not current[0].went_on:
                        return Lot(runs=finished)
                    finished += current
                    if sum(run.units for run in finished) > units(self._limits.session_cpu_s):
                        return Lot(runs=finished)  # a lot may compute no more than one session
                self._await_end(executor)
                return Lot(runs=finished)
            except ExecutorEnded as ended:
                if finished:
                    return Lot(runs=finished)
                self._record_end(ended)
                return Lot(runs=cut_short([lot[0].plan], current, died_of(ended)))
        return Lot(runs=[], is_stale=True)  # any of its sessions may have broken the protocol

    def _replies_in_lot(
        self, executor: Executor, lot_plan: LotPlan, has_begun: bool, is_last: bool
    ) -> Iterator[bytes]:
        """Yield the replies to one plan of a lot; the first plan also loads the program."""
        plan, modules, settings = lot_plan
        limits, imported = list(map(self._prices.full, plan)), self._program.imported(modules)
        load_request = None if has_begun else self._program.load_request(settings)
        if has_begun:  # slow plans run alone, as some plans of a lot may never be asked for
            limits = [each._replace(units=each.units // _LOT_DIVISOR) for each in limits]
        step_limits = self._unusual_limits(limits)
        run_request = request(
            (plan,), imported, step_limits, lot=True, last=is_last, settings=settings
        )
        return self._replies(executor, load_request, run_request, limits, gathers=False)

    def _store_reply(self, payload: bytes) -> None:
        """Store the reply to a load request."""
        reply = parsed(payload)
        if reply == NO_ROOM:
            raise ExecutorEnded(Verdict.MEMORY, "no room for the program")
        self._program.take(reply)
