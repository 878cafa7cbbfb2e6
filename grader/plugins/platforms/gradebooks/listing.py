"""Lists all marks of a run as CSV, for a spreadsheet or another program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from grader.intake.people import Person
from grader.plugins.platforms.gradebooks.delimited import decimal_text, neutral
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.plugins.platforms.gradebooks.scaling import Scaling
from grader.values.foreign_text import one_line

_HEADER = ("id", "user", "name", "email", "exercise", "score", "max", "status")


def listing(marks: Sequence[Mark], scaling: Scaling) -> str:
    """Return `marks` as CSV with a line per student, members of groups included."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for mark in marks:
        for who in _people(mark):
            writer.writerow([neutral(one_line(cell)) for cell in (*who, *_facts(mark, scaling))])
    return text.getvalue()


def _people(mark: Mark) -> Iterator[tuple[str, str, str, str]]:
    person = mark.person or Person(name=mark.student)
    for each in person.members or (person,):
        # A name alone may be shared, and `shown` is unique in the run.
        is_identified = each.id or each.user or each.email or person.members
        name = (each.name if is_identified else None) or mark.shown
        yield each.id or "", each.user or "", name, each.email or ""


def _facts(mark: Mark, scaling: Scaling) -> tuple[str, ...]:
    full = scaling.mark(mark.max_score, mark.max_score)
    score = decimal_text(scaling.mark(mark.score, mark.max_score))
    return mark.exercise, score, decimal_text(full), mark.status.value
