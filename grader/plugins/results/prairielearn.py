"""`results.json` of an external grader for PrairieLearn.

The keys are those of https://docs.prairielearn.com/externalGrading/ and of the code that reads
them, `externalGraderCommon.ts` and `pl-external-grader-results.py`. PrairieLearn needs points for
each test, so a test without points gets 0 of 0. A submission that cannot be run costs no attempt.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any, Final

from grader.judging.record import Record
from grader.plugins.results.texts import overall_text, results_with_texts
from grader.reporting.shown_results import ResultFormat, ShownResult
from grader.reporting.wording import score_share
from grader.verdict import Status


def _result_text(record: Record, _handed_in: PurePath) -> str:
    """Return the result of `record` as the text of `results.json`."""
    if record.status is not Status.GRADED:
        errors = [text for _, text in results_with_texts(record)]
        result = {"gradable": False, "format_errors": errors, "message": overall_text(record)}
    else:
        result = {
            "gradable": True,
            "score": score_share(record) or 0.0,
            "message": overall_text(record),
            "tests": [_test(shown, text) for shown, text in results_with_texts(record)],
        }
    return json.dumps(result, indent=1)


def _test(result: ShownResult, text: str) -> dict[str, Any]:
    """Return one result, with its `text`, as a PrairieLearn test."""
    return {
        "name": result.title,
        "points": result.points or 0.0,
        "max_points": result.max_points or 0.0,
        "message": result.headline,
        "output": text,
    }


PRAIRIELEARN: Final = ResultFormat(
    format_record=_result_text, default_path="/grade/results/results.json", is_mark=True
)
