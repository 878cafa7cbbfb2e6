"""`results.json` of an external grader of PrairieLearn.

The keys are those of https://docs.prairielearn.com/externalGrading/ and of the code that reads
them, `externalGraderCommon.ts` and `pl-external-grader-results.py`. Each test needs points there,
so one without points has 0 of 0. A submission that cannot be run costs no attempt.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any, Final

from grader.judging.record import Record
from grader.plugins.results.texts import told, whole
from grader.reporting.shown_results import ResultFormat, ShownResult
from grader.reporting.wording import score_share
from grader.verdict import Status


def _written(record: Record, _work: PurePath) -> str:
    if record.status is not Status.GRADED:
        errors = [text for _, text in told(record)]
        result = {"gradable": False, "format_errors": errors, "message": whole(record)}
    else:
        result = {
            "gradable": True,
            "score": score_share(record) or 0.0,
            "message": whole(record),
            "tests": [_test(*each) for each in told(record)],
        }
    return json.dumps(result, indent=1)


def _test(shown: ShownResult, text: str) -> dict[str, Any]:
    return {
        "name": shown.title,
        "points": shown.points or 0.0,
        "max_points": shown.max_points or 0.0,
        "message": shown.headline,
        "output": text,
    }


PRAIRIELEARN: Final = ResultFormat(
    written=_written, place="/grade/results/results.json", is_mark=True
)
