"""Decisions as persons make them, for tests."""

from __future__ import annotations

from typing import Any

from grader.judging.deciding import Decision, Subject, findings
from grader.judging.record import Record


def decision(record: Record, about: Subject, subject: str = "", **facts: Any) -> Decision:
    """Return a decision on `record`, made today by somebody with a reason."""
    reason = "I have talked with her."
    at = "2026-11-23T09:00:00+00:00"
    known = {"uid": f"{about}/{subject}/{facts}", "because": reason, "by": "prof", "at": at} | facts
    return Decision(
        exercise=record.exercise,
        student=record.student,
        suite=record.conditions.suite_sha256,
        about=about,
        subject=subject,
        finding=findings(record).get((about, subject)),
        **known,
    )


def on_case(record: Record, subject: str, points: float, **facts: Any) -> Decision:
    """Return a decision on a case of `record`."""
    return decision(record, Subject.CASE, subject, points=points, **facts)
