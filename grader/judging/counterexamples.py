"""Looks for a small session that shows a student what went wrong in cases that stay hidden.

A hidden suite has *siblings*: small sessions from the same generator that are in no session which
counts. Who fails hidden cases of a group is shown the first sibling in which a case of that group
fails too: she learns from it, and what she learns is in no suite. Which of the hidden cases failed,
and how, has no part in it: a program could tell by that what it was asked.

Where the case of none of them fails, one will do that breaks down before it comes to its case: what
is shown then ends with the line that did. Where all of them pass, some are tried once more
behind themselves, and behind another sibling: a mistake that takes two objects or two calls to be
seen is shown with both.

A sibling that fails costs nothing, and one that passes excuses nothing. They run when all points
are settled. How many run is counted, not timed, so that a record does not depend on the load.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Protocol

from grader.judging.record import CaseResult, FailedClause, GroupResult
from grader.judging.results import Result, Results
from grader.suite.hidden import one_after_the_other
from grader.suite.model import Feedback, Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Verdict, Visibility

MOST_GROUPS: Final = 12
"""Groups that get a counterexample: those that lost most. One mistake often shows in many."""
MOST_SESSIONS: Final = 150
"""Siblings that are tried on one submission."""
MOST_DEATHS: Final = 2
"""After so many siblings that an executor did not survive there are no more: dying takes long."""
_FIRST: Final = 3
_MOST_SUSPECTED: Final = 12
_MOST_AFTER_ANOTHER: Final = 12
_MOST_STEPS_BEFORE: Final = 6
_OTHERS: Final = 2
"""Siblings of each kind that one is tried behind."""
_MISTAKES: Final = frozenset(
    {
        Verdict.WRONG,
        Verdict.ERROR,
        Verdict.TIMED_OUT,
        Verdict.MEMORY,
        Verdict.OUTPUT,
        Verdict.CRASHED,
        Verdict.EXITED,
        Verdict.FORBIDDEN,
    }
)
"""Verdicts that tell of a mistake in what a case is about. The others tell of another case, of
tampering, or of ourselves."""
_NO_FAILURES: Final = frozenset({Verdict.PASSED, Verdict.FAULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterexampleResult:
    """The result of one sibling."""

    results: Results
    """None of what is not known."""
    died: bool
    """Whether the executor did not survive it."""


class _Tries(Protocol):
    """Tries siblings on one submission."""

    def expect(self, siblings: Sequence[Session]) -> None:
        """Take note that `siblings` will be tried alone, up to one that fails."""

    def alone(self, sibling: Session) -> CounterexampleResult | None:
        """Return the result of `sibling`, None when nothing more is to be tried."""

    def gone_well(self, siblings: tuple[Session, ...]) -> Collection[Session]:
        """Return those of `siblings` that go well when they run one after the other, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A case of a sibling that fails."""

    session: Session
    case: Case
    result: Result


def failed_clauses(suite: Suite, cases: Collection[CaseResult]) -> tuple[FailedClause, ...]:
    """Return what of the spec the hidden ones of `cases` which failed are about.

    That is the clause that settles them, or else the line that they come from.
    """
    if not any(map(_failed_unseen, cases)):
        return ()
    quotes = {each.id: each.quote for each in suite.clauses}
    named = _clauses_of_cases(suite)
    found = {
        FailedClause(line=case.spec_line, quote=quotes.get(named.get(case.id, "")))
        for case in cases
        if _failed_unseen(case) and case.spec_line is not None
    }
    return tuple(sorted(found, key=lambda each: (each.line, each.quote or "")))


def with_its_first(
    suite: Suite, example: Counterexample, clauses: Sequence[FailedClause]
) -> tuple[FailedClause, ...]:
    """Return `clauses` with the one first that `example` is about, as the first one is told."""
    step = example.session.steps[example.case.step_index]
    quote = next((each.quote for each in suite.clauses if each.id == step.clause), None)
    about = (step.line, quote)
    own = [each for each in clauses if (each.line, each.quote) == about]
    return (*own, *(each for each in clauses if each not in own))


def _clauses_of_cases(suite: Suite) -> Mapping[str, str]:
    """Return the clause of each case of `suite` that names one, by the id of the case."""
    return {
        case.id: clause
        for session in suite.sessions
        for case in session.cases
        if (clause := session.steps[case.step_index].clause) is not None
    }


def counterexamples(
    suite: Suite, groups: Iterable[GroupResult], tries: _Tries
) -> Mapping[str, Counterexample | None]:
    """Return what shows the mistakes in `groups`, by the id of the group.

    None stands for a group whose siblings all passed. A group is left out if nothing was looked
    for, if the search came to no end, or if the result of a sibling is not known.
    """
    needy = (group for group in groups if needs_one(suite, group))
    in_need = sorted(needy, key=lambda group: group.points - group.max_points)
    if not in_need:
        return {}
    search = _Search(suite, tries)
    found: dict[str, Counterexample | None] = {}
    ids = [group.id for group in in_need[:MOST_GROUPS]]
    tries.expect([session for each in ids for session, _ in search.cases(each)[:_FIRST]])
    for each in ids:
        search.look(each, found)
    return found


class _Enough(Exception):
    """No more is to be tried."""


class _Search:
    """One submission on its way through the siblings of a suite."""

    def __init__(self, suite: Suite, tries: _Tries) -> None:
        self._siblings: Final = suite.siblings
        self._is_generated: Final = suite.generated is not None
        """Whether no sibling hangs on what others have left: those of an author may."""
        self._tries: Final = tries
        self._tried: Final[dict[str, CounterexampleResult]] = {}
        self._well: Final[dict[str, bool]] = {}
        """Whether those that ran together went well, by their ids."""

    def cases(self, group: str) -> list[tuple[Session, Case]]:
        """Return all cases of `group`, with their siblings."""
        return [
            (each, case) for each in self._siblings for case in each.cases if case.group == group
        ]

    def look(self, group: str, found: dict[str, Counterexample | None]) -> None:
        """Put into `found` a case of `group` that fails; None if all of them pass.

        The first ones are tried by themselves, as whoever does most things wrong fails there. The
        others run together first, and those that failed then once more by themselves. Of a program
        that keeps in one place what belongs to each object that is nearly all of them, so a few do:
        the largest ones of each clause, in which there may be two objects.
        """
        cases = self.cases(group)
        first, others = cases[:_FIRST], cases[_FIRST:]
        try:
            example = self._alone(first)
            suspected = [] if example else self._suspected(others)
            are_few = len(suspected) <= _MOST_SUSPECTED
            tried = suspected if are_few else _by_turns(suspected[::-1])[:_MOST_SUSPECTED]
            example = example or self._alone(tried)
            example = example or self._broken_down(cases) or self._after_another(cases)
        except _Enough:
            if (example := self._broken_down(cases)) is not None:
                found[group] = example
            return
        if example is not None or (
            cases and are_few and all(self._is_known(*each) for each in cases)
        ):
            found[group] = example

    def _suspected(self, cases: Sequence[tuple[Session, Case]]) -> list[tuple[Session, Case]]:
        """Return those of `cases` that do not go well when all of them run together."""
        alike: dict[Hashable, dict[str, Session]] = {}
        for session, _ in cases:
            if session.id not in self._well:
                alike.setdefault((session.modules, session.stand_ins), {})[session.id] = session
        for sessions in alike.values():
            well = self._tries.gone_well(tuple(sessions.values()))
            self._well.update((each.id, each in well) for each in sessions.values())
        return [each for each in cases if not self._well[each[0].id]]

    def _alone(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Return the first of `cases` that fails."""
        self._tries.expect([each for each, _ in cases if each.id not in self._tried])
        return next(filter(None, (self._failing(session, case) for session, case in cases)), None)

    def _broken_down(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Return the first of `cases` that was tried and never reached, as a line before it failed.

        A group may lose all its points that way, and no case of it ever fails.
        """
        for session, case in cases:
            tried = self._tried.get(session.id)
            result = None if tried is None else tried.results.get(case.id)
            if result is not None and result.verdict is Verdict.SKIPPED and result.transcript:
                return Counterexample(session=session, case=case, result=result)
        return None

    def _after_another(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Return one of `cases` that fails after a sibling, itself or another, and passes alone.

        So it goes for who keeps in one place what belongs to each object, or to each call.
        """
        joined = [
            (one_after_the_other(each, session), case)
            for session, case in _by_turns(cases)[:_MOST_AFTER_ANOTHER]
            for each in self._others(session, case)
        ]
        return self._alone(joined)

    def _others(self, session: Session, case: Case) -> list[Session]:
        """Return siblings that could run before `session`.

        That is itself, then those most like it, then those that do most.
        """
        others = [
            each
            for each in self._siblings
            if each is not session
            and (each.modules, each.stand_ins) == (session.modules, session.stand_ins)
            and len(each.steps) <= _MOST_STEPS_BEFORE
        ]
        codes = {step.code for step in session.steps[: case.step_index + 1]}
        common = {each.id: len(codes & {step.code for step in each.steps}) for each in others}
        alike = sorted(
            (each for each in others if common[each.id]), key=lambda each: -common[each.id]
        )
        busiest = sorted(others, key=lambda each: -sum(step.acts for step in each.steps))
        itself = [session.changed(cases=())] if self._is_generated else []
        both = [*itself, *alike[:_OTHERS], *busiest[:_OTHERS]]
        return list({each.id: each for each in both}.values())

    def _failing(self, session: Session, case: Case) -> Counterexample | None:
        """Return how `case` fails in `session`, which has it; None if it does not."""
        result = self._result(session).results.get(case.id)
        if result is None or result.verdict not in _MISTAKES:
            return None
        (placed,) = (each for each in session.cases if each.id == case.id)
        return Counterexample(session=session, case=placed, result=result)

    def _is_known(self, session: Session, case: Case) -> bool:
        """Return whether `case` of `session` has a result that tells something."""
        if self._well.get(session.id):
            return True
        result = self._result(session).results.get(case.id)
        return result is not None and result.verdict not in {Verdict.NOT_RUN, Verdict.FAULT}

    def _result(self, session: Session) -> CounterexampleResult:
        """Return the result of `session`, which runs at most once. Raises `_Enough`."""
        if session.id not in self._tried:
            deaths = sum(each.died for each in self._tried.values())
            if len(self._tried) >= MOST_SESSIONS or deaths >= MOST_DEATHS:
                raise _Enough
            tried = self._tries.alone(session)
            if tried is None:
                raise _Enough
            self._tried[session.id] = tried
        return self._tried[session.id]


def _by_turns(cases: Sequence[tuple[Session, Case]]) -> list[tuple[Session, Case]]:
    """Return `cases` with the first one of each clause first, then the second ones, and so on."""
    seen: Counter[str | None] = Counter()
    turns: list[tuple[int, tuple[Session, Case]]] = []
    for each in cases:
        session, case = each
        clause = session.steps[case.step_index].clause
        turns.append((seen[clause], each))
        seen[clause] += 1
    return [each for _, each in sorted(turns, key=itemgetter(0))]


def needs_one(suite: Suite, group: GroupResult) -> bool:
    """Return whether `group` failed where the student sees nothing, and nowhere else.

    Only then one is looked for, in a suite that has some.
    """
    if suite.feedback is not Feedback.COUNTEREXAMPLE or not suite.siblings:
        return False
    public = (case for case in group.cases if case.visibility is Visibility.PUBLIC)
    return any(map(_failed_unseen, group.cases)) and all(
        case.verdict is Verdict.PASSED for case in public
    )


def _failed_unseen(case: CaseResult) -> bool:
    return case.visibility is Visibility.HIDDEN and case.verdict not in _NO_FAILURES
