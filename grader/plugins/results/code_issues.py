"""Broken rules and advice as issues on lines of the code, in SARIF and as GitLab code quality.

SARIF 2.1.0 is an OASIS standard that editors and GitHub read; GitLab shows code quality reports, a
subset of the Code Climate format, in merge requests.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

from grader import __version__
from grader.judging.record import Record, RuleHit
from grader.reporting.rules_view import rule_view
from grader.reporting.shown_results import ResultFormat, path_in
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_MESSAGE_CHARS: Final = 600
_MAX_HITS: Final = 20
"""The limit per rule, or piece of advice."""
_LEVELS: Final = {"major": "error", "minor": "warning", "info": "note"}
"""SARIF levels, by GitLab severity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Issue:
    """An issue on a line of the code."""

    code: str
    message: str
    severity: str
    path: str
    line: int
    column: int


def _issues(record: Record, work: PurePath) -> Iterator[_Issue]:
    """Yield the issues on lines of the code; those without a line are put on the first."""
    locale = Locale.of_record(record)
    first = (
        RuleHit(file=record.sources[0].name, line=1, column=1, text="") if record.sources else None
    )
    for rule in record.rules:
        if rule.verdict in {RuleVerdict.BROKEN, RuleVerdict.REVIEW}:
            view = rule_view(rule, record, locale)
            is_review = rule.verdict is RuleVerdict.REVIEW
            severity = "info" if is_review else "major" if rule.costs else "minor"
            said = " ".join((view.demand, *view.evidence[:1]))
            yield from _at(rule.hits or (first,), rule.id, said, severity, work)
    for item in record.advice:
        yield from _at(item.hits, item.kind, locale.tell(item.said), "info", work)


def _at(
    hits: tuple[RuleHit | None, ...], code: str, said: str, severity: str, work: PurePath
) -> Iterator[_Issue]:
    for hit in filter(None, hits[:_MAX_HITS]):
        yield _Issue(
            code=one_line(code),
            message=one_line(said, _MESSAGE_CHARS),
            severity=severity,
            path=path_in(work, hit.file),
            line=max(1, hit.line),  # both formats count from 1
            column=max(1, hit.column),
        )


def _sarif(record: Record, work: PurePath) -> str:
    found = list(_issues(record, work))
    driver = {
        "name": "grader",
        "version": __version__,
        "rules": [{"id": code} for code in sorted({each.code for each in found})],
    }
    run = {
        "tool": {"driver": driver},
        # As in Python; the default is UTF-16 code units.
        "columnKind": "unicodeCodePoints",
        "results": list(map(_result, found)),
    }
    return json.dumps({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _result(found: _Issue) -> dict[str, Any]:
    place = {
        # SARIF requires URIs.
        "artifactLocation": {"uri": quote(found.path)},
        "region": {"startLine": found.line, "startColumn": found.column},
    }
    return {
        "ruleId": found.code,
        "level": _LEVELS[found.severity],
        "message": {"text": found.message},
        "locations": [{"physicalLocation": place}],
    }


def _code_quality(record: Record, work: PurePath) -> str:
    seen: Counter[tuple[str, str, str]] = Counter()
    issues = []
    for found in _issues(record, work):
        # GitLab tracks issues by fingerprint, so it must not depend on line numbers.
        known = (found.path, found.code, found.message)
        seen[known] += 1
        fingerprint = sha256("\0".join((*known, str(seen[known]))).encode()).hexdigest()
        issues.append(
            {
                "description": found.message,
                "check_name": found.code,
                "fingerprint": fingerprint,
                "severity": found.severity,
                "location": {"path": found.path, "lines": {"begin": found.line}},
            }
        )
    return json.dumps(issues, indent=1)


SARIF: Final = ResultFormat(written=_sarif)
CODE_QUALITY: Final = ResultFormat(written=_code_quality)
