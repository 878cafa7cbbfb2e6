"""Finds the shortest known session in which a submission fails a case, to show it on pages.

For each case, a suite can list which earlier steps suffice, and the right answer after them if it
differs. `grader derive` has run these sessions on the reference, so their answers are known. They
are run here on the submission, shortest first. Everything shown, including drawn calls, comes from
a real run. Points do not change.
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
from grader.judging.record import CaseResult
from grader.judging.recording import Recorder
from grader.judging.results import TrialResult, fail_alike
from grader.judging.trial import ONLY_IN_SESSION
from grader.judging.trials import Trials
from grader.sandbox.planning import needed_steps
from grader.sandbox.sandbox import Sandbox
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.suite.steps import Case, Shorter
from grader.verdict import Verdict, Visibility

_QUICK_FAILURES: Final = frozenset(
    {Verdict.WRONG, Verdict.ERROR, Verdict.EXITED, Verdict.FORBIDDEN}
)
"""Verdicts of failures that are quick to reproduce."""
_EXPECTATION_FIELDS: Final = ("returns", "stdout", "shows", "accepts", "raises", "also")
"""Fields with the expectation of a step. It applies only at its position in the whole session."""


def expand_alternatives(session: Session, shorter: Shorter) -> list[Shorter]:
    """Return `shorter` once for each of the alternative steps in `one_of`, latest step first.

    Each copy runs its alternative step after the steps that the alternative needs. If there are no
    alternatives, return only `shorter` itself.
    """
    if shorter.one_of is None:
        return [shorter]
    expansion = []
    for number in reversed(shorter.one_of):
        needed = needed_steps(session, number - 1)
        binding_steps = {index + 1 for index in needed if session.steps[index].binds}
        after = tuple(sorted({*shorter.after, *binding_steps, number}))
        expansion.append(shorter.with_changes(after=after, one_of=None))
    return expansion


def shorter_session(session: Session, case: Case, shorter: Shorter) -> Session:
    """Return `session` reduced to the steps in `shorter` and the step of `case`.

    The expectation is replaced with the right answer after these steps, if `shorter` has one.
    """
    final_step = session.steps[case.step_index]
    answer_fields = {
        key: value for key in ("returns", "stdout") if (value := getattr(shorter, key))
    }
    if answer_fields:
        # Alternatives in `also` belong to the replaced answer.
        final_step = final_step.with_changes(**{"also": None, **answer_fields})
    no_case = dict.fromkeys(("group", "case", *_EXPECTATION_FIELDS))
    before = (session.steps[number - 1].with_changes(**no_case) for number in shorter.after)
    steps = (*before, final_step)
    moved_case = Case(id=case.id, group=case.group, step_index=len(steps) - 1)
    return session.with_changes(steps=steps, cases=(moved_case,))


def find_shortest_failure(
    suite: Suite, submission: Submission, case: CaseResult, sandbox: Sandbox
) -> CaseResult | None:
    """Return the failure of `case` in the shortest session that reproduces it.

    Return None if no shorter session in the suite does, or if the modules cannot be loaded. Runs
    sessions in `sandbox`.
    """
    sessions = [*_candidate_sessions(suite, case)]
    if not sessions:
        return None
    runner = runner_for(suite, submission, sandbox)
    trials = Trials(suite, runner, AnswerChecker(suite, sandbox))
    recorder = Recorder(suite, submission, sandbox.isolation)
    for session in sessions:
        trial = trials.trial_of(session)
        (run,) = trial.run_whole()
        if not run.is_loaded:
            return None
        (session_case,) = session.cases
        results = trial.results(TrialResult(session, run, {}))
        example = Counterexample(session=session, case=session_case, result=results[case.id])
        shortened = recorder.example(example)
        if not fail_alike(shortened, case):
            continue
        if suite.widgets.traced_function(case.group) is None:
            return shortened
        drawer = call_drawer(suite, runner, submission.parts)
        results_with_calls = drawer.draw_calls(session, results)
        return recorder.example(replace(example, result=results_with_calls[case.id]))
    return None


def _candidate_sessions(suite: Suite, shown_case: CaseResult) -> Iterable[Session]:
    """Yield sessions with fewer steps than the transcript of the case `shown_case`, shortest first.

    Sessions with a step from `one_of` are for submissions that fail only after steps that the case
    does not need.
    """
    if shown_case.verdict not in _QUICK_FAILURES or shown_case.visibility is not Visibility.PUBLIC:
        return
    fails_only_after_others = any(
        reason.key == ONLY_IN_SESSION for reason in shown_case.explanation
    )
    for session, case in suite.cases[shown_case.group]:
        if case.id == shown_case.id:
            candidates = session.steps[case.step_index].shorter or ()
            fitting = (c for c in candidates if (c.one_of is not None) is fails_only_after_others)
            expansions = (
                e for candidate in fitting for e in expand_alternatives(session, candidate)
            )
            for shorter in sorted(expansions, key=lambda expansion: len(expansion.after)):
                # The session must be shorter than the transcript that is shown already.
                if len(shorter.after) + 1 < len(shown_case.transcript):
                    yield shorter_session(session, case, shorter)
