"""How a verdict looks: a glyph and a tone beside its word, so that colour is never alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, unique
from typing import Final, assert_never

from grader.reporting.voice import Voice
from grader.verdict import Verdict


@unique
class Tone(Enum):
    """What a verdict asks of the reader."""

    GOOD = "good"
    """Nothing: it is right."""
    BAD = "bad"
    """Something to mend in the submission."""
    IDLE = "idle"
    """Nothing yet: it did not run, because of something else."""
    OURS = "ours"
    """Nothing of the student: the failure is ours."""


GLYPHS: Final = {Tone.GOOD: "✓", Tone.BAD: "✗", Tone.IDLE: "–", Tone.OURS: "!"}  # noqa: RUF001 - drawn, not read


@dataclass(frozen=True, slots=True)
class Sign:
    """A verdict, ready to be shown."""

    tone: Tone
    glyph: str
    word: str


def tone_of(verdict: Verdict) -> Tone:
    """Return what `verdict` asks of the reader."""
    match verdict:
        case Verdict.PASSED:
            return Tone.GOOD
        case (
            Verdict.WRONG
            | Verdict.ERROR
            | Verdict.TIMED_OUT
            | Verdict.MEMORY
            | Verdict.OUTPUT
            | Verdict.CRASHED
            | Verdict.EXITED
            | Verdict.FORBIDDEN
            | Verdict.TAMPERED
        ):
            return Tone.BAD
        case Verdict.SKIPPED | Verdict.NOT_RUN:
            return Tone.IDLE
        case Verdict.FAULT:
            return Tone.OURS
        case _:
            assert_never(verdict)


def sign(verdict: Verdict, voice: Voice) -> Sign:
    """Return `verdict` as `voice` shows it."""
    tone = tone_of(verdict)
    return Sign(tone, GLYPHS[tone], voice(f"verdict_{verdict.value}"))
