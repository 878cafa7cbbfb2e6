"""Results with texts for all platforms, within the platforms' size limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final

from grader.judging.record import Record
from grader.reporting.shown_results import HIDDEN, ShownResult, shown_results
from grader.reporting.student_page import result_sentences
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale, score_text
from grader.verdict import Status

MAX_TEXT_BYTES: Final = 600_000
"""The limit on all texts together. PrairieLearn accepts 1 MB for the whole result."""


def results_with_texts(record: Record) -> Iterator[tuple[ShownResult, str]]:
    """Yield the shown results of `record`, each with its text.

    If the submission was not graded, yield only the reason. Texts beyond the size limit are
    replaced with the headlines of their results.
    """
    locale, bytes_left = Locale.for_record(record), MAX_TEXT_BYTES
    limit = None if record.status is Status.GRADED else 1  # the first result is the reason
    for result in islice(shown_results(record), limit):
        text = result.text(locale)
        if result.result == "passed":  # a detailed text is not needed
            text = "" if result.id == HIDDEN else "\n".join(result.explanation)
        # The size of the text as JSON, in which escapes make it longer.
        if (size := len(json.dumps(text))) > bytes_left:
            text = result.headline
        else:
            bytes_left -= size
        yield result, text


def overall_text(record: Record) -> str:
    """Return the text about the whole submission: its score and, if graded, a summary and remarks.

    The remarks on an ungraded submission are in the only result of `results_with_texts`.
    """
    locale = Locale.for_record(record)
    lines = [score_text(record, locale)]
    if record.status is Status.GRADED:
        lines += result_sentences(record, visible_groups(record), locale)
        lines += map(locale.sentence, record.remarks)
    return "\n".join(lines)
