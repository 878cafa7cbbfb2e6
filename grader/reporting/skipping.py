"""Why cases of a group were not tried, told once for all that have the same cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.reporting.case_view import CaseView, StepView
from grader.reporting.signs import Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipView:
    """Why some cases of a group did not run."""

    sentences: tuple[str, ...]
    cause: str | None
    """What kept them from being tried, if the sentences do not name it."""
    transcript: tuple[StepView, ...]


def skips(cases: Sequence[CaseView]) -> Iterator[SkipView]:
    """Tell each reason once, in the order in which `cases` meet them."""
    idle = [case for case in cases if case.sign.tone is Tone.IDLE]
    by_reason: dict[tuple[tuple[str, ...], str | None], CaseView] = {}
    for case in idle:
        by_reason.setdefault((case.explanation, case.cause), case)
    for case in by_reason.values():
        yield SkipView(
            sentences=case.explanation, cause=case.unnamed_cause, transcript=case.transcript
        )
