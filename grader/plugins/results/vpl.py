"""The output of an evaluation for VPL, a Moodle activity.

`vpl_submission.class.php` in jcrodriguez-dis/moodle-mod_vpl reads the grade from the last line that
begins with `Grade :=>>`, and comments from blocks. In a block, a line with `-` is a heading, and a
line with `>` is shown verbatim. So every line with text from a submission begins with `-` or `>`.
The tag is broken up too, because scripts for several languages look for it anywhere in a line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from grader.judging.record import Record
from grader.plugins.results.texts import overall_text, results_with_texts
from grader.reporting.shown_results import ResultFormat
from grader.reporting.wording import score_share

_TAG: Final = ":=>>"
_BROKEN_TAG: Final = ":=> >"
_SIGNS: Final = {"passed": "✓", "failed": "✗", "skipped": "-", "fault": "!"}


def _result_text(record: Record, _handed_in: PurePath) -> str:
    """Return the result of `record` as the output of a VPL evaluation.

    The grade is on the scale of the activity, which VPL sets in the environment, or is the score if
    there is no such scale.
    """
    lowest, highest = (float(os.environ.get(f"VPL_GRADE{bound}") or 0) for bound in ("MIN", "MAX"))
    share = score_share(record) or 0.0
    grade = record.score if highest <= lowest else lowest + share * (highest - lowest)
    return "\n".join(("", "<|--", *_lines(record), "--|>", "", f"Grade :=>>{grade:.2f}", ""))


def _lines(record: Record) -> Iterator[str]:
    """Yield the lines of the comment block."""
    yield from _verbatim_lines(overall_text(record))
    for result, text in results_with_texts(record):
        # The sign comes last, because VPL reads a bracket at the end of a heading as a grade.
        yield f"-{result.title} {_SIGNS[result.result]}".replace(_TAG, _BROKEN_TAG)
        yield from _verbatim_lines(text)


def _verbatim_lines(text: str) -> Iterator[str]:
    """Yield the lines of `text`, marked to be shown verbatim."""
    # `splitlines` splits at all kinds of line endings, so that each line begins with a sign.
    for line in text.splitlines():
        yield f">{line}".replace(_TAG, _BROKEN_TAG)


VPL: Final = ResultFormat(format_record=_result_text, default_path="-", is_mark=True)
