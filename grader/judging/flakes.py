"""Finds what is right or wrong by luck: cases that come out otherwise with another seed.

A submission is graded with everything pinned to seed 0: the order of sets of text, chance, the
date. So its record is always the same. But a program that loops over such a set may be right with
this seed and wrong with the next, at home as in the exam. So what may depend on luck is run again,
with other seeds:

1.  a session with a case that failed, with each of the other seeds;
2.  a session without one, where the source mentions what may differ from run to run, with one of
    them: the sessions of a suite take turns, as most of them try the same functions.

Nothing is run again that has died, and no more after a repetition has died: that took long enough.
That proves nothing. But a program that ends on purpose with any seed but ours would keep its luck,
so staff are told when none of the repetitions survived.

A repetition is no second chance. A case that passes with one seed and fails with another has not
passed. One that fails in two ways has failed, and is told that too.

What a clock tells decides on nothing here. The same submission has the same record, and that holds
for what its repetitions found as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

from grader.judging.answers import AnswerChecker
from grader.judging.matching import assess, died, expected_text, observed
from grader.judging.results import Result, Results, TrialResult
from grader.judging.trial import Trials
from grader.messages import Message, message
from grader.sandbox.sessions import SessionRun, SessionRunner
from grader.suite.model import Case, Session, Suite
from grader.values.display import one_line
from grader.verdict import Verdict

OTHER_SEEDS: Final = (1, 2)
"""A set of two texts has the same order with half of all seeds; with both of these, a quarter."""
Runners: TypeAlias = Callable[[], Sequence[SessionRunner]]
"""Gives what runs the submission with each of `OTHER_SEEDS`, which may have to be started first."""

_FAILED: Final = frozenset({Verdict.WRONG, Verdict.ERROR})
_SETTLED_BY_LUCK: Final = _FAILED | {Verdict.PASSED}
"""Verdicts that may be a matter of luck. The others tell of limits, or of another case."""
_SHOWN_CHARS: Final = 120

_LITERAL: Final = re.compile(
    r'''
      \#[^\n]*
    | """ (?: [^"\\] | \\. | "(?!"") )*+ (?: """ )?
    | \'\'\' (?: [^'\\] | \\. | '(?!\'\') )*+ (?: \'\'\' )?
    | " (?: [^"\\\n] | \\. )*+ "?
    | ' (?: [^'\\\n] | \\. )*+ '?
    ''',
    re.VERBOSE | re.DOTALL,
)
"""A comment or a text. It matches whatever it begins on, so that no source takes long."""
_SET: Final = re.compile(
    r"\b(?:frozen)?set\b | \{ (?!\s*\}) [^{}:]*+ \} | \{ [^{}]*? \bfor\b"
    r"| \.(?:keys|items)\(\)\s*[-&|^] | [-&|^]\s*[\w.]+\.(?:keys|items)\(\)",
    re.VERBOSE,
)
"""Sets by name, in braces, and made of dictionaries; comprehensions of these are taken for sets."""
_SET_IN_TEXT: Final = re.compile(r"\{[^{}\n]*\b(?:frozen)?set\(")
"""In an f-string."""
_CHANCE: Final = re.compile(
    r"\b(?:random|time|datetime|uuid|secrets|urandom|getrandom)\b|\b(?:id|hash)\s*\("
)


@dataclass(frozen=True, slots=True)
class FlakeSources:
    """What the source of a submission mentions that may differ from run to run."""

    sets: bool
    chance: bool

    @classmethod
    def in_texts(cls, texts: Iterable[str]) -> FlakeSources:
        """Return what `texts` mention: a search, no more; code that hides it goes unsuspected."""
        sets = chance = False
        for text in texts:
            code = _LITERAL.sub("0", text)  # an element of a set, too
            sets = sets or bool(_SET.search(code) or _SET_IN_TEXT.search(text))
            chance = chance or bool(_CHANCE.search(code))
        return cls(sets=sets, chance=chance)

    @property
    def anything(self) -> bool:
        """Whether a submission that passes may have been lucky."""
        return self.sets or self.chance

    def why(self) -> Message:
        """Return why results differ, as far as the source can tell."""
        if self.sets:
            return message("flakes.either" if self.chance else "flakes.order")
        return message("flakes.chance")


class FlakeGuard:
    """Looks after the luck of one submission, session by session."""

    def __init__(
        self, suite: Suite, texts: Iterable[str], runners: Runners, checker: AnswerChecker
    ) -> None:
        """Guard a submission with the source `texts`; `runners` run it with other seeds.

        `checker` says which of its answers are right where many are.
        """
        self._checker: Final = checker
        self._suite: Final = suite
        self._mentions: Final = FlakeSources.in_texts(texts)
        self._runners: Final = runners
        self._turns: Final = {session.id: turn for turn, session in enumerate(suite.sessions)}

    @property
    def suspects(self) -> bool:
        """Whether sessions will be run again even if nothing fails."""
        return self._mentions.anything

    @cached_property
    def _repetitions(self) -> Sequence[_Repetition]:
        return [_Repetition(self._suite, runner, self._checker) for runner in self._runners()]

    def guarded(self, attempt: TrialResult, results: Results) -> Results:
        """Return the `results` of `attempt` without luck."""
        if died(attempt.run) or not self._may_be_luck(results.values()):
            return results
        seen = _seen(attempt.session, attempt.run, self._checker)
        one_is_enough = _FAILED.isdisjoint(each.verdict for each in results.values())
        others = []
        repetitions = self._in_turn(attempt.session) if one_is_enough else self._repetitions
        for repetition in repetitions:
            others.append(repetition.results(attempt, seen))
            if one_is_enough and not repetition.over():
                break
        return {
            case.id: self._settled(
                attempt.session, case, results[case.id], [each[case.id] for each in others if each]
            )
            for case in attempt.session.cases
        }

    def staff_remarks(self) -> tuple[Message, ...]:
        """Return what staff should know, when all sessions that needed a look have had it."""
        was_needed = "_repetitions" in vars(self)  # asking for them would start them
        if was_needed and all(each.died for each in self._repetitions):
            return (message("staff.unrepeatable"),)
        return ()

    def _in_turn(self, session: Session) -> Sequence[_Repetition]:
        """Return the repetitions, first the one whose turn it is with `session`."""
        turn = self._turns[session.id] % len(self._repetitions)
        return (*self._repetitions[turn:], *self._repetitions[:turn])

    def _may_be_luck(self, results: Iterable[Result]) -> bool:
        verdicts = {result.verdict for result in results}
        return bool(verdicts & (_SETTLED_BY_LUCK if self._mentions.anything else _FAILED))

    def _settled(
        self, session: Session, case: Case, result: Result, others: Sequence[Result]
    ) -> Result:
        """Return the `result` of `case` in the end, given those of `others`."""
        other = next((each for each in others if _differ(result, each)), None)
        if other is None:
            return result
        said = (self._mentions.why(), *_both(session, case, result, other))
        if result.passed:
            return replace(other, verdict=Verdict.WRONG, explanation=said, too_deep=False)
        return replace(result, explanation=(*result.explanation, *said))


class _Repetition:
    """One submission with one other seed."""

    def __init__(self, suite: Suite, runner: SessionRunner, checker: AnswerChecker) -> None:
        self._checker: Final = checker
        self._runner: Final = runner
        self._trials: Final = Trials(suite, runner, checker)
        self.died = False
        """Whether it has died, or could not even be loaded."""

    def over(self) -> bool:
        """Whether it has died, or used so much that nothing more is asked of it."""
        return self.died or self._runner.spent is not None

    def results(self, attempt: TrialResult, seen: Mapping[str, Result | None]) -> Results:
        """Return the result of each case of `attempt`; none if this run shows what was `seen`.

        Nor are there any when this does not come to its end.
        """
        if self.over():
            return {}
        trial = self._trials.of(attempt.session)
        run = trial.run_whole()
        self.died = not run.loaded or died(run)
        if self.over() or seen == _seen(attempt.session, run, self._checker):
            return {}
        return trial.results(attempt._replace(run=run))


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
