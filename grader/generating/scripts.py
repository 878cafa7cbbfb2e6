"""What a generator of sessions makes: scripts, which say what is done, never what it must give.

A course writes a generator per exercise, beside the reference: a module `generator.py` that binds
`GENERATOR`. The reference is run on its scripts and says what each line gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grader.generating.draws import Draws


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a script: an expression or a statement."""

    code: str
    group: str | None = None
    """The group that it counts for when the reference answers; without one it is set-up."""
    refused: str | None = None
    """The group that it counts for when the reference raises; without one it is left out then."""
    action: bool = False
    """Whether later lines build on it although it gives something else than None or an object that
    has a name."""
    note: str | None = None
    """Why it is there, for people."""
    spec_line: int | None = None
    """Line of the spec that asks for it, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The lines of one session."""

    topic: str
    """What it is about, in a few words: the title of the session, which students may see."""
    lines: tuple[Line, ...]
    observers: tuple[str, ...] = ()
    """Expressions that every refused line has to leave unchanged."""
    uses: tuple[str, ...] = ()
    """Of an exercise with several modules those that it needs; all of them where it is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenGroup:
    """A group that only hidden sessions have cases of."""

    id: str
    title: str
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """How sessions of one exercise are made."""

    version: int
    """Raised with every change that makes other sessions of the same seed."""
    session: Callable[[Draws, int], Script]
    """Return one session, drawn at random. The number says by which symmetry of the exercise all of
    it is turned, mirrored or recoloured, from 0 (as it is) up to `symmetries`: draws that start the
    same give sessions of the same structure."""
    symmetries: int
    """How many symmetries there are, the identity included; 1 for none."""
    directed: Callable[[], Iterable[Script]]
    """Return the sessions that chance would seldom make: small inputs, all of them and the smallest
    first; two objects side by side; what is handed in or out and changed afterwards; the state
    after a refusal; every type of collection that the spec allows."""
    groups: tuple[HiddenGroup, ...] = ()
    """Groups that the public suite does not have."""
