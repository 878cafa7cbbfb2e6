"""Tries the cases of one session on one submission, and finds a verdict for each.

How a session earns its points:

1.  The whole session runs once. A submission without mistakes is done after that.
2.  The first case that fails has failed: nothing before it went wrong, so nothing excuses it.
3.  A later case that fails, or that was never reached, may be a victim of an earlier mistake. It
    is tried again in its own session (see `grader.planning`), and what comes of that counts. When
    an earlier step breaks down there too, the case is SKIPPED and names that step.
4.  Where the session has stand-ins, a case that did not pass in its own session is tried there once
    more, with modules of ours in place of the submission's. If it passes it has passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from grader.limits import Limits
from grader.matching.matches import expected_text, match
from grader.matching.outcome import PASSED, Outcome
from grader.messages import Message, message
from grader.observation import Died, Frame, Observation, Raised
from grader.obstacles import Trouble
from grader.planning import (
    Item,
    Role,
    definitions_read,
    names_read,
    needed_steps,
    own_session,
    whole_session,
)
from grader.protocol import MAX_SUBMISSION_REPLY_BYTES
from grader.record import TranscriptLine
from grader.sessions import SessionRun, SessionRunner
from grader.sights import assess, breakdowns, died, sights
from grader.suite import Case, Completes, Expectation, Session
from grader.transcripts import transcript
from grader.verdict import Verdict, Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found about one case, and the session that shows it."""

    outcome: Outcome
    transcript: tuple[TranscriptLine, ...] = ()
    frame: Frame | None = None
    """The innermost line of the submission that an unexpected exception came from."""
    cause: str | None = None
    """For SKIPPED: the code of the step that broke down."""
    evidence: str | None = None
    """How an executor died, for staff."""
    too_deep: bool = False
    """Whether it went deeper than Python allows."""


_PASSED: Final = Finding(outcome=PASSED)
_SETTLED: Final = frozenset({Verdict.PASSED, Verdict.NOT_RUN, Verdict.TAMPERED})
"""Verdicts that stand-ins do not change: a person is to look at what disturbed the grading."""


@dataclass(slots=True)
class Budget:
    """Keeps count of what a submission wastes, so that one endless loop is not run forty times."""

    limits: Limits
    timeouts: Counter[str] = field(default_factory=Counter)

    def spent(self, group: str) -> bool:
        """Return whether `group` has timed out as often as is enough to know."""
        return (
            self.timeouts[group] >= self.limits.group_timeouts
            or self.timeouts.total() >= self.limits.timeouts
        )

    def count(self, group: str, run: SessionRun) -> None:
        """Take note of a run that was made for a case of `group`.

        Time on the clock is dearer than CPU time, and counts twice.
        """
        match run.observations[-1:]:
            case [Observation(outcome=Died(verdict=Verdict.TIMED_OUT) as died)]:
                self.timeouts[group] += 2 if died.on_the_clock else 1


