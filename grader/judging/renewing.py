"""Makes a record on another suite out of an earlier one, where all but a few sessions are the same.

What came of a session follows from what it asks and from what all sessions have in common, so it
stays where both are the same. Sessions that are new or changed have to be tried, and must go well:
what else would come of them can hang together with all that came before, as in the search for
counterexamples. The same holds for what is left of a group of which sessions are gone. Wherever
that may be so nothing is renewed, and the submission is graded as if there were no earlier record.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from grader.intake.lateness import Lateness
from grader.judging.flakes import SEEDS
from grader.judging.plain import passed_groups
from grader.judging.record import CaseResult, GroupResult, Record
from grader.judging.rescoring import rescored, weight
from grader.suite.model import Group, Session, Suite
from grader.suite.outline import SessionOutline, SuiteOutline
from grader.verdict import Status, Verdict, Visibility

_STEADY: Final = frozenset({Verdict.PASSED, Verdict.WRONG, Verdict.ERROR, Verdict.SKIPPED})
"""Verdicts that hang on one session only."""
_OF_LUCK: Final = "flakes."


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """What an earlier record becomes on another suite."""

    record: Record
    """The record that grading would give if `sessions` go well."""
    sessions: tuple[Session, ...]
    """What has to be tried: none where only points differ."""
    is_same: bool
    """Whether all sessions are the same, in the same order."""
    keeps_turns: bool
    """Whether each session that stays has its turn with the same seed."""


class _Doubt(Exception):
    """What came of other sessions may not stay as it is."""


def renewal(
    before: Record,
    was: SuiteOutline,
    now: SuiteOutline,
    suite: Suite,
    lateness: Lateness | None = None,
) -> Renewal | None:
    """Return what becomes of `before` on `suite`; None where it has to be graded.

    Sessions were drawn for it. `was` is the outline of the suite that `before` was made on, and
    `now` that of the new one, with all alternatives. How late it was is given anew.
    """
    drawn = tuple(each.id for each in suite.sessions if each.pool is not None)
    old, new = was.drawn(before.conditions.drawn), now.drawn(drawn)
    if before.status is not Status.GRADED or not new.common or old.common != new.common:
        return None
    is_same = old.sessions == new.sessions
    known = {each.id: each.asks for each in old.sessions}
    stays = {each.id for each in new.sessions if each.asks and each.asks == known.get(each.id)}
    changed = tuple(each for each in suite.sessions if each.id not in stays)
    if 2 * sum(each.step_count for each in changed) > sum(each.step_count for each in new.sessions):
        return None
    try:
        merged = before if is_same else _Merging(before, old, new, stays).onto(suite, drawn)
    except (_Doubt, KeyError, ValueError):
        return None
    record = rescored(merged, suite, lateness)
    if record is None:
        return None
    turns, others = old.turns(SEEDS), new.turns(SEEDS)
    return Renewal(
        record=record,
        sessions=changed,
        is_same=is_same,
        keeps_turns=all(turns[each] == others[each] for each in stays),
    )


class _Merging:
    """Puts what stays of an earlier record together with sessions that go well."""

    def __init__(
        self, before: Record, old: SuiteOutline, new: SuiteOutline, stays: Collection[str]
    ) -> None:
        self._before: Final = before
        self._groups: Final = {group.id: group for group in before.groups}
        self._results: Final = {case.id: case for case in before.cases}
        gone = [each for each in old.sessions if each.id not in stays]
        came = [each for each in new.sessions if each.id not in stays]
        self._gone: Final = [self._results[case.id] for each in gone for case in each.cases]
        self._touched: Final = {case.group for each in (*gone, *came) for case in each.cases}
        self._kept: Final = self._renamed(old.sessions, new.sessions, stays)

    def _renamed(
        self,
        old: Iterable[SessionOutline],
        new: Iterable[SessionOutline],
        stays: Collection[str],
    ) -> Mapping[str, CaseResult]:
        """Return the cases that stay, by the id that each has now."""
        known = {each.id: each for each in old}
        return {
            now.id: replace(self._results[was.id], id=now.id)
            for each in new
            if each.id in stays
            for was, now in zip(known[each.id].cases, each.cases, strict=True)
        }

    def onto(self, suite: Suite, drawn: tuple[str, ...]) -> Record:
        """Return the record with the cases of `suite`, of which these were `drawn`.

        Raises `_Doubt` where what stays may hang on what does not.
        """
        self._require_independence(suite)
        plain = {group.id: group for group in passed_groups(suite)} if self._touched else {}
        groups = tuple(
            self._all_passed(group, plain[group.id], suite)
            if group.id in self._touched
            else replace(self._groups[group.id], cases=self._cases(group, suite))
            for group in suite.groups
        )
        conditions = replace(self._before.conditions, drawn=drawn)
        return replace(self._before, groups=groups, conditions=conditions)

    def _require_independence(self, suite: Suite) -> None:
        before, kept = self._before, self._kept.values()
        failed = [case for case in kept if not _is_plain(case)]
        said = [each.key for case in (*failed, *self._gone) for each in case.explanation]
        # Pictures, searches and explanations are shared out among all that fails.
        is_shared = any(case.visibility is Visibility.PUBLIC for case in failed) or any(
            group.searched or group.counterexample for group in before.groups
        )
        if (
            before.staff_remarks
            or not {case.verdict for case in before.cases} <= _STEADY
            or any(key.startswith(_OF_LUCK) for key in said)
            or (failed and (suite.checkers or (suite.helpers and suite.stand_ins)))
            or (is_shared and not all(map(_is_plain, self._gone)))
        ):
            raise _Doubt

    def _all_passed(self, group: Group, plain: GroupResult, suite: Suite) -> GroupResult:
        """Return what becomes of a group of which sessions go or come: it must pass as a whole."""
        own = [self._kept[case.id] for _, case in suite.cases[group.id] if case.id in self._kept]
        old = self._groups[group.id]
        has_rule = any(rule.group == group.id for rule in self._before.rules)
        if not all(map(_is_plain, own)) or (has_rule and weight(old) != weight(plain)):
            raise _Doubt
        return plain

    def _cases(self, group: Group, suite: Suite) -> tuple[CaseResult, ...]:
        return tuple(self._kept[case.id] for _, case in suite.cases[group.id])


def _is_plain(case: CaseResult) -> bool:
    """Return whether `case` passed, and there is nothing to say about it."""
    return case.verdict is Verdict.PASSED and not (case.explanation or case.staff_evidence)
