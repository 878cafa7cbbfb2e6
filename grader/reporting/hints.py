"""What a page tells of hidden cases that failed, besides their verdicts.

Where the suite allows it, these are the lines of the exercise that they are about, and a small
session that shows such a mistake and counts for nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from grader.record import CaseResult, Record
from grader.reporting.case_view import CaseView, anchor, case_view
from grader.reporting.rendering import piece
from grader.reporting.runnable import runnable
from grader.reporting.spec_place import spec_place
from grader.reporting.visibility import VisibleGroup
from grader.reporting.voice import Voice

MAX_EXAMPLE_BYTES: Final = 60_000
"""Markup of all counterexamples of a page; one that has no room is left out."""
MAX_CLAUSES: Final = 12
"""Lines of the exercise that a group leads to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseView:
    """A line of the exercise."""

    text: str
    href: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleView:
    """A small session that shows a mistake."""

    anchor: str
    view: CaseView
    told: str
    """The markup of all there is to say about it."""
    program: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What is told of the hidden cases of one group."""

    clauses: tuple[ClauseView, ...]
    are_all: bool
    """Whether these are all lines."""
    example: ExampleView | None
    none_shows: bool
    """Whether no small session shows the mistake."""


def hints(
    groups: tuple[VisibleGroup, ...],
    record: Record,
    voice: Voice,
    lines: Mapping[tuple[str, int], str],
) -> Mapping[str, Hints]:
    """Return what is told of each of `groups`, by its id; `lines` are anchors of lines of code."""
    room = MAX_EXAMPLE_BYTES
    told: dict[str, Hints] = {}
    for group in groups:
        example = None
        if group.counterexample is not None:
            example = _example(group.id, group.counterexample, record, voice, lines)
            room -= len(example.told.encode("utf-8"))
            example = example if room >= 0 else None
        told[group.id] = Hints(
            clauses=tuple(_clause(line, record, voice) for line in group.clauses[:MAX_CLAUSES]),
            are_all=len(group.clauses) <= MAX_CLAUSES,
            example=example,
            none_shows=group.searched and group.counterexample is None,
        )
    return told


def _clause(line: int, record: Record, voice: Voice) -> ClauseView:
    place = spec_place(line, record, voice)
    href = None if place is None else place.href
    return ClauseView(text=voice("clause", line=line), href=href)


def _example(
    group: str,
    case: CaseResult,
    record: Record,
    voice: Voice,
    lines: Mapping[tuple[str, int], str],
) -> ExampleView:
    view = case_view(case, record, voice)
    return ExampleView(
        anchor=anchor(f"counterexample {group}"),
        view=view,
        told=piece("details", voice, view, True, lines),  # noqa: FBT003 - a macro has no keywords
        program=runnable(case, record, voice),
    )
