"""Finds the shortest known session in which a submission fails a case, to be shown on pages.

A suite may list, for a case, which earlier steps suffice, and the right answer there if it differs:
`grader derive` has tried these sessions on the reference, so their answers are known. Here they are
tried on the submission, the shortest first. Everything shown, drawn calls included, comes from a
real run. Points do not change.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from grader.intake.submission import Submission
from grader.judging.answers import AnswerChecker
from grader.judging.counterexamples import Counterexample
from grader.judging.picture_making import call_drawer
from grader.judging.preparing import runner_for
from grader.judging.record import CaseResult, fails_alike
from grader.judging.recording import Recorder
from grader.judging.results import TrialResult
from grader.judging.trial import ONLY_IN_SESSION, Trials
from grader.sandbox.planning import needed_steps
from grader.sandbox.sandbox import Sandbox
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Shorter
from grader.verdict import Verdict, Visibility

_SHORTENED: Final = frozenset({Verdict.WRONG, Verdict.ERROR, Verdict.EXITED, Verdict.FORBIDDEN})
"""Verdicts of failures that are quick to reproduce."""
_EXPECTATION_FIELDS: Final = ("returns", "stdout", "shows", "accepts", "raises", "also")
"""Fields that hold the expectation of a step at its place in the whole session."""


def expanded(session: Session, shorter: Shorter) -> list[Shorter]:
    """Return one entry for each step in `shorter.one_of`, the latest step first."""
    if shorter.one_of is None:
        return [shorter]
    several = []
    for number in reversed(shorter.one_of):
        needed = needed_steps(session, number - 1)
        binding = {index + 1 for index in needed if session.steps[index].binds}
        after = tuple(sorted({*shorter.after, *binding, number}))
        several.append(shorter.changed(after=after, one_of=None))
    return several


def shorter_session(session: Session, case: Case, shorter: Shorter) -> Session:
    """Return `session` cut down to the steps in `shorter` and `case`, with its right answer."""
    asked = session.steps[case.step_index]
    answers = {key: value for key in ("returns", "stdout") if (value := getattr(shorter, key))}
    if answers:
        # Alternatives belong to the answer that is replaced.
        asked = asked.changed(**{"also": None, **answers})
    no_case = dict.fromkeys(("group", "case", *_EXPECTATION_FIELDS))
    before = (session.steps[number - 1].changed(**no_case) for number in shorter.after)
    steps = (*before, asked)
    placed = Case(id=case.id, group=case.group, step_index=len(steps) - 1)
    return session.changed(steps=steps, cases=(placed,))


def shortest(
    suite: Suite, submission: Submission, case: CaseResult, sandbox: Sandbox
) -> CaseResult | None:
    """Return the failure of `case` in the shortest session that shows it, or None."""
    sessions = [*_sessions_of(suite, case)]
    if not sessions:
        return None
    runner = runner_for(suite, submission, sandbox)
    trials = Trials(suite, runner, AnswerChecker(suite, sandbox))
    recorder = Recorder(suite, submission, sandbox.isolation)
    for session in sessions:
        trial = trials.of(session)
        (run,) = trial.run_whole()
        if not run.loaded:
            return None
        (placed,) = session.cases
        results = trial.results(TrialResult(session, run, {}))
        example = Counterexample(session=session, case=placed, result=results[case.id])
        shortened = recorder.example(example)
        if not fails_alike(shortened, case):
            continue
        if suite.widgets.traced(case.group) is None:
            return shortened
        drawn = call_drawer(suite, runner, submission.parts).drawn(session, results)
        return recorder.example(replace(example, result=drawn[case.id]))
    return None


def _sessions_of(suite: Suite, shown: CaseResult) -> Iterable[Session]:
    """Yield the sessions that are shorter than the transcript of the case `shown`.

    Those with `one_of` are for submissions that fail only after steps that the case does not need.
    """
    if shown.verdict not in _SHORTENED or shown.visibility is not Visibility.PUBLIC:
        return
    after_others = any(reason.key == ONLY_IN_SESSION for reason in shown.explanation)
    for session, case in suite.cases[shown.group]:
        if case.id == shown.id:
            candidates = session.steps[case.step_index].shorter or ()
            fitting = (each for each in candidates if (each.one_of is not None) is after_others)
            several = (one for each in fitting for one in expanded(session, each))
            for shorter in sorted(several, key=lambda one: len(one.after)):
                # Only if it beats the transcript that is shown already.
                if len(shorter.after) + 1 < len(shown.transcript):
                    yield shorter_session(session, case, shorter)
