"""`results.json` of Gradescope, which a program named `run_autograder` writes.

The keys are those of https://gradescope-autograders.readthedocs.io/en/latest/specs/. All formats
are text, so that no text of a submission is interpreted as HTML or Markdown. Students see only the
total of hidden cases, as on their page; standard output is for staff.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any, Final

from grader.judging.record import Record
from grader.plugins.results.texts import overall_text, results_with_texts
from grader.reporting.shown_results import ResultFormat, ShownResult

_TEXT: Final = "text"


def _result_text(record: Record, _handed_in: PurePath) -> str:
    """Return the result of `record` as the text of `results.json`."""
    tests = [
        _test(number, shown, text)
        for number, (shown, text) in enumerate(results_with_texts(record), start=1)
    ]
    return json.dumps(
        {
            "score": record.score,
            "output": overall_text(record),
            "output_format": _TEXT,
            "test_output_format": _TEXT,
            "test_name_format": _TEXT,
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "tests": tests,
        },
        indent=1,
    )


def _test(number: int, result: ShownResult, text: str) -> dict[str, Any]:
    """Return one result, with its `text`, as a Gradescope test."""
    marks = {"score": result.points, "max_score": result.max_points}
    return {
        "number": str(number),
        "name": result.title,
        "name_format": _TEXT,
        "status": "passed" if result.result == "passed" else "failed",
        "output": text,
        "output_format": _TEXT,
        "visibility": "visible",
        # Without points, the keys are omitted: null is not a number.
        **{name: mark for name, mark in marks.items() if mark is not None},
    }


GRADESCOPE: Final = ResultFormat(
    format_record=_result_text, default_path="/autograder/results/results.json", is_mark=True
)
