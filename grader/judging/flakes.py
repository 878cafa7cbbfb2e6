"""Finds what is right or wrong by luck: cases that come out otherwise with another seed.

Everything is pinned to a seed: the order of sets of text, chance, the date. So the record of a
submission is always the same. But a program that loops over such a set may be right with one seed
and wrong with the next, at home as in the exam. So a submission is run with more than one, where
its code mentions what may differ from run to run:

1.  its sessions take turns at the seeds; where a suite has fewer sessions than there are seeds,
    each is run with one more;
2.  so is a session with a case that failed;
3.  once something has differed, every session is run with all of them, until one shows more.

Nothing is run again that has died, and no more with a seed with which a run has died: that took
long enough. A session that dies with another seed than that of the marks is run with that one, as
if it had never had its turn. That proves nothing. But a program that ends on purpose with any seed
but ours would keep its luck, so staff are told when it survived none of the others.

A repetition is no second chance. A case that passes with one seed and fails with another has not
passed. One that fails in two ways has failed, and is told that too.

What a clock tells decides on nothing here. The same submission has the same record, and that holds
for what its repetitions found as well.
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
"""A set of two texts has the same order with half of all seeds; with both of these, a quarter."""
SEEDS: Final = 1 + len(OTHER_SEEDS)
Runners: TypeAlias = Callable[[], Sequence[SessionRunner]]
"""Gives what runs the submission with each of `OTHER_SEEDS`, which may have to be started first."""

_FAILED: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
_SETTLED_BY_LUCK: Final = _FAILED | {Verdict.PASSED}
"""Verdicts that may be a matter of luck. The others tell of limits, or of another case."""
_SHOWN_CHARS: Final = 120


class FlakeGuard:
    """Looks after the luck of one submission, session by session."""

    def __init__(
        self,
        sessions: Sequence[Session],
        program: Program,
        own_modules: Collection[str],
        marks: Trials,
        runners: Runners,
    ) -> None:
        """Guard `program`, of which the `own_modules` are the student's, in its `sessions`.

        `marks` try it with the seed of the marks, and `runners` run it with the others.
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
        self._steady: Final[list[tuple[TrialResult, Results]]] = []
        """Sessions in which no luck has shown itself so far."""
        self.is_lucky = False
        """Whether a case came out otherwise with another seed."""

    @property
    def mentions(self) -> FlakeSources:
        """What the student's code mentions that may differ; of code that is not known, anything."""
        program = self._program
        known = dict.fromkeys(program.errors, FlakeSources(sets=False, chance=False))
        known |= program.mentions
        anything = FlakeSources(sets=True, chance=True)
        found = [known.get(name, anything) for name in self._own_modules]
        sets, chance = any(each.sets for each in found), any(each.chance for each in found)
        return FlakeSources(sets=sets, chance=chance)

    @cached_property
    def _seeds(self) -> Sequence[_Seeded]:
        """The submission with the seed of the marks, and with each other one."""
        of_runner = self._marks.trials.of_runner
        return [self._marks, *(_Seeded(of_runner(runner)) for runner in self._runners())]

    def expect(self, session: Session, alone: Collection[Case] = ()) -> None:
        """Say that `session` will run with the seed whose turn it is; see `Trials.expect`.

        If cases of it fail, it will run with the next seed, too.
        """
        self._on_turn(session).trials.expect(session, alone)
        if alone and any(self.mentions):
            following = next(self._in_turn(session))
            if not following.over():
                following.trials.expect(session)

    def kept(self, session: Session) -> SessionRun | None:
        """Return how `session` went in a lot with the seed whose turn it is; see `Trials.kept`."""
        return self._on_turn(session).trials.kept(session)

    def _on_turn(self, session: Session) -> _Seeded:
        """Return the submission with the seed whose turn it is, if that is of any use."""
        turn = self._turn_of(session)
        if turn and self._takes_turns and any(self.mentions) and not self._seeds[turn].over():
            return self._seeds[turn]
        return self._marks

    def run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session`, or all its parts, with the seed whose turn it is; return its trial too."""
        seeded = self._on_turn(session)
        if seeded is not self._marks:
            trial, runs = seeded.run_whole(session)
            # What has used up the budget is not run once more, with whatever seed.
            if not seeded.died or seeded.over_budget:
                self._ran(session, seeded)
                return trial, runs
            pay_again(runs, self._marks.trials.runner.prices)
        self._ran(session, self._marks)
        trial = self._marks.trials.of(session)
        runs = trial.run_whole()
        if seeded is not self._marks:
            seeded.died_alone = _survived(runs)
        return trial, runs

    def _ran(self, session: Session, seeded: _Seeded) -> None:
        """Take note of what `session` was run with, and its parts, as far as these are."""
        self._seed_of.update((each.id, seeded) for each in (session, *session.parts))

    def guarded(self, attempt: TrialResult, results: Results) -> Results:
        """Return the `results` of `attempt` without luck, as far as it can be told by now."""
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
        """Take note of a session in which no luck has shown itself so far."""
        self._steady.append((attempt, results))

    def second_thoughts(self) -> Results:
        """Return other results of sessions without luck so far, now that it has shown itself."""
        if not self.is_lucky:
            return {}
        repeated = (self._repeated(*each, once=False) for each in self._steady)
        return {case: result for results in repeated for case, result in results.items()}

    def _repeated(self, attempt: TrialResult, results: Results, *, once: bool) -> Results:
        """Return `results` with what runs with other seeds show, `once` or until they differ."""
        session = attempt.session
        for seeded in self._in_turn(session):
            if seeded is self._seed_of[session.id]:
                continue
            others = seeded.results(attempt, results)
            if any(_differ(result, others.get(case, result)) for case, result in results.items()):
                self.is_lucky = True
                return {
                    case.id: self._settled(session, case, results[case.id], others[case.id])
                    for case in session.cases
                }
            if once and not seeded.over():
                break
        return results

    def _in_turn(self, session: Session) -> Iterator[_Seeded]:
        """Yield the submission with each seed, last the one whose turn it is with `session`."""
        for more in range(1, 1 + SEEDS):
            yield self._seeds[(self._turn_of(session) + more) % SEEDS]

    def _turn_of(self, session: Session) -> int:
        """Return the seed whose turn it is; sessions that are laid together share theirs."""
        first, *_ = session.parts or (session,)
        return self._turns[first.id] % SEEDS

    def staff_remarks(self) -> tuple[Message, ...]:
        """Return what staff should know, when all sessions that needed a look have had it."""
        was_needed = "_seeds" in vars(self)  # asking for them would start them
        if was_needed and all(each.died_alone for each in self._seeds if each is not self._marks):
            return (message("staff.unrepeatable"),)
        return ()

    def _settled(self, session: Session, case: Case, result: Result, other: Result) -> Result:
        """Return the `result` of `case` in the end, given that of a run with another seed."""
        if not _differ(result, other):
            return result
        said = (_why(self.mentions), *_both(session, case, result, other))
        if result.passed:
            return replace(other, verdict=Verdict.WRONG, explanation=said, too_deep=False)
        both_half = result.is_half_right and other.is_half_right
        return replace(result, explanation=(*result.explanation, *said), is_half_right=both_half)


class _Seeded:
    """One submission with one seed."""

    def __init__(self, trials: Trials) -> None:
        self.trials: Final = trials
        self.died = False
        """Whether it has died, or could not even be loaded, where that proves nothing."""
        self.died_alone = False
        """Whether the same session came to its end with the seed of the marks."""

    def over(self) -> bool:
        """Whether it has died, or used so much that nothing more is asked of it."""
        return self.died or self.over_budget

    @property
    def over_budget(self) -> bool:
        """Whether the submission has used up what it may."""
        return self.trials.runner.spent is not None

    def run_whole(self, session: Session) -> tuple[Trial, list[SessionRun]]:
        """Run `session`, or all its parts; return its trial as well."""
        trial = self.trials.of(session)
        runs = trial.run_whole()
        self.died = not _survived(runs)
        return trial, runs

    def results(self, attempt: TrialResult, known: Results) -> Results:
        """Return the result of each case of `attempt`; none if this run shows what is `known`.

        Nor are there any when this does not come to its end.
        """
        if self.over():
            return {}
        trial, (run,) = self.run_whole(attempt.session)
        self.died_alone = self.died
        if self.over():
            return {}
        checker, seen = self.trials.checker, _seen(attempt.session, run, self.trials.checker)
        all_passed = all(result.passed for result in known.values())
        if seen == (known if all_passed else _seen(attempt.session, attempt.run, checker)):
            return {}
        return trial.results(attempt._replace(run=run))


def _survived(runs: Sequence[SessionRun]) -> bool:
    """Return whether the submission could be loaded, and came to the end of `runs`."""
    return runs[0].loaded and not any(map(died, runs))


def _why(mentions: FlakeSources) -> Message:
    """Return why results differ, as far as the code can tell."""
    if mentions.sets:
        return message("flakes.either" if mentions.chance else "flakes.order")
    return message("flakes.chance")


def _seen(session: Session, run: SessionRun, checker: AnswerChecker) -> Mapping[str, Result | None]:
    """Return the result of each case as `run` shows it; None for those it never reached."""
    seen = observed(run, checker.outcomes(session.steps, run))
    return {case.id: assess(session, case, seen) for case in session.cases}


def _differ(one: Result, other: Result) -> bool:
    """Return whether two results of a case show that it is a matter of luck."""
    if (one.passed and other.passed) or not {one.verdict, other.verdict} <= _SETTLED_BY_LUCK:
        return False
    return one.verdict is not other.verdict or one.got != other.got


def _both(session: Session, case: Case, one: Result, other: Result) -> tuple[Message, ...]:
    """Return the sentence that shows what came in both runs, if it can be shown."""
    first, second = (_came(session, case, result) for result in (one, other))
    if first is None or second is None or first == second:
        return ()
    shown = message(
        "flakes.answers", one=one_line(first, _SHOWN_CHARS), other=one_line(second, _SHOWN_CHARS)
    )
    return (shown,)


def _came(session: Session, case: Case, result: Result) -> str | None:
    if not result.passed:
        return result.got
    expectation = session.steps[case.step_index].expectation
    return None if expectation is None else expected_text(expectation)
