"""Writes generated sessions as the document of a hidden suite, keeping what its author changed.

Generated entries have ids such as `g01` for a session and `s01` for a sibling. Entries with other
ids belong to the author, and stay when the suite is generated again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeAlias

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.generating.evaluator import Document
from grader.plugins.authoring.generating.scenes import Generator
from grader.plugins.authoring.suite_text import CaseLines, OneLine, as_yaml
from grader.suite.diagnostics import read_source
from grader.suite.loading import parse_suite
from grader.suite.model import Generated, Suite
from grader.suite.reading import read_document

_KEPT: Final = ("share", "feedback", "equivalent")
"""Keys that the author sets in a hidden suite, and that stay when it is generated again."""
_GENERATED_IDS: Final = {"sessions": re.compile(r"g\d+"), "siblings": re.compile(r"s\d+")}

Entries: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""Sessions and siblings as plain data, by their key in the suite."""
_OWN_KEYS: Final = frozenset({"groups", "sessions", "rules", "advice", "clauses", "widgets"})
"""Keys that a suite of candidates does not take from the public suite."""


def entries_of(sessions: Sequence[Document], siblings: Sequence[Document]) -> Entries:
    """Return `sessions` and `siblings` with ids."""
    return {"sessions": [*_named("g", sessions)], "siblings": [*_named("s", siblings)]}


def content_sha256(entries: Entries) -> str:
    """Return a hash of generated `entries`, to detect changes by hand."""
    text = json.dumps(entries, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def content_of(document: Mapping[str, Any]) -> str:
    """Return the hash of the generated entries in a hidden suite, by their ids."""
    return content_sha256({key: _generated(document, key) for key in _GENERATED_IDS})


def changed_by_hand(earlier: Mapping[str, Any]) -> bool:
    """Return whether generated entries of an `earlier` hidden suite were changed by hand."""
    match earlier:
        case {"generated": {"content": str(content)}}:
            return content != content_of(earlier)
        case _:
            return False


def hidden_document(
    exercise: str,
    generated: Generated,
    generator: Generator,
    entries: Entries,
    earlier: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the hidden suite of `exercise` with generated `entries`.

    Decisions of the author in an `earlier` one, plain data, are kept: groups, and sessions and
    siblings with other ids.
    """
    sessions = [*entries["sessions"], *_authored(earlier, "sessions")]
    small = [*entries["siblings"], *_authored(earlier, "siblings")]
    document: dict[str, Any] = {"exercise": exercise, "generated": generated.as_written()}
    document |= {key: earlier[key] for key in _KEPT if key in earlier}
    document["clauses"] = _clauses(generator, earlier, [*sessions, *small])
    if groups := _groups(generator, earlier, sessions):
        document["groups"] = groups
    # Many cases: one per line, for reading and for diffs.
    document["sessions"] = CaseLines(sessions)
    if small:
        document["siblings"] = CaseLines(small)
    if equivalent := document.pop("equivalent", None):
        document["equivalent"] = [OneLine(each) for each in equivalent]
    return document


def _clauses(
    generator: Generator, earlier: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> list[OneLine]:
    """Return the clauses that `entries` use: those of the generator, and those of the author."""
    made = clauses_of(generator, entries)
    used = {step.get("clause") for entry in entries for step in entry["steps"]}
    taken = {each["id"] for each in made}
    own = (each for each in earlier.get("clauses") or () if each["id"] in used - taken)
    return [OneLine(each) for each in (*made, *own)]


def _groups(
    generator: Generator, earlier: Mapping[str, Any], sessions: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the groups with other points than in the public suite, as the author wrote them."""
    used = {step.get("group") for session in sessions for step in session["steps"]}
    groups = {group.id: asdict(group) for group in generator.groups}
    groups = {group["id"]: group for group in earlier.get("groups") or ()} | groups
    return [group for name, group in groups.items() if name in used]


def _generated(earlier: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    # In YAML, a key may have no value.
    return [each for each in earlier.get(key) or () if _GENERATED_IDS[key].fullmatch(each["id"])]


def _authored(earlier: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    entries = earlier.get(key) or ()
    return [each for each in entries if not _GENERATED_IDS[key].fullmatch(each["id"])]


def _named(letter: str, documents: Sequence[Document]) -> Iterator[dict[str, Any]]:
    # Leading zeros make ids sort by number.
    digits = len(str(len(documents)))
    for number, document in enumerate(documents, start=1):
        yield {"id": f"{letter}{number:0{digits}}", **document}


def clauses_of(
    generator: Generator, documents: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return the clauses of `generator` that `documents` have cases of, as plain data.

    Without those of the public suite, which are written there.
    """
    used = {step.get("clause") for document in documents for step in document["steps"]}
    return [
        {"id": name, "quote": clause.quote}
        if clause.quote
        else {"id": name, "reading": clause.reading or ""}
        for name, clause in generator.clauses.items()
        if name in used and (clause.quote or clause.reading)
    ]


def public_document(public: Path) -> dict[str, Any]:
    """Return the suite at `public`, which is known to be valid, as plain data."""
    data = read_document(read_source(public.read_bytes(), str(public))).data
    assert isinstance(data, dict), "a suite is a mapping"
    return data


def suite_of(public: Path, generator: Generator, documents: Mapping[str, Document]) -> Suite:
    """Return the suite at `public` with `documents`, sessions by id, instead of its own.

    It has only the groups of their cases. Raises `SuiteError`.
    """
    data = public_document(public)
    used = {
        step["group"]
        for session in documents.values()
        for step in session["steps"]
        if "group" in step
    }
    if not used:
        raise SuiteError(
            "no scene of the generator has a case",
            help="end the line of a case with two blanks, #, a blank and the id of a clause",
        )
    groups = {group["id"]: group for group in data["groups"]}
    groups |= {group.id: asdict(group) for group in generator.groups}
    document = {
        **{key: value for key, value in data.items() if key not in _OWN_KEYS},
        "clauses": [*data.get("clauses", ()), *clauses_of(generator, [*documents.values()])],
        "groups": [group for name, group in groups.items() if name in used],
        "sessions": [{"id": name, **session} for name, session in documents.items()],
    }
    if missing := sorted(used - groups.keys()):
        raise SuiteError(
            f"the generator has cases of unknown groups: {', '.join(missing)}",
            help=f"correct the id (the suite has {', '.join(groups)}), or add a HiddenGroup with "
            "points to the generator",
        )
    text = as_yaml(document, schema="", origin="candidates")
    # In the folder of the public suite, so that its relative paths work.
    return parse_suite(text.encode(), str(public.with_name("what the generator made")), KINDS)
