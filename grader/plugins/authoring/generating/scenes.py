"""Scenes, which a generator makes: lines of code without their answers.

A course writes a generator per exercise, beside the reference: a module `generator.py` that defines
`GENERATOR`. The reference runs the scenes and gives the answers.

Lines of a scene may compare two objects of a submission that reached the same state by different
routes. The answers of an object depend on its state, not on its history: see decision 87.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedClause:
    """A demand of the spec at one place: a condition is placed once per method that it binds."""

    group: str
    """The group that its cases count for."""
    quote: str | None = None
    """The words of the spec that decide its cases, verbatim."""
    reading: str | None = None
    """Instead of a quote, our interpretation of what the spec leaves open; its group then has no
    points. Without either, the public suite has the clause."""
    refused: bool = False
    """Whether its cases are refused: they raise an exception, and change nothing."""
    message: bool = True
    """Whether a refusal must have the message of the reference, if the spec shows it."""
    ignore: tuple[str, ...] = ()
    """Differences to ignore in its cases, besides those of the public suite: see `ignore` of a
    step."""
    tolerance: float | str | None = None
    """The tolerance of numbers in its cases; None for that of the public suite."""
    cut: bool = False
    """Whether each kind of its cases earns points separately: cases that the same mistakes fail are
    of one kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A few self-contained lines with cases of few clauses."""

    topic: str
    """Its topic in a few words: the title of its session, which students may see."""
    lines: str
    """Its lines. One that starts with `... ` continues the line above, as at a prompt.

    A line that ends in two blanks, `#`, a blank and the id of a clause is a case of that clause;
    others are set-up. After the id may follow ` ~ ` and an expression that checks the answer if
    several are right, like `accepts` in a suite.
    """
    uses: tuple[str, ...] = ()
    """In an exercise of several modules, those that it needs; empty for all."""
    observers: tuple[str, ...] = ()
    """Expressions that every refused line has to leave unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenGroup:
    """The points of a group, which may be one of the public suite."""

    id: str
    title: str
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """Makes the hidden cases of one exercise."""

    version: int
    """Raise it with every change that gives other sessions for the same seed."""
    clauses: Mapping[str, PlacedClause]
    """All clauses with cases, by id."""
    scenes: Callable[[Draws], Iterable[Scene]]
    """Returns scenes with at least two cases of each clause, those of a group one after the other.
    It is called repeatedly with other draws: scenes should then differ, with the same clauses in
    the same order."""
    examples: Callable[[Draws], Iterable[Scene]]
    """Returns scenes to show to students who fail a clause: as small as possible, and larger ones
    for mistakes that show only there. The smallest that fails is shown."""
    groups: tuple[HiddenGroup, ...] = ()
    """The points of groups; other groups have the points of the public suite."""


_T = TypeVar("_T")
_CONTINUATION: Final = "... "


class Draws:
    """A random generator with a text as its seed."""

    def __init__(self, seed: str) -> None:
        """Start from `seed`: the same text gives the same draws."""
        self.seed: Final = seed
        # Seeded with a number: how Python seeds with text has changed between versions.
        self._random: Final = random.Random(int.from_bytes(seed.encode(), "big"))  # noqa: S311 - for tests, not for secrets

    def below(self, count: int) -> int:
        """Return a number from 0 up to but not including `count`."""
        # Python only guarantees that `random()` gives the same numbers in later versions.
        return int(self._random.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with this `probability`, between 0 and 1."""
        return self._random.random() < probability

    def choice(self, items: Sequence[_T]) -> _T:
        """Return one of `items`, which must not be empty."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_T]) -> list[_T]:
        """Return `items` in random order; pass them in the same order each time."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(len(left))]

    def some(self, items: Iterable[_T], count: int) -> list[_T]:
        """Return `count` of `items`, or all if there are fewer, in random order."""
        return self.shuffled(items)[:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneLine:
    """A line of a scene."""

    code: str
    clause: str | None = None
    accepts: str | None = None


def lines_of(scene: Scene) -> list[SceneLine]:
    """Return the lines of `scene`."""
    texts: list[str] = []
    for text in scene.lines.strip("\n").split("\n"):
        if text.startswith(_CONTINUATION) and texts:
            texts[-1] += f"\n{text.removeprefix(_CONTINUATION)}"
        elif text.strip():
            texts.append(text)
    return [_line(text) for text in texts]


def one_of_each_clause(scenes: Iterable[Scene]) -> Iterator[Scene]:
    """Yield the `scenes` with a case of a clause that no scene before them has."""
    seen: set[str | None] = {None}
    for scene in scenes:
        asked = {line.clause for line in lines_of(scene)}
        if not asked <= seen:
            seen |= asked
            yield scene


def _line(text: str) -> SceneLine:
    code, mark, label = text.rpartition("  # ")
    if not mark or "\n" in label:
        return SceneLine(code=text)
    clause, _, accepts = label.partition(" ~ ")
    return SceneLine(code=code, clause=clause, accepts=accepts or None)


Move: TypeAlias = tuple[Any, ...]
"""The name of a method, and its arguments."""

HELPERS: Final = (
    """def works(thing, method, *arguments):
...     try:
...         getattr(thing, method)(*arguments)
...     except Exception:
...         return False
...     return True""",
    """def answer(question):
...     try:
...         return question()
...     except Exception:
...         return None""",
    # A `__repr__` alone does not count: that of a dataclass shows what it likes to keep.
    """def shown(thing):
...     is_written = type(thing).__str__ is not object.__str__
...     return answer(lambda: str(thing)) if is_written else None""",
)
"""Functions for comparing objects: a call that raises has no answer, or does not work."""


def compared(
    first: str,
    second: str,
    moves: Sequence[Move],
    *,
    new: str,
    defined: Sequence[str],
    between: Sequence[str] = (),
    last_of_each: bool = False,
) -> list[str]:
    """Return lines that try `moves` on `first`, repeat those that work on `second`, and compare.

    The last line gives True three times: both answer the same, not what a `new` object answers, and
    allow the same moves. Both names must be bound to objects equal to `new`, an expression.

    `defined` are two functions of such an object: `asked` returns a list of its answers, by `shown`
    and `answer`; `allowed`, which may change the object, returns a list of what `works`. Answers
    that may change later have to be copied. The lines `between` come in the middle of the moves,
    and after them. With `last_of_each`, only the last move with the same arguments is repeated.

    Refused moves are tried twice more at the end: some may work then, and the questions come after
    them, so that effects of a refusal show.

    A method that is missing, raises, or allows too much does so in both objects, which costs
    nothing here. But two mistakes show: a method that undoes nothing, with `last_of_each`, and
    answers that no move changes, as in an empty class.
    """
    half = len(moves) // 2
    tried = "[(move, works({}, *move)) for move in {}]"
    last = (
        "later = [[move[1:] for move in done[at:]] for at in range(1, len(done) + 1)]",
        "last = [move for move, rest in zip(done, later) if move[1:] not in rest]",
    )
    return [
        *HELPERS,
        *defined,
        f"tried = {tried.format(first, [*moves[:half]])}",
        *between,
        f"tried += {tried.format(first, [*moves[half:]])}",
        *between,
        "refused = [move for move, has_worked in tried if not has_worked]",
        f"tried += {tried.format(first, 'refused + refused')}",
        "done = [move for move, has_worked in tried if has_worked]",
        *(last if last_of_each else ()),
        f"[works({second}, *move) for move in {'last' if last_of_each else 'done'}]",
        f"is_same = asked({first}) == asked({second})",
        f"[is_same, asked({first}) != asked({new}), allowed({first}) == allowed({second})]",
    ]
