"""A suite with siblings, programs that they find wrong, and records of what is shown then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from builders import HEAD, submission
from record_samples import case, group, line, record

from grader.judging.judge import grade
from grader.judging.record import CaseResult, FailedClause, GroupResult, Record
from grader.judging.rules import KINDS
from grader.sandbox.zygote import Zygote
from grader.suite.hidden import merge_suites
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.verdict import Verdict, Visibility

SHOWN: Final = "A small session with the kind of mistake that fails hidden cases."
NONE: Final = "None of our small examples shows what fails here."
PUBLIC: Final = """\
spec: spec.md
spec_url: https://course.example/sample#L{line}
board: {cells: {white: w, empty: "-"}}
groups: [{id: twice, points: 4}, {id: half, points: 1}]
sessions:
- id: example
  steps:
  - {do: twice(2), returns: "4", group: twice}
  - {do: half(4), returns: "2", group: half}
"""
HIDDEN: Final = """\
exercise: sample
groups: [{id: board, points: 2}]
sessions:
- id: zebrafish
  steps:
  - {do: "zebra = 'zebra' + 'fish'", note: a zebrafish note}
  - {do: twice(1234567), returns: "2469134", group: twice, line: 12}
  - {do: twice(-1234567), returns: "-2469134", group: twice, line: 9}
  - {do: twice(2345678), returns: "4691356", group: twice, line: 12}
  - {do: board(zebra), stdout: "ww\\n-w", group: board}
  - {do: half(1234567), returns: "617283", group: half, line: 4711}
- id: zebrafish-staff
  visibility: staff
  steps:
  - {do: half(-1234567), returns: "-617284", group: half, line: 4712}
siblings:
- {id: s1, steps: [{do: twice(0), returns: "0", group: twice}]}
- {id: s2, steps: [{do: twice(10), returns: "20", group: twice, line: 12}]}
- id: s3
  steps:
  - {do: number = 11}
  - {do: twice(number), returns: "22", group: twice}
- {id: s4, steps: [{do: board('x'), stdout: "ww\\nw-", group: board}]}
- {id: s5, steps: [{do: half(9), returns: "4", group: half}]}
"""
RIGHT: Final = """
    def twice(n): return 2 * n
    def half(n): return n // 2
    def board(text): print('ww\\n-w' if text > 'y' else 'ww\\nw-')
"""
SMALL_ONLY: Final = RIGHT.replace("return 2 * n", "return 2 * n if 0 <= n < 10 else 7")
LARGE_ONLY: Final = RIGHT.replace("return 2 * n", "return 2 * n if abs(n) < 10**6 else 7")


def whole(hidden: str = HIDDEN, public: str = PUBLIC) -> Suite:
    """Return the public suite with the hidden one."""
    suite = parse_suite((HEAD + public).encode(), "sample.yaml", KINDS)
    return merge_suites(suite, parse_hidden_suite(hidden.encode(), "sample.hidden.yaml", suite))


def graded(zygote: Zygote, source: str, hidden: str = HIDDEN, public: str = PUBLIC) -> Record:
    """Return the record of `source` on the whole suite."""
    return grade(whole(hidden, public), submission(source), zygote)


def shown(record: Record) -> Mapping[str, str]:
    """Return the sibling that is shown for each group."""
    return {
        each.id: each.counterexample.id for each in record.groups if each.counterexample is not None
    }


def example(got: str = "3") -> CaseResult:
    """Return a counterexample."""
    return case("s1", Verdict.WRONG, expected="4", got=got, transcript=(line("f(2)", got),) * 2)


def failing(counterexample: CaseResult | None = None, *lines: int) -> GroupResult:
    """Return a group of which a hidden case failed."""
    hidden = case("f/h", Verdict.WRONG, visibility=Visibility.HIDDEN)
    clauses = tuple(FailedClause(line=line, quote=None) for line in lines)
    return replace(
        group("f", case(), hidden), counterexample=counterexample, searched=True, clauses=clauses
    )


def told(language: str = "en") -> Record:
    """Return a record with lines of the spec, a counterexample, and one that was not found."""
    other = replace(failing(None, 9), id="g", title="g")
    url = "https://course.example/sample#L{line}"
    return replace(record(failing(example(), 9, 12), other, language=language), spec_url=url)
