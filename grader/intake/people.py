"""Who handed in, as far as the platform tells, and what each handed in when."""

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
    """As it is shown to people."""
    user: str | None = None
    """The name to log in with."""
    id: str | None = None
    """What the platform, or the school, tells them apart by."""
    email: str | None = None
    handle: str | None = None
    """What files of hers are named after, where that need not be any of these."""
    members: tuple[Person, ...] = ()
    """Of a group; a group has a name, and perhaps an id, of its own."""

    @property
    def called(self) -> str:
        """What is best known of her."""
        return self.name or self.user or self.handle or self.id or self.email or "?"

    @property
    def shown(self) -> str:
        """What is best known of her, fit for a message."""
        return one_line(self.called, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one person handed in at one time."""

    person: Person
    leaves: Mapping[str, Leaf] = field(default_factory=dict)
    """By the path that the student gave each, what the platform put before it taken away."""
    submitted: datetime | None = None
    number: int | None = None
    """As the platform counts, from 1 on."""
    is_late: bool | None = None
    """As the platform has marked it; None where it does not say."""
    remarks: tuple[Message, ...] = ()
    """What the student should know of how it was found."""
    refusals: tuple[Message, ...] = ()
    """Why other files of it were not taken."""


# Puts the attempts of one person in the order in which they came.


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
