"""People who hand in, as far as the platform knows them, and their attempts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from grader.intake.sources import Leaf
from grader.messages import Message
from grader.values.foreign_text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A student, or a group of them that hands in together."""

    name: str | None = None
    """The name as shown to people."""
    user: str | None = None
    """The login name."""
    id: str | None = None
    """The identifier on the platform or at the school."""
    email: str | None = None
    handle: str | None = None
    """The name on the person's files, which may be different from all of the above."""
    members: tuple[Person, ...] = ()
    """The members of a group; the group has its own name, and perhaps an id."""

    @property
    def called(self) -> str:
        """The best known name."""
        return self.name or self.user or self.handle or self.id or self.email or "?"

    @property
    def shown(self) -> str:
        """The best known name, safe and short for a message."""
        return one_line(self.called, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one person handed in at one time."""

    person: Person
    leaves: Mapping[str, Leaf] = field(default_factory=dict)
    """Files by the path that the student gave them, without the platform's prefixes."""
    submitted: datetime | None = None
    number: int | None = None
    """The platform's number, from 1."""
    is_late: bool | None = None
    """Whether the platform marked it late; None if it does not say."""
    remarks: tuple[Message, ...] = ()
    """Remarks for the student on how it was found."""
    refusals: tuple[Message, ...] = ()
    """Why other files of it were refused."""


# Sorts the attempts of one person by time.


def in_order(attempts: Sequence[Attempt]) -> tuple[list[Attempt], bool]:
    """Return distinct `attempts`, oldest first, and whether their order is certain."""
    distinct = list({_identity(each): each for each in attempts}.values())
    times = [_in_utc(each.submitted) for each in distinct]
    numbers = [each.number for each in distinct]
    if len(distinct) == 1:
        return distinct, True
    if None not in numbers and len(set(numbers)) == len(numbers):
        return _sorted(distinct, numbers)
    if None not in times:
        return _sorted(distinct, [(time, n or 0) for time, n in zip(times, numbers, strict=True)])
    return _sorted(distinct, [_latest_change(each) for each in distinct])[0], False


def _sorted(attempts: Sequence[Attempt], keys: Sequence[object]) -> tuple[list[Attempt], bool]:
    order = sorted(range(len(attempts)), key=lambda index: (keys[index], index))
    return [attempts[index] for index in order], len(set(keys)) == len(keys)


def _identity(attempt: Attempt) -> tuple[object, ...]:
    """Return a key by which the same attempt is recognized in overlapping downloads."""
    files = frozenset((path, leaf.size_bytes) for path, leaf in attempt.leaves.items())
    return (attempt.submitted, attempt.number, files)


def _in_utc(time: datetime | None) -> datetime | None:
    """Return `time` in UTC, to compare it; without a zone it counts as local time."""
    return None if time is None else time.astimezone(UTC)


def _latest_change(attempt: Attempt) -> datetime:
    times = (_in_utc(leaf.modified) for leaf in attempt.leaves.values())
    return max(filter(None, times), default=datetime.min.replace(tzinfo=UTC))
