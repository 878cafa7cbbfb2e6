"""A rule that objects and calls must not leave state behind for others.

Each session of a suite starts with a fresh import, so its cases do not detect bugs of this kind: a
set stored on the class, a cache keyed by only some of the arguments, a mutable default value. Under
this rule, small sessions, which students are allowed to see, run one by one in one process. A
submission that fails a session in this process but passes it alone has kept state. Lists, sets and
dicts that steps pass as arguments are checked afterwards, and must be unchanged.

If an exercise requires state that outlasts an object, such as a count of all objects, its suite
must not have this rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, Final

from grader.judging.clean_runs import find_failed_cases
from grader.judging.matching import assess, observations_by_step
from grader.judging.results import Result, Ruling, broken_ruling, passed_ruling, skipped_ruling
from grader.judging.rules.named_arguments import first_mutated_argument, with_named_arguments
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.judging.trials import Trials
from grader.messages import Message, message
from grader.sandbox.session_runs import SessionRun
from grader.suite.fields import flag
from grader.suite.model import Feedback, Suite
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_MAX_SESSIONS: Final = 60
"""How many sessions of a chain run at most. Each takes time for every submission of a class."""
_MAX_FAILING: Final = 8
"""How many sessions can fail even alone before the rule gives up."""
_MAX_EARLIER: Final = 12
"""How many earlier sessions are run singly, to find the one that leaves state behind."""
_MAX_SNIPPET_LINES: Final = 6
"""How many lines a snippet can have that students are asked to try."""
_CODE_CHARS: Final = 400
_VALUE_CHARS: Final = 120
_UNQUOTED_MESSAGE: Final = message("interference.unshown")


class Interference(JudgedRule, title="interference"):
    """Objects and calls that must not leave state behind for others."""

    kind: ClassVar[str] = "interference"
    summary: ClassVar[str] = "Objects and calls that must leave nothing behind for others."
    example: ClassVar[dict[str, Any]] = {"points": 2}
    reads_source: ClassVar[bool] = False
    probes: ClassVar[bool] = True
    max_count: ClassVar[int | None] = 1

    arguments: bool = flag(
        "Whether lists, sets and dictionaries that are handed over must stay as they are.",
        example=False,
        default=True,
    )

    def sentence(self) -> Message:
        """Return the demand: no state is kept and, if enabled, no argument is changed."""
        return message("demand.interference_arguments" if self.arguments else "demand.interference")

    def judge(self, evidence: Evidence) -> Ruling:
        """Run the chains and return the ruling: BROKEN at the first difference between sessions.

        The rule is also broken if a session of the suite passed only alone. The ruling is SKIPPED
        if the suite has no sessions for a chain.
        """
        trials = evidence.trials
        chains = [*_chains(trials.suite)]
        if not chains:
            return skipped_ruling(message("interference.nothing"))
        # A generator, so that no chain runs after the first difference.
        differences = (
            _Chain(trials, chain).difference(
                arguments=self.arguments, may_quote=_may_quote(trials.suite)
            )
            for chain in chains
        )
        unquoted_reasons = [_UNQUOTED_MESSAGE] if evidence.passes_only_alone else []
        reasons = next(filter(None, differences), unquoted_reasons)
        return broken_ruling(*reasons) if reasons else passed_ruling(message("interference.none"))


def _may_quote(suite: Suite) -> bool:
    """Return whether messages to students are allowed to quote the sessions of `suite`."""
    # Without siblings, the chains have only public sessions, which students know.
    return not suite.siblings or suite.feedback is Feedback.COUNTEREXAMPLE


def _chains(suite: Suite) -> Iterator[list[Session]]:
    """Yield chains of sessions to run together: the siblings, or else the public sessions twice.

    The sessions of a chain have the same modules. Sessions that run programs are left out, and
    stand-ins are not used.
    """
    # Public sessions run twice, so that each one also runs after all the others.
    public_sessions = [
        session for session in suite.sessions if session.visibility is Visibility.PUBLIC
    ]
    sessions = [
        session
        for session in suite.siblings or (*public_sessions, *public_sessions)
        if not session.runs_programs
    ]
    if any(session.stand_ins for session in sessions):
        sessions = [session.with_changes(stand_ins=()) for session in sessions]
    # Sorted, because `groupby` groups only adjacent items.
    for _, same_modules in groupby(sorted(sessions, key=_modules), key=_modules):
        chain = list(same_modules)
        stride = max(1, -(-len(chain) // _MAX_SESSIONS))  # rounded up
        # Every `stride`-th session is an even sample.
        yield chain[::stride]


def _modules(session: Session) -> tuple[str, ...]:
    return session.modules


@dataclass(frozen=True, slots=True)
class _Chain:
    """Sessions with the same modules, to run on one submission."""

    trials: Trials
    sessions: Sequence[Session]

    def difference(self, *, arguments: bool, may_quote: bool) -> list[Message]:
        """Run the chain; return messages about the first session that fails only after others.

        If `arguments`, a mutated argument is reported as well. Unless `may_quote`, the message does
        not quote the sessions. Return [] if there is no difference, or if the result is unclear
        because a run died or too many sessions fail even alone.
        """
        failing_alone_count = 0
        for index, run in enumerate(self._run_together(self.sessions)):
            session = self.sessions[index]
            if not run.completed:
                return []  # the results of the cases report that the process died
            mutation = (
                first_mutated_argument(run, with_named_arguments(session, index))
                if arguments
                else None
            )
            if mutation is not None:
                return (
                    [message("interference.argument", **mutation)]
                    if may_quote
                    else [_UNQUOTED_MESSAGE]
                )
            if not self._fails(session, run):
                continue
            if self._fails(session, self._run_alone(session)):
                failing_alone_count += 1
                if failing_alone_count > _MAX_FAILING:
                    return []
                continue
            return [*self._explanation(index, run)] if may_quote else [_UNQUOTED_MESSAGE]
        return []

    def _run_together(self, sessions: Sequence[Session]) -> list[SessionRun]:
        """Run `sessions` in one process and return a run for each."""
        runner = self.trials.runner
        plans = [
            with_named_arguments(session, self.sessions.index(session)).items
            for session in sessions
        ]
        return runner.run_together(plans, modules=sessions[0].modules)

    def _run_alone(self, session: Session) -> SessionRun:
        """Run `session` in a process of its own."""
        return self.trials.runner.run(
            with_named_arguments(session, 0).items, modules=session.modules
        )

    def _fails(self, session: Session, run: SessionRun) -> bool:
        """Return whether `run` of `session` was cut short, or whether any of its cases failed."""
        return not run.completed or bool(find_failed_cases(session, run, self.trials.checker))

    def _explanation(self, session_index: int, run: SessionRun) -> Iterator[Message]:
        """Yield messages that explain how a session fails after earlier ones, as in `run`.

        Reruns the session after single earlier sessions, because a failure after only one other
        session is easier to understand.
        """
        session, predecessors = self.sessions[session_index], self.sessions[:session_index]
        # The nearest session is the most likely cause.
        for earlier in predecessors[-_MAX_EARLIER:][::-1]:
            (_, rerun) = self._run_together([earlier, session])
            if rerun.completed and self._fails(session, rerun):
                predecessors, run = [earlier], rerun
                break
        case_index, result = self._first_failure(session, run)
        lines = [step.display_text for s in (*predecessors[-1:], session) for step in s.steps]
        case_line_index = len(lines) - len(session.steps) + case_index
        code = one_line(session.steps[case_index].display_text, _CODE_CHARS)
        yield message("interference.differs", code=code)
        if result.expected and result.got:
            expected, got = (one_line(t, _VALUE_CHARS) for t in (result.expected, result.got))
            yield message("wrong.value", expected=expected, got=got)
        yield message("wrong.only_in_session")
        snippet_lines = lines[: case_line_index + 1]
        if (
            len(predecessors) == 1
            and len(snippet_lines) <= _MAX_SNIPPET_LINES
            # A compound statement cannot be joined to others with semicolons.
            and not any("\n" in line for line in snippet_lines)
        ):
            code = one_line("; ".join(snippet_lines), _CODE_CHARS)
            yield message("interference.try", code=code)

    def _first_failure(self, session: Session, run: SessionRun) -> tuple[int, Result]:
        """Return the step index and the result of the first case that fails in `run`.

        Raises `AssertionError` if no case fails.
        """
        observations = observations_by_step(run, self.trials.checker.outcomes(session.steps, run))
        for case in session.cases:
            result = assess(session, case, observations)
            if result is not None and not result.passed:
                return case.step_index, result
        raise AssertionError("a failing session has a failing case")
