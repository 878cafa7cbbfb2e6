"""Puts the attempts of one person in the order in which they came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from grader.intake.people import Attempt


def in_order(attempts: Sequence[Attempt]) -> tuple[list[Attempt], bool]:
    """Return `attempts`, each once and the oldest first, and whether anything tells their order."""
    distinct = list({_content(each): each for each in attempts}.values())
    times = [_moment(each.submitted) for each in distinct]
    numbers = [each.number for each in distinct]
    if len(distinct) == 1:
        return distinct, True
    if None not in numbers and len(set(numbers)) == len(numbers):
        return _sorted(distinct, numbers)
    if None not in times:
        return _sorted(distinct, [(time, n or 0) for time, n in zip(times, numbers, strict=True)])
    return _sorted(distinct, [_newest(each) for each in distinct])[0], False


def _sorted(attempts: Sequence[Attempt], keys: Sequence[object]) -> tuple[list[Attempt], bool]:
    order = sorted(range(len(attempts)), key=lambda place: (keys[place], place))
    return [attempts[place] for place in order], len(set(keys)) == len(keys)


def _content(attempt: Attempt) -> tuple[object, ...]:
    """Return what an attempt is known again by, in a download that overlaps with another one."""
    files = frozenset((path, leaf.size_bytes) for path, leaf in attempt.leaves.items())
    return (attempt.submitted, attempt.number, files)


def _moment(time: datetime | None) -> datetime | None:
    """Return `time` as one that can be compared; one without a zone is taken to be of here."""
    return None if time is None else time.astimezone(UTC)


def _newest(attempt: Attempt) -> datetime:
    times = (_moment(leaf.modified) for leaf in attempt.leaves.values())
    return max(filter(None, times), default=datetime.min.replace(tzinfo=UTC))
