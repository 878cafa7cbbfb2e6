"""Formats `results.json`, the summary of a run for other tools, in the format `grader/run/1`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from grader.intake.people import Person
from grader.judging.deciding import AppliedDecision, DecidedRecord
from grader.judging.passed_results import cache_plain_cases
from grader.judging.record import Advice, CaseResult, Record, Repair, RuleHit, RuleResult
from grader.reporting.wording import format_message

if TYPE_CHECKING:  # checking a single file does not need a store
    from grader.store.runs import AttemptFacts, RunEntry

RUN_SCHEMA: Final = "grader/run/1"
MAX_SUMMARY_HITS: Final = 50
"""The maximum number of locations listed per rule, or per piece of advice."""
_CASE_KEYS: Final = ("id", "group", "verdict", "points", "max_points", "visibility")
_MAX_NAME_CHARS: Final = 200
_MAX_TEXT_CHARS: Final = 4_000
"""Submissions determine how long names and texts are, so both are limited."""
_MAX_CACHED_CASES: Final = 8192
_CI_COMMAND: Final = re.compile(r"#(?=#\w*\[)")


def as_json(document: object) -> bytes:
    """Return `document` as indented JSON in ASCII, with the keys in their order.

    Some CI systems execute commands such as `##[error]` in a log, so these are escaped.
    """
    return f"{_text(document, 1)}\n".encode("ascii")


def results_json(entries: Iterable[bytes]) -> Iterator[bytes]:
    """Yield `results.json` in pieces, so that the whole run need not be in memory."""
    yield f'{{\n "schema": "{RUN_SCHEMA}",\n "submissions": ['.encode("ascii")
    separator, end = b"\n", b"]\n}\n"  # an empty list has no line break
    for entry in entries:
        yield separator + entry
        separator, end = b",\n", b"\n ]\n}\n"
    yield end


def entry_json(record: Record, **more: list[Any]) -> bytes:
    """Return the entry of `record` in `results.json`, with the keys in `more` at its end.

    Each key is on a separate line, and so is each element of a list. Lines are made here, because
    Python's fast encoder cannot indent.
    """
    if isinstance(record, DecidedRecord):  # its cases have more keys than cached texts have
        summary, texts = summary_of(record), {}
    else:
        summary, texts = _summary(record, [*record.cases]), {"cases": _case_text}
    lines = ",\n".join(
        f"   {_text(key)}: {_value(value, texts.get(key, _text))}"
        for key, value in (summary | more).items()
    )
    return f"  {{\n{lines}\n  }}".encode("ascii")


def entry_with_person(summary: bytes, entry: RunEntry) -> bytes:
    """Return the `summary` of a record with the keys about its person and attempt added."""
    facts = dict(_person_facts(entry.person or Person()))
    facts |= {} if entry.attempt is None else _attempt_facts(entry.attempt)
    if not facts:
        return summary
    # Each key is on a separate line, so only the id of a large entry is parsed. The third line, the
    # student, is replaced.
    start, id_line, _, remainder = summary.split(b"\n", 3)
    id_key = (
        {"id": facts.pop("id")} if "id" in facts else json.loads(b"{%s}" % id_line.rstrip(b","))
    )
    lines = _lines({**id_key, "student": entry.student, **facts})
    return b"\n".join((start, *lines, remainder))


def _lines(facts: dict[str, Any]) -> Iterator[bytes]:
    for key, value in facts.items():
        yield f"   {_text(key)}: {_text(value)},".encode("ascii")


def _person_facts(person: Person) -> Iterator[tuple[str, Any]]:
    """Yield the keys about `person`, except empty ones."""
    facts = (
        ("id", person.id),
        ("name", person.name),
        ("user", person.user),
        ("email", person.email),
        ("members", [dict(_person_facts(member)) for member in person.members]),
    )
    yield from ((key, value) for key, value in facts if value)


def _attempt_facts(attempt: AttemptFacts) -> dict[str, Any]:
    """Return the keys about `attempt`, except those without a value."""
    submitted = None if attempt.submitted is None else attempt.submitted.isoformat()
    facts = {
        "attempt": attempt.number,
        "submitted": submitted,
        "is_late": attempt.is_late,
        "deadline": attempt.deadline,
    }
    return {key: value for key, value in facts.items() if value is not None}


def _value(value: object, encode: Callable[[Any], str]) -> str:
    if not isinstance(value, list) or not value:
        return _text(value)
    lines = ",\n".join(f"    {encode(item)}" for item in value)
    return f"[\n{lines}\n   ]"


@cache_plain_cases
def _case_text(case: CaseResult) -> str:
    return _cached_text(tuple(_fields(case, *_CASE_KEYS).items()))


@lru_cache(_MAX_CACHED_CASES)  # most students pass most cases
def _cached_text(items: tuple[tuple[str, object], ...]) -> str:
    return _text(dict(items))


def _text(document: object, spaces: int | None = None) -> str:
    # In JSON, `#` occurs only inside strings, where this escape means the same.
    return _CI_COMMAND.sub(r"\\u0023", json.dumps(document, indent=spaces))


def summary_of(record: Record) -> dict[str, Any]:
    """Return the entry of `record` in `results.json` as plain data."""
    return _summary(record, _cases(record))


def _summary(record: Record, cases: list[Any]) -> dict[str, Any]:
    """Return the entry of `record` with `cases`; sentences are in the language of the exercise."""
    return {
        **_fields(record, "id", "student", "exercise", "status", "score", "max_score"),
        "isolation": record.conditions.isolation,
        "isolation_gaps": record.isolation_gaps,
        "remarks": [format_message(remark, record.language) for remark in record.remarks],
        "cases": cases,
        "rules": _rules(record),
        **{key: value for key, value in _optional_keys(record) if value},
        **(_decision_keys(record) if isinstance(record, DecidedRecord) else {}),
    }


def _cases(record: Record) -> list[dict[str, Any]]:
    """Return the cases as plain data; decided cases also have their points before the decision."""
    undecided = record.original if isinstance(record, DecidedRecord) else record
    return [
        _fields(case, *_CASE_KEYS)
        | ({} if case is undecided_case else {"found_points": undecided_case.points})
        for case, undecided_case in zip(record.cases, undecided.cases, strict=True)
    ]


def _rules(record: Record) -> list[dict[str, Any]]:
    """Return the rules as plain data.

    Those that a person decided on also have the verdict and the penalty before the decision.
    """
    original = record.original if isinstance(record, DecidedRecord) else record
    return [
        _rule(rule, record.language)
        | (
            {}
            if rule is original_rule
            else {"found_verdict": original_rule.verdict, "found_penalty": original_rule.penalty}
        )
        for rule, original_rule in zip(record.rules, original.rules, strict=True)
    ]


def _decision_keys(record: DecidedRecord) -> dict[str, Any]:
    """Return the keys about decisions made by people, and the score without them."""
    return {
        "found_score": record.original.score,
        "decisions": [decision_facts(applied) for applied in record.decisions],
    }


def decision_facts(applied: AppliedDecision) -> dict[str, Any]:
    """Return a decision as plain data, without keys whose value is None."""
    decision = applied.decision
    keys = ("about", "subject", "points", "verdict", "penalty", "because", "by", "at")
    facts = {name: value for name, value in _fields(decision, *keys).items() if value is not None}
    for name, finding in (("found_then", decision.finding), ("found_now", applied.finding)):
        if finding is not None:
            facts[name] = finding._asdict()
    return {**facts, "is_in_doubt": applied.is_in_doubt, "is_overruled": applied.is_overruled}


def _optional_keys(record: Record) -> Iterator[tuple[str, Any]]:
    """Yield the keys that are omitted if their values are empty, each with its value."""
    examples = {
        group.id: group.counterexample.id for group in record.groups if group.counterexample
    }
    yield "counterexamples", examples
    yield (
        "staff_remarks",
        [format_message(remark, record.language) for remark in record.staff_remarks],
    )
    yield "advice", [_advice(item, record.language) for item in record.advice]
    yield "repairs", [_repair(repair) for repair in record.repairs]


def _repair(repair: Repair) -> dict[str, Any]:
    """Return `repair` as plain data, with its texts limited in length."""
    return {
        **_fields(repair, "group", "file", "line", "first", "kind"),
        "before": repair.before[:_MAX_TEXT_CHARS],
        "after": repair.after[:_MAX_TEXT_CHARS],
    }


def _rule(rule: RuleResult, language: str) -> dict[str, Any]:
    """Return `rule` as plain data, with its evidence in `language`."""
    return {
        **_fields(rule, "id", "verdict"),
        "evidence": " ".join(
            format_message(message, language)[:_MAX_TEXT_CHARS] for message in rule.evidence
        ),
        **_fields(rule, "penalty", "costs", "function", "group"),
        "hits": _places(rule.hits),
    }


def _advice(item: Advice, language: str) -> dict[str, Any]:
    """Return a piece of advice as plain data, with its text in `language`."""
    return {
        "kind": item.kind,
        "text": format_message(item.said, language)[:_MAX_TEXT_CHARS],
        "count": item.count,
        "places": _places(item.hits),
    }


def _fields(source: object, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _places(hits: tuple[RuleHit, ...]) -> list[list[object]]:
    """Return the first locations in `hits` as `[file, line, column, what]`."""
    return [
        [
            hit.file[:_MAX_NAME_CHARS],
            hit.line,
            hit.column,
            None if hit.what is None else hit.what[:_MAX_NAME_CHARS],
        ]
        for hit in hits[:MAX_SUMMARY_HITS]
    ]
