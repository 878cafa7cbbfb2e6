"""What the record of whoever passes everything says, whoever that is."""

from __future__ import annotations

from typing import Final

from grader.intake.submission import Submission
from grader.judging.record import GroupResult
from grader.judging.recording import Recorder
from grader.judging.results import PASSED
from grader.sandbox.executor import Isolation
from grader.suite.model import Suite

_NOBODY: Final = Submission(student="", modules={}, data={}, raw={})
_NOWHERE: Final = Isolation(level=0, layers=(), python_version="")


def passed_groups(suite: Suite) -> tuple[GroupResult, ...]:
    """Return the groups of `suite` as they stand in the record of who passes all their cases."""
    results = {case.id: PASSED for session in suite.sessions for case in session.cases}
    return Recorder(suite, _NOBODY, _NOWHERE).graded(results, ()).groups
