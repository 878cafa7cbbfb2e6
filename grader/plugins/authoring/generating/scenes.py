"""What a generator makes: scenes, which say what is done, never what it must give.

A course writes a generator per exercise, beside the reference: a module `generator.py` that binds
`GENERATOR`. The reference is run on its scenes and says what each line gives.

Lines of a scene may compare two objects of a submission, of which one has been through more. What
an object gives hangs on the state that it is in, not on how it came there: see decision 87.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedClause:
    """What the spec demands at one place: a condition counts for each method that it binds."""

    group: str
    """The group that its cases count for."""
    quote: str | None = None
    """The words of the spec that settle its cases, as they stand there."""
    reading: str | None = None
    """Instead of a quote, how we take what the spec leaves open; its group has no points then.
    Without either, the public suite has the clause."""
    refused: bool = False
    """Whether its cases are refused: what they do raises an exception, and changes nothing."""
    message: bool = True
    """Whether a refusal has to have the message of the reference, where the spec shows it."""
    ignore: tuple[str, ...] = ()
    """What does not count in its cases, besides what the public suite ignores: see `ignore` of a
    step."""
    tolerance: float | str | None = None
    """How far numbers may be off in its cases; None is as far as in the public suite."""
    cut: bool = False
    """Whether each kind of its cases earns its points by itself: those that the same mistakes fail
    are a kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A few lines that need nothing but themselves, and that ask what few clauses decide."""

    topic: str
    """What it is about, in a few words: the title of its session, which students may see."""
    lines: str
    """Its lines. One that starts with `... ` goes on with the line above, as at a prompt.

    A line that ends in two blanks, `#`, a blank and the id of a clause is a case of that clause;
    others are set-up. After the id, ` ~ ` and an expression say which answers are right where many
    are, as `accepts` does in a suite.
    """
    uses: tuple[str, ...] = ()
    """Of an exercise with several modules those that it needs; all of them where it is empty."""
    observers: tuple[str, ...] = ()
    """Expressions that every refused line has to leave unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenGroup:
    """The points of a group: one of hidden cases only, or one that the public suite has too."""

    id: str
    title: str
    points: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """How hidden cases of one exercise are made."""

    version: int
    """Raised with every change that makes other sessions of the same seed."""
    clauses: Mapping[str, PlacedClause]
    """All that is asked, by id."""
    scenes: Callable[[Draws], Iterable[Scene]]
    """Return scenes that together ask each clause at least twice, those of a group one after the
    other. They are asked for again and again, with other draws: scenes should differ then, and ask
    the same clauses in the same order."""
    examples: Callable[[Draws], Iterable[Scene]]
    """Return scenes to be shown to who fails a case of a clause: as small as they can be, and large
    ones where a mistake may take room. The smallest that goes wrong is shown."""
    groups: tuple[HiddenGroup, ...] = ()
    """The points of groups; those that are not here have the points of the public suite."""


_T = TypeVar("_T")
_GOES_ON: Final = "... "


class Draws:
    """A source of chance that starts from a text."""

    def __init__(self, seed: str) -> None:
        """Start from `seed`: the same text gives the same draws."""
        self.seed: Final = seed
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
class SceneLine:
    """A line of a scene."""

    code: str
    clause: str | None = None
    accepts: str | None = None


def lines_of(scene: Scene) -> list[SceneLine]:
    """Return the lines of `scene`."""
    texts: list[str] = []
    for text in scene.lines.strip("\n").split("\n"):
        if text.startswith(_GOES_ON) and texts:
            texts[-1] += f"\n{text.removeprefix(_GOES_ON)}"
        elif text.strip():
            texts.append(text)
    return [_line(text) for text in texts]


def one_of_each_clause(scenes: Iterable[Scene]) -> Iterator[Scene]:
    """Yield those of `scenes` that ask a clause which none before them has asked."""
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
"""What is defined to compare objects; what raises has no answer, or does not work."""


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
    """Return lines that try `moves` on `first` and repeat those that work on `second`; compare.

    The last line gives True three times: both answer the same, not what a `new` object answers, and
    allow the same. Both names have been given to objects that equal the `new` one, which is an
    expression.

    `defined` are functions of such an object: `asked` returns a list of what it shows and answers,
    with the help of `shown` and `answer`, and `allowed`, which may change the object, one of what
    `works`. What may be kept and changed later has to be copied. The lines `between` come in the
    middle of the moves, and after them. Where the last move with the same arguments says all, only
    the `last_of_each` are repeated: those in `last`.

    What was refused is tried twice more in the end: once everything else has been done some of it
    may work, and what a refusal leaves behind is there when the questions are asked.

    What is missing, raises, is allowed or is refused, however wrongly, is so in both objects. Two
    things are told besides: a method that undoes nothing, where only the last moves are repeated,
    and that no move changes any answer, as of who has written nothing or always answers the same.
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
