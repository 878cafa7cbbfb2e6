"""Broken rules and advice as issues on code lines, in SARIF and as GitLab code quality reports.

SARIF 2.1.0 is an OASIS standard that editors and GitHub read. GitLab shows code quality reports, a
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

_SARIF_SCHEMA_URL: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_MESSAGE_CHARS: Final = 600
_MAX_HITS: Final = 20
"""The largest number of lines reported per rule or item of advice."""
_LEVELS: Final = {"major": "error", "minor": "warning", "info": "note"}
"""The SARIF level for each GitLab severity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Issue:
    """An issue on a line of the code."""

    check_name: str
    """The id of the rule, or the kind of advice."""
    message: str
    severity: str
    """A key of `_LEVELS`."""
    path: str
    line: int
    column: int


def _issues(record: Record, handed_in: PurePath) -> Iterator[_Issue]:
    """Yield the issues of `record`; `handed_in` is the path of the files handed in.

    Rules without a location are reported on the first line of the first file, or omitted if the
    record has no files.
    """
    locale = Locale.for_record(record)
    fallback = (
        RuleHit(file=record.sources[0].name, line=1, column=1, text="") if record.sources else None
    )
    for rule in record.rules:
        if rule.verdict in {RuleVerdict.BROKEN, RuleVerdict.REVIEW}:
            view = rule_view(rule, record, locale)
            is_review = rule.verdict is RuleVerdict.REVIEW
            severity = "info" if is_review else "major" if rule.costs else "minor"
            message_text = " ".join((view.demand, *view.evidence[:1]))
            yield from _issues_at(
                rule.hits or (fallback,), rule.id, message_text, severity, handed_in
            )
    for item in record.advice:
        yield from _issues_at(item.hits, item.kind, locale.sentence(item.said), "info", handed_in)


def _issues_at(
    hits: tuple[RuleHit | None, ...],
    check_name: str,
    message_text: str,
    severity: str,
    handed_in: PurePath,
) -> Iterator[_Issue]:
    """Yield the same issue at each of the first `_MAX_HITS` of `hits`, except for None."""
    for hit in filter(None, hits[:_MAX_HITS]):
        yield _Issue(
            check_name=one_line(check_name),
            message=one_line(message_text, _MESSAGE_CHARS),
            severity=severity,
            path=path_in(handed_in, hit.file),
            line=max(1, hit.line),  # both formats count from 1
            column=max(1, hit.column),
        )


def _sarif(record: Record, handed_in: PurePath) -> str:
    """Return the issues of `record` as SARIF."""
    issues = list(_issues(record, handed_in))
    driver = {
        "name": "grader",
        "version": __version__,
        "rules": [{"id": name} for name in sorted({issue.check_name for issue in issues})],
    }
    run = {
        "tool": {"driver": driver},
        # Python counts code points; the default is UTF-16 code units.
        "columnKind": "unicodeCodePoints",
        "results": list(map(_result, issues)),
    }
    return json.dumps({"$schema": _SARIF_SCHEMA_URL, "version": "2.1.0", "runs": [run]}, indent=1)


def _result(issue: _Issue) -> dict[str, Any]:
    """Return `issue` as a SARIF result."""
    location = {
        # SARIF requires URIs.
        "artifactLocation": {"uri": quote(issue.path)},
        "region": {"startLine": issue.line, "startColumn": issue.column},
    }
    return {
        "ruleId": issue.check_name,
        "level": _LEVELS[issue.severity],
        "message": {"text": issue.message},
        "locations": [{"physicalLocation": location}],
    }


def _code_quality(record: Record, handed_in: PurePath) -> str:
    """Return the issues of `record` as a GitLab code quality report."""
    counts: Counter[tuple[str, str, str]] = Counter()
    issues = []
    for issue in _issues(record, handed_in):
        # GitLab tracks issues by fingerprint, which must not depend on line numbers.
        key = (issue.path, issue.check_name, issue.message)
        # Equal issues are counted, as a fingerprint must identify only one of them.
        counts[key] += 1
        fingerprint = sha256("\0".join((*key, str(counts[key]))).encode()).hexdigest()
        issues.append(
            {
                "description": issue.message,
                "check_name": issue.check_name,
                "fingerprint": fingerprint,
                "severity": issue.severity,
                "location": {"path": issue.path, "lines": {"begin": issue.line}},
            }
        )
    return json.dumps(issues, indent=1)


SARIF: Final = ResultFormat(format_record=_sarif)
CODE_QUALITY: Final = ResultFormat(format_record=_code_quality)
