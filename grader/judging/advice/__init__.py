"""Advice on how readable the code of a submission is: never a matter of points.

There are two sources. `linting` runs ruff over the student's files, in a process of its own;
`teaching` says which of its findings are worth a word to somebody who learns, and which first.
`measures` counts in the facts of syntax that an executor sent. `advising` makes one short list.

Advice is a gift. Whatever goes wrong with it, there is less of it, and nobody's grading is held up
or failed.
"""

from __future__ import annotations

from grader.judging.advice.advising import advice

__all__ = ["advice"]
