"""Looks for a small session that shows a student what went wrong in cases that stay hidden.

A hidden suite has *siblings*: small sessions from the same generator that earn no points. A student
who fails hidden cases of a group is shown the first sibling in which a case of that group fails
too: it teaches something, but gives nothing of the suite away. Which hidden cases failed, and how,
does not influence the choice: otherwise a program could find out what it was asked.

If no case of a sibling fails, a sibling that breaks down before its case will do: its transcript
ends with the line that broke down. If all siblings pass, some are tried once more after themselves,
and after another sibling: mistakes that take two objects or two calls to show are found that way.

A failing sibling costs nothing, and a passing one excuses nothing. They run when all points are
settled. A count limits them, not a clock, so that a record does not depend on the load.
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

MAX_GROUPS: Final = 12
"""Groups that get a counterexample: those that lost most. One mistake often hits many groups."""
MAX_SESSIONS: Final = 150
"""Siblings that are tried on one submission."""
MAX_DEATHS: Final = 2
"""Siblings that may kill an executor before the search stops: dying takes long."""
_FIRST_ALONE: Final = 3
_MAX_SUSPECTED: Final = 12
_MAX_AFTER_ANOTHER: Final = 12
_MAX_STEPS_BEFORE: Final = 6
_MAX_OTHERS: Final = 2
"""How many siblings of each kind a sibling is tried after."""
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
"""Verdicts that show a mistake in what a case tests. The others come from another case, from
tampering, or from our own failures."""
_NO_FAILURES: Final = frozenset({Verdict.PASSED, Verdict.FAULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterexampleResult:
    """The result of one sibling."""

    results: Results
    """Without cases whose result is unknown."""
    died: bool
    """Whether the executor died."""


class _Tries(Protocol):
    """Tries siblings on one submission."""

    def expect(self, siblings: Sequence[Session]) -> None:
        """Announce that `siblings` will be tried alone, up to one that fails."""

    def alone(self, sibling: Session) -> CounterexampleResult | None:
        """Return the result of `sibling`, or None when the budget is spent."""

    def gone_well(self, siblings: tuple[Session, ...]) -> Collection[Session]:
        """Return the `siblings` that go well when run once, one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A case of a sibling that fails."""

    session: Session
    case: Case
    result: Result


def failed_clauses(suite: Suite, cases: Collection[CaseResult]) -> tuple[FailedClause, ...]:
    """Return the parts of the spec that failed hidden `cases` test.

    That is the clause that settles a case, or else its line in the spec.
    """
    if not any(map(_failed_hidden, cases)):
        return ()
    quotes = {each.id: each.quote for each in suite.clauses}
    clause_ids = _clauses_of_cases(suite)
    found = {
        FailedClause(line=case.spec_line, quote=quotes.get(clause_ids.get(case.id, "")))
        for case in cases
        if _failed_hidden(case) and case.spec_line is not None
    }
    # A set has no order of its own, and None cannot be compared with text.
    return tuple(sorted(found, key=lambda each: (each.line, each.quote or "")))


def with_example_first(
    suite: Suite, example: Counterexample, clauses: Sequence[FailedClause]
) -> tuple[FailedClause, ...]:
    """Return `clauses`, with the one that `example` tests first: only the first is shown."""
    step = example.session.steps[example.case.step_index]
    quote = next((each.quote for each in suite.clauses if each.id == step.clause), None)
    tested = (step.line, quote)
    first = [each for each in clauses if (each.line, each.quote) == tested]
    return (*first, *(each for each in clauses if each not in first))


def _clauses_of_cases(suite: Suite) -> Mapping[str, str]:
    """Return the clause ids of the cases of `suite` that have one, by case id."""
    return {
        case.id: clause
        for session in suite.sessions
        for case in session.cases
        if (clause := session.steps[case.step_index].clause) is not None
    }


def counterexamples(
    suite: Suite, groups: Iterable[GroupResult], tries: _Tries
) -> Mapping[str, Counterexample | None]:
    """Return counterexamples for `groups`, by group id.

    None means that all siblings of a group passed. A group is left out if it was not searched,
    if the search was cut short, or if the result of a sibling is unknown.
    """
    needy = (group for group in groups if needs_one(suite, group))
    # Negative differences: the groups that lost most come first.
    neediest = sorted(needy, key=lambda group: group.points - group.max_points)
    if not neediest:
        return {}
    search = _Search(suite, tries)
    found: dict[str, Counterexample | None] = {}
    ids = [group.id for group in neediest[:MAX_GROUPS]]
    # For all groups at once, so that they share executors.
    tries.expect([session for each in ids for session, _ in search.cases(each)[:_FIRST_ALONE]])
    for each in ids:
        search.search_group(each, found)
    return found


class _SearchLimit(Exception):
    """The search limit is reached."""


class _Search:
    """Searches the siblings of a suite for counterexamples on one submission."""

    def __init__(self, suite: Suite, tries: _Tries) -> None:
        self._siblings: Final = suite.siblings
        self._is_generated: Final = suite.generated is not None
        """Whether siblings are independent of each other; hand-written ones may not be."""
        self._tries: Final = tries
        self._tried: Final[dict[str, CounterexampleResult]] = {}
        self._went_well: Final[dict[str, bool]] = {}
        """Whether siblings that ran together went well, by session id."""

    def cases(self, group: str) -> list[tuple[Session, Case]]:
        """Return all cases of `group` in siblings, each with its session."""
        return [
            (each, case) for each in self._siblings for case in each.cases if case.group == group
        ]

    def search_group(self, group: str, found: dict[str, Counterexample | None]) -> None:
        """Put a failing case of `group` into `found`, or None if all pass.

        The first few run by themselves, as a mostly wrong program fails there. The others run
        together first, and those that failed run again by themselves. If a program shares state
        between objects, nearly all fail together, so only a few are retried: the largest ones of
        each clause, which may have two objects.
        """
        cases = self.cases(group)
        first, others = cases[:_FIRST_ALONE], cases[_FIRST_ALONE:]
        try:
            example = self._first_failure(first)
            suspected = [] if example else self._suspected(others)
            are_few = len(suspected) <= _MAX_SUSPECTED
            # Siblings are sorted by length, so the reverse starts with the largest.
            tried = suspected if are_few else _round_robin(suspected[::-1])[:_MAX_SUSPECTED]
            example = example or self._first_failure(tried)
            example = example or self._skipped_case(cases) or self._failure_after_another(cases)
        except _SearchLimit:
            # Cut short: what was found counts, but the other cases remain unknown.
            if (example := self._skipped_case(cases)) is not None:
                found[group] = example
            return
        if example is not None or (
            cases and are_few and all(self._is_conclusive(*each) for each in cases)
        ):
            found[group] = example

    def _suspected(self, cases: Sequence[tuple[Session, Case]]) -> list[tuple[Session, Case]]:
        """Return the `cases` that do not go well when all run together."""
        alike: dict[Hashable, dict[str, Session]] = {}
        for session, _ in cases:
            if session.id not in self._went_well:
                # Only sessions on the same modules can be joined.
                alike.setdefault((session.modules, session.stand_ins), {})[session.id] = session
        for sessions in alike.values():
            well = self._tries.gone_well(tuple(sessions.values()))
            self._went_well.update((each.id, each in well) for each in sessions.values())
        return [each for each in cases if not self._went_well[each[0].id]]

    def _first_failure(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Return the first of `cases` that fails."""
        self._tries.expect([each for each, _ in cases if each.id not in self._tried])
        return next(filter(None, (self._failure(session, case) for session, case in cases)), None)

    def _skipped_case(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Return the first of `cases` that was skipped because a line before it failed.

        A group may lose all its points that way although no case of it ever fails.
        """
        for session, case in cases:
            tried = self._tried.get(session.id)
            result = None if tried is None else tried.results.get(case.id)
            if result is not None and result.verdict is Verdict.SKIPPED and result.transcript:
                return Counterexample(session=session, case=case, result=result)
        return None

    def _failure_after_another(
        self, cases: Sequence[tuple[Session, Case]]
    ) -> Counterexample | None:
        """Return one of `cases` that passes alone, but fails after itself or another sibling.

        That happens to programs that share state between objects, or between calls.
        """
        joined = [
            (one_after_the_other(each, session), case)
            for session, case in _round_robin(cases)[:_MAX_AFTER_ANOTHER]
            for each in self._predecessors(session, case)
        ]
        return self._first_failure(joined)

    def _predecessors(self, session: Session, case: Case) -> list[Session]:
        """Return siblings to run before `session`.

        That is `session` itself, then the most similar ones, then those with the most actions.
        """
        others = [
            each
            for each in self._siblings
            if each is not session
            and (each.modules, each.stand_ins) == (session.modules, session.stand_ins)
            and len(each.steps) <= _MAX_STEPS_BEFORE
        ]
        codes = {step.code for step in session.steps[: case.step_index + 1]}
        common = {each.id: len(codes & {step.code for step in each.steps}) for each in others}
        alike = sorted(
            (each for each in others if common[each.id]), key=lambda each: -common[each.id]
        )
        busiest = sorted(others, key=lambda each: -sum(step.acts for step in each.steps))
        # Without cases, so that only the second run of the session is judged.
        itself = [session.changed(cases=())] if self._is_generated else []
        both = [*itself, *alike[:_MAX_OTHERS], *busiest[:_MAX_OTHERS]]
        # A dict removes duplicates and keeps the order.
        return list({each.id: each for each in both}.values())

    def _failure(self, session: Session, case: Case) -> Counterexample | None:
        """Return the failure of `case` in `session`, or None if it does not fail."""
        result = self._result(session).results.get(case.id)
        if result is None or result.verdict not in _MISTAKES:
            return None
        # In joined sessions the case comes after the other session's steps.
        (moved,) = (each for each in session.cases if each.id == case.id)
        return Counterexample(session=session, case=moved, result=result)

    def _is_conclusive(self, session: Session, case: Case) -> bool:
        """Return whether `case` of `session` has a conclusive result."""
        if self._went_well.get(session.id):
            return True
        result = self._result(session).results.get(case.id)
        return result is not None and result.verdict not in {Verdict.NOT_RUN, Verdict.FAULT}

    def _result(self, session: Session) -> CounterexampleResult:
        """Return the cached result of `session`, running it if needed; raises `_SearchLimit`."""
        if session.id not in self._tried:
            deaths = sum(each.died for each in self._tried.values())
            if len(self._tried) >= MAX_SESSIONS or deaths >= MAX_DEATHS:
                raise _SearchLimit
            tried = self._tries.alone(session)
            if tried is None:
                raise _SearchLimit
            self._tried[session.id] = tried
        return self._tried[session.id]


def _round_robin(cases: Sequence[tuple[Session, Case]]) -> list[tuple[Session, Case]]:
    """Return `cases` round-robin by clause: the first of each, then the second, and so on."""
    counts: Counter[str | None] = Counter()
    turns: list[tuple[int, tuple[Session, Case]]] = []
    for each in cases:
        session, case = each
        clause = session.steps[case.step_index].clause
        turns.append((counts[clause], each))
        counts[clause] += 1
    return [each for _, each in sorted(turns, key=itemgetter(0))]


def needs_one(suite: Suite, group: GroupResult) -> bool:
    """Return whether `group` needs a counterexample: only hidden cases failed.

    The suite must have siblings and ask for counterexamples.
    """
    if suite.feedback is not Feedback.COUNTEREXAMPLE or not suite.siblings:
        return False
    public = (case for case in group.cases if case.visibility is Visibility.PUBLIC)
    return any(map(_failed_hidden, group.cases)) and all(
        case.verdict is Verdict.PASSED for case in public
    )


def _failed_hidden(case: CaseResult) -> bool:
    return case.visibility is Visibility.HIDDEN and case.verdict not in _NO_FAILURES
