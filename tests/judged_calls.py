"""A suite of single calls, a program that writes where it must not, and what records say."""

from __future__ import annotations

from grader.judging.record import CaseResult, Record
from grader.reporting.wording import format_message

CALLS = """
    limits: {cpu_s: 0.2}
    groups: [{id: g, points: 1}, {id: h, points: 1}]
    sessions:
    - id: s
      steps:
      - {do: f(1), returns: '1', group: g}
      - {do: f(2), returns: '2', group: g}
      - {do: f(3), returns: '3', group: g}
      - {do: f(4), returns: '4', group: g}
      - {do: h(5), returns: '5', group: h}
"""
BLIND = """\
import os
for fd in range(3, 64):
  try: os.write(fd, b'x' * 64)
  except OSError: pass
"""


def verdicts(record: Record) -> list[str]:
    """Return the verdicts of all cases, in order."""
    return [case.verdict.value for case in record.cases]


def said(case: CaseResult) -> list[str]:
    """Return the keys of what is said about a case."""
    return [each.key for each in case.explanation]


def remarks(record: Record) -> list[str]:
    """Return the remarks in English; each of them can be said."""
    return [format_message(each, "en") for each in record.remarks]
