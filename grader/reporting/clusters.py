"""The same wrong answer: students who fail a case in one and the same way.

What came is brought to a key: the case and its verdict, and of a wrong answer what it is, type and
all; of an exception its type and the line of the submission that raised it. Who has the same key
makes the same mistake, or follows the same misreading of the exercise.

A record is large and does not outlive its submission here. Of each failing case stay the key and a
short example; what is long in an example is shared between submissions that show the same.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from grader.display import one_line, shown_text
from grader.record import CaseResult, Record, TranscriptLine
from grader.reporting.excerpt import excerpt, excerpt_lines
from grader.reporting.signs import Tone, tone_of
from grader.verdict import Verdict, Visibility

_MAX_FAILURES: Final = 1_000
"""Failing cases of one submission that are looked at."""
_MAX_SESSION_CHARS: Final = 1_500
"""Characters of a session, its first step aside."""
_MAX_OUTPUT_CHARS: Final = 300
_MAX_OUTPUT_LINES: Final = 12
_LAST_STEPS: Final = 9
_MAX_ANSWER_CHARS: Final = 240
_KEPT_CHARS: Final = 60_000
"""Characters of sessions that are kept of one submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What stays of a failing case."""

    key: bytes
    """Equal where the case failed in the same way."""
    code: str
    verdict: Verdict
    expected: str
    got: str
    line: str
    """The line of the submission that raised the exception, if any did."""
    steps: int
    """Length of the session that shows it."""
    session: str
    """That session as an interpreter would show it, short; empty when too much is kept already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Submissions that fail a case in the same way."""

    members: tuple[int, ...]
    """Places of the submissions."""
    example: int
    """Place of the submission whose session is the smallest."""
    failure: Failure
    """As it is there."""
    others: int
    """Further cases that exactly the same submissions fail, each in one way."""


def failures(record: Record) -> tuple[Failure, ...]:
    """Return what stays of the failing cases of `record`, public and hidden ones."""
    failing = [case for case in record.cases if _counts(case)]
    return tuple(_failures(failing[:_MAX_FAILURES]))


def clusters(found: Sequence[Sequence[Failure]]) -> list[Cluster]:
    """Return the clusters of two submissions or more, the largest first.

    `found` has the failures of each submission. Cases that the very same submissions fail are
    taken together; the one that the smallest session shows stands for them.
    """
    members: dict[bytes, list[int]] = {}
    smallest: dict[bytes, tuple[int, Failure]] = {}
    for place, of_one in enumerate(found):
        for failure in of_one:
            members.setdefault(failure.key, []).append(place)
            best = smallest.get(failure.key)
            if best is None or _size(failure) < _size(best[1]):
                smallest[failure.key] = (place, failure)
    together: dict[tuple[int, ...], list[tuple[int, Failure]]] = {}
    for key, places in members.items():
        if len(places) > 1:
            together.setdefault(tuple(places), []).append(smallest[key])
    merged = [_cluster(places, shown) for places, shown in together.items()]
    return sorted(merged, key=lambda cluster: (-len(cluster.members), -cluster.others))


def _cluster(places: tuple[int, ...], shown: Sequence[tuple[int, Failure]]) -> Cluster:
    example, failure = min(shown, key=lambda one: _size(one[1]))
    return Cluster(members=places, example=example, failure=failure, others=len(shown) - 1)


def _size(failure: Failure) -> tuple[bool, int, int]:
    return not failure.session, failure.steps, len(failure.session)


def _counts(case: CaseResult) -> bool:
    return (
        tone_of(case.verdict) is Tone.BAD
        and case.verdict is not Verdict.TAMPERED  # it is for a person, one by one
        and case.visibility is not Visibility.STAFF
    )


def _failures(cases: Sequence[CaseResult]) -> Iterator[Failure]:
    room = _KEPT_CHARS
    for case in cases:
        session = _session(case.transcript) if room > 0 else ""
        room -= len(session)
        yield Failure(
            key=_key(case),
            code=sys.intern(one_line(case.code, _MAX_ANSWER_CHARS)),
            verdict=case.verdict,
            expected=sys.intern(one_line(case.expected or "", _MAX_ANSWER_CHARS)),
            got=sys.intern(one_line(case.got or "", _MAX_ANSWER_CHARS)),
            line=sys.intern("" if case.source is None else _line(case.source.text)),
            steps=len(case.transcript),
            session=sys.intern(session),
        )


def _key(case: CaseResult) -> bytes:
    got = shown_text(case.got or "")
    outcome: tuple[str, ...]
    if case.verdict is Verdict.WRONG:
        # The sentence names the type where the text of a value does not tell it.
        outcome = (got, *map(repr, case.explanation[:1]))
    elif case.source is not None:
        outcome = (got.partition(":")[0], _line(case.source.text))
    else:
        outcome = (got,)
    text = repr((case.id, case.verdict.value, outcome))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]


def _line(text: str) -> str:
    """Return a line of code without its indentation, and with single blanks."""
    return " ".join(one_line(text, _MAX_ANSWER_CHARS).split())


def _session(transcript: Sequence[TranscriptLine]) -> str:
    """Return the session with its first step and as many of the last ones as there is room for."""
    if not transcript:
        return ""
    *before, failing = transcript
    shown = [_step(failing)]
    room = _MAX_SESSION_CHARS - len(shown[0])
    first = [_step(before[0])] if before else []
    for step in reversed(before[1:]):
        text = _step(step)
        room -= len(text)
        if room < 0 or len(shown) == _LAST_STEPS:
            break
        shown.append(text)
    left_out = len(before) - len(first) - len(shown) + 1
    gap = [f"… (+{left_out})"] if left_out else []
    return "\n".join([*first, *gap, *reversed(shown)])


def _step(step: TranscriptLine) -> str:
    code = excerpt_lines(step.code, _MAX_OUTPUT_CHARS, _MAX_OUTPUT_LINES)
    prompted = [f"{'... ' if number else '>>> '}{line}" for number, line in enumerate(code)]
    output = excerpt(step.output, _MAX_OUTPUT_CHARS, _MAX_OUTPUT_LINES).rstrip("\n")
    return "\n".join([*prompted, output] if output else prompted)
