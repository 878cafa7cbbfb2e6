"""Builders with sane defaults: a test names only what matters to it."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from grader.intake.submission import SourceFile, Submission
from grader.judging.judge import grade
from grader.judging.record import CaseResult, Record
from grader.judging.rules import KINDS
from grader.sandbox.zygote import Zygote
from grader.suite.loading import parse_suite
from grader.suite.model import Suite

HEAD = """\
exercise: sample
title: Sample
language: en
module: sample
defines: []
"""


def suite(body: str, head: str = HEAD) -> Suite:
    """Return the suite whose groups and sessions are the YAML text `body`."""
    return parse_suite((head + dedent(body)).encode(), "sample.yaml", KINDS)


def submission(source: str, **modules: str) -> Submission:
    """Return a submission with `source` as the module `sample`, and further modules by name."""
    return Submission(
        student="student",
        modules={
            name: SourceFile(name=f"{name}.py", text=dedent(text), encoding="utf-8")
            for name, text in {**modules, "sample": source}.items()
        },
        data={},
        parts={"sample": "sample"},
        raw={"sample.py": dedent(source).encode("utf-8", "surrogatepass")},
    )


def graded(zygote: Zygote, body: str, source: str, **modules: str) -> Record:
    """Return the record of `source` on the suite in `body`."""
    return grade(suite(body), submission(source, **modules), zygote)


def by_id(record: Record) -> Mapping[str, CaseResult]:
    """Return the cases of `record` by their id."""
    return {case.id: case for case in record.cases}
