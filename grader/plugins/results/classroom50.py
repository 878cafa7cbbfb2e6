"""`result.json` of Classroom 50, in the schema `classroom50/result/v1`.

The schema is `schemas/result-v1.schema.json` in foundation50/classroom50, and `validate_result` in
its `runner.py` checks it. The runner sets the student's data in the environment. The schema
requires integers for points, so points are written in hundredths, the precision of our pages.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Final

from grader.errors import UsageError
from grader.judging.record import Record
from grader.plugins.results.texts import results_with_texts
from grader.reporting.shown_results import ResultFormat, ShownResult

_SCHEMA: Final = "classroom50/result/v1"
_VARIABLES: Final = {
    # The environment variables for each key of the result: the first that is not empty counts.
    "classroom": ("CLASSROOM",),
    "assignment": ("ASSIGNMENT",),
    "assignment_type": ("ASSIGNMENT_TYPE",),
    "owner": ("OWNER", "USERNAME"),
    "submission": ("SUBMISSION_TAG",),
    "commit": ("COMMIT_URL",),
    "release": ("RELEASE_URL",),
    "review": ("REVIEW_URL", "COMMIT_URL"),
}
_HUNDREDTHS: Final = 100
"""Hundredths per point."""


def _result_text(record: Record, _work: PurePath) -> str:
    """Return the result of `record` as the text of `result.json`.

    Raises `UsageError` if the runner of Classroom 50 has not set the environment variables.
    """
    # The schema requires a time, which the runner replaces with that of the commit.
    timestamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps(
        {
            "schema": _SCHEMA,
            **{key: _environment_value(*names) for key, names in _VARIABLES.items()},
            "datetime": timestamp,
            "score": _hundredths(record.score),
            "max-score": _hundredths(record.max_score),
            "tests": [_test(shown, text) for shown, text in results_with_texts(record)],
        },
        indent=1,
    )


def _environment_value(*names: str) -> str:
    """Return the value of the first environment variable in `names` that is not empty.

    Raises `UsageError` if there is none.
    """
    for name in names:
        if value := os.environ.get(name):
            return value
    raise UsageError(
        f"there is no value in the environment variable {' or '.join(names)}",
        help="use this format only in the runner of Classroom 50, which sets the variable",
    )


def _hundredths(points: float | None) -> int:
    """Return `points` in hundredths; 0 if they are negative or None."""
    return max(0, round(_HUNDREDTHS * (points or 0)))


def _test(result: ShownResult, text: str) -> dict[str, Any]:
    """Return one result, with its `text` for the student, as a test of Classroom 50."""
    name = f"{result.group}: {result.id}" if result.group else result.id
    maximum = _hundredths(result.max_points)
    return {
        "test-name": name,
        "passed": result.result == "passed",
        "score": min(maximum, _hundredths(result.points)),
        "max-score": maximum,
        "output": text,
    }


CLASSROOM_50: Final = ResultFormat(
    format_record=_result_text, default_path="result.json", is_mark=True
)
