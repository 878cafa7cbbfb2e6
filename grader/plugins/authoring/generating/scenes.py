"""Scenes, which are lines of code without their answers, and the generators that draw them.

An author writes a generator for each exercise, beside the reference: a module `generator.py` that
defines `GENERATOR`. The answers come from running the scenes on the reference.

Lines of a scene can compare two objects of a submission that reached the same state by different
routes, since the answers of an object should depend on its state, not on its history: see
decision 87.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedClause:
    """A demand of the spec in one context: a condition has one for each method it applies to."""

    group: str
    """The id of the group that its cases belong to."""
    quote: str | None = None
    """The words of the spec that determine the answers of its cases, verbatim."""
    reading: str | None = None
    """Instead of a quote, our interpretation of something that the spec leaves open; its group then
    has no points. If both are missing, the public suite defines the clause."""
    refused: bool = False
    """Whether its cases are refused, so that they raise an exception and change nothing."""
    message: bool = True
    """Whether a refusal must have the message of the reference, if the spec shows it."""
    ignore: tuple[str, ...] = ()
    """Differences to ignore in its cases, besides those that the public suite ignores; see `ignore`
    of a step."""
    tolerance: float | str | None = None
    """The tolerance for numbers in its cases; None for the tolerance of the public suite."""
    cut: bool = False
    """Whether each kind of its cases earns points separately. Cases that fail because of the same
    mistakes are of one kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A few self-contained lines with cases of a small number of clauses."""

    topic: str
    """The topic in a few words. It becomes the title of the session, which students can see."""
    lines: str
    """The lines of code. A line that starts with `... ` continues the line above, as at a prompt.

    A line that ends in two spaces, `#`, a space and the id of a clause is a case of that clause;
    other lines are set-up. The id can be followed by ` ~ ` and an expression that checks the answer
    if several answers are right, like `accepts` in a suite.
    """
    uses: tuple[str, ...] = ()
    """In an exercise of several modules, the modules that the scene needs; empty for all."""
    observers: tuple[str, ...] = ()
    """Expressions whose values every refused line must leave unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenGroup:
    """A group and its points. The public suite can have the group too."""

    id: str
    title: str
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """Draws the hidden cases of one exercise."""

    version: int
    """Increase it with every change that gives other sessions for the same seed."""
    clauses: Mapping[str, PlacedClause]
    """All clauses that have cases, keyed by id."""
    scenes: Callable[[Draws], Iterable[Scene]]
    """Returns scenes with at least two cases of each clause, with the scenes of a group together.
    It is called repeatedly with other draws, for which it should return different scenes with the
    same clauses in the same order."""
    examples: Callable[[Draws], Iterable[Scene]]
    """Returns scenes to show to students who fail a clause. They should be as small as possible;
    larger ones are for mistakes that only larger ones reveal. The smallest failing one is shown."""
    groups: tuple[HiddenGroup, ...] = ()
    """Groups with their points; other groups have the points of the public suite."""


_T = TypeVar("_T")
_CONTINUATION: Final = "... "


