"""The people who hand in work, as far as the platform identifies them, and their attempts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from grader.intake.sources import Leaf
from grader.messages import Message
from grader.values.foreign_text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A student, or a group of students who hand in together."""

    name: str | None = None
    """The full name."""
    user: str | None = None
    """The login name."""
    id: str | None = None
    """The identifier on the platform or at the school."""
    email: str | None = None
    handle: str | None = None
    """The name on the person's files, which can differ from all of the above."""
    members: tuple[Person, ...] = ()
    """The members of a group, which has a name and sometimes an id."""

    @property
    def display_name(self) -> str:
        """The name, or else the best identifier available."""
        return self.name or self.user or self.handle or self.id or self.email or "?"

    @property
    def short_name(self) -> str:
        """The display name, escaped and shortened for a message."""
        return one_line(self.display_name, 60)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one person handed in at one time."""

    person: Person
    leaves: Mapping[str, Leaf] = field(default_factory=dict)
    """Files, keyed by the student's own path for them, without the platform's prefixes."""
    submitted: datetime | None = None
    number: int | None = None
    """The platform's number for the attempt, from 1."""
    is_late: bool | None = None
    """Whether the platform marked the attempt as late; None if unknown."""
    remarks: tuple[Message, ...] = ()
    """Remarks for the student on how the files were found."""
    refusals: tuple[Message, ...] = ()
    """Why other files of the attempt were refused."""


# Sorting the attempts of one person by time.


def sort_attempts(attempts: Sequence[Attempt]) -> tuple[list[Attempt], bool]:
    """Return the distinct `attempts`, oldest first, and whether their order is certain.

    They are sorted by the platform's numbers if these are all known and different, or else by the
    times of submission. If some of these times are unknown too, the times of the attempts'
    files decide, which is a guess.
    """
    distinct = list({_identity_key(attempt): attempt for attempt in attempts}.values())
    times = [_to_utc(attempt.submitted) for attempt in distinct]
    numbers = [attempt.number for attempt in distinct]
    if len(distinct) == 1:
        return distinct, True
    if None not in numbers and len(set(numbers)) == len(numbers):
        return _sort_by_keys(distinct, numbers)
    if None not in times:
        return _sort_by_keys(
            distinct, [(time, n or 0) for time, n in zip(times, numbers, strict=True)]
        )
    return _sort_by_keys(distinct, [_latest_change(attempt) for attempt in distinct])[0], False


def _sort_by_keys(
    attempts: Sequence[Attempt], keys: Sequence[object]
) -> tuple[list[Attempt], bool]:
    """Return `attempts` sorted by `keys`, and whether the keys are distinct."""
    order = sorted(range(len(attempts)), key=lambda index: (keys[index], index))
    return [attempts[index] for index in order], len(set(keys)) == len(keys)


def _identity_key(attempt: Attempt) -> tuple[object, ...]:
    """Return a key that is equal for copies of one attempt in several downloads."""
    # Sizes instead of contents, because no hand-in is read before it is graded.
    files = frozenset((path, leaf.size_bytes) for path, leaf in attempt.leaves.items())
    return (attempt.submitted, attempt.number, files)


def _to_utc(time: datetime | None) -> datetime | None:
    """Convert `time` to UTC for comparisons; a time without a zone counts as local time."""
    return None if time is None else time.astimezone(UTC)


def _latest_change(attempt: Attempt) -> datetime:
    """Return the last modification time of the files, or the earliest possible time if unknown."""
    times = (_to_utc(leaf.modified) for leaf in attempt.leaves.values())
    return max(filter(None, times), default=datetime.min.replace(tzinfo=UTC))
