"""A prompt in a browser: runs a session line by line, then the lines that the student types.

An executor serves it like any other session, one step at a time. Typed lines are compiled in the
executor; nothing of them is parsed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Final

from grader.errors import ProtocolError
from grader.intake.submission import Submission
from grader.judging.preparing import program_of, with_given
from grader.judging.printing import exception_text
from grader.reporting.wording import Locale
from grader.sandbox.budget import Clocks
from grader.sandbox.executor import Executor, ExecutorEnded, Sandbox, parsed
from grader.sandbox.observation import Frame, Observation, Raised, Returned, decode_observation
from grader.sandbox.planning import Item, request
from grader.sandbox.session_runs import checked, executor_limits, value_caps
from grader.suite.model import Suite
from grader.values.tree import Atom
from grader.verdict import Verdict

_MAX_S: Final = 2.0
"""The limit for a typed line, on a clock that runs at half speed: see `site.workers`."""
_UNLIMITED: Final = 1 << 60
"""For limits on the whole session: only single lines are limited."""
_TYPED: Final = "__typed__"
_BEGINNING: Final = f"""
def {_TYPED}(text, names=globals(), run=exec):
    import codeop, sys
    sys.stderr = sys.stdout
    code = codeop.compile_command(text, "<stdin>", "single")
    if code is None:
        return True
    run(code, names)
"""
"""Defines the function that runs a typed line, with defaults that a submission cannot rebind."""
_OPEN: Final = Atom(value=True)
"""The result of that function if more lines have to follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAnswer:
    """The result of a line at a prompt."""

    code: str
    text: str
    """The output below it."""
    is_open: bool = False
    """Whether more lines have to follow before anything runs."""
    has_ended: bool = False
    """Whether it ended the executor."""


class Prompt:
    """A session of a submission that stays open."""

    def __init__(self, sandbox: Sandbox, suite: Suite, submission: Submission) -> None:
        """Prepare a prompt; `begins` starts its executor in `sandbox`."""
        given = with_given(suite, submission)
        self._sandbox: Final = sandbox
        self._program: Final = program_of(suite, given)
        self._texts: Final = {file.name: file.text for file in given.modules.values()}
        self._locale: Final = Locale.of(suite.language)
        self._caps: Final = value_caps(suite.limits)
        self._clocks: Final = Clocks.within(suite.limits)
        limits = executor_limits(suite.limits, session_cpu_s=self._clocks.session_cpu_s)
        no_limits = dict.fromkeys(("session_units", "session_sleep_ms"), _UNLIMITED)
        self._limits: Final = {**limits, **no_limits}
        self._executor: Executor | None = None

    def begins(self, modules: tuple[str, ...], lines: Iterable[str]) -> Iterator[PromptAnswer]:
        """Import `modules`, run `lines`, and yield the result of each, up to one that ends it.

        If the import fails, no lines run.
        """
        imported = self._answer("", partial(self._imported, modules))
        if not imported.has_ended:
            self._observed(Item(step_index=0, code=_BEGINNING, is_expression=False))
        yield imported
        for line in lines if not imported.text.startswith(_TRACEBACK) else ():
            if self._executor is not None:
                item = Item(step_index=0, code=line, displays=True)
                yield self._answer(line, partial(self._observed, item))

    def typed(self, text: str) -> PromptAnswer:
        """Return the result of typing `text`, which is all lines since the last that ran."""
        # Escaped to ASCII, as lone surrogates have no UTF-8.
        item = Item(step_index=0, code=f"{_TYPED}({text!a})")
        # Nothing counts what it does, so only the clock ends an endless loop.
        return self._answer(text, partial(self._observed, item, _MAX_S))

    def end(self) -> None:
        """End the executor."""
        if self._executor is not None:
            self._executor.end()
            self._executor = None

    def _imported(self, modules: tuple[str, ...]) -> Observation:
        """Load the submission in an executor; if a module has to be cut, again in a new one."""
        while True:
            self.end()
            self._executor = self._sandbox.fork(self._limits)
            asked = request((), self._program.imported(modules), last=False)
            requests = [(self._program.load_request(None), 1), (asked, 1)]
            loaded, imported = self._replies(requests, self._clocks.cpu_s, self._clocks.idle_s)
            self._program.take(parsed(loaded))
            reply = parsed(imported)
            if not self._program.cut(reply):
                return self._program.imported_in(reply).observation

    def _observed(self, item: Item, most_s: float | None = None) -> Observation:
        requests = [(request(((item,),), last=False), 1)]
        cpu_s, idle_s = most_s or self._clocks.cpu_s, most_s or self._clocks.idle_s
        (reply,) = self._replies(requests, cpu_s, idle_s)
        return decode_observation(parsed(reply), item.binds, self._caps)

    def _replies(
        self, requests: list[tuple[bytes, int]], cpu_s: float, wall_s: float
    ) -> Iterator[bytes]:
        assert self._executor is not None, "it has begun"
        replies = self._executor.replies(requests, cpu_s=cpu_s, wall_s=wall_s, gathers=False)
        return map(checked, replies)

    def _answer(self, code: str, act: Callable[[], Observation]) -> PromptAnswer:
        try:
            observation = act()
        except (ExecutorEnded, ProtocolError) as error:
            self.end()
            verdict = error.verdict if isinstance(error, ExecutorEnded) else Verdict.TAMPERED
            return PromptAnswer(code=code, text=self._meaning(verdict), has_ended=True)
        value = observation.outcome.value if isinstance(observation.outcome, Returned) else None
        text = "\n".join(chain([observation.stdout.rstrip("\n")], self._told(observation)))
        return PromptAnswer(code=code, text=text.strip("\n"), is_open=value == _OPEN)

    def _told(self, observation: Observation) -> Iterator[str]:
        """Yield the lines below the output: a traceback, or why the line ended."""
        match observation.outcome:
            case _ if observation.overflowed:
                yield self._meaning(Verdict.OUTPUT)
            case Raised(type_names=names) if "SystemExit" in names:
                yield self._meaning(Verdict.EXITED)
            case Raised(frames=frames) as raised:
                yield _TRACEBACK
                yield from chain.from_iterable(map(self._place, frames))
                yield exception_text(raised)

    def _place(self, frame: Frame) -> Iterator[str]:
        yield f'  File "{frame.file}", line {frame.line}, in {frame.function}'
        lines = self._texts.get(frame.file, "").split("\n")
        if 0 < frame.line <= len(lines) and lines[frame.line - 1].strip():
            yield f"    {lines[frame.line - 1].strip()}"

    def _meaning(self, verdict: Verdict) -> str:
        return self._locale(f"meaning_{verdict.value}")


_TRACEBACK: Final = "Traceback (most recent call last):"
