"""Who handed in, as far as the platform tells, and what each handed in when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

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
