"""The results and texts for all platforms, within their size limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final

from grader.judging.record import Record
from grader.reporting.shown_results import HIDDEN, ShownResult, shown_results
from grader.reporting.student_page import sentences
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale, score_text
from grader.verdict import Status

ROOM_BYTES: Final = 600_000
"""The limit on texts: PrairieLearn takes 1 MB in all."""


def told(record: Record) -> Iterator[tuple[ShownResult, str]]:
    """Yield the shown results of `record` with texts; if it was not graded, only the reason.

    Beyond the size limit, texts are cut to their first sentence.
    """
    locale, left = Locale.of_record(record), ROOM_BYTES
    most = None if record.status is Status.GRADED else 1
    for shown in islice(shown_results(record), most):
        text = shown.text(locale)
        if shown.result == "passed":  # its title is enough
            text = "" if shown.id == HIDDEN else "\n".join(shown.explanation)
        if (size := len(json.dumps(text))) > left:  # as it is sent: escapes are longer
            text = shown.headline
        else:
            left -= size
        yield shown, text


def whole(record: Record) -> str:
    """Return the text on `record` as a whole."""
    locale = Locale.of_record(record)
    said = [score_text(record, locale)]
    if record.status is Status.GRADED:
        said += sentences(record, visible_groups(record), locale)
        said += map(locale.tell, record.remarks)
    return "\n".join(said)
