"""The result of a case: its verdict, why, and the session that shows it."""

from __future__ import annotations

from collections.abc import Mapping as ByKey
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from grader.judging.record import TranscriptLine
from grader.messages import Message
from grader.sandbox.observation import Frame
from grader.sandbox.sessions import SessionRun
from grader.suite.model import Session
from grader.values.tree import Array, Atom, Collection, Fields, Mapping, Sequence, Value
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
class Result:
    """The verdict on a case, and why."""

    verdict: Verdict
    explanation: tuple[Message, ...] = ()
    """The first message says it in a sentence, the others add detail."""
    expected: str | None = None
    got: str | None = None
    evidence: str | None = None
    """For staff: how an executor died, or why we could not tell, where the fault is ours."""
    values: Values | None = field(default=None, compare=False)
    """The same two as values, where both are values or texts, and not too large to be kept."""
    transcript: tuple[TranscriptLine, ...] = ()
    """The session that shows it."""
    frame: Frame | None = None
    """The innermost line of the submission that an unexpected exception came from."""
    cause: str | None = None
    """For SKIPPED: the code of the step that broke down, the name or the file that is missing."""
    too_deep: bool = False
    """Whether it went deeper than Python allows."""

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return self.verdict is Verdict.PASSED


PASSED: Final = Result(verdict=Verdict.PASSED)
Results: TypeAlias = ByKey[str, Result]
"""The results of the cases of a session, by the id of the case."""


class TrialResult(NamedTuple):
    """A session as it was tried on a submission."""

    session: Session
    run: SessionRun
    """Of the whole session."""
    missing: ByKey[str, str]
    """Names that the submission should define, each with a near miss or ""."""


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
