"""Decisions that were made on a copy of a run, checked before they count in the run.

The copy comes from somebody else, so nothing in it is trusted: anything that `grader mark` would
not have stored is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from grader.cli.mark_input import MAX_NAME_CHARS, MAX_REASON_CHARS, with_new_id
from grader.cli.terminal import warn
from grader.errors import UsageError
from grader.judging.deciding import Applied, Decision, Subject, merged
from grader.reporting.decisions_view import decision_line
from grader.store.store import Store
from grader.values.foreign_text import count_of, one_line

_MAX_DECISIONS: Final = 100_000
"""Limit on decisions of one copy, far above what a course makes."""
_SUBJECT_CHARS: Final = 1_000
_MOMENT: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)
_UID: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_TOLERANCE: Final = timedelta(hours=1)
"""Clocks of two machines may differ by this much."""
_HAS_VALUES: Final = {
    **dict.fromkeys((Subject.CASE, Subject.GROUP, Subject.BONUS, Subject.TOTAL), (True, False)),
    Subject.RULE: (False, True),
}
"""Whether decisions have points, and whether they have a penalty."""


def decisions_of_copy(store: Store, folder: Path) -> list[Decision]:
    """Return the decisions in `folder`, a copy of the run in `store`, that `store` lacks.

    Prints which of them are left out, and where both copies decided on the same subject. Raises
    `UsageError` if there is nothing new, or something that `grader mark` would not have stored.
    """
    with Store.reading(folder) as copy:
        copied, graded_in_copy = _limited(copy.decisions, folder), _graded_files(copy)
    same_files = {name for name, _ in _graded_files(store) & graded_in_copy}
    usable = [each for each in copied if (each.exercise, each.student) in same_files]
    if left_out := len(copied) - len(usable):
        left = count_of(left_out, "decision")
        warn(f"left out, as other files or none were graded there: {left}")
    max_scores = {entry.name: graded.max_score for entry, graded in store}
    for number, each in enumerate(usable, start=1):
        if fault := next(_faults(each, max_scores[each.exercise, each.student]), ""):
            raise UsageError(
                f"{one_line(str(folder))} has a decision that grader mark does not make:"
                f" number {number}, on {one_line(each.student)}: {fault}",
                help="it was changed by another program; nothing was taken from it",
            )
    merge = merged(list(store.decisions), usable)
    if not merge.added:
        raise UsageError("there is no decision that is not here already")
    for later in merge.contested:
        line = decision_line(Applied(decision=later, finding=later.finding))
        warn(f"two decisions for {one_line(later.student)}; the later one stands: {line}")
    return [*merge.added, *map(with_new_id, merge.kept)]


def _limited(decisions: Iterable[Decision], folder: Path) -> list[Decision]:
    collected: list[Decision] = []
    for each in decisions:
        collected.append(each)
        if len(collected) > _MAX_DECISIONS:
            raise UsageError(f"{one_line(str(folder))} has more than {_MAX_DECISIONS} decisions")
    return collected


def _graded_files(store: Store) -> set[tuple[tuple[str, str], str]]:
    """Return the names of the entries that were graded, each with the hash of its files."""
    return {(line.entry.name, line.submission) for line in store.lines()}


def _faults(decision: Decision, max_score: float) -> Iterator[str]:
    """Yield what is wrong with a decision on a submission worth `max_score`."""
    texts = (decision.because, decision.by, decision.subject)
    limits = (MAX_REASON_CHARS, MAX_NAME_CHARS, _SUBJECT_CHARS)
    if any(len(text) > limit for text, limit in zip(texts, limits, strict=True)):
        yield "a text is too long"
    if not _UID.fullmatch(decision.uid):
        yield "its id is malformed"
    if not _is_moment(decision.at):
        yield f"its time is malformed, or in the future: {one_line(decision.at, 40)}"
    has = (decision.points is not None, decision.penalty is not None)
    if has != _HAS_VALUES.get(decision.about, (False, False)) and not decision.is_undone:
        yield "points or a penalty are missing, or not for this"
    minimum = -max_score if decision.about is Subject.BONUS else 0.0
    if decision.points is not None and not minimum <= decision.points <= max_score:  # nor NaN
        yield f"{decision.points:g} points"
    if decision.penalty is not None and not 0 <= decision.penalty <= max_score:
        yield f"a penalty of {decision.penalty:g}"
    if decision.about is Subject.RULE and (decision.verdict is None) != decision.is_undone:
        yield "a rule needs a verdict"
    if decision.is_undone and any(has):
        yield "it takes back a decision, and decides"


def _is_moment(text: str) -> bool:
    if not _MOMENT.fullmatch(text):
        return False
    try:
        return datetime.fromisoformat(text) <= datetime.now(UTC) + _TOLERANCE
    except ValueError:  # such as 31 February
        return False