class Draws:
    """A random number generator that is seeded with a string."""

    def __init__(self, seed: str) -> None:
        """Start from `seed`. The same string always gives the same draws."""
        self.seed: Final = seed
        # Seeded with a number, because seeding with a string differs between Python versions.
        self._random: Final = random.Random(int.from_bytes(seed.encode(), "big"))  # noqa: S311 - for tests, not for secrets

    def below(self, count: int) -> int:
        """Return a number from 0 up to but not including `count`."""
        # `random()` is the only method that Python guarantees to be the same in later versions.
        return int(self._random.random() * count)

    def between(self, low: int, high: int) -> int:
        """Return a number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    def chance(self, probability: float) -> bool:
        """Return True with this `probability`, which is between 0 and 1."""
        return self._random.random() < probability

    def choice(self, items: Sequence[_T]) -> _T:
        """Return one of `items`, which must not be empty."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[_T]) -> list[_T]:
        """Return `items` in random order. Pass them in the same order each time, not as a set."""
        remaining = list(items)
        return [remaining.pop(self.below(len(remaining))) for _ in range(len(remaining))]

    def some(self, items: Iterable[_T], count: int) -> list[_T]:
        """Return `count` of the `items`, or all if there are fewer, in random order."""
        return self.shuffled(items)[:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneLine:
    """A line of a scene, with its clause if it is a case."""

    code: str
    clause: str | None = None
    accepts: str | None = None


def lines_of(scene: Scene) -> list[SceneLine]:
    """Parse the lines of `scene`. Continuation lines are joined to the line before them."""
    texts: list[str] = []
    for text in scene.lines.strip("\n").split("\n"):
        if text.startswith(_CONTINUATION) and texts:
            texts[-1] += f"\n{text.removeprefix(_CONTINUATION)}"
        elif text.strip():
            texts.append(text)
    return [_parse_line(text) for text in texts]


def one_of_each_clause(scenes: Iterable[Scene]) -> Iterator[Scene]:
    """Yield each of the `scenes` that has a case of a clause not seen in the scenes before it."""
    seen_clauses: set[str | None] = {None}
    for scene in scenes:
        clauses = {line.clause for line in lines_of(scene)}
        if not clauses <= seen_clauses:
            seen_clauses |= clauses
            yield scene


def _parse_line(text: str) -> SceneLine:
    """Return the line `text`, split into its code, its clause and its check of the answer."""
    code, separator, label = text.rpartition("  # ")
    if not separator or "\n" in label:
        return SceneLine(code=text)
    clause, _, accepts = label.partition(" ~ ")
    return SceneLine(code=code, clause=clause, accepts=accepts or None)


Move: TypeAlias = tuple[Any, ...]
"""The name of a method, followed by its arguments."""

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
    # Only a custom `__str__` counts. The `__repr__` of a dataclass shows internal fields.
    """def shown(thing):
...     is_written = type(thing).__str__ is not object.__str__
...     return answer(lambda: str(thing)) if is_written else None""",
)
"""Functions that scenes use to compare objects. They do not raise when the submission does."""

_LAST_OF_EACH_LINES: Final = (
    "later = [[move[1:] for move in done[at:]] for at in range(1, len(done) + 1)]",
    "last = [move for move, rest in zip(done, later) if move[1:] not in rest]",
)
"""Lines that bind `last` to the moves in `done` that no later move with the same arguments
follows."""


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
    """Return scene lines that compare two objects after the same successful moves.

    The lines try `moves` on the object named `first`, and repeat those that succeed on `second`.
    Both must start equal to `new`, an expression. The last line gives True three times if both give
    the same answers, if these differ from the answers of `new`, and if both allow the same moves.

    `defined` is the source of two functions that take such an object: `asked` returns a list of its
    answers, obtained with `shown` and `answer`; `allowed`, which can change the object,
    returns a list of results of `works`. Answers that can change later must be copied. The lines in
    `between` are inserted in the middle of the moves and after them. With `last_of_each`, only the
    last of the moves with the same arguments is repeated.

    The comparison detects answers that no move changes, as in an empty class, and with
    `last_of_each` a method that undoes nothing. It does not detect a method that is missing, raises
    or allows too much, because both objects then behave the same.
    """
    half = len(moves) // 2
    attempts = "[(move, works({}, *move)) for move in {}]"
    return [
        *HELPERS,
        *defined,
        f"tried = {attempts.format(first, [*moves[:half]])}",
        *between,
        f"tried += {attempts.format(first, [*moves[half:]])}",
        *between,
        "refused = [move for move, has_worked in tried if not has_worked]",
        # The refused moves are tried twice more, because some might succeed by now. The answers
        # come later, so that they reveal the effects of a refusal.
        f"tried += {attempts.format(first, 'refused + refused')}",
        "done = [move for move, has_worked in tried if has_worked]",
        *(_LAST_OF_EACH_LINES if last_of_each else ()),
        f"[works({second}, *move) for move in {'last' if last_of_each else 'done'}]",
        f"is_same = asked({first}) == asked({second})",
        f"[is_same, asked({first}) != asked({new}), allowed({first}) == allowed({second})]",
    ]
