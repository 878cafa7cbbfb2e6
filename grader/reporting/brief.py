"""Summarises a result for a gradebook cell or an email: the first two sentences of its page.

The decisions made by people follow, each with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from grader.judging.record import Record
from grader.reporting.decisions_view import decisions_in_brief
from grader.reporting.mending import first_to_mend, lost_by_part
from grader.reporting.student_page import result_sentences
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import Status

_SENTENCES: Final = 2


def summarise_result(record: Record) -> str:
    """Return a summary of `record` on one line, in the language of the exercise."""
    locale = Locale.for_record(record)
    first = islice(_result_sentences(record, locale), _SENTENCES)
    return " ".join((*first, *decisions_in_brief(record, locale)))


def _result_sentences(record: Record, locale: Locale) -> Iterator[str]:
    """Yield the sentences that sum up `record` on its page, most important first."""
    if record.status is not Status.GRADED:
        yield f"{locale('notice_ungradable')}."
        yield from (one_line(locale.sentence(remark)) for remark in record.remarks)
        return
    groups = visible_groups(record)
    result, *other_sentences = result_sentences(record, groups, locale)
    yield result
    # A part that costs no points is not worth one of the two sentences of a summary.
    first = first_to_mend(record, groups)
    if first is not None and first.points_lost > 0:
        title = one_line(first.group.title)
        yield locale.with_loss("first_where", first.points_lost, record.max_score, title=title)
        if (by_part := lost_by_part(first, locale)) is not None:
            yield by_part
    yield from other_sentences
