"""`results.json`: the summary of a run that other tools read, in the format `grader/run/1`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from grader.intake.people import Person
from grader.judging.deciding import Applied, DecidedRecord
from grader.judging.plain import cache_plain_cases
from grader.judging.record import Advice, CaseResult, Record, Repair, RuleHit, RuleResult
from grader.reporting.wording import say

if TYPE_CHECKING:  # checking a single file does not need a store
    from grader.store.runs import AttemptFacts, RunEntry

RUN_SCHEMA: Final = "grader/run/1"
MAX_SUMMED_HITS: Final = 50
"""Places per rule, or per piece of advice."""
_CASE_KEYS: Final = ("id", "group", "verdict", "points", "max_points", "visibility")
_MAX_NAME_CHARS: Final = 200
_MAX_TEXT_CHARS: Final = 4_000
_MAX_CACHED: Final = 8192
_LOGGED_COMMAND: Final = re.compile(r"#(?=#\w*\[)")


def as_json(document: object) -> bytes:
    """Return `document` as JSON that any reader accepts: ASCII only, keys in their order.

    Some CI systems obey `##[error]` and the like in a log, so these are spelled with an escape.
    """
    return f"{_text(document, 1)}\n".encode("ascii")


def results_json(entries: Iterable[bytes]) -> Iterator[bytes]:
    """Yield `results.json` in pieces, so that a whole run need not be in memory."""
    yield f'{{\n "schema": "{RUN_SCHEMA}",\n "submissions": ['.encode("ascii")
    separator, end = b"\n", b"]\n}\n"  # the brackets of an empty list stay together
    for entry in entries:
        yield separator + entry
        separator, end = b",\n", b"\n ]\n}\n"
    yield end


def entry_json(record: Record, **more: list[Any]) -> bytes:
    """Return the entry of `record` in `results.json`, with `more` keys after it.

    Each key is on a separate line, and so is each case and other element of a list: Python's fast
    encoder does not indent.
    """
    if isinstance(record, DecidedRecord):
        summary, texts = summary_of(record), {}
    else:
        summary, texts = _summary(record, [*record.cases]), {"cases": _case_text}
    lines = ",\n".join(
        f"   {_text(key)}: {_value(value, texts.get(key, _text))}"
        for key, value in (summary | more).items()
    )
    return f"  {{\n{lines}\n  }}".encode("ascii")


def entry_with_person(summary: bytes, entry: RunEntry) -> bytes:
    """Return an entry of `results.json`: the `summary` of a record, with facts on its person."""
    facts = dict(_person_facts(entry.person or Person()))
    facts |= {} if entry.attempt is None else _attempt_facts(entry.attempt)
    if not facts:
        return summary
    # Each key is on a separate line, so only the first few of a large entry are parsed.
    start, own_id, _, rest = summary.split(b"\n", 3)
    known = {"id": facts.pop("id")} if "id" in facts else json.loads(b"{%s}" % own_id.rstrip(b","))
    lines = _lines({**known, "student": entry.student, **facts})
    return b"\n".join((start, *lines, rest))


def _lines(facts: dict[str, Any]) -> Iterator[bytes]:
    for key, value in facts.items():
        yield f"   {_text(key)}: {_text(value)},".encode("ascii")


def _person_facts(person: Person) -> Iterator[tuple[str, Any]]:
    """Yield what is known of `person`."""
    facts = (
        ("id", person.id),
        ("name", person.name),
        ("user", person.user),
        ("email", person.email),
        ("members", [dict(_person_facts(each)) for each in person.members]),
    )
    yield from ((key, value) for key, value in facts if value)


def _attempt_facts(attempt: AttemptFacts) -> dict[str, Any]:
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
    lines = ",\n".join(f"    {encode(each)}" for each in value)
    return f"[\n{lines}\n   ]"


@cache_plain_cases
def _case_text(case: CaseResult) -> str:
    return _cached_text(tuple(_fields(case, *_CASE_KEYS).items()))


@lru_cache(_MAX_CACHED)  # most of a class passes most cases
def _cached_text(items: tuple[tuple[str, object], ...]) -> str:
    return _text(dict(items))


def _text(document: object, spaces: int | None = None) -> str:
    return _LOGGED_COMMAND.sub(r"\\u0023", json.dumps(document, indent=spaces))


def summary_of(record: Record) -> dict[str, Any]:
    """Return the entry of `record`, with sentences in the language of the exercise."""
    return _summary(record, _cases(record))


def _summary(record: Record, cases: list[Any]) -> dict[str, Any]:
    return {
        **_fields(record, "id", "student", "exercise", "status", "score", "max_score"),
        "isolation": record.conditions.isolation,
        "isolation_gaps": record.isolation_gaps,
        "remarks": [say(remark, record.language) for remark in record.remarks],
        "cases": cases,
        "rules": _rules(record),
        **{key: value for key, value in _optional_keys(record) if value},
        **(_decision_keys(record) if isinstance(record, DecidedRecord) else {}),
    }


def _cases(record: Record) -> list[dict[str, Any]]:
    undecided = record.found if isinstance(record, DecidedRecord) else record
    return [
        _fields(case, *_CASE_KEYS) | ({} if case is before else {"found_points": before.points})
        for case, before in zip(record.cases, undecided.cases, strict=True)
    ]


def _rules(record: Record) -> list[dict[str, Any]]:
    undecided = record.found if isinstance(record, DecidedRecord) else record
    return [
        _rule(rule, record.language)
        | (
            {}
            if rule is before
            else {"found_verdict": before.verdict, "found_penalty": before.penalty}
        )
        for rule, before in zip(record.rules, undecided.rules, strict=True)
    ]


def _decision_keys(record: DecidedRecord) -> dict[str, Any]:
    """Return what people decided, and the score without that."""
    return {
        "found_score": record.found.score,
        "decisions": [decision_facts(each) for each in record.decisions],
    }


def decision_facts(applied: Applied) -> dict[str, Any]:
    """Return a decision as plain data, without keys whose value is None."""
    decision = applied.decision
    keys = ("about", "subject", "points", "verdict", "penalty", "because", "by", "at")
    facts = {name: value for name, value in _fields(decision, *keys).items() if value is not None}
    for name, finding in (("found_then", decision.finding), ("found_now", applied.finding)):
        if finding is not None:
            facts[name] = finding._asdict()
    return {**facts, "is_in_doubt": applied.is_in_doubt, "is_overruled": applied.is_overruled}


def _optional_keys(record: Record) -> Iterator[tuple[str, Any]]:
    """Yield the keys that are omitted if they are empty."""
    shown = {each.id: each.counterexample.id for each in record.groups if each.counterexample}
    yield "counterexamples", shown
    yield "staff_remarks", [say(remark, record.language) for remark in record.staff_remarks]
    yield "advice", [_advice(item, record.language) for item in record.advice]
    yield "repairs", [_repair(each) for each in record.repairs]


def _repair(repair: Repair) -> dict[str, Any]:
    return {
        **_fields(repair, "group", "file", "line", "first", "kind"),
        "before": repair.before[:_MAX_TEXT_CHARS],
        "after": repair.after[:_MAX_TEXT_CHARS],
    }


def _rule(rule: RuleResult, language: str) -> dict[str, Any]:
    return {
        **_fields(rule, "id", "verdict"),
        "evidence": " ".join(say(message, language)[:_MAX_TEXT_CHARS] for message in rule.evidence),
        **_fields(rule, "penalty", "costs", "function", "group"),
        "hits": _places(rule.hits),
    }


def _advice(item: Advice, language: str) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "text": say(item.said, language)[:_MAX_TEXT_CHARS],
        "count": item.count,
        "places": _places(item.hits),
    }


def _fields(source: object, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _places(hits: tuple[RuleHit, ...]) -> list[list[object]]:
    """Return the first places as `[file, line, column, what]`."""
    return [
        [
            hit.file[:_MAX_NAME_CHARS],
            hit.line,
            hit.column,
            None if hit.what is None else hit.what[:_MAX_NAME_CHARS],
        ]
        for hit in hits[:MAX_SUMMED_HITS]
    ]
