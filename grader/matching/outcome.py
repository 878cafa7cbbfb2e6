"""What matching an observation against an expectation comes to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from grader.messages import Message
from grader.values import Array, Atom, Collection, Fields, Mapping, Sequence, Value
from grader.verdict import Verdict

MAX_KEPT_NODES: Final = 2_500
"""Nodes of the largest value that is kept for a picture: a submission may fail many cases."""
MAX_KEPT_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class Values:
    """What was expected, None if there is no one value for it, and what came."""

    expected: Value | None
    got: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A verdict, and why: the first message says it in a sentence, the others add detail."""

    verdict: Verdict
    explanation: tuple[Message, ...] = ()
    expected: str | None = None
    got: str | None = None
    values: Values | None = field(default=None, compare=False)
    """The same two as values, where both are values or texts, and not too large to be kept."""

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return self.verdict is Verdict.PASSED


PASSED = Outcome(verdict=Verdict.PASSED)


def kept(expected: Value | None, got: Value) -> Values | None:
    """Return both values to be kept with an outcome; None when one of them is too large."""
    if _is_small(got) and (expected is None or _is_small(expected)):
        return Values(expected, got)
    return None


def _is_small(value: Value) -> bool:
    """Return whether `value` may be kept, after a look at no more of it than that takes."""
    left = [value]
    for _ in range(MAX_KEPT_NODES):
        if not left:
            return True
        match left.pop():
            case Sequence(items=items) | Collection(items=items) | Array(items=items):
                parts = items
            case Mapping(items=pairs):
                parts = tuple(part for pair in pairs[:MAX_KEPT_NODES] for part in pair)
            case Fields(items=fields):
                parts = tuple(part for _, part in fields)
            case Atom(str() as text) if len(text) > MAX_KEPT_CHARS:
                return False
            case _:
                parts = ()
        if len(parts) > MAX_KEPT_NODES:
            return False
        left += parts
    return not left
