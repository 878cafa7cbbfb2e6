"""The judge in a browser: it grades files with a suite that has been read, and makes the page."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from grader.errors import GraderError
from grader.intake.submission import Submission
from grader.intake.submissions import collected, single_entry, understood
from grader.plugins.kit.data import decoded
from grader.plugins.site.workers import WorkerSandbox
from grader.reporting.results import entry_json
from grader.reporting.student_page import student_page
from grader.run.worker import Made, Worker
from grader.suite.model import Suite

_FOLDER: Final = Path("/handed-in")


class _Worker(Worker):
    """Writes into the console of the browser what went wrong with us."""

    def fault(self, suite: Suite, submission: Submission, evidence: str) -> Made:
        """Return the record of a `submission` that we failed to grade."""
        print(evidence, file=sys.stderr)
        return super().fault(suite, submission, evidence)


def judged(pool: object, suite_text: str, files: Mapping[str, bytes]) -> str:
    """Return, as JSON, the page of these `files` and what `results.json` says; or an `error`.

    Executors come from the `pool` of `judge.js`.
    """
    suite: Suite = decoded(json.loads(suite_text))
    shutil.rmtree(_FOLDER, ignore_errors=True)
    for name, data in files.items():
        if name in {"", ".", ".."}:
            continue
        path = _FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(data))
    only = [*files] if len(files) == 1 else []
    try:
        hand_in = collected(single_entry(_FOLDER.joinpath(*only)))
        submission = understood(hand_in, suite.modules, suite.defines)
        with _Worker(start=lambda _packages, seed: WorkerSandbox(pool, seed)) as worker:
            record = replace(worker.grade(suite, submission).record, staff_remarks=())
            record = worker.shortened(suite, submission, record)
    except GraderError as error:
        return json.dumps({"error": error.message})
    result = json.loads(entry_json(record))
    return json.dumps({"page": student_page(record), "result": result})
