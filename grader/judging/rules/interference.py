"""A rule that objects and calls leave no state behind for others.

Each session of a suite has its own process, so these bugs pass its cases: a set on the class, a
cache keyed by half of the arguments, a mutable default value. Here small sessions that students may
be shown run one after the other in one process. A submission that fails one of them there but
passes it alone has kept state. Lists, sets and dictionaries that steps pass in are checked
afterwards, and must be unchanged.

An exercise may ask for state that outlasts an object, such as a count of all objects: then it has
no such rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, Final

from grader.judging.going_well import failing
from grader.judging.matching import assess, observed
from grader.judging.results import Result, Ruling, broken, passed, skipped
from grader.judging.rules.handed_over import first_mutated_argument, with_named_arguments
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.judging.trial import Trials
from grader.messages import Message, message
from grader.sandbox.session_runs import SessionRun
from grader.suite.fields import flag
from grader.suite.model import Feedback, Suite
from grader.suite.session import Session
from grader.values.foreign_text import one_line
from grader.verdict import Visibility

_MAX_SESSIONS: Final = 60
"""Sessions that are run: each costs time for the whole class."""
_MAX_FAILING: Final = 8
"""How many sessions may also fail alone before the rule gives up."""
_MAX_EARLIER: Final = 12
"""How many earlier sessions are tried singly, to find the one that leaves state behind."""
_MAX_LINES: Final = 6
_CODE_CHARS: Final = 400
_VALUE_CHARS: Final = 120


class Interference(JudgedRule, title="interference"):
    """Objects and calls that must leave nothing behind for others."""

    kind: ClassVar[str] = "interference"
    summary: ClassVar[str] = "Objects and calls that must leave nothing behind for others."
    example: ClassVar[dict[str, Any]] = {"points": 2}
    reads_source: ClassVar[bool] = False
    probes: ClassVar[bool] = True
    most: ClassVar[int | None] = 1

    arguments: bool = flag(
        "Whether lists, sets and dictionaries that are handed over must stay as they are.",
        example=False,
        default=True,
    )

    def sentence(self) -> Message:
        """Say that no state is kept and no argument changed."""
        return message("demand.interference_arguments" if self.arguments else "demand.interference")

    def judge(self, evidence: Evidence) -> Ruling:
        """Judge by running sessions one after the other."""
        trials = evidence.trials
        chains = [*_chains(trials.suite)]
        if not chains:
            return skipped(message("interference.nothing"))
        found = (
            _Chain(trials, chain).difference(
                arguments=self.arguments, shows=_may_show(trials.suite)
            )
            for chain in chains
        )
        reasons = next(filter(None, found), [_UNSHOWN] if evidence.only_alone else [])
        return broken(*reasons) if reasons else passed(message("interference.none"))


def _may_show(suite: Suite) -> bool:
    """Return whether a student may see the sessions."""
    return not suite.siblings or suite.feedback is Feedback.COUNTEREXAMPLE


def _chains(suite: Suite) -> Iterator[list[Session]]:
    """Yield chains of sessions to run together: siblings, or else the public ones, twice."""
    of_public = [each for each in suite.sessions if each.visibility is Visibility.PUBLIC]
    sessions = [each for each in suite.siblings or (*of_public, *of_public) if not each.runs]
    if any(each.stand_ins for each in sessions):
        sessions = [each.changed(stand_ins=()) for each in sessions]
    # `groupby` joins only neighbours.
    for _, same_modules in groupby(sorted(sessions, key=_modules), key=_modules):
        chain = list(same_modules)
        step = max(1, -(-len(chain) // _MAX_SESSIONS))  # rounded up
        # An even sample of all of them.
        yield chain[::step]


def _modules(session: Session) -> tuple[str, ...]:
    return session.modules


@dataclass(frozen=True, slots=True)
class _Chain:
    """Sessions on the same modules, on one submission."""

    trials: Trials
    sessions: Sequence[Session]

    def difference(self, *, arguments: bool, shows: bool) -> list[Message]:
        """Return messages on a session that fails after others, or on a changed argument, or [].

        Where the student may not see the sessions, the message does not quote them.
        """
        own_mistakes = 0
        for number, run in enumerate(self._run_together(self.sessions)):
            session = self.sessions[number]
            if not run.went_on:
                return []  # the cases report the death
            found = (
                first_mutated_argument(run, with_named_arguments(session, number))
                if arguments
                else None
            )
            if found is not None:
                return [message("interference.argument", **found)] if shows else [_UNSHOWN]
            if not self._fails(session, run):
                continue
            if self._fails(session, self._run_alone(session)):
                own_mistakes += 1
                if own_mistakes > _MAX_FAILING:
                    return []
                continue
            return [*self._explanation(number, run)] if shows else [_UNSHOWN]
        return []

    def _run_together(self, sessions: Sequence[Session]) -> list[SessionRun]:
        runner = self.trials.runner
        plans = [with_named_arguments(each, self.sessions.index(each)).items for each in sessions]
        return runner.run_together(plans, modules=sessions[0].modules)

    def _run_alone(self, session: Session) -> SessionRun:
        return self.trials.runner.run(
            with_named_arguments(session, 0).items, modules=session.modules
        )

    def _fails(self, session: Session, run: SessionRun) -> bool:
        return not run.went_on or bool(failing(session, run, self.trials.checker))

    def _explanation(self, number: int, run: SessionRun) -> Iterator[Message]:
        """Yield how session `number` fails after earlier ones, or after one if that suffices."""
        session, before = self.sessions[number], self.sessions[:number]
        # Nearest first: a single earlier session is easier to read.
        for earlier in before[-_MAX_EARLIER:][::-1]:
            (_, rerun) = self._run_together([earlier, session])
            if rerun.went_on and self._fails(session, rerun):
                before, run = [earlier], rerun
                break
        case, result = self._first_failure(session, run)
        lines = [step.shown for each in (*before[-1:], session) for step in each.steps]
        index = len(lines) - len(session.steps) + case
        code = one_line(session.steps[case].shown, _CODE_CHARS)
        yield message("interference.differs", code=code)
        if result.expected and result.got:
            expected, got = (one_line(t, _VALUE_CHARS) for t in (result.expected, result.got))
            yield message("wrong.value", expected=expected, got=got)
        yield message("wrong.only_in_session")
        shown = lines[: index + 1]
        if len(before) == 1 and len(shown) <= _MAX_LINES and not any("\n" in one for one in shown):
            code = one_line("; ".join(shown), _CODE_CHARS)
            yield message("interference.try", code=code)

    def _first_failure(self, session: Session, run: SessionRun) -> tuple[int, Result]:
        """Return the step index and the result of the first case that fails in `run`."""
        observations = observed(run, self.trials.checker.outcomes(session.steps, run))
        for case in session.cases:
            result = assess(session, case, observations)
            if result is not None and not result.passed:
                return case.step_index, result
        raise AssertionError("a session that fails has a case that does")


_UNSHOWN: Final = message("interference.unshown")
