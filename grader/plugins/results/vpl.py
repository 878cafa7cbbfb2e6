"""The output of an evaluation for VPL, an activity of Moodle.

`vpl_submission.class.php` of jcrodriguez-dis/moodle-mod_vpl takes the grade from the last line that
begins with `Grade :=>>`, and comments from blocks; in these a line with `-` is a heading, and one
with `>` is shown verbatim. So every line with text of a submission begins with one of the two. The
tag is broken up too, since scripts for several languages look for it anywhere in a line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import PurePath
from typing import Final

from grader.judging.record import Record
from grader.plugins.results.texts import told, whole
from grader.reporting.shown_results import ResultFormat
from grader.reporting.wording import score_share

_TAG: Final = ":=>>"
_BROKEN_TAG: Final = ":=> >"
_SIGNS: Final = {"passed": "✓", "failed": "✗", "skipped": "-", "fault": "!"}


def _written(record: Record, _work: PurePath) -> str:
    least, most = (float(os.environ.get(f"VPL_GRADE{each}") or 0) for each in ("MIN", "MAX"))
    share = score_share(record) or 0.0
    grade = record.score if most <= least else least + share * (most - least)
    return "\n".join(("", "<|--", *_lines(record), "--|>", "", f"Grade :=>>{grade:.2f}", ""))


def _lines(record: Record) -> Iterator[str]:
    yield from _shown(whole(record))
    for shown, text in told(record):
        # The sign comes last: VPL reads a bracket at the end of a heading as a grade.
        yield f"-{shown.title} {_SIGNS[shown.result]}".replace(_TAG, _BROKEN_TAG)
        yield from _shown(text)


def _shown(text: str) -> Iterator[str]:
    # At line ends of any kind: no line may begin without its sign.
    for line in text.splitlines():
        yield f">{line}".replace(_TAG, _BROKEN_TAG)


VPL: Final = ResultFormat(written=_written, place="-", is_mark=True)
