"""Detects flaky cases, whose result depends on the seed.

A seed fixes everything that varies: the order of sets of strings, random numbers, the date. So the
record of a submission is always the same. But a program that loops over such a set can be right
with one seed and wrong with the next, at home and in the exam alike. So a submission whose code
mentions sources of luck is run with several seeds:

1.  The seeds rotate from session to session. If a suite has fewer sessions than seeds, each session
    is run with one more seed.
2.  A session with a failed case is run with one more seed as well.
3.  Once a result has differed, every session is run with the other seeds until its results differ.

A run that died is not repeated, and a seed is not used again once a run with that seed has died,
because deaths take long. A session that dies with another seed is run again with the seed of the
marks, as the death proves nothing. But a program could exit on purpose with every seed but ours,
and so hide its luck. So staff get a remark if the submission survived with none of the other seeds.

A repetition is not a second chance. A case that passes with one seed and fails with another has not
passed. If a case fails in two ways, its explanation shows both.

Nothing here depends on a clock, so that the same submission always gets the same record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, TypeAlias

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, executor_died, observations_by_step
from grader.judging.printing import expected_text
from grader.judging.results import Result, Results, TrialResult
from grader.judging.trial import Trial
from grader.judging.trials import Trials
from grader.messages import Message, message
from grader.sandbox.program import FlakeSources, Program
from grader.sandbox.session_runs import SessionRun, count_time_outs_twice
from grader.sandbox.sessions import SessionRunner
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

OTHER_SEEDS: Final = (1, 2)
"""Half of all seeds keep the order of a set of two strings, so both of these seeds keep it for one
such set in four."""
SEEDS: Final = 1 + len(OTHER_SEEDS)
Runners: TypeAlias = Callable[[], Sequence[SessionRunner]]
"""Returns a runner for each of `OTHER_SEEDS`. Starts their sandboxes if necessary."""

_FAILED: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
_POSSIBLY_LUCK: Final = _FAILED | {Verdict.PASSED}
"""Verdicts that can be due to luck. All other verdicts are due to limits or to another case."""
_SHOWN_CHARS: Final = 120


class FlakeGuard:
    """Removes luck from the results of one submission, session by session."""

    def __init__(
        self,
        sessions: Sequence[Session],
        program: Program,
        own_modules: Collection[str],
        marks: Trials,
        runners: Runners,
    ) -> None:
        """Guard the results of `program` in `sessions`.

        `own_modules` are the modules that the student wrote. `marks` runs the program with the
        seed of the marks; `runners` returns the runners for the other seeds. It is called, and so
        starts their sandboxes, only when the first of them is needed.
        """
        self._program: Final = program
        self._own_modules: Final = own_modules
        self._marks: Final = _SeededTrials(marks)
        self._runners: Final = runners
        self._turns: Final = {
            part.id: turn
            for turn, session in enumerate(sessions)
            for part in (session.parts or (session,))
        }
        """The position of each session, or of the session that it is a part of, by session id."""
        self._takes_turns: Final = len(sessions) >= SEEDS
        self._seed_by_session: Final[dict[str, _SeededTrials]] = {}
        """The trials that each session was last run with as a whole, by session id."""
        self._stable_sessions: Final[list[tuple[TrialResult, Results]]] = []
        """Sessions whose results have not differed between seeds so far, with these results."""
        self.is_lucky = False
        """Whether a result has differed with another seed."""

    @property
    def mentions(self) -> FlakeSources:
        """The sources of luck that the student's code mentions.

        Modules that have not been surveyed are assumed to mention all of them.
        """
        program = self._program
        # Modules that do not compile never run, so they cannot depend on luck.
        by_module = dict.fromkeys(program.errors, FlakeSources(sets=False, randomness=False))
        by_module |= program.mentions
        all_sources = FlakeSources(sets=True, randomness=True)
        mentions = [by_module.get(name, all_sources) for name in self._own_modules]
        return FlakeSources(
            sets=any(mention.sets for mention in mentions),
            randomness=any(mention.randomness for mention in mentions),
        )

    @cached_property
    def _seeds(self) -> Sequence[_SeededTrials]:
        """The trials with the seed of the marks, then those with each of the other seeds.

        The first access starts the sandboxes of the other seeds.
        """
        with_runner = self._marks.trials.with_runner
        return [self._marks, *(_SeededTrials(with_runner(runner)) for runner in self._runners())]

    def expect(self, session: Session, alone: Collection[Case] = ()) -> None:
        """Announce that `session` will run with its seed in the rotation; see `Trials.expect`.

        `alone` are cases of the session that have failed. If there are any and the submission
        mentions sources of luck, a run with the next seed is announced, too.
        """
        self._seeded_trials_for(session).trials.expect(session, alone)
        if alone and any(self.mentions):
            next_trials = next(self._seeds_in_turn(session))
            if not next_trials.has_ended():
                next_trials.trials.expect(session)

    def peek_lot_run(self, session: Session) -> SessionRun | None:
        """Return the run of `session` in a lot, with its seed; see `Trials.pop_lot_run`."""
        return self._seeded_trials_for(session).trials.peek_lot_run(session)

    def _seeded_trials_for(self, session: Session) -> _SeededTrials:
        """Return the trials to run `session` with.

        These are the trials with the session's seed in the rotation, if the submission mentions
        sources of luck and can still run with that seed. Otherwise they are the trials with the
        seed of the marks.
        """
        turn = self._turn_of(session)
        if turn and self._takes_turns and any(self.mentions) and not self._seeds[turn].has_ended():
            return self._seeds[turn]
        return self._marks

    def run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session` or its parts with its seed in the rotation; return the trial and the runs.

        If a run dies with another seed, run the session again with the seed of the marks.
        """
        seeded = self._seeded_trials_for(session)
        if seeded is not self._marks:
            trial, runs = seeded.run_whole(session)
            # Once the budget is spent, no run is possible with any seed.
            if not seeded.died or seeded.over_budget:
                self._record_seed(session, seeded)
                return trial, runs
            # The run with the seed of the marks is likely to time out as well: raise the price now.
            count_time_outs_twice(runs, self._marks.trials.runner.prices)
        self._record_seed(session, self._marks)
        trial = self._marks.trials.trial_of(session)
        runs = trial.run_whole()
        if seeded is not self._marks:
            seeded.died_alone = _all_survived(runs)
        return trial, runs

    def _record_seed(self, session: Session, seeded: _SeededTrials) -> None:
        """Record the seed that `session` and its parts were run with."""
        self._seed_by_session.update((part.id, seeded) for part in (session, *session.parts))

    def correct_for_luck(self, attempt: TrialResult, results: Results) -> Results:
        """Return the `results` of `attempt`, corrected if runs with other seeds differ.

        Runs `attempt` with other seeds if its results could be luck. Results that have not differed
        are recorded for `corrections_for_earlier_sessions`.
        """
        verdicts = {result.verdict for result in results.values()}
        if executor_died(attempt.run) or not verdicts & _POSSIBLY_LUCK or not any(self.mentions):
            return results
        if self.is_lucky:
            return self._repeat(attempt, results, once=False)
        corrected = results
        # If the seeds rotate, a session in which nothing failed is not run a second time.
        if not (self._takes_turns and _FAILED.isdisjoint(verdicts)):
            corrected = self._repeat(attempt, results, once=True)
        if corrected is results:
            self.record_stable(attempt, results)
        return corrected

    def record_stable(self, attempt: TrialResult, results: Results) -> None:
        """Record `results` of a session that have not differed between seeds so far."""
        self._stable_sessions.append((attempt, results))

    def corrections_for_earlier_sessions(self) -> Results:
        """Return corrected results of sessions that ran before the first difference was detected.

        Runs these sessions with the other seeds. Returns {} if no result has differed.
        """
        if not self.is_lucky:
            return {}
        repeated = (
            self._repeat(attempt, results, once=False) for attempt, results in self._stable_sessions
        )
        return {case: result for results in repeated for case, result in results.items()}

    def _repeat(self, attempt: TrialResult, results: Results, *, once: bool) -> Results:
        """Run `attempt` with other seeds; return its `results`, corrected if a run differs.

        Stops once results differ, or after the first completed run if `once`. Sets `is_lucky` if
        results differ.
        """
        session = attempt.session
        for seeded in self._seeds_in_turn(session):
            if seeded is self._seed_by_session[session.id]:
                continue
            other_results = seeded.results(attempt, results)
            if any(
                _differ(result, other_results.get(case, result)) for case, result in results.items()
            ):
                self.is_lucky = True
                return {
                    case.id: self._merge(session, case, results[case.id], other_results[case.id])
                    for case in session.cases
                }
            # If this run has died, it shows nothing about luck: try the next seed.
            if once and not seeded.has_ended():
                break
        return results

    def _seeds_in_turn(self, session: Session) -> Iterator[_SeededTrials]:
        """Yield the trials with each seed, ending with the seed of `session` in the rotation."""
        for offset in range(1, 1 + SEEDS):
            yield self._seeds[(self._turn_of(session) + offset) % SEEDS]

    def _turn_of(self, session: Session) -> int:
        """Return the index of the seed of `session` in the rotation; joined sessions share one."""
        first, *_ = session.parts or (session,)
        return self._turns[first.id] % SEEDS

    def staff_remarks(self) -> tuple[Message, ...]:
        """Return a remark for staff if the submission survived with none of the other seeds.

        Call this after the last session.
        """
        were_used = "_seeds" in vars(self)  # reading the cached property would start sandboxes
        if were_used and all(
            seeded.died_alone for seeded in self._seeds if seeded is not self._marks
        ):
            return (message("staff.unrepeatable"),)
        return ()

    def _merge(self, session: Session, case: Case, result: Result, other_result: Result) -> Result:
        """Return the final result of `case`, merged from its results with two seeds.

        A case that passes with only one seed is WRONG. The explanation contains both answers.
        """
        if not _differ(result, other_result):
            return result
        explanation = (
            _likely_reason(self.mentions),
            *_answers_message(session, case, result, other_result),
        )
        if result.passed:
            # Not `too_deep`: the explanation is luck, so the recursion is not traced as well.
            return replace(
                other_result, verdict=Verdict.WRONG, explanation=explanation, too_deep=False
            )
        # The case is half right only if both results are.
        is_half_right = result.is_half_right and other_result.is_half_right
        return replace(
            result, explanation=(*result.explanation, *explanation), is_half_right=is_half_right
        )


