"""Advice on the readability of a submission's code, which never costs points.

There are two sources. `linting` runs ruff on the student's files, in a separate process, and
selects the findings that help a learner. `advising` measures the syntax, using the facts that an
executor sent, and merges everything into one short list.

Advice is optional: an error while preparing it leaves advice out, but never makes grading fail.
"""
