"""Makes one short list of advice, best first: what is wrong, what is tangled, what is clumsy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from grader.intake.submission import SourceFile
from grader.judging.advice.linting import CODES, HABITS, MISTAKES, Finding, Lesson, lint
from grader.judging.advice.listing import MAX_ITEMS, MAX_PLACES, NAME_CHARS, listed
from grader.judging.advice.measures import measured
from grader.judging.record import Advice, RuleHit
from grader.messages import Message, message
from grader.sandbox.survey import Survey
from grader.values.display import one_line

_QUOTED: Final = re.compile(r"`([^`]+)`")
_HEADING: Final = re.compile(r"\s*(?:async|class|def|from|import)\b")


def advice(sources: Mapping[str, SourceFile], survey: Survey | None) -> tuple[Advice, ...]:
    """Return advice on the student's own `sources`, by the names of their modules; best first.

    `survey` holds the facts of their syntax, None where there are none to be had.
    """
    findings = lint(tuple(sources.values()), CODES)
    everything = (
        *_items(MISTAKES, findings),
        *(() if survey is None else measured(sources, survey)),
        *_items(HABITS, findings),
    )
    return everything[:MAX_ITEMS]


def _items(lessons: Iterable[Lesson], findings: Sequence[Finding]) -> Iterator[Advice]:
    for lesson in lessons:
        found = [one for one in findings if _asks_for(lesson, one)]
        if found:
            yield Advice(
                kind=lesson.kind,
                said=_said(lesson, found),
                hits=_hits(lesson, found),
                count=len(found),
            )


def _asks_for(lesson: Lesson, finding: Finding) -> bool:
    return (
        finding.code.startswith(lesson.codes)
        and not (lesson.names and _name(finding) is None)
        and not (lesson.assigned and _HEADING.match(finding.text))
    )


def _said(lesson: Lesson, found: Sequence[Finding]) -> Message:
    if not lesson.names:
        return message(lesson.key)
    names = list(dict.fromkeys(name for one in found if (name := _name(one)) is not None))
    # The number of names, not of places: `x` that is wrong in two places is one `x`.
    return message(lesson.key, names=listed(names), count=len(names))


def _hits(lesson: Lesson, found: Sequence[Finding]) -> tuple[RuleHit, ...]:
    """Return the first places, each line once."""
    hits: dict[tuple[str, int], RuleHit] = {}
    for one in found:
        name = _name(one) if lesson.names else None
        hit = RuleHit(
            file=one.file,
            line=one.line,
            column=one.column,
            text=one.text,
            what=None if name is None else one_line(name, NAME_CHARS),
        )
        hits.setdefault((one.file, one.line), hit)
        if len(hits) == MAX_PLACES:
            break
    return tuple(hits.values())


def _name(finding: Finding) -> str | None:
    """Return the name that `finding` is about, the first that ruff puts between backticks."""
    quoted = _QUOTED.search(finding.message)
    return None if quoted is None else quoted[1]
