"""The output of a template grader of CodeRunner, a question type of Moodle.

The keys are those that `combinator_grader_outcome.php` of trampgeek/moodle-qtype_coderunner allows.
CodeRunner escapes the cells; the two pieces of HTML are escaped here.
"""

from __future__ import annotations

import html
import json
from pathlib import PurePath
from typing import Final

from grader.judging.record import Record
from grader.plugins.results.texts import told, whole
from grader.reporting.shown_results import ResultFormat
from grader.reporting.wording import score_share
from grader.values.foreign_text import clip

_HEADINGS: Final = ["iscorrect", "Test", "Expected", "Got"]
_CELL_CHARS: Final = 600


def _written(record: Record, _work: PurePath) -> str:
    shown = list(told(record))
    rows = [
        [
            int(each.result == "passed"),
            *map(_cell, (each.code or each.title, each.expected, each.got)),
        ]
        for each, _ in shown
    ]
    failed = [(each, text) for each, text in shown if each.result != "passed"]
    return json.dumps(
        {
            "fraction": score_share(record) or 0.0,
            "prologuehtml": _escaped(whole(record)),
            "testresults": [_HEADINGS, *rows],
            "epiloguehtml": "".join(
                f"<h4>{html.escape(each.title)}</h4>{_escaped(text)}" for each, text in failed
            ),
        }
    )


def _cell(text: str | None) -> str:
    return clip(text or "", _CELL_CHARS)


def _escaped(text: str) -> str:
    # HTML drops a line end right after `<pre>`: this one, not the first of the text.
    return f"<pre>\n{html.escape(text)}</pre>"


CODERUNNER: Final = ResultFormat(written=_written, place="-", is_mark=True)
