"""A prompt in a browser: runs a session line by line, then the lines that the student types.

An executor serves it like any other session, one step at a time. Typed lines are compiled in the
executor and never parsed by the judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final

from grader.errors import ProtocolError
from grader.intake.submission import Submission
from grader.judging.preparing import build_program, with_given_code
from grader.judging.printing import exception_text
from grader.reporting.wording import Locale
from grader.sandbox.budget import Clocks
from grader.sandbox.executor import Executor, ExecutorEnded, Sandbox, parse_reply
from grader.sandbox.observation import Frame, Observation, Raised, Returned, decode_observation
from grader.sandbox.planning import Item, request
from grader.sandbox.session_runs import check_reply, executor_limits, value_caps
from grader.suite.model import Suite
from grader.values.tree import Atom
from grader.verdict import Verdict

_MAX_S: Final = 2.0
"""The time limit of a typed line, on a clock that runs at half speed (see `site.workers`)."""
_UNLIMITED: Final = 1 << 60
"""The value of limits on the whole session, because only single lines are limited."""
_RUNNER: Final = "__typed__"
_DEFINE_RUNNER: Final = f"""
def {_RUNNER}(text, names=globals(), run=exec):
    import codeop, sys
    sys.stderr = sys.stdout
    code = codeop.compile_command(text, "<stdin>", "single")
    if code is None:
        return True
    run(code, names)
"""
"""Code that defines the function for typed lines, with defaults that a submission cannot rebind."""
_TRACEBACK: Final = "Traceback (most recent call last):"
_OPEN: Final = Atom(value=True)
"""The result of the function for typed lines if the statement needs more lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAnswer:
    """The result of a line at a prompt."""

    code: str
    text: str
    """The output to show below the line."""
    is_open: bool = False
    """Whether the statement needs more lines before it runs."""
    has_ended: bool = False
    """Whether the executor stopped because of the line."""


