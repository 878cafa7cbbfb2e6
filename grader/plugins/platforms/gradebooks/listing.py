"""Lists all marks in a run as CSV, for a spreadsheet or another program."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from grader.intake.people import Person
from grader.plugins.platforms.gradebooks.delimited import decimal_text, neutralize_formula
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.plugins.platforms.gradebooks.scaling import Scaling
from grader.values.foreign_text import one_line

_HEADER = ("id", "user", "name", "email", "exercise", "score", "max", "status")


def marks_as_csv(marks: Sequence[Mark], scaling: Scaling) -> str:
    """Return `marks` as CSV with a line for each student, including each member of a group."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADER)
    for mark in marks:
        for identity in _student_cells(mark):
            cells = (*identity, *_result_cells(mark, scaling))
            writer.writerow([neutralize_formula(one_line(cell)) for cell in cells])
    return text.getvalue()


def _student_cells(mark: Mark) -> Iterator[tuple[str, str, str, str]]:
    """Yield the id, user name, name and email address of each student with `mark`.

    For a student with nothing but a name, or without a name, the name is the one that is unique in
    the run.
    """
    submitter = mark.person or Person(name=mark.student)
    for person in submitter.members or (submitter,):
        # Two students can share a name, but the display name is unique in the run.
        is_identified = person.id or person.user or person.email or submitter.members
        name = (person.name if is_identified else None) or mark.display_name
        yield person.id or "", person.user or "", name, person.email or ""


def _result_cells(mark: Mark, scaling: Scaling) -> tuple[str, ...]:
    """Return the exercise, the mark, the maximum mark and the status."""
    full = scaling.mark(mark.max_score, mark.max_score)
    score = decimal_text(scaling.mark(mark.score, mark.max_score))
    return mark.exercise, score, decimal_text(full), mark.status.value
