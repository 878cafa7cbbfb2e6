"""What all platforms are told: outcomes with their texts, within the room that a platform gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Final

from grader.judging.record import Record
from grader.reporting.outcomes import HIDDEN, Outcome, outcomes
from grader.reporting.student_page import sentences
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale, score_text
from grader.verdict import Status

ROOM_BYTES: Final = 600_000
"""For texts; PrairieLearn takes 1 MB with all that stands around them."""


def told(record: Record) -> Iterator[tuple[Outcome, str]]:
    """Yield each outcome of `record` and its text; of what was not run only why not.

    Once there is no room left only the first sentence is told.
    """
    locale, left = Locale.of_record(record), ROOM_BYTES
    shown = outcomes(record)
    for outcome in shown if record.status is Status.GRADED else islice(shown, 1):
        text = outcome.text(locale)
        if outcome.result == "passed":  # its title says which it is
            text = "" if outcome.id == HIDDEN else "\n".join(outcome.explanation)
        if (size := len(json.dumps(text))) > left:
            text = outcome.headline
        else:
            left -= size
        yield outcome, text


def whole(record: Record) -> str:
    """Return what is said of `record` as a whole."""
    locale = Locale.of_record(record)
    said = [score_text(record, locale)]
    if record.status is Status.GRADED:
        said += sentences(record, visible_groups(record), locale)
        said += map(locale.tell, record.remarks)
    return "\n".join(said)
