"""The output of a template grader of CodeRunner, a question type of Moodle.

The keys are those that `combinator_grader_outcome.php` in trampgeek/moodle-qtype_coderunner allows.
CodeRunner escapes the cells, and the two pieces of HTML are escaped here.
"""

from __future__ import annotations

import html
import json
from pathlib import PurePath
from typing import Final

from grader.judging.record import Record
from grader.plugins.results.texts import overall_text, results_with_texts
from grader.reporting.shown_results import ResultFormat
from grader.reporting.wording import score_share
from grader.values.foreign_text import clip

_HEADINGS: Final = ["iscorrect", "Test", "Expected", "Got"]
_CELL_CHARS: Final = 600


def _result_text(record: Record, _handed_in: PurePath) -> str:
    """Return the result of `record` as the JSON output of a template grader."""
    results = list(results_with_texts(record))
    rows = [
        [
            int(result.result == "passed"),
            *map(_cell, (result.code or result.title, result.expected, result.got)),
        ]
        for result, _ in results
    ]
    failed = [(result, text) for result, text in results if result.result != "passed"]
    return json.dumps(
        {
            "fraction": score_share(record) or 0.0,  # no score after our own failure
            "prologuehtml": _preformatted(overall_text(record)),
            "testresults": [_HEADINGS, *rows],
            "epiloguehtml": "".join(
                f"<h4>{html.escape(result.title)}</h4>{_preformatted(text)}"
                for result, text in failed
            ),
        }
    )


def _cell(text: str | None) -> str:
    return clip(text or "", _CELL_CHARS)


def _preformatted(text: str) -> str:
    """Return `text` as an HTML `pre` element."""
    # HTML drops a newline right after `<pre>`, so add one to keep a leading newline of the text.
    return f"<pre>\n{html.escape(text)}</pre>"


CODERUNNER: Final = ResultFormat(format_record=_result_text, default_path="-", is_mark=True)
