"""Makes a record on another suite out of an earlier one, where all but a few sessions are the same.

What came of sessions that run together follows from what they ask and from what all sessions have
in common, so it stays where both are the same. Sessions that are new or changed have to be tried
with those that run beside them, and must go well: what else would come of them can hang together
with all that came before, as in the search for counterexamples. The same holds for what is left of
a group of which sessions are gone. Wherever that may be so nothing is renewed, and the submission
is graded as if there were no earlier record.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from grader.intake.lateness import Lateness
from grader.judging.flakes import SEEDS
from grader.judging.plain import is_plain, passed_group
from grader.judging.record import GroupResult, Record
from grader.judging.rescoring import rescored, weight
from grader.messages import Message
from grader.suite.model import Group, Session, Suite
from grader.suite.outline import SuiteOutline
from grader.verdict import Status, Verdict, Visibility

_STEADY: Final = frozenset({Verdict.PASSED, Verdict.WRONG, Verdict.ERROR, Verdict.SKIPPED})
"""Verdicts that hang on one session only."""
_OF_LUCK: Final = "flakes."
_OF_PUBLIC: Final = frozenset({"remark.absent", "remark.prints", "staff.printed"})
"""Remarks that public sessions alone bring about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """What an earlier record becomes on another suite."""

    record: Record
    """The record that grading would give if `sessions` go well."""
    sessions: tuple[Session, ...]
    """What has to be tried, with all that runs beside it: none where only points differ."""
    is_same: bool
    """Whether all sessions are the same, in the same order."""
    keeps_turns: bool
    """Whether each session that stays has its turn with the same seed."""
    told: tuple[Message, ...]
    """What public sessions brought about that is told, where all of these stay."""


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
    if old.sessions == new.sessions:
        return _with_other_points(before, suite, lateness)
    # What ran together may owe something to its neighbours, so it stays together or not at all.
    lots = _asked_together(old) & _asked_together(new)
    stays = {name for lot in lots for name, asks in lot if all(asks for _, asks in lot)}
    changed = tuple(each for each in suite.sessions if each.id not in stays)
    if 2 * sum(each.step_count for each in changed) > sum(each.step_count for each in new.sessions):
        return None
    try:
        merged = _Merging(before, old, new, stays).onto(suite, drawn)
    except (_Doubt, KeyError, ValueError):
        return None
    record = rescored(merged, suite, lateness)
    if record is None:
        return None
    turns, others = old.turns(SEEDS), new.turns(SEEDS)
    return Renewal(
        record=record,
        sessions=changed,
        is_same=False,
        keeps_turns=all(turns[each] == others[each] for each in stays),
        told=tuple(each for each in before.remarks if each.key in _of_staying(old, new)),
    )


def _with_other_points(before: Record, suite: Suite, lateness: Lateness | None) -> Renewal | None:
    record = rescored(before, suite, lateness)
    if record is None:
        return None
    return Renewal(record=record, sessions=(), is_same=True, keeps_turns=True, told=())


def _asked_together(outline: SuiteOutline) -> set[tuple[tuple[str, str], ...]]:
    """Return what is asked in each executor: ids of sessions, and hashes of what they ask."""
    return {tuple((each.id, each.asks) for each in lot) for lot in outline.lots(SEEDS)}


def _of_staying(old: SuiteOutline, new: SuiteOutline) -> Collection[str]:
    """Return the keys of remarks that stay, as all sessions do that bring them about."""
    public = (
        [each for each in outline.sessions if each.visibility is Visibility.PUBLIC]
        for outline in (old, new)
    )
    return _OF_PUBLIC if next(public) == next(public) else ()


class _Merging:
    """Puts what stays of an earlier record together with sessions that go well."""

    def __init__(
        self, before: Record, old: SuiteOutline, new: SuiteOutline, stays: Collection[str]
    ) -> None:
        self._before: Final = before
        self._groups: Final = {group.id: group for group in before.groups}
        self._failed: Final = {case.id: case for case in before.cases if not is_plain(case)}
        gone = [each for each in old.sessions if each.id not in stays]
        came = [each for each in new.sessions if each.id not in stays]
        self._stay: Final = _of_staying(old, new)
        self._gone: Final = [case.id for each in gone for case in each.cases]
        self._touched: Final = {case.group for each in (*gone, *came) for case in each.cases}
        known = {each.id: each for each in old.sessions}
        self._names: Final = {
            now.id: was.id
            for each in new.sessions
            if each.id in stays
            for was, now in zip(known[each.id].cases, each.cases, strict=True)
        }
        """What the cases that stay were called."""

    def onto(self, suite: Suite, drawn: tuple[str, ...]) -> Record:
        """Return the record with the cases of `suite`, of which these were `drawn`.

        Raises `_Doubt` where what stays may hang on what does not.
        """
        self._require_independence(suite)
        groups = tuple(self._group(group, suite) for group in suite.groups)
        conditions = replace(self._before.conditions, drawn=drawn)
        return replace(self._before, groups=groups, conditions=conditions)

    def _require_independence(self, suite: Suite) -> None:
        failed, gone = self._failed, {*self._gone} & self._failed.keys()
        kept = [case for name, case in failed.items() if name not in gone]
        said = (each.key for case in failed.values() for each in case.explanation)
        # Pictures, searches and explanations are shared out among all that fails.
        is_shared = any(case.visibility is Visibility.PUBLIC for case in kept) or any(
            group.searched or group.counterexample for group in self._before.groups
        )
        if (
            any(each.key not in self._stay for each in self._before.staff_remarks)
            or not {case.verdict for case in failed.values()} <= _STEADY
            or any(key.startswith(_OF_LUCK) for key in said)
            or (kept and (suite.checkers or (suite.helpers and suite.stand_ins)))
            or (is_shared and gone)
        ):
            raise _Doubt

    def _group(self, group: Group, suite: Suite) -> GroupResult:
        """Return what becomes of `group`: one of which sessions go or come must pass as a whole."""
        cases = [case.id for _, case in suite.cases[group.id]]
        if group.id not in self._touched:
            was = self._groups[group.id]
            if all(map(is_plain, was.cases)):
                return passed_group(suite, group)
            old = {case.id: case for case in was.cases}
            named = tuple(replace(old[self._names[each]], id=each) for each in cases)
            return replace(was, cases=named)
        plain = passed_group(suite, group)
        has_rule = any(rule.group == group.id for rule in self._before.rules)
        if any(self._names.get(each) in self._failed for each in cases) or (
            has_rule and weight(self._groups[group.id]) != weight(plain)
        ):
            raise _Doubt
        return plain