class Trial:
    """One session of the suite, tried on one submission."""

    def __init__(
        self,
        runner: SessionRunner,
        session: Session,
        budget: Budget,
        stand_ins: SessionRunner | None = None,
    ) -> None:
        """Try `session` with `runner`, as far as `budget` allows.

        `stand_ins` runs the submission on those of the session, if it has any.
        """
        self._runner: Final = runner
        self._stand_ins = stand_ins
        self._session: Final = session
        self._budget: Final = budget
        self._missing: Mapping[str, str] = {}
        self._lockstep: Final = session.visibility is not Visibility.PUBLIC
        self._observed = True
        """Whether refused steps are looked at before and after."""
        self._died = False
        self._broken: Final[dict[tuple[int, ...], SessionRun]] = {}
        """Beginnings of sessions that are known to break down at their last step."""

    def findings(self, whole: SessionRun, missing: Mapping[str, str]) -> dict[str, Finding]:
        """Return a finding for each case, given the run of the whole session.

        `missing` are names that the submission should define, each with a near miss or "".
        """
        self._missing = missing
        findings = {}
        self._died = died(whole)
        excused_from = next(iter(breakdowns(whole)), None)
        seen = sights(whole)
        lost = _lost_setup(self._session, whole)
        for case in self._session.cases:
            outcome = assess(self._session, case, seen)
            on_sand = not lost.isdisjoint(needed_steps(self._session, case.step_index))
            if outcome is not None and outcome.passed and not on_sand:
                findings[case.id] = _PASSED
                continue
            excused = excused_from is not None and case.step_index > excused_from
            unnamed = self._name_missing(case)
            finding = own = unnamed or self._on_its_own(case, whole)
            if outcome is not None and unnamed is None and not excused:
                finding = self._first_failure(case, outcome, whole, finding)
                excused_from = case.step_index
            if not own.outcome.passed and self._may_lie_in_stand_ins(own, unnamed):
                finding = self._on_stand_ins(case, finding)
            findings[case.id] = finding
        return findings

    def unloaded(self, troubles: Sequence[Trouble]) -> dict[str, Finding]:
        """Return a finding for each case of a session whose modules cannot be loaded."""
        replaced = all(trouble.module in self._session.stand_ins for trouble in troubles)
        findings = {}
        for case in self._session.cases:
            finding = self._not_loaded(case, troubles[0])
            findings[case.id] = self._on_stand_ins(case, finding) if replaced else finding
        return findings

    def run_whole(self) -> SessionRun | None:
        """Run the whole session; None when the submission cannot be compiled.

        Where an observer of ours takes the executor down, the session runs again without them:
        what is asked of refused steps must not keep the other steps from being tried.
        """
        run = self._whole(whole_session(self._session))
        if run is not None and _died_in_observer(run):
            self._observed = False
            run = self._whole(whole_session(self._session, observed=False))
        return run

    def _whole(self, plan: tuple[Item, ...]) -> SessionRun | None:
        modules = self._session.modules
        return self._runner.run(plan, lockstep=self._lockstep, modules=modules)

    def on_their_own(self) -> dict[str, Finding]:
        """Return a finding for each case from its own session alone."""
        return {case.id: self._on_its_own(case, whole=None) for case in self._session.cases}

    def _first_failure(
        self, case: Case, outcome: Outcome, whole: SessionRun, own: Finding
    ) -> Finding:
        """Return the finding of a failure that nothing excuses; its own session says it shorter."""
        if own.outcome.verdict is outcome.verdict:
            return own
        if own.outcome.passed:
            said = (*outcome.explanation, message("wrong.only_in_session"))
            outcome = replace(outcome, explanation=said)
        return _finding(self._session, case, outcome, whole)

    def _on_its_own(self, case: Case, whole: SessionRun | None) -> Finding:
        """Try `case` in its own session, unless `whole` began with just that."""
        if skipped := self._known_broken(case):
            return skipped
        if self._budget.spent(case.group):
            return _unrun(Verdict.NOT_RUN, "not_run.timeouts", self._expectation(case))
        if self._runner.received_bytes > MAX_SUBMISSION_REPLY_BYTES:
            return _unrun(Verdict.NOT_RUN, "not_run.replies", self._expectation(case))
        plan = own_session(self._session, case.step_index, observed=self._observed)
        if whole is not None and plan == whole.plan[: len(plan)]:
            run = whole
            self._budget.count(case.group, run)
        else:
            run = self._run(plan, case.group)
        if _died_in_observer(run):
            self._observed = False
            plan = own_session(self._session, case.step_index, observed=False)
            run = self._run(plan, case.group)
        outcome = assess(self._session, case, sights(run))
        broken = self._breakdown(case, run)
        if broken is not None:
            setup = needed_steps(self._session, case.step_index)
            self._broken[setup[: setup.index(broken) + 1]] = run
            return self._skipped(case, broken, run)
        if outcome is None:
            outcome = match(Completes(), run.imported.observation, {})
            assert not outcome.passed, "a case that was never reached has not passed"
        return _PASSED if outcome.passed else _finding(self._session, case, outcome, run)

    def _may_lie_in_stand_ins(self, own: Finding, unnamed: Finding | None) -> bool:
        """Return whether a case may have failed for something in a module that has a stand-in."""
        module = (own.cause or "").partition(".")[0]
        return unnamed is None or module in self._session.stand_ins

    def _on_stand_ins(self, case: Case, finding: Finding) -> Finding:
        """Try `case` once more with modules of ours, the last resort; else `finding` stands."""
        runner = self._stand_ins
        if (
            runner is None
            or finding.outcome.verdict in _SETTLED
            or not self._tries_the_submission(case)
            or self._budget.spent(case.group)
            or runner.received_bytes > MAX_SUBMISSION_REPLY_BYTES
        ):
            return finding
        plan = own_session(self._session, case.step_index, observed=self._observed)
        run = self._run(plan, case.group, runner)
        if not run.loaded:
            self._stand_ins = None  # nor will it for the cases to come
            return finding
        outcome = assess(self._session, case, sights(run))
        if outcome is None or not outcome.passed or self._breakdown(case, run) is not None:
            return finding
        said = (_tried_on(self._session.stand_ins), *_why_there(finding))
        return Finding(outcome=replace(PASSED, explanation=said), evidence=finding.evidence)

    def _tries_the_submission(self, case: Case) -> bool:
        """Return whether anything of the submission is left to be tried on stand-ins."""
        steps = (*needed_steps(self._session, case.step_index), case.step_index)
        read = {name for index in steps for name in names_read(self._session.steps[index].code)}
        named = read.intersection(self._session.modules)
        return not named or not named.issubset(self._session.stand_ins)

    def _not_loaded(self, case: Case, trouble: Trouble) -> Finding:
        finding = _unrun(
            Verdict.SKIPPED, "skipped.module", self._expectation(case), file=trouble.file
        )
        said = (*finding.outcome.explanation, trouble.reason)
        return replace(
            finding,
            outcome=replace(finding.outcome, explanation=said),
            cause=trouble.file,
            evidence=None if trouble.died is None else trouble.died.evidence,
        )

    def _run(
        self, plan: tuple[Item, ...], group: str, runner: SessionRunner | None = None
    ) -> SessionRun:
        # Once an executor has died there is little hope for a batch, and dying takes its time.
        lockstep = self._lockstep or self._died
        run = (runner or self._runner).run(plan, lockstep=lockstep, modules=self._session.modules)
        assert run is not None, "a program that compiled once compiles again"
        self._budget.count(group, run)
        return run

    def _expectation(self, case: Case) -> Expectation:
        expectation = self._session.steps[case.step_index].expectation
        assert expectation is not None, "a case has an expectation"
        return expectation

    def _name_missing(self, case: Case) -> Finding | None:
        steps = (*needed_steps(self._session, case.step_index), case.step_index)
        for index in steps:
            # Sorted: which name is told must not depend on the order of a set.
            read = definitions_read(self._session.steps[index].code)
            for name in sorted(read & self._missing.keys()):
                near = self._missing[name]
                key = "skipped.name_near" if near else "skipped.name"
                finding = _unrun(
                    Verdict.SKIPPED, key, self._expectation(case), name=name, near=near
                )
                return replace(finding, cause=name)
        return None

    def _known_broken(self, case: Case) -> Finding | None:
        setup = needed_steps(self._session, case.step_index)
        for length in range(1, len(setup) + 1):
            if run := self._broken.get(setup[:length]):
                return self._skipped(case, setup[length - 1], run)
        return None

    def _breakdown(self, case: Case, run: SessionRun) -> int | None:
        """Return the first set-up step of `case` that broke down in `run`."""
        broken = next(iter(breakdowns(run)), None)
        return broken if broken is not None and broken < case.step_index else None

    def _skipped(self, case: Case, broken: int, run: SessionRun) -> Finding:
        code = self._session.steps[broken].code
        finding = _unrun(Verdict.SKIPPED, "skipped.step", self._expectation(case), code=code)
        return replace(
            finding, cause=code, transcript=transcript(self._session, run, broken, broken)
        )