class Prompt:
    """A session on a submission that stays open for typed lines."""

    def __init__(self, sandbox: Sandbox, suite: Suite, submission: Submission) -> None:
        """Prepare a prompt on `submission`; `begin` starts its executor in `sandbox`."""
        completed = with_given_code(suite, submission)
        self._sandbox: Final = sandbox
        self._program: Final = build_program(suite, completed)
        self._texts: Final = {file.name: file.text for file in completed.modules.values()}
        self._locale: Final = Locale.for_language(suite.language)
        self._caps: Final = value_caps(suite.limits)
        self._clocks: Final = Clocks.from_limits(suite.limits)
        limits = executor_limits(suite.limits, session_cpu_s=self._clocks.session_cpu_s)
        no_limits = dict.fromkeys(("session_units", "session_sleep_ms"), _UNLIMITED)
        self._limits: Final = {**limits, **no_limits}
        self._executor: Executor | None = None

    def begin(self, modules: tuple[str, ...], lines: Iterable[str]) -> Iterator[PromptAnswer]:
        """Start an executor, import `modules` and run `lines`; yield the result of each.

        Stop after a line that makes the executor stop. If the import fails, no lines run.
        """
        import_answer = self._answer_for("", partial(self._import_modules, modules))
        if not import_answer.has_ended:
            # Typed lines need the function that runs them even if the import has failed.
            item = Item(step_index=0, code=_DEFINE_RUNNER, is_expression=False)
            definition_answer = self._answer_for("", partial(self._run_item, item))
            if definition_answer.has_ended:
                import_answer = definition_answer
        yield import_answer
        for line in lines if not import_answer.text.startswith(_TRACEBACK) else ():
            if self._executor is not None:
                item = Item(step_index=0, code=line, displays=True)
                yield self._answer_for(line, partial(self._run_item, item))

    def run_typed(self, text: str) -> PromptAnswer:
        """Run `text`, which is all typed lines since the last statement; return the result."""
        # Escaped to ASCII, as lone surrogates cannot be encoded as UTF-8.
        item = Item(step_index=0, code=f"{_RUNNER}({text!a})")
        # Typed code is not metered, so only the clock ends an endless loop.
        return self._answer_for(text, partial(self._run_item, item, _MAX_S))

    def end(self) -> None:
        """Shut down the executor, if there is one."""
        if self._executor is not None:
            self._executor.end()
            self._executor = None

    def _import_modules(self, modules: tuple[str, ...]) -> Observation:
        """Start an executor, import `modules` in it, and return the observation.

        If `Program.cut` cuts a module, start again with a new executor. Raises `ExecutorEnded` if
        the executor stops, or `ProtocolError` if a reply is invalid.
        """
        while True:
            self.end()
            self._executor = self._sandbox.fork(self._limits)
            import_request = request((), self._program.session_imports(modules), last=False)
            requests = [(self._program.load_request(None), 1), (import_request, 1)]
            load_reply, import_reply = self._replies(
                requests, self._clocks.cpu_s, self._clocks.idle_s
            )
            self._program.store_reply(parse_reply(load_reply))
            reply = parse_reply(import_reply)
            if not self._program.cut(reply):
                return self._program.import_observation(reply).observation

    def _run_item(self, item: Item, max_s: float | None = None) -> Observation:
        """Run `item` in the executor, for at most `max_s` seconds if given; return the observation.

        Raises `ExecutorEnded` if the executor stops, or `ProtocolError` if its reply is invalid.
        """
        requests = [(request(((item,),), last=False), 1)]
        cpu_s, idle_s = max_s or self._clocks.cpu_s, max_s or self._clocks.idle_s
        (reply,) = self._replies(requests, cpu_s, idle_s)
        return decode_observation(parse_reply(reply), item.binds, self._caps)

    def _replies(
        self, requests: list[tuple[bytes, int]], cpu_s: float, wall_s: float
    ) -> Iterator[bytes]:
        """Send `requests`, and return an iterator over the executor's checked replies."""
        assert self._executor is not None, "the prompt has begun"
        replies = self._executor.replies(requests, cpu_s=cpu_s, wall_s=wall_s, gathers=False)
        return map(check_reply, replies)

    def _answer_for(self, code: str, act: Callable[[], Observation]) -> PromptAnswer:
        """Return the answer to `code`, which `act` runs in the executor.

        If the executor stops or sends an invalid reply, shut it down.
        """
        try:
            observation = act()
        except (ExecutorEnded, ProtocolError) as error:
            self.end()
            verdict = error.verdict if isinstance(error, ExecutorEnded) else Verdict.TAMPERED
            return PromptAnswer(code=code, text=self._verdict_text(verdict), has_ended=True)
        value = observation.outcome.value if isinstance(observation.outcome, Returned) else None
        text = "\n".join(chain([observation.stdout.rstrip("\n")], self._closing_lines(observation)))
        return PromptAnswer(code=code, text=text.strip("\n"), is_open=value == _OPEN)

    def _closing_lines(self, observation: Observation) -> Iterator[str]:
        """Yield the lines to show below the output: a traceback, or why the code was stopped."""
        match observation.outcome:
            case _ if observation.overflowed:
                yield self._verdict_text(Verdict.OUTPUT)
            case Raised(type_names=names) if "SystemExit" in names:
                yield self._verdict_text(Verdict.EXITED)
            case Raised(frames=frames) as raised:
                yield _TRACEBACK
                yield from chain.from_iterable(map(self._frame_lines, frames))
                yield exception_text(raised)

    def _frame_lines(self, frame: Frame) -> Iterator[str]:
        """Yield the lines of a traceback for `frame`, with the source line if it is known."""
        yield f'  File "{frame.file}", line {frame.line}, in {frame.function}'
        lines = self._texts.get(frame.file, "").split("\n")
        if 0 < frame.line <= len(lines) and lines[frame.line - 1].strip():
            yield f"    {lines[frame.line - 1].strip()}"

    def _verdict_text(self, verdict: Verdict) -> str:
        return self._locale(f"meaning_{verdict.value}")
