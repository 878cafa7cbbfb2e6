"""Searches for a small session that shows a student what went wrong in cases that stay hidden.

A hidden suite has *siblings*: small sessions from the same generator that earn no points. A student
who fails hidden cases of a group is shown the first sibling in which a case of that group fails
too: it teaches something without giving the suite away. Which hidden cases failed, and how, has no
influence on the choice. Otherwise a program could find out how it was tested.

If no case of a sibling fails, a sibling that breaks down before its case is used: its transcript
ends with the line that broke down. If all siblings pass, some are run again, each after an earlier
run of itself or of another sibling, because some mistakes show only with two objects or two calls.

Siblings run once all points are settled, and have no effect on points. Their number is limited, not
their time, so that a record does not depend on the load of the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Protocol

from grader.judging.record import CaseResult, FailedClause, GroupResult
from grader.judging.results import Result, Results
from grader.suite.hidden import concatenate_sessions
from grader.suite.model import Feedback, Suite
from grader.suite.session import Session
from grader.suite.steps import Case
from grader.verdict import Verdict, Visibility

MAX_GROUPS: Final = 12
"""How many groups are searched: those that lost the most points. One mistake often affects many
groups."""
MAX_SESSIONS: Final = 150
"""How many siblings are run on one submission."""
MAX_DEATHS: Final = 2
"""How many siblings can kill an executor before the search stops, as each death takes long."""
_FIRST_ALONE: Final = 3
"""How many siblings of a group run alone at first."""
_MAX_SUSPECTED: Final = 12
"""How many suspects of a group are run again alone."""
_MAX_AFTER_ANOTHER: Final = 12
"""How many cases of a group are run after another session."""
_MAX_STEPS_BEFORE: Final = 6
"""How many steps a predecessor can have."""
_MAX_OTHERS: Final = 2
"""How many predecessors of each kind are tried for a sibling."""
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
"""Verdicts that show a mistake in the code that a case tests. Other verdicts are due to another
case, to tampering, or to our own failures."""
_NO_FAILURES: Final = frozenset({Verdict.PASSED, Verdict.FAULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterexampleResult:
    """The result of one sibling."""

    results: Results
    """By case id; cases without a known result are left out."""
    died: bool
    """Whether the executor died."""


class _SiblingRunner(Protocol):
    """Runs siblings on one submission."""

    def expect(self, siblings: Sequence[Session]) -> None:
        """Announce that `siblings` will run alone, in this order, until one fails."""

    def run_alone(self, sibling: Session) -> CounterexampleResult | None:
        """Run `sibling` alone and return its result. Return None if the budget is spent."""

    def clean_sessions(self, siblings: tuple[Session, ...]) -> Collection[Session]:
        """Run `siblings` in one executor; return those in which every case passes.

        If they cannot be run together, return none of them.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A failing case of a sibling."""

    session: Session
    case: Case
    result: Result


def failed_clauses(suite: Suite, cases: Collection[CaseResult]) -> tuple[FailedClause, ...]:
    """Return the parts of the spec for which hidden cases among `cases` failed.

    Each part is the line of the spec that a case tests, with the quote of its clause if it has one.
    Cases without a line are left out.
    """
    if not any(map(_is_failed_hidden_case, cases)):
        return ()
    quotes = {clause.id: clause.quote for clause in suite.clauses}
    clause_ids = _clause_ids_by_case(suite)
    failed = {
        FailedClause(line=case.spec_line, quote=quotes.get(clause_ids.get(case.id, "")))
        for case in cases
        if _is_failed_hidden_case(case) and case.spec_line is not None
    }
    # A set has no defined order, and None cannot be compared with a string.
    return tuple(sorted(failed, key=lambda clause: (clause.line, clause.quote or "")))


def with_example_first(
    suite: Suite, example: Counterexample, clauses: Sequence[FailedClause]
) -> tuple[FailedClause, ...]:
    """Return `clauses`, moving the one that `example` tests to the front.

    Reports show only the first.
    """
    step = example.session.steps[example.case.step_index]
    quote = next((clause.quote for clause in suite.clauses if clause.id == step.clause), None)
    tested = (step.line, quote)
    first = [clause for clause in clauses if (clause.line, clause.quote) == tested]
    return (*first, *(clause for clause in clauses if clause not in first))


def _clause_ids_by_case(suite: Suite) -> Mapping[str, str]:
    """Return the clause id of each case that has a clause, keyed by case id."""
    return {
        case.id: clause
        for session in suite.sessions
        for case in session.cases
        if (clause := session.steps[case.step_index].clause) is not None
    }


def find_counterexamples(
    suite: Suite, groups: Iterable[GroupResult], runner: _SiblingRunner
) -> Mapping[str, Counterexample | None]:
    """Search for counterexamples for `groups` and return them, keyed by group id.

    None means that all siblings of a group passed. A group is left out if it was not searched,
    if the search reached its limit, or if the result of a sibling is unknown.
    """
    candidates = (group for group in groups if needs_counterexample(suite, group))
    # The differences are negative, so the groups that lost the most points come first.
    by_loss = sorted(candidates, key=lambda group: group.points - group.max_points)
    if not by_loss:
        return {}
    search = _Search(suite, runner)
    examples: dict[str, Counterexample | None] = {}
    group_ids = [group.id for group in by_loss[:MAX_GROUPS]]
    # Announced for all groups at once, so that their siblings share executors.
    runner.expect(
        [session for group_id in group_ids for session, _ in search.cases(group_id)[:_FIRST_ALONE]]
    )
    for group_id in group_ids:
        search.search_group(group_id, examples)
    return examples


class _SearchLimit(Exception):
    """The search limit is reached."""


class _Search:
    """Searches the siblings of a suite for counterexamples on one submission.

    Private methods that run a sibling alone raise `_SearchLimit` once a limit is reached.
    """

    def __init__(self, suite: Suite, runner: _SiblingRunner) -> None:
        self._siblings: Final = suite.siblings
        self._is_generated: Final = suite.generated is not None
        """Whether siblings are independent of each other; hand-written siblings might not be."""
        self._runner: Final = runner
        self._outcomes: Final[dict[str, CounterexampleResult]] = {}
        self._was_clean: Final[dict[str, bool]] = {}
        """For siblings that ran together: whether all their cases passed, by session id."""

    def cases(self, group_id: str) -> list[tuple[Session, Case]]:
        """Return the cases of the group in all siblings, each with its session."""
        return [
            (session, case)
            for session in self._siblings
            for case in session.cases
            if case.group == group_id
        ]

    def search_group(self, group_id: str, examples: dict[str, Counterexample | None]) -> None:
        """Enter a failing case of the group into `examples`, or None if all its cases pass.

        Enters nothing if the outcome remains unknown.

        The first few siblings run alone, as a mostly wrong program already fails in them. All other
        siblings first run together, and those that failed run again alone. If a program shares
        state between objects, nearly all siblings fail when they run together, so only a few are
        retried: the longest siblings of each clause, which are likely to use two objects.
        """
        cases = self.cases(group_id)
        first, remaining = cases[:_FIRST_ALONE], cases[_FIRST_ALONE:]
        try:
            example = self._first_failure(first)
            suspects = [] if example else self._find_suspects(remaining)
            retries_all = len(suspects) <= _MAX_SUSPECTED
            # Siblings are sorted by length, so the reverse order starts with the longest.
            suspects_to_retry = (
                suspects if retries_all else _round_robin(suspects[::-1])[:_MAX_SUSPECTED]
            )
            example = example or self._first_failure(suspects_to_retry)
            example = example or self._skipped_case(cases) or self._failure_after_another(cases)
        except _SearchLimit:
            # The remaining cases are unknown, so an entry of None would be unfounded.
            if (example := self._skipped_case(cases)) is not None:
                examples[group_id] = example
            return
        if example is not None or (
            cases
            and retries_all
            and all(self._is_conclusive(session, case) for session, case in cases)
        ):
            examples[group_id] = example

    def _find_suspects(self, cases: Sequence[tuple[Session, Case]]) -> list[tuple[Session, Case]]:
        """Run the sessions of `cases` together; return the cases whose sessions had a failure.

        Sessions that have already run together are not run again.
        """
        joinable: dict[Hashable, dict[str, Session]] = {}
        for session, _ in cases:
            if session.id not in self._was_clean:
                # Only sessions on the same modules can be joined.
                joinable.setdefault((session.modules, session.stand_ins), {})[session.id] = session
        for sessions in joinable.values():
            clean = self._runner.clean_sessions(tuple(sessions.values()))
            self._was_clean.update((s.id, s in clean) for s in sessions.values())
        return [(session, case) for session, case in cases if not self._was_clean[session.id]]

    def _first_failure(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Run the sessions of `cases` alone until a case fails, and return that case."""
        self._runner.expect([session for session, _ in cases if session.id not in self._outcomes])
        return next(filter(None, (self._failure(session, case) for session, case in cases)), None)

    def _skipped_case(self, cases: Sequence[tuple[Session, Case]]) -> Counterexample | None:
        """Return the first of `cases` that was skipped because an earlier step failed.

        A group can lose all its points in this way although none of its cases ever fails.
        """
        for session, case in cases:
            outcome = self._outcomes.get(session.id)
            result = None if outcome is None else outcome.results.get(case.id)
            if result is not None and result.verdict is Verdict.SKIPPED and result.transcript:
                return Counterexample(session=session, case=case, result=result)
        return None

    def _failure_after_another(
        self, cases: Sequence[tuple[Session, Case]]
    ) -> Counterexample | None:
        """Return the first of `cases` that fails after a run of its own session or of another one.

        All `cases` pass alone. Programs that share state between objects or calls fail this way.
        """
        joined = [
            (concatenate_sessions(predecessor, session), case)
            for session, case in _round_robin(cases)[:_MAX_AFTER_ANOTHER]
            for predecessor in self._predecessors(session, case)
        ]
        return self._first_failure(joined)

    def _predecessors(self, session: Session, case: Case) -> list[Session]:
        """Return the sessions to try running before `session`, to see whether `case` then fails.

        These are `session` itself unless it is hand-written, the siblings that share the most steps
        with it up to `case`, and the siblings with the most actions.
        """
        candidates = [
            sibling
            for sibling in self._siblings
            if sibling is not session
            and (sibling.modules, sibling.stand_ins) == (session.modules, session.stand_ins)
            and len(sibling.steps) <= _MAX_STEPS_BEFORE
        ]
        codes = {step.code for step in session.steps[: case.step_index + 1]}
        shared_step_counts = {
            sibling.id: len(codes & {step.code for step in sibling.steps}) for sibling in candidates
        }
        most_similar = sorted(
            (sibling for sibling in candidates if shared_step_counts[sibling.id]),
            key=lambda sibling: -shared_step_counts[sibling.id],
        )
        busiest = sorted(candidates, key=lambda sibling: -sum(step.acts for step in sibling.steps))
        # Its cases are removed, so that only the second run of the session is judged.
        itself = [session.with_changes(cases=())] if self._is_generated else []
        chosen = [*itself, *most_similar[:_MAX_OTHERS], *busiest[:_MAX_OTHERS]]
        # A dict removes duplicates and keeps the order.
        return list({sibling.id: sibling for sibling in chosen}.values())

    def _failure(self, session: Session, case: Case) -> Counterexample | None:
        """Run `session` if needed; return a counterexample if `case` fails in it, else None."""
        result = self._result(session).results.get(case.id)
        if result is None or result.verdict not in _MISTAKES:
            return None
        # In a joined session, the case has a later step index: another session's steps come first.
        (joined_case,) = (candidate for candidate in session.cases if candidate.id == case.id)
        return Counterexample(session=session, case=joined_case, result=result)

    def _is_conclusive(self, session: Session, case: Case) -> bool:
        """Return whether the verdict of `case` in `session` is neither NOT_RUN nor FAULT.

        Runs `session` if needed.
        """
        if self._was_clean.get(session.id):
            return True
        result = self._result(session).results.get(case.id)
        return result is not None and result.verdict not in {Verdict.NOT_RUN, Verdict.FAULT}

    def _result(self, session: Session) -> CounterexampleResult:
        """Return the result of `session`; run it unless it is cached.

        Raises `_SearchLimit` if it would have to be run and a limit is reached.
        """
        if session.id not in self._outcomes:
            death_count = sum(attempt.died for attempt in self._outcomes.values())
            if len(self._outcomes) >= MAX_SESSIONS or death_count >= MAX_DEATHS:
                raise _SearchLimit
            outcome = self._runner.run_alone(session)
            if outcome is None:
                raise _SearchLimit
            self._outcomes[session.id] = outcome
        return self._outcomes[session.id]


def _round_robin(cases: Sequence[tuple[Session, Case]]) -> list[tuple[Session, Case]]:
    """Return `cases` reordered: the first of each clause, then the second of each, and so on."""
    counts: Counter[str | None] = Counter()
    numbered: list[tuple[int, tuple[Session, Case]]] = []
    for item in cases:
        session, case = item
        clause = session.steps[case.step_index].clause
        numbered.append((counts[clause], item))
        counts[clause] += 1
    return [item for _, item in sorted(numbered, key=itemgetter(0))]


def needs_counterexample(suite: Suite, group: GroupResult) -> bool:
    """Return whether to search for a counterexample for `group`.

    The group must have failed hidden cases but no failed public case, and `suite` must have
    siblings and enable counterexamples.
    """
    if suite.feedback is not Feedback.COUNTEREXAMPLE or not suite.siblings:
        return False
    public = (case for case in group.cases if case.visibility is Visibility.PUBLIC)
    return any(map(_is_failed_hidden_case, group.cases)) and all(
        case.verdict is Verdict.PASSED for case in public
    )


def _is_failed_hidden_case(case: CaseResult) -> bool:
    return case.visibility is Visibility.HIDDEN and case.verdict not in _NO_FAILURES
