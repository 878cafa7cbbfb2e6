"""A session that is kept open: one step per request, until the executor ends or is not needed."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Final, Self

from grader.errors import ProtocolError
from grader.sandbox.executor import Executor, ExecutorEnded, parse_reply
from grader.sandbox.observation import Observation, Raised, Returned, decode_observation
from grader.sandbox.planning import Item, Role, request
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.session_runs import check_reply, executor_limits, value_caps
from grader.suite.limits import Limits
from grader.values.foreign_text import one_line
from grader.values.tree import Value
from grader.verdict import Verdict

# A game lasts longer than any session of a suite, so these are not held to the bounds of one.
LIMITS: Final = Limits().with_changes(
    cpu_s=2.0, session_cpu_s=3600.0, wall_s=6.0, session_wall_s=3600.0, int_digits=15
)
"""A person waits for each step; the session lasts as long as the person likes."""
_ENDINGS: Final = {
    Verdict.TIMED_OUT: "did not end in time",
    Verdict.MEMORY: "used up its memory",
    Verdict.OUTPUT: "gave back more than fits into a reply",
    Verdict.CRASHED: "crashed Python itself",
    Verdict.EXITED: "ended the program",
    Verdict.FORBIDDEN: "tried what the sandbox forbids",
    Verdict.TAMPERED: "sent what no honest program sends",
}


class StepFailed(Exception):
    """A step did not give a value; the text says why, safe to be shown."""

    def __init__(self, text: str, *, can_go_on: bool) -> None:
        """Keep the text, and whether the executor is there for another step."""
        super().__init__(text)
        self.text: Final = text
        self.can_go_on: Final = can_go_on


class Conversation:
    """Steps for one program, one at a time; a context manager that ends its executor."""

    def __init__(self, sandbox: Sandbox, program: Program) -> None:
        """Talk to executors of `sandbox` that have loaded `program`; `start` gets the first one."""
        self._sandbox: Final = sandbox
        self._program: Final = program
        self._caps: Final = value_caps(LIMITS)
        self._executor: Executor | None = None

    def start(self) -> None:
        """Go on with a fresh executor, in which no step has run yet; raises `StepFailed`."""
        self.end()
        limits = executor_limits(LIMITS, session_cpu_s=LIMITS.session_cpu_s)
        self._executor = self._sandbox.fork(limits)
        if self._reply("The program", self._program.load_request(None)) == {"no_room": True}:
            raise self._lost("The program", Verdict.MEMORY)

    def run(self, subject: str, code: str, *binds: str) -> None:
        """Run the statements `code`, which assign the names `binds`; raises `StepFailed`."""
        self._observe(subject, _item(code, binds=binds))

    def value(self, subject: str, code: str) -> Value:
        """Return the value of the expression `code`; raises `StepFailed`, naming `subject`."""
        return self._observe(subject, _item(code)).value

    def _observe(self, subject: str, item: Item) -> Returned:
        reply = self._reply(subject, request(((item,),), last=False))
        try:
            observation = decode_observation(reply, item.binds, self._caps)
        except ProtocolError as error:
            raise self._lost(subject, Verdict.TAMPERED) from error
        return _returned(subject, observation)

    def _reply(self, subject: str, asked: bytes) -> dict[str, Any]:
        if self._executor is None:
            raise StepFailed(f"{subject} cannot be asked any more.", can_go_on=False)
        try:
            replies = self._executor.replies([(asked, 1)], cpu_s=LIMITS.cpu_s, wall_s=LIMITS.wall_s)
            (reply,) = map(check_reply, replies)
        except ExecutorEnded as ended:
            raise self._lost(subject, ended.verdict) from ended
        return parse_reply(reply)

    def _lost(self, subject: str, verdict: Verdict) -> StepFailed:
        """End the executor, and return how to tell why."""
        self.end()
        return StepFailed(f"{subject} {_ENDINGS[verdict]}.", can_go_on=False)

    def end(self) -> None:
        """End the executor, if there is one."""
        if self._executor is not None:
            self._executor.end()
            self._executor = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the executor."""
        self.end()


def _item(code: str, binds: tuple[str, ...] | None = None) -> Item:
    """Return the step `code`: an expression, unless it assigns names."""
    return Item(
        role=Role.STEP, step_index=0, code=code, is_expression=binds is None, binds=binds or ()
    )


def _returned(subject: str, observation: Observation) -> Returned:
    if observation.overflowed:
        raise StepFailed(f"{subject} printed too much.", can_go_on=True)
    outcome = observation.outcome
    if isinstance(outcome, Returned):
        return outcome
    assert isinstance(outcome, Raised), "no executor observes its own end"
    frames = outcome.frames[-1:]
    place = "".join(f" ({frame.file}, line {frame.line})" for frame in frames)
    said = f"{subject} raised {outcome.type_names[0]}: {outcome.message}{place}"
    raise StepFailed(one_line(said), can_go_on=True)
