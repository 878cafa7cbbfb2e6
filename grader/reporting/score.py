"""The score of a record, as reports show it: in words, and as a share of all there is to earn."""

from __future__ import annotations

from grader.record import Record
from grader.reporting.voice import Voice
from grader.verdict import Status


def score_text(record: Record, voice: Voice) -> str:
    """Return the score in words; of a submission that we failed there is none yet."""
    if record.status is Status.FAULT:
        return voice("no_score")
    return voice.points(record.score, record.max_score)


def lost_by_rules(record: Record) -> float:
    """Return how many points rules cost: no more than there were, for no score is below zero."""
    earned = sum(group.points for group in record.groups)
    return min(earned, sum(rule.penalty for rule in record.rules))


def score_share(record: Record) -> float | None:
    """Return the score as a number from 0 to 1, or None while there is none."""
    if record.status is Status.FAULT:
        return None
    if record.max_score <= 0:
        return 0.0
    return min(1.0, max(0.0, record.score / record.max_score))