def _tried_on(stand_ins: tuple[str, ...]) -> Message:
    (*others, last) = stand_ins
    return message("passed.stand_ins", count=len(stand_ins), modules=", ".join(others), last=last)


def _why_there(finding: Finding) -> tuple[Message, ...]:
    """Return why the submission's own modules did not do, in a sentence."""
    said = finding.outcome.explanation
    return tuple(each for each in said if each.key != "skipped.module")[:1]


def _unrun(verdict: Verdict, key: str, expectation: Expectation, **parameters: str) -> Finding:
    outcome = Outcome(
        verdict=verdict,
        explanation=(message(key, **parameters),),
        expected=expected_text(expectation),
    )
    return Finding(outcome=outcome)


def _finding(session: Session, case: Case, outcome: Outcome, run: SessionRun) -> Finding:
    frame = evidence = None
    too_deep = False
    for item, observation in zip(run.plan, run.observations, strict=False):
        if item.step_index == case.step_index:
            match observation.outcome:
                case Raised(frames=(*_, last), type_names=types):
                    frame, too_deep = last, "RecursionError" in types
                case Died(evidence=facts):
                    evidence = facts
    return Finding(
        outcome=outcome,
        transcript=transcript(session, run, case.step_index),
        frame=frame,
        evidence=evidence,
        too_deep=too_deep and outcome.verdict is Verdict.ERROR,
    )


def _died_in_observer(run: SessionRun) -> bool:
    """Return whether the run ended before a refused step, in a look at what it must not change."""
    return died(run) and run.plan[len(run.observations) - 1].role is Role.BEFORE


def _lost_setup(session: Session, run: SessionRun) -> set[int]:
    """Return the steps that are only there for later ones, and broke down.

    What builds on them was not tried: who refuses everything would refuse the right thing too.
    """
    return {step for step in breakdowns(run) if session.steps[step].expectation is None}
