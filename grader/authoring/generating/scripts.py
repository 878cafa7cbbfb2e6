"""What a generator of sessions makes: scripts, which say what is done, never what it must give.

A course writes a generator per exercise, beside the reference: a module `generator.py` that binds
`GENERATOR`. The reference is run on its scripts and says what each line gives.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar


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


_T = TypeVar("_T")


class Draws:
    """A source of chance that starts from a text."""

    def __init__(self, seed: str) -> None:
        """Start from `seed`: the same text gives the same draws."""
        # The text goes in as bytes of a number: seeding with text itself has changed before.
        self._random: Final = random.Random(int.from_bytes(seed.encode(), "big"))  # noqa: S311 - for tests, not for secrets

    def below(self, count: int) -> int:
        """Return a number from 0 up to but not including `count`."""
        return int(self._random.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with this `probability`, between 0 and 1."""
        return self._random.random() < probability

    def choice(self, items: Sequence[_T]) -> _T:
        """Return one of `items`, of which there is at least one."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_T]) -> list[_T]:
        """Return `items` in any order; they must come in the same order each time."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]

    def some(self, items: Iterable[_T], count: int) -> list[_T]:
        """Return `count` of `items`, or all where there are fewer, in any order."""
        return self.shuffled(items)[:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptBuilder:
    """What lines have in common in all sessions of an exercise."""

    spec_lines: Mapping[str, int]
    """The line of the spec that asks for it, by `group`, or by `group: why`, which wins."""
    refusal: str
    """What a group of refused lines is called after the group of those that are accepted."""
    actions: tuple[str, ...]
    """Groups of which an accepted line changes what later lines see."""
    observers: tuple[str, ...]
    """Expressions that every refused line has to leave unchanged."""

    def case(self, group: str, code: str) -> Line:
        """Return a line that counts for `group`."""
        action = group in self.actions
        return Line(code=code, group=group, action=action, spec_line=self.spec_lines[group])

    def refused(self, group: str, code: str, why: str) -> Line:
        """Return a line that is refused, which counts for the refusals of `group`."""
        line = self.spec_lines.get(f"{group}: {why}", self.spec_lines[group])
        return Line(code=code, refused=group + self.refusal, note=why, spec_line=line)

    def line(self, text: str) -> Line:
        """Return the line that is written down as `text`."""
        code, _, label = text.partition(" # ")
        group, _, why = label.partition(": ")
        if why:
            return self.refused(group, code, why)
        return self.case(group, code) if group else Line(code=code)

    def script(self, topic: str, lines: list[Line]) -> Script:
        """Return a session of `lines`."""
        return Script(topic=topic, lines=tuple(lines), observers=self.observers)

    def session(self, text: str) -> Script:
        """Return the session that is written down as `text`."""
        topic, *lines = text.strip().split("\n")
        return self.script(topic, [self.line(line) for line in lines])
