"""Sends the requests for sessions to executors, each step with the time that it is allowed.

This is apart from `grader.sandbox.sessions`, which decides what to send and which results count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from grader.errors import ProtocolError
from grader.protocol import NO_ROOM
from grader.sandbox.budget import Clocks, StepLimits, units
from grader.sandbox.executor import Executor, ExecutorEnded, parse_reply
from grader.sandbox.lots import LotPlan
from grader.sandbox.planning import Imported, renewal_request, request
from grader.suite.limits import Limits
from grader.verdict import Verdict


class SessionRequests:
    """Sends requests to executors, with the clocks that the limits of a suite set."""

    def __init__(self, limits: Limits) -> None:
        """Take the clocks, and the usual limits of a step, from `limits`."""
        self.clocks: Final = Clocks.from_limits(limits)
        self._usual: Final = StepLimits(units(limits.cpu_s), limits.output_chars)

    def unusual_limits(self, limits: Sequence[StepLimits]) -> Sequence[StepLimits] | None:
        """Return `limits`, the limits of steps, or None if they all are the usual ones."""
        return None if all(step_limits == self._usual for step_limits in limits) else limits

    def reply(self, executor: Executor, question: dict[str, object]) -> dict[str, Any]:
        """Send `question` to `executor` and return its reply.

        Raises `ExecutorEnded` if no reply arrives in time, and `ProtocolError` if it is malformed.
        """
        return executor.request(question, cpu_s=self.clocks.cpu_s, wall_s=self.clocks.idle_s)

    def replies(
        self,
        executor: Executor,
        load: bytes | None,
        run_request: bytes,
        limits: Sequence[StepLimits],
        *,
        begins: bool = True,
        gathers: bool = True,
    ) -> Iterator[bytes]:
        """Yield the replies to the `load` request, if any, and to `run_request`.

        The steps of `run_request` have these `limits`. If `begins`, a session begins with
        `run_request`, whose first reply is about the import. See `Executor.replies` for `gathers`
        and the exceptions.
        """
        cpu_s, idle_s, session_idle_s, _ = self.clocks
        loads = [] if load is None else [(load, 1)]
        # The import, which comes before the steps, has the usual limit.
        import_cpu_s = [cpu_s] if begins else []
        steps_cpu_s = [*import_cpu_s, *self.clocks.step_cpu_limits_s(limits)]
        return executor.replies(
            [*loads, (run_request, len(steps_cpu_s))],
            cpu_s=cpu_s,
            steps_cpu_s=steps_cpu_s if self.unusual_limits(limits) else None,
            wall_s=idle_s,
            session_wall_s=session_idle_s,
            gathers=gathers,
            continues_session=not begins,
        )

    def lot_replies(
        self,
        executor: Executor,
        load: bytes | None,
        lot_plan: LotPlan,
        imported: Imported,
        limits: Sequence[StepLimits],
        *,
        is_last: bool,
    ) -> Iterator[bytes]:
        """Yield the replies to the `load` request, if any, and to the request for `lot_plan`.

        The executor first imports what `imported` names. If `is_last`, it closes its channel after
        the plan. See `Executor.replies` for the exceptions.
        """
        plan, _, settings = lot_plan
        unusual_limits = self.unusual_limits(limits)
        run_request = request(
            (plan,), imported, unusual_limits, lot=True, last=is_last, settings=settings
        )
        # Not gathered, because the executor closes its channel only after the last plan.
        return self.replies(executor, load, run_request, limits, gathers=False)

    def renewed_replies(self, executor: Executor, limits: Sequence[StepLimits]) -> Iterator[bytes]:
        """Set the `limits` of the remaining steps of a session and yield their replies.

        The executor waits for these limits. See `Executor.replies` for the exceptions.
        """
        renewal = renewal_request(self.unusual_limits(limits))
        return self.replies(executor, None, renewal, limits, begins=False)

    def await_end(self, executor: Executor) -> None:
        """Wait until `executor` ends by itself.

        Raises `ProtocolError` if it sends unrequested bytes, and `ExecutorEnded` if it does not end
        in time.
        """
        if executor.has_surplus(cpu_s=self.clocks.cpu_s, wall_s=self.clocks.idle_s):
            raise ProtocolError("unrequested bytes after a reply")


def parse_load_reply(payload: bytes) -> dict[str, Any]:
    """Return the reply to a load request in `payload`.

    Raises `ExecutorEnded` if the executor had no room for the program, and `ProtocolError` if the
    reply is malformed.
    """
    reply = parse_reply(payload)
    if reply == NO_ROOM:
        raise ExecutorEnded(Verdict.MEMORY, "no room for the program")
    return reply
