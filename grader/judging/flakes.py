"""Finds flaky cases: those whose result depends on the seed.

Everything is pinned to a seed: the order of sets of text, random numbers, the date. So the record
of a submission is always the same. But a program that loops over such a set may be right with one
seed and wrong with the next, at home as in the exam. So a submission whose code mentions sources of
luck is run with several seeds:

1.  its sessions take turns at the seeds; where a suite has fewer sessions than seeds, each is run
    with one more seed;
2.  so is a session with a failed case;
3.  once a result has differed, every session is run with the seeds until its results differ too.

A run that died is not repeated, and a seed is not used again after a run died with it: that took
long enough. A session that dies with another seed is run again with the seed of the marks: the
death proves nothing. But a program that exits on purpose with any seed but ours would keep its
luck, so staff get a remark when it survived none of the others.

A repetition is not a second chance. A case that passes with one seed and fails with another has not
passed. A case that fails in two ways has failed, and its explanation shows both.

No clock decides anything here: the same submission has the same record, repetitions included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, TypeAlias

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, died, observed
from grader.judging.printing import expected_text
from grader.judging.results import Result, Results, TrialResult
from grader.judging.trial import Trial, Trials
from grader.messages import Message, message
from grader.sandbox.program import FlakeSources, Program
from grader.sandbox.session_runs import SessionRun, pay_again
from grader.sandbox.sessions import SessionRunner
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.values.foreign_text import one_line
from grader.verdict import Verdict

OTHER_SEEDS: Final = (1, 2)
"""A set of two texts keeps its order with half of all seeds; with both of these, a quarter."""
SEEDS: Final = 1 + len(OTHER_SEEDS)
Runners: TypeAlias = Callable[[], Sequence[SessionRunner]]
"""Returns a runner for each of `OTHER_SEEDS`, starting their sandboxes if need be."""

_FAILED: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
_SETTLED_BY_LUCK: Final = _FAILED | {Verdict.PASSED}
"""Verdicts that may be luck. The others come from limits, or from another case."""
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
        """Guard `program` in its `sessions`; its `own_modules` are the student's.

        `marks` tries it with the seed of the marks, `runners` with the others.
        """
        self._program: Final = program
        self._own_modules: Final = own_modules
        self._marks: Final = _Seeded(marks)
        self._runners: Final = runners
        self._turns: Final = {
            each.id: turn
            for turn, session in enumerate(sessions)
            for each in (session.parts or (session,))
        }
        self._takes_turns: Final = len(sessions) >= SEEDS
        self._seed_of: Final[dict[str, _Seeded]] = {}
        self._undiffering: Final[list[tuple[TrialResult, Results]]] = []
        """Sessions whose results have not differed between seeds so far."""
        self.is_lucky = False
        """Whether a result has differed with another seed."""

    @property
    def mentions(self) -> FlakeSources:
        """The sources of luck that the student's code mentions; all of them for unsurveyed code."""
        program = self._program
        # Modules that do not compile never run, so they mention nothing.
        known = dict.fromkeys(program.errors, FlakeSources(sets=False, chance=False))
        known |= program.mentions
        anything = FlakeSources(sets=True, chance=True)
        found = [known.get(name, anything) for name in self._own_modules]
        sets, chance = any(each.sets for each in found), any(each.chance for each in found)
        return FlakeSources(sets=sets, chance=chance)

    @cached_property
    def _seeds(self) -> Sequence[_Seeded]:
        """The submission with the seed of the marks, then with each other seed."""
        of_runner = self._marks.trials.of_runner
        return [self._marks, *(_Seeded(of_runner(runner)) for runner in self._runners())]

    def expect(self, session: Session, alone: Collection[Case] = ()) -> None:
        """Announce that `session` will run with the seed whose turn it is; see `Trials.expect`.

        If cases of it fail, it will run with the next seed, too.
        """
        self._on_turn(session).trials.expect(session, alone)
        if alone and any(self.mentions):
            following = next(self._seeds_in_turn(session))
            if not following.is_over():
                following.trials.expect(session)

    def kept(self, session: Session) -> SessionRun | None:
        """Return how `session` went in a lot with the seed whose turn it is; see `Trials.kept`."""
        return self._on_turn(session).trials.kept(session)

    def _on_turn(self, session: Session) -> _Seeded:
        """Return the submission with the seed whose turn it is, or with that of the marks."""
        turn = self._turn_of(session)
        if turn and self._takes_turns and any(self.mentions) and not self._seeds[turn].is_over():
            return self._seeds[turn]
        return self._marks

    def run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session`, or its parts, with the seed whose turn it is; return trial and runs.

        If it dies, it runs again with the seed of the marks.
        """
        seeded = self._on_turn(session)
        if seeded is not self._marks:
            trial, runs = seeded.run_whole(session)
            # A spent budget allows no further run, with any seed.
            if not seeded.died or seeded.over_budget:
                self._record_seed(session, seeded)
                return trial, runs
            # The seed of the marks will most likely time out too: raise the price beforehand.
            pay_again(runs, self._marks.trials.runner.prices)
        self._record_seed(session, self._marks)
        trial = self._marks.trials.of(session)
        runs = trial.run_whole()
        if seeded is not self._marks:
            seeded.died_alone = _survived(runs)
        return trial, runs

    def _record_seed(self, session: Session, seeded: _Seeded) -> None:
        """Record the seed that `session` and its parts were run with."""
        self._seed_of.update((each.id, seeded) for each in (session, *session.parts))

    def guarded(self, attempt: TrialResult, results: Results) -> Results:
        """Return the `results` of `attempt`, corrected for luck found so far."""
        verdicts = {result.verdict for result in results.values()}
        if died(attempt.run) or not verdicts & _SETTLED_BY_LUCK or not any(self.mentions):
            return results
        if self.is_lucky:
            return self._repeated(attempt, results, once=False)
        settled = results
        if not (self._takes_turns and _FAILED.isdisjoint(verdicts)):
            settled = self._repeated(attempt, results, once=True)
        if settled is results:
            self.note(attempt, results)
        return settled

    def note(self, attempt: TrialResult, results: Results) -> None:
        """Record `results` of a session that have not differed between seeds so far."""
        self._undiffering.append((attempt, results))

    def late_corrections(self) -> Results:
        """Return corrected results of earlier sessions, if luck was found in a later one."""
        if not self.is_lucky:
            return {}
        repeated = (self._repeated(*each, once=False) for each in self._undiffering)
        return {case: result for results in repeated for case, result in results.items()}

    def _repeated(self, attempt: TrialResult, results: Results, *, once: bool) -> Results:
        """Return `results`, corrected by running other seeds, `once` or until results differ.

        Sets `is_lucky` if they do.
        """
        session = attempt.session
        for seeded in self._seeds_in_turn(session):
            if seeded is self._seed_of[session.id]:
                continue
            others = seeded.results(attempt, results)
            if any(_differ(result, others.get(case, result)) for case, result in results.items()):
                self.is_lucky = True
                return {
                    case.id: self._merged(session, case, results[case.id], others[case.id])
                    for case in session.cases
                }
            if once and not seeded.is_over():
                break
        return results

    def _seeds_in_turn(self, session: Session) -> Iterator[_Seeded]:
        """Yield the submission with each seed, ending with the one whose turn it is."""
        for offset in range(1, 1 + SEEDS):
            yield self._seeds[(self._turn_of(session) + offset) % SEEDS]

    def _turn_of(self, session: Session) -> int:
        """Return the index of the seed whose turn it is; joined sessions share one."""
        first, *_ = session.parts or (session,)
        return self._turns[first.id] % SEEDS

    def staff_remarks(self) -> tuple[Message, ...]:
        """Return remarks for staff; call it after the last session."""
        was_needed = "_seeds" in vars(self)  # reading the cached property would start sandboxes
        if was_needed and all(each.died_alone for each in self._seeds if each is not self._marks):
            return (message("staff.unrepeatable"),)
        return ()

    def _merged(self, session: Session, case: Case, result: Result, other: Result) -> Result:
        """Return the final `result` of `case`, given the `other` one from another seed."""
        if not _differ(result, other):
            return result
        explanation = (_why(self.mentions), *_both_answers(session, case, result, other))
        if result.passed:
            return replace(other, verdict=Verdict.WRONG, explanation=explanation, too_deep=False)
        # Half the points only if every seed earns at least half.
        both_half = result.is_half_right and other.is_half_right
        return replace(
            result, explanation=(*result.explanation, *explanation), is_half_right=both_half
        )


class _Seeded:
    """One submission with one seed."""

    def __init__(self, trials: Trials) -> None:
        self.trials: Final = trials
        self.died = False
        """Whether a run died or could not be loaded, which proves nothing with this seed."""
        self.died_alone = False
        """Whether the same session ran to its end with the seed of the marks."""

    def is_over(self) -> bool:
        """Return whether to stop running it: it has died, or used up the budget."""
        return self.died or self.over_budget

    @property
    def over_budget(self) -> bool:
        """Whether the submission has used up its budget."""
        return self.trials.runner.spent is not None

    def run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session`, or all its parts; return trial and runs. Records whether one died."""
        trial = self.trials.of(session)
        runs = trial.run_whole()
        self.died = not _survived(runs)
        return trial, runs

    def results(self, attempt: TrialResult, known: Results) -> Results:
        """Return the result of each case of `attempt`; empty if this run shows what is `known`.

        Also empty if this run does not come to its end.
        """
        if self.is_over():
            return {}
        trial, (run,) = self.run_whole(attempt.session)
        self.died_alone = self.died
        if self.is_over():
            return {}
        checker, current = (
            self.trials.checker,
            _results_in(attempt.session, run, self.trials.checker),
        )
        all_passed = all(result.passed for result in known.values())
        # Results of failed cases may come from their own sessions: compare the whole runs instead.
        if current == (known if all_passed else _results_in(attempt.session, attempt.run, checker)):
            return {}
        return trial.results(attempt._replace(run=run))


def _survived(runs: Sequence[SessionRun]) -> bool:
    """Return whether the submission could be loaded and no run died."""
    return runs[0].loaded and not any(map(died, runs))


def _why(mentions: FlakeSources) -> Message:
    """Return the likely reason why results differ, judged by what the code mentions."""
    if mentions.sets:
        return message("flakes.either" if mentions.chance else "flakes.order")
    return message("flakes.chance")


def _results_in(
    session: Session, run: SessionRun, checker: AnswerChecker
) -> Mapping[str, Result | None]:
    """Return the result of each case in `run`; None for cases it never reached."""
    observations = observed(run, checker.outcomes(session.steps, run))
    return {case.id: assess(session, case, observations) for case in session.cases}


def _differ(one: Result, other: Result) -> bool:
    """Return whether two results of a case prove that it depends on luck."""
    if (one.passed and other.passed) or not {one.verdict, other.verdict} <= _SETTLED_BY_LUCK:
        return False
    return one.verdict is not other.verdict or one.got != other.got


def _both_answers(session: Session, case: Case, one: Result, other: Result) -> tuple[Message, ...]:
    """Return a sentence with the answers of both runs, if both can be shown and differ."""
    first, second = (_answer(session, case, result) for result in (one, other))
    if first is None or second is None or first == second:
        return ()
    shown = message(
        "flakes.answers", one=one_line(first, _SHOWN_CHARS), other=one_line(second, _SHOWN_CHARS)
    )
    return (shown,)


def _answer(session: Session, case: Case, result: Result) -> str | None:
    if not result.passed:
        return result.got
    expectation = session.steps[case.step_index].expectation
    return None if expectation is None else expected_text(expectation)
