"""Advice on how readable the code of a submission is: never a matter of points.

There are two sources. `linting` runs ruff over the student's files, in a process of its own, and
says which of its findings are worth a word to somebody who learns. `advising` measures the syntax,
by the facts that an executor sent, and makes one short list.

Advice is a gift. Whatever goes wrong with it, there is less of it, and nobody's grading is held up
or failed.
"""
