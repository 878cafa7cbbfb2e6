"""The outcomes that workers send back: JSON whose structure is checked, never pickles."""

from __future__ import annotations

import base64
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.errors import HostError
from grader.store.graded import Graded, UnpassedCase
from grader.values.foreign_text import one_line
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one job, as a worker returns it."""

    index: int
    student: str
    """The student in the record, which might be a pseudonym."""
    needs: tuple[int, int] | None
    """The Python version that the submission needs, if ours is too old."""
    graded: Graded
    page: str | None
    sheet: str | None
    seconds: float | None
    """The duration of grading, or None if the record was known."""


def parse_outcomes(data: bytes) -> list[Outcome]:
    """Return the outcomes in the reply of `grade_chunk`.

    Raises `HostError` if the worker refused, and `ValueError` if the reply is malformed.
    """
    try:
        return [_parse_outcome(item) for item in parse_reply(data)["outcomes"]]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"a worker sent malformed outcomes: {error!r}") from None


def parse_reply(data: bytes) -> Mapping[str, Any]:
    """Return the parsed reply of a worker.

    Raises `HostError` if the worker refused the request, and `ValueError` if the reply is not JSON.
    """
    reply: Mapping[str, Any] = json.loads(data)
    if "refused" in reply:
        message, help_, host = reply["refused"]
        # On a cluster the user must know which machine to mend.
        prefix = "" if host == platform.node() else f"on {one_line(str(host))}: "
        raise HostError(f"{prefix}{message}", help=None if help_ is None else str(help_))
    return reply


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Return `outcome` as JSON data, the inverse of `_parse_outcome`."""
    graded = outcome.graded
    return {
        "index": outcome.index,
        "student": outcome.student,
        "needs": outcome.needs,
        "page": outcome.page,
        "sheet": outcome.sheet,
        "seconds": outcome.seconds,
        "pattern": graded.pattern,
        "status": graded.status.value,
        "score": graded.score,
        "max_score": graded.max_score,
        "isolation": graded.isolation,
        "is_lasting": graded.is_lasting,
        "unpassed": graded.unpassed,
        "data": base64.b64encode(graded.data).decode("ascii"),
        "summary": base64.b64encode(graded.summary).decode("ascii"),
        "overview": base64.b64encode(graded.overview).decode("ascii"),
    }


def _parse_outcome(fields: Mapping[str, Any]) -> Outcome:
    """Return the outcome in `fields`, from `outcome_data`.

    Raises `ValueError`, `KeyError` or `TypeError` if it is malformed.
    """
    needs = fields["needs"]
    return Outcome(
        index=int(fields["index"]),
        student=str(fields["student"]),
        needs=None if needs is None else (int(needs[0]), int(needs[1])),
        page=_optional_string(fields["page"]),
        sheet=_optional_string(fields["sheet"]),
        seconds=None if fields["seconds"] is None else float(fields["seconds"]),
        graded=Graded(
            pattern=str(fields["pattern"]),
            status=Status(fields["status"]),
            score=float(fields["score"]),
            max_score=float(fields["max_score"]),
            isolation=int(fields["isolation"]),
            # Only `True` counts, because a lasting record is also given to other students.
            is_lasting=fields["is_lasting"] is True,
            unpassed=tuple(
                UnpassedCase(str(case_id), str(verdict), float(points), float(max_points))
                for case_id, verdict, points, max_points in fields["unpassed"]
            ),
            # Without `validate`, invalid characters would be skipped.
            data=base64.b64decode(fields["data"], validate=True),
            summary=base64.b64decode(fields["summary"], validate=True),
            overview=base64.b64decode(fields["overview"], validate=True),
        ),
    )


def _optional_string(value: object) -> str | None:
    return None if value is None else str(value)