class _SeededTrials:
    """The trials of one submission with one seed, and whether any of them died."""

    def __init__(self, trials: Trials) -> None:
        self.trials: Final = trials
        self.died = False
        """Whether a run died or could not be loaded. In that case, this seed is no longer used."""
        self.died_alone = False
        """Whether a session that died with this seed finished with the seed of the marks."""

    def has_ended(self) -> bool:
        """Return whether this seed is no longer used: a run died, or the budget is spent."""
        return self.died or self.over_budget

    @property
    def over_budget(self) -> bool:
        """Whether the submission has used up its budget."""
        return self.trials.runner.why_exhausted is not None

    def run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session`, or all its parts, and record any death; return the trial and the runs."""
        trial = self.trials.trial_of(session)
        runs = trial.run_whole()
        self.died = not _all_survived(runs)
        return trial, runs

    def results(self, attempt: TrialResult, known: Results) -> Results:
        """Run the session of `attempt` with this seed; return the result of each case.

        Return {} if the run agrees with the `known` results, if it does not complete, or if this
        seed is no longer used. Records any death.
        """
        if self.has_ended():
            return {}
        trial, (run,) = self.run_whole(attempt.session)
        self.died_alone = self.died  # `attempt` itself, with another seed, did not die
        if self.has_ended():
            return {}
        checker = self.trials.checker
        current = _results_in(attempt.session, run, checker)
        all_passed = all(result.passed for result in known.values())
        # The known results of failed cases can come from their own sessions: compare whole runs.
        if current == (known if all_passed else _results_in(attempt.session, attempt.run, checker)):
            return {}
        return trial.results(attempt._replace(run=run))


def _all_survived(runs: Sequence[SessionRun]) -> bool:
    """Return whether the submission was loaded and none of `runs` died."""
    return runs[0].is_loaded and not any(map(executor_died, runs))


def _likely_reason(mentions: FlakeSources) -> Message:
    """Return a message with the likely reason why results differ, based on `mentions`."""
    if mentions.sets:
        return message("flakes.either" if mentions.randomness else "flakes.order")
    return message("flakes.chance")


def _results_in(
    session: Session, run: SessionRun, checker: AnswerChecker
) -> Mapping[str, Result | None]:
    """Return the result of each case in `run`, by case id; None for cases it did not reach."""
    observations = observations_by_step(run, checker.outcomes(session.steps, run))
    return {case.id: assess(session, case, observations) for case in session.cases}


def _differ(first: Result, second: Result) -> bool:
    """Return whether two results of a case prove that it depends on luck."""
    if (first.passed and second.passed) or not {first.verdict, second.verdict} <= _POSSIBLY_LUCK:
        return False
    return first.verdict is not second.verdict or first.got != second.got


def _answers_message(
    session: Session, case: Case, result: Result, other_result: Result
) -> tuple[Message, ...]:
    """Return a message with the answers of both runs, or () if they are unknown or equal."""
    first, second = (_shown_answer(session, case, r) for r in (result, other_result))
    if first is None or second is None or first == second:
        return ()
    answers = message(
        "flakes.answers", one=one_line(first, _SHOWN_CHARS), other=one_line(second, _SHOWN_CHARS)
    )
    return (answers,)


def _shown_answer(session: Session, case: Case, result: Result) -> str | None:
    """Return the answer in `result`, or the expected one if the case passed; None if unknown."""
    if not result.passed:
        return result.got
    expectation = session.steps[case.step_index].expectation
    return None if expectation is None else expected_text(expectation)
