"""Checks decisions that were made on a copy of a run, before they count in the run.

The copy comes from somebody else, so nothing in it is trusted: anything that `grader mark` would
not have stored is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from grader.cli.mark_input import MAX_NAME_CHARS, with_new_id
from grader.cli.mark_values import MAX_REASON_CHARS
from grader.cli.terminal import warn
from grader.errors import UsageError
from grader.judging.deciding import AppliedDecision, Decision, Subject, merge_decisions
from grader.reporting.decisions_view import decision_line
from grader.store.store import Store
from grader.values.foreign_text import count_noun, one_line

_MAX_DECISIONS: Final = 100_000
"""Limit on the decisions in a copy, far more than a course makes."""
_SUBJECT_CHARS: Final = 1_000
_TIME: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)
_UID: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_TOLERANCE: Final = timedelta(hours=1)
"""How much the clocks of two machines are allowed to differ."""
_HAS_VALUES: Final = {
    **dict.fromkeys((Subject.CASE, Subject.GROUP, Subject.BONUS, Subject.TOTAL), (True, False)),
    Subject.RULE: (False, True),
}
"""Whether decisions have points, and whether they have a penalty, keyed by subject."""


def decisions_of_copy(store: Store, folder: Path) -> list[Decision]:
    """Return the decisions that the copy in `folder` of the run in `store` adds to that run.

    Later decisions in `store` on the same subjects are included, so that they stay in force. Warns
    how many decisions are left out, and where the two copies decided differently. Raises
    `UsageError` if nothing is new, or if `grader mark` would reject one of the decisions.
    """
    with Store.reading(folder) as copy:
        copied, graded_in_copy = _read_limited(copy.decisions, folder), _graded_files(copy)
    same_files = {name for name, _ in _graded_files(store) & graded_in_copy}
    usable = [
        decision for decision in copied if (decision.exercise, decision.student) in same_files
    ]
    if left_out := len(copied) - len(usable):
        decisions_text = count_noun(left_out, "decision")
        warn(f"left out, because the copy did not grade the same files: {decisions_text}")
    max_scores = {entry.identity: graded.max_score for entry, graded in store}
    for number, decision in enumerate(usable, start=1):
        max_score = max_scores[decision.exercise, decision.student]
        if fault := next(_find_faults(decision, max_score), ""):
            raise UsageError(
                f"{one_line(str(folder))} contains a decision that `grader mark` would reject:"
                f" number {number}, on {one_line(decision.student)}: {fault}",
                help="nothing was imported: get an unmodified copy, or enter the decisions again",
            )
    merge = merge_decisions(list(store.decisions), usable)
    if not merge.added:
        raise UsageError(
            f"{one_line(str(folder))} contains no new decision",
            help="check that it is the copy on which decisions were made",
        )
    for later in merge.contested:
        line = decision_line(AppliedDecision(decision=later, finding=later.finding))
        warn(f"two decisions for {one_line(later.student)}; the later one is in force: {line}")
    # The decision stored last is in force, so `merge.kept` are stored again, after `merge.added`.
    return [*merge.added, *map(with_new_id, merge.kept)]


def _read_limited(decisions: Iterable[Decision], folder: Path) -> list[Decision]:
    """Return `decisions` as a list; raises `UsageError`, naming `folder`, if there are too many."""
    # Not `list`: a copy from somebody else could contain enough to fill the memory.
    collected: list[Decision] = []
    for decision in decisions:
        collected.append(decision)
        if len(collected) > _MAX_DECISIONS:
            raise UsageError(
                f"{one_line(str(folder))} contains more than {_MAX_DECISIONS} decisions",
                help="check that it is a copy of the run",
            )
    return collected


def _graded_files(store: Store) -> set[tuple[tuple[str, str], str]]:
    """Return the names of exercise and student of each graded entry, with the hash of its files."""
    return {(line.entry.identity, line.submission) for line in store.graded_entries()}


def _find_faults(decision: Decision, max_score: float) -> Iterator[str]:
    """Yield what is invalid in a decision on a submission that can earn `max_score` points."""
    texts = (decision.because, decision.by, decision.subject)
    limits = (MAX_REASON_CHARS, MAX_NAME_CHARS, _SUBJECT_CHARS)
    if any(len(text) > limit for text, limit in zip(texts, limits, strict=True)):
        yield "a text is too long"
    if not _UID.fullmatch(decision.uid):
        yield "its id is malformed"
    if not _is_valid_time(decision.at):
        yield f"its time is malformed or in the future: {one_line(decision.at, 40)}"
    has_values = (decision.points is not None, decision.penalty is not None)
    needs_values = _HAS_VALUES.get(decision.about, (False, False))
    for words, is_given, is_needed in zip(
        ("points", "a penalty"), has_values, needs_values, strict=True
    ):
        if is_given != is_needed and not decision.is_undone:
            yield (
                f"it lacks {words}"
                if is_needed
                else f"it has {words}, which its subject cannot have"
            )
    minimum = -max_score if decision.about is Subject.BONUS else 0.0
    # Also rejects NaN, for which every comparison is false.
    if decision.points is not None and not minimum <= decision.points <= max_score:
        yield f"its points are out of range: {decision.points:g}"
    if decision.penalty is not None and not 0 <= decision.penalty <= max_score:
        yield f"its penalty is out of range: {decision.penalty:g}"
    if decision.about is Subject.RULE and (decision.verdict is None) != decision.is_undone:
        yield (
            "its verdict on the rule is missing"
            if decision.verdict is None
            else "it undoes a decision, but also has a verdict"
        )
    if decision.is_undone and any(has_values):
        yield "it undoes a decision, but also has points or a penalty"


def _is_valid_time(text: str) -> bool:
    """Return whether `text` is a time as decisions store it, and not in the future."""
    if not _TIME.fullmatch(text):
        return False
    try:
        return datetime.fromisoformat(text) <= datetime.now(UTC) + _TOLERANCE
    except ValueError:  # for instance 31 February
        return False
