"""`result.json` of Classroom 50, in the schema `classroom50/result/v1`.

It is described in `schemas/result-v1.schema.json` of foundation50/classroom50, and checked by
`validate_result` of its `runner.py`, which sets the student's data in the environment. Points are
integers there, so they are written in hundredths, the precision of our pages.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from grader.errors import UsageError
from grader.judging.record import Record
from grader.plugins.results.texts import told
from grader.reporting.shown_results import ResultFormat, ShownResult

_SCHEMA: Final = "classroom50/result/v1"
_VARIABLES: Final = {
    "classroom": ("CLASSROOM",),
    "assignment": ("ASSIGNMENT",),
    "assignment_type": ("ASSIGNMENT_TYPE",),
    "owner": ("OWNER", "USERNAME"),
    "submission": ("SUBMISSION_TAG",),
    "commit": ("COMMIT_URL",),
    "release": ("RELEASE_URL",),
    "review": ("REVIEW_URL", "COMMIT_URL"),
}
_UNITS: Final = 100
"""Hundredths per point."""


def _written(record: Record, _work: PurePath) -> str:
    # The schema requires it; the runner replaces it by the time of the commit.
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps(
        {
            "schema": _SCHEMA,
            **{key: _given(*names) for key, names in _VARIABLES.items()},
            "datetime": now,
            "score": _whole(record.score),
            "max-score": _whole(record.max_score),
            "tests": [_test(*each) for each in told(record)],
        },
        indent=1,
    )


def _given(*names: str) -> str:
    for name in names:
        if value := os.environ.get(name):
            return value
    raise UsageError(
        f"the environment variable {names[0]} is not set",
        help="Classroom 50 sets it: this format is for its runner",
    )


def _whole(points: float | None) -> int:
    return max(0, round(_UNITS * (points or 0)))


def _test(shown: ShownResult, text: str) -> dict[str, Any]:
    name = f"{shown.group}: {shown.id}" if shown.group else shown.id
    most = _whole(shown.max_points)
    return {
        "test-name": name,
        "passed": shown.result == "passed",
        "score": min(most, _whole(shown.points)),
        "max-score": most,
        "output": text,
    }


CLASSROOM_50: Final = ResultFormat(written=_written, place="result.json", is_mark=True)
