"""Decisions that were made on a copy of a run, checked before they count here too.

The copy comes from somebody else, so nothing in it is taken on trust: whatever `grader mark` would
not have stored is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from grader.cli.mark_input import MAX_NAME_CHARS, MAX_REASON_CHARS, said_again
from grader.cli.terminal import warn
from grader.errors import UsageError
from grader.judging.deciding import Applied, Decision, Subject, merged
from grader.reporting.decisions_view import decision_line
from grader.store.store import Store
from grader.values.foreign_text import count_of, one_line

_MAX: Final = 100_000
"""Decisions of one copy: more than a course makes."""
_SUBJECT_CHARS: Final = 1_000
_MOMENT: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", re.ASCII)
_UID: Final = re.compile(r"[0-9a-f]{32}", re.ASCII)
_TOLERANCE: Final = timedelta(hours=1)
"""Clocks of two machines may differ by this much."""
_NEEDS: Final = {
    **dict.fromkeys((Subject.CASE, Subject.GROUP, Subject.BONUS, Subject.TOTAL), (True, False)),
    Subject.RULE: (False, True),
}
"""Whether decisions have points, and a penalty."""


def decisions_of_copy(store: Store, folder: Path) -> list[Decision]:
    """Return the decisions that `store` lacks of those in the copy of its run in `folder`.

    Says which of them are left out, and where both copies decided on the same thing. Raises
    `UsageError` if there is nothing new, or something that `grader mark` would not have stored.
    """
    with Store.reading(folder) as copy:
        theirs, graded_there = _first(copy.decisions, folder), _graded(copy)
    same = {name for name, _ in _graded(store) & graded_there}
    here = [each for each in theirs if (each.exercise, each.student) in same]
    if left_out := len(theirs) - len(here):
        warn(
            f"left out, as other files or none were graded there: {count_of(left_out, 'decision')}"
        )
    most = {entry.name: graded.max_score for entry, graded in store}
    for number, each in enumerate(here, start=1):
        if why := next(_faults(each, most[each.exercise, each.student]), ""):
            raise UsageError(
                f"{one_line(str(folder))} has a decision that grader mark does not make:"
                f" number {number}, on {one_line(each.student)}: {why}",
                help="it was changed by another program; nothing was taken from it",
            )
    merge = merged(list(store.decisions), here)
    if not merge.added:
        raise UsageError("there is no decision that is not here already")
    for ours, other in merge.clashes:
        stands = max(ours, other, key=lambda each: each.at)
        line = decision_line(Applied(decision=stands, finding=stands.finding))
        warn(f"two decisions for {one_line(stands.student)}; the later one stands: {line}")
    return [*merge.added, *map(said_again, merge.kept)]


def _first(decisions: Iterable[Decision], folder: Path) -> list[Decision]:
    found: list[Decision] = []
    for each in decisions:
        found.append(each)
        if len(found) > _MAX:
            raise UsageError(f"{one_line(str(folder))} has more than {_MAX} decisions")
    return found


def _graded(store: Store) -> set[tuple[tuple[str, str], str]]:
    """Return the names of the entries that were graded, each with the hash of its files."""
    return {(line.entry.name, line.submission) for line in store.lines()}


def _faults(decision: Decision, max_score: float) -> Iterator[str]:
    """Yield what is wrong with a decision on a submission worth `max_score`."""
    texts = (decision.because, decision.by, decision.subject)
    limits = (MAX_REASON_CHARS, MAX_NAME_CHARS, _SUBJECT_CHARS)
    if any(len(text) > most for text, most in zip(texts, limits, strict=True)):
        yield "a text is too long"
    if not _UID.fullmatch(decision.uid):
        yield "its id is malformed"
    if not _is_moment(decision.at):
        yield f"its time is malformed, or in the future: {one_line(decision.at, 40)}"
    has = (decision.points is not None, decision.penalty is not None)
    if has != _NEEDS.get(decision.about, (False, False)) and not decision.is_undone:
        yield "points or a penalty are missing, or not for this"
    least = -max_score if decision.about is Subject.BONUS else 0.0
    if decision.points is not None and not least <= decision.points <= max_score:  # nor NaN
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
