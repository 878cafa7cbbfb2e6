"""Runs plans in executors and returns observations, never verdicts.

A session is sent as one batch, and the executor answers each step when it ends. That shows at which
step an executor died, ran out of time or broke the protocol. In sessions that run together, the
answers to quick steps can be sent together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

from grader.errors import ExecutorKilled, ProtocolError
from grader.messages import Message
from grader.protocol import HIGHEST_CAPS
from grader.sandbox.budget import Budget, Prices, units
from grader.sandbox.clocks import busy_s
from grader.sandbox.executor import Executor, ExecutorEnded, parse_reply
from grader.sandbox.lots import Lot, LotPlan, Lots, Modules, Plan
from grader.sandbox.planning import request
from grader.sandbox.program import CompileError, Program, Source, as_source
from grader.sandbox.requesting import SessionRequests, parse_load_reply
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import (
    BatchLimits,
    SessionRun,
    check_reply,
    death_observation,
    executor_limits,
    first_reply,
    observe,
    record_death,
    value_caps,
)
from grader.suite.limits import Limits

_Result = TypeVar("_Result")
_LOT_DIVISOR: Final = 8
"""In a lot, the steps of all plans but the first get their usual units divided by this number."""


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
        """Run `program` within `limits`, in executors from `zygote`.

        `instruments` are the settings of instruments, which report what happens inside functions.
        Runners of the same submission share a `budget`, runners of the same program share `prices`,
        and runners that differ only in the settings of instruments share `lots`. Without a
        `budget`, the number of sessions is not limited.
        """
        self._zygote: Final = zygote
        self._program: Final = program
        self._limits: Final = limits
        self._budget: Final = budget or Budget(bounded=False)
        self._instruments: Final = instruments
        self._prices: Final = prices or Prices(limits)
        self._caps: Final = value_caps(limits)
        self._requests: Final = SessionRequests(limits)
        has_full_price = partial(self._prices.have_full_price, limits.memory_bytes)
        self._lots: Final = lots or Lots(self.run_lot, has_full_price)
        self._executor_limits: Final = executor_limits(
            limits, session_cpu_s=self._requests.clocks.session_cpu_s
        )

    @property
    def budget(self) -> Budget:
        """What the submission has used so far."""
        return self._budget

    @property
    def prices(self) -> Prices:
        """What calls are allowed to use, given the program's failures so far."""
        return self._prices

    @property
    def why_exhausted(self) -> Message | None:
        """Why no more sessions of this submission are run, or None while some budget is left."""
        return self._budget.why_exhausted(self._limits)

    @property
    def compile_errors(self) -> Mapping[str, CompileError]:
        """Why modules cannot be compiled, keyed by module name; set by the first run."""
        return self._program.errors

    def with_stand_ins(self, sources: Mapping[str, str]) -> SessionRunner:
        """Return a runner for the same submission with our `sources` in place of its modules.

        The new runner shares the budget, like all runners derived from this one except those from
        `without_budget`.
        """
        return self._copy_with(
            program=self._program.with_stand_ins(sources), prices=Prices(self._limits)
        )

    def with_helpers(self, module: str, source: str, names: Sequence[str]) -> SessionRunner:
        """Return a runner for the same submission with `names` in `module` replaced.

        Their replacements are our functions in `source`; see `Program.with_helpers`.
        """
        program = self._program.with_helpers(module, source, names)
        return self._copy_with(program=program, prices=Prices(self._limits))

    def with_limits(self, limits: Limits) -> SessionRunner:
        """Return a runner for the same submission with other `limits`."""
        return self._copy_with(limits=limits)

    def without_budget(self) -> SessionRunner:
        """Return a runner for the same submission that does not draw on the budget of this one.

        All sessions of the new runner together are allowed the time of one session.
        """
        limits = self._limits.with_changes(
            submission_cpu_s=self._limits.session_cpu_s,
            submission_wall_s=self._limits.session_wall_s,
        )
        budget = Budget(bounded=self._budget.bounded)
        return self._copy_with(limits=limits, budget=budget)

    def instrument(self, name: str) -> Callable[[Mapping[str, Any]], SessionRunner]:
        """Return a function that creates runners with the instruments called `name`.

        The function takes the settings of the instruments. If the setting `transform` is true, the
        submission is rewritten to report its calls; see `grader.executor.instruments` for the other
        settings. The runners share compiled code where they can.
        """
        # Instruments report their evidence as text.
        limits = self._limits.with_changes(value_chars=HIGHEST_CAPS.value_chars)
        programs = {True: self._program.for_rewriting(), False: self._program}
        prices = Prices(limits)
        runners = {
            transform: self._copy_with(program, limits, prices=prices)
            for transform, program in programs.items()
        }
        return lambda settings: runners[settings["transform"]].with_settings(
            {**settings, "name": name}
        )

    def with_settings(self, settings: Mapping[str, Any]) -> SessionRunner:
        """Return a runner with other `settings` of instruments that shares this runner's lots."""
        return self._copy_with(instruments=settings, prices=Prices(self._limits), lots=self._lots)

    def _copy_with(
        self,
        program: Program | None = None,
        limits: Limits | None = None,
        instruments: Mapping[str, Any] | None = None,
        budget: Budget | None = None,
        prices: Prices | None = None,
        lots: Lots | None = None,
    ) -> SessionRunner:
        """Return a copy of this runner with some arguments replaced; lots are not copied."""
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
        """Return the sources of those `modules` that the program has, as sent to executors."""
        sources = self._program.sources
        return {name: as_source(*sources[name]) for name in modules if name in sources}

    def request_reply(self, question: dict[str, object]) -> dict[str, Any] | None:
        """Send `question` to a fresh executor; return its reply, or None if it sends no valid one.

        No code of the submission has run in that executor.
        """
        return self._with_retry(partial(self._request_once, question))

    def _request_once(self, question: dict[str, object]) -> dict[str, Any] | None:
        """Send `question` as `request_reply` does, but without a retry."""
        with self._executor() as executor, suppress(ProtocolError):
            try:
                return self._requests.reply(executor, question)
            except ExecutorEnded as ended:
                self._record_end(ended)
        return None

    @contextmanager
    def _executor(self, memory_bytes: int | None = None) -> Iterator[Executor]:
        """Yield a fresh executor, then end it and add what it used to the budget.

        `memory_bytes` replaces the usual memory limit.
        """
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
            # Time in which the judge computed, or waited for CPU, is not idle time of the executor.
            used_s = executor.cpu_s + executor.waited_s + busy_s() - start_busy_s
            budget.idle_s += max(0.0, time.monotonic() - start_s - used_s)

    def _record_end(self, ended: ExecutorEnded) -> None:
        """Record in the budget how an executor `ended`, for the remarks to staff."""
        self._budget.clock_decided |= ended.by_clock and not ended.idle
        self._budget.slept |= ended.idle

    def run(self, plan: Plan, *, modules: Modules, at_full_price: bool = False) -> SessionRun:
        """Return the result of `plan` after an import of `modules`, from a lot or by running it.

        Calls that have failed before get lower limits. With `at_full_price`, all calls get full
        limits, and no lot is used.
        """
        if not at_full_price and (lot_run := self._run_from_lot(plan, modules)) is not None:
            return lot_run
        (run,) = self._run_plans((plan,), modules, in_full=at_full_price)
        return run

    def expect(self, plans: Iterable[Plan], *, modules: Modules) -> None:
        """Announce that `plans` will be run, in about this order; see `grader.sandbox.lots`."""
        self._lots.expect(plans, modules, self._instruments)

    def peek(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Return the result of `plan` in a lot, even one that does not count, or None."""
        return self._lots.peek(plan, modules)

    def run_together(self, plans: Sequence[Plan], *, modules: Modules) -> list[SessionRun]:
        """Run `plans` in order in one executor and return their results.

        If the executor dies, the later plans have no observations.
        """
        return self._run_plans(plans, modules, in_full=False)

    def _run_plans(
        self, plans: Sequence[Plan], modules: Modules, *, in_full: bool
    ) -> list[SessionRun]:
        """Run `plans` and return their results.

        Run them again each time a module is cut, and with full limits if a result is in doubt.
        """
        run = partial(self._run, plans=plans, modules=modules, in_full=in_full)
        while not (runs := self._with_retry(run)):  # a module has been cut
            run = partial(run, in_full=True)
        # With full limits no result is in doubt, so this recurses only once.
        if any(run.in_doubt for run in runs):
            return self._run_plans(plans, modules, in_full=True)
        return runs

    def _with_retry(self, attempt: Callable[[], _Result]) -> _Result:
        """Return the result of `attempt`, retried once if another process kills its executor.

        Such a kill is not the submission's doing. Raises `ExecutorKilled` if it happens again.
        """
        with suppress(ExecutorKilled):
            return attempt()
        return attempt()

    def _run(self, plans: Sequence[Plan], modules: Modules, *, in_full: bool) -> list[SessionRun]:
        """Run `plans` in one executor, and record in the budget what they use.

        Return an empty list if the executor asked to cut a module, so that the plans must run
        again.
        """
        runs: list[SessionRun] = []
        limits = BatchLimits(self._prices, plans, self._limits.memory_bytes, in_full=in_full)
        imported_names = self._program.session_imports(modules)
        unusual_limits = self._requests.unusual_limits(limits.step_limits)
        run_request = request(plans, imported_names, unusual_limits)
        load = self._program.load_request(self._instruments)
        with self._executor(limits.memory_bytes) as executor:
            replies = self._requests.replies(executor, load, run_request, limits.step_limits)
            try:
                self._program.store_reply(parse_load_reply(first_reply(replies)))
                reply = parse_reply(check_reply(next(replies)))
                # If memory was lowered, do not cut the module: the next attempt has all memory.
                if ("cut" in reply and not limits.has_all_memory) or self._program.cut(reply):
                    return []
                imported = self._program.import_observation(reply)
                self._budget.units += imported.observation.units
                runs += (SessionRun(plan, imported) for plan in plans)
                if runs[0].is_loaded:
                    received_bytes = observe(runs, replies, self._caps)
                    self._run_rest(executor, runs, limits, received_bytes)
                self._requests.await_end(executor)
            except ExecutorEnded as ended:
                self._record_end(ended)
                runs = record_death(plans, runs, death_observation(ended))
            except ProtocolError as error:
                runs = record_death(plans, runs, death_observation(error))
        self._budget.units += limits.settle(runs)
        return runs

    def _run_rest(
        self,
        executor: Executor,
        runs: Sequence[SessionRun],
        limits: BatchLimits,
        received_bytes: int,
    ) -> None:
        """Run the remaining items of `runs`, and append their observations to `runs`.

        After each failure the executor waits for new limits. `received_bytes` is how much the
        executor has sent so far. Raises `ExecutorEnded` if a reply ends the session, and
        `ProtocolError` if one is malformed.
        """
        while remaining := [run for run in runs if run.remaining_items]:
            replies = self._requests.renewed_replies(executor, limits.renew(runs))
            received_bytes = observe(remaining, replies, self._caps, received_bytes)

    def _run_from_lot(self, plan: Plan, modules: Modules) -> SessionRun | None:
        """Take the result of `plan` from a lot, and add its units to the budget.

        Return None if no result counts. Then the plan has to run alone.
        """
        run = self._lots.take(plan, modules)
        if run is not None:
            # In full, because a result counts only if its steps still have their full price.
            limits = BatchLimits(self._prices, (plan,), self._limits.memory_bytes, in_full=True)
            used = limits.settle((run,))
            self._budget.units += run.imported.observation.units + used
        return run

    def run_lot(self, lot: Sequence[LotPlan]) -> Lot:
        """Run `lot` and return the results of its first plans, as if each had run alone."""
        return self._with_retry(partial(self._run_lot_once, lot))

    def _run_lot_once(self, lot: Sequence[LotPlan]) -> Lot:
        """Run `lot` once; see `run_lot`.

        Each plan is sent after the previous one has been answered, so that no session can read a
        later plan, which might be hidden.
        """
        finished: list[SessionRun] = []
        current: list[SessionRun] = []
        with self._executor() as executor, suppress(ProtocolError):
            try:
                for lot_plan in lot:
                    has_begun, is_last = bool(finished), len(finished) == len(lot) - 1
                    replies = self._replies_in_lot(executor, lot_plan, has_begun, is_last)
                    if not finished:
                        self._program.store_reply(parse_load_reply(first_reply(replies)))
                    reply = parse_reply(check_reply(next(replies)))
                    if "stale" in reply or self._program.cut(reply):
                        return Lot(runs=finished, is_stale="stale" in reply)
                    current = [SessionRun(lot_plan.plan, self._program.import_observation(reply))]
                    if current[0].is_loaded:
                        observe(current, replies, self._caps)
                    if not current[0].completed:
                        return Lot(runs=finished)
                    finished += current
                    # A lot is not allowed more units than one session.
                    if sum(run.units for run in finished) > units(self._limits.session_cpu_s):
                        return Lot(runs=finished)
                self._requests.await_end(executor)
                return Lot(runs=finished)
            except ExecutorEnded as ended:
                if finished:
                    return Lot(runs=finished)
                self._record_end(ended)
                return Lot(runs=record_death([lot[0].plan], current, death_observation(ended)))
        return Lot(runs=[], is_stale=True)  # the executor broke the protocol, in an unknown session

    def _replies_in_lot(
        self, executor: Executor, lot_plan: LotPlan, has_begun: bool, is_last: bool
    ) -> Iterator[bytes]:
        """Yield the replies to one plan of a lot, and load the program before the first plan.

        `has_begun` is whether a plan came before this one, and `is_last` whether none follows it.
        """
        plan, modules, settings = lot_plan
        limits = list(map(self._prices.full, plan))
        imported = self._program.session_imports(modules)
        load_request = None if has_begun else self._program.load_request(settings)
        if has_begun:  # slow plans run alone, because their results might never be needed
            limits = [step._replace(units=step.units // _LOT_DIVISOR) for step in limits]
        return self._requests.lot_replies(
            executor, load_request, lot_plan, imported, limits, is_last=is_last
        )
