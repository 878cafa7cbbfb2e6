"""The outcomes that workers send back: JSON whose shape is checked, never pickles."""

from __future__ import annotations

import base64
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.errors import HostError
from grader.store.graded import Graded, Unpassed
from grader.values.foreign_text import one_line
from grader.verdict import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one job."""

    index: int
    student: str
    """The student in the record, perhaps a pseudonym."""
    needs: tuple[int, int] | None
    """The version of Python that the submission needs, if ours is too old."""
    graded: Graded
    page: str | None
    sheet: str | None
    seconds: float | None
    """Duration of grading; None if the record was known."""


def outcomes(data: bytes) -> list[Outcome]:
    """Return the outcomes in the reply of `grade_chunk`.

    Raises `HostError` if the worker refused, and `ValueError` if the reply is malformed.
    """
    try:
        return [_parsed_outcome(each) for each in answered(data)["outcomes"]]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"a worker sent something else than outcomes: {error!r}") from None


def answered(data: bytes) -> Mapping[str, Any]:
    """Return the parsed reply of a worker; raises `HostError` if it refused."""
    reply: Mapping[str, Any] = json.loads(data)
    if "refused" in reply:
        message, help_, host = reply["refused"]
        prefix = "" if host == platform.node() else f"on {one_line(str(host))}: "
        raise HostError(f"{prefix}{message}", help=None if help_ is None else str(help_))
    return reply


def plain(outcome: Outcome) -> dict[str, Any]:
    """Return `outcome` as plain data for JSON."""
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


def _parsed_outcome(form: Mapping[str, Any]) -> Outcome:
    needs = form["needs"]
    return Outcome(
        index=int(form["index"]),
        student=str(form["student"]),
        needs=None if needs is None else (int(needs[0]), int(needs[1])),
        page=_optional_string(form["page"]),
        sheet=_optional_string(form["sheet"]),
        seconds=None if form["seconds"] is None else float(form["seconds"]),
        graded=Graded(
            pattern=str(form["pattern"]),
            status=Status(form["status"]),
            score=float(form["score"]),
            max_score=float(form["max_score"]),
            isolation=int(form["isolation"]),
            is_lasting=form["is_lasting"] is True,  # only then may the record be shared
            unpassed=tuple(
                Unpassed(str(case_id), str(verdict), float(points), float(max_points))
                for case_id, verdict, points, max_points in form["unpassed"]
            ),
            data=base64.b64decode(
                form["data"], validate=True
            ),  # otherwise invalid characters are skipped
            summary=base64.b64decode(form["summary"], validate=True),
            overview=base64.b64decode(form["overview"], validate=True),
        ),
    )


def _optional_string(value: object) -> str | None:
    return None if value is None else str(value)
