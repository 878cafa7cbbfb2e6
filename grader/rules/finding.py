"""What was found about one rule: a verdict, and the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass

from grader.messages import Message
from grader.record import TableRow
from grader.survey import Place
from grader.verdict import RuleVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A place that the evidence points to, and what stands there, if that has a name."""

    place: Place
    what: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFinding:
    """What became of one rule."""

    verdict: RuleVerdict
    evidence: tuple[Message, ...]
    """Why: the first message says it, the others add detail."""
    hits: tuple[Hit, ...] = ()
    table: tuple[TableRow, ...] = ()


def passed(*evidence: Message) -> RuleFinding:
    """Return the finding of a rule that the submission keeps to."""
    return RuleFinding(verdict=RuleVerdict.PASSED, evidence=evidence)


def broken(*evidence: Message, hits: tuple[Hit, ...] = ()) -> RuleFinding:
    """Return the finding of a rule that the submission breaks."""
    return RuleFinding(verdict=RuleVerdict.BROKEN, evidence=evidence, hits=hits)


def review(*evidence: Message, hits: tuple[Hit, ...] = ()) -> RuleFinding:
    """Return the finding of a rule that a person has to decide on."""
    return RuleFinding(verdict=RuleVerdict.REVIEW, evidence=evidence, hits=hits)


def skipped(*evidence: Message) -> RuleFinding:
    """Return the finding of a rule for which there is nothing to judge."""
    return RuleFinding(verdict=RuleVerdict.SKIPPED, evidence=evidence)
