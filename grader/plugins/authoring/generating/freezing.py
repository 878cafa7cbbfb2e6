"""Turns generated sessions into a hidden suite document and keeps the author's changes to it.

Generated entries have ids such as `g01` for a session and `s01` for a sibling. Entries with other
ids belong to the author and are kept when the suite is generated again.
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
from grader.plugins.authoring.generating.evaluator import NO_CASE, NO_CASE_HELP, Document
from grader.plugins.authoring.generating.scenes import Generator
from grader.plugins.authoring.suite_text import CaseLines, OneLine, as_yaml
from grader.suite.diagnostics import read_source
from grader.suite.loading import parse_suite
from grader.suite.model import Generated, Suite
from grader.suite.reading import read_document

_KEPT_KEYS: Final = ("share", "feedback", "equivalent")
"""Keys that the author sets in a hidden suite. They are kept when it is generated again."""
_GENERATED_IDS: Final = {"sessions": re.compile(r"g\d+"), "siblings": re.compile(r"s\d+")}

Entries: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""Sessions and siblings as plain data, under their keys in the suite."""
_UNCOPIED_KEYS: Final = frozenset({"groups", "sessions", "rules", "advice", "clauses", "widgets"})
"""Keys that a suite of candidate sessions does not copy from the public suite."""


def entries_of(sessions: Sequence[Document], siblings: Sequence[Document]) -> Entries:
    """Return `sessions` and `siblings` as suite entries, with generated ids."""
    return {"sessions": [*_with_ids("g", sessions)], "siblings": [*_with_ids("s", siblings)]}


def content_sha256(entries: Entries) -> str:
    """Return a hash of generated `entries`, by which manual changes are detected."""
    text = json.dumps(entries, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def generated_entries_sha256(document: Mapping[str, Any]) -> str:
    """Return the hash of a hidden suite's generated entries, which are recognised by their ids."""
    return content_sha256({key: _generated_entries(document, key) for key in _GENERATED_IDS})


def changed_by_hand(earlier: Mapping[str, Any]) -> bool:
    """Return whether generated entries of the `earlier` hidden suite were changed by hand.

    Return False if the suite contains no hash of these entries.
    """
    match earlier:
        case {"generated": {"content": str(content)}}:
            return content != generated_entries_sha256(earlier)
        case _:
            return False


def hidden_document(
    exercise: str,
    generated: Generated,
    generator: Generator,
    entries: Entries,
    earlier: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the hidden suite of `exercise` with generated `entries`, as plain data.

    The author's part of the `earlier` hidden suite is kept: the keys in `_KEPT_KEYS`, groups,
    clauses, and the sessions and siblings without generated ids.
    """
    sessions = [*entries["sessions"], *_authored_entries(earlier, "sessions")]
    siblings = [*entries["siblings"], *_authored_entries(earlier, "siblings")]
    document: dict[str, Any] = {"exercise": exercise, "generated": generated.to_plain_data()}
    document |= {key: earlier[key] for key in _KEPT_KEYS if key in earlier}
    document["clauses"] = _clauses(generator, earlier, [*sessions, *siblings])
    if groups := _groups(generator, earlier, sessions):
        document["groups"] = groups
    # There are many cases, so each is written on one line, which is readable and gives short diffs.
    document["sessions"] = CaseLines(sessions)
    if siblings:
        document["siblings"] = CaseLines(siblings)
    if equivalent := document.pop("equivalent", None):
        document["equivalent"] = [OneLine(entry) for entry in equivalent]
    return document


def _clauses(
    generator: Generator, earlier: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> list[OneLine]:
    """Return the clauses that `entries` use, from the generator and from the `earlier` suite."""
    generated = clauses_of(generator, entries)
    used_ids = {step.get("clause") for entry in entries for step in entry["steps"]}
    generated_ids = {clause["id"] for clause in generated}
    authored = (
        clause
        for clause in earlier.get("clauses") or ()
        if clause["id"] in used_ids - generated_ids
    )
    return [OneLine(clause) for clause in (*generated, *authored)]


def _groups(
    generator: Generator, earlier: Mapping[str, Any], sessions: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the groups that `sessions` use and that get their points from the hidden suite.

    These groups come from the generator and from the `earlier` suite. If both define a group, the
    generator takes precedence.
    """
    used_ids = {step.get("group") for session in sessions for step in session["steps"]}
    groups = {group.id: asdict(group) for group in generator.groups}
    groups = {group["id"]: group for group in earlier.get("groups") or ()} | groups
    return [group for group_id, group in groups.items() if group_id in used_ids]


def _generated_entries(earlier: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    # A YAML key without a value gives None.
    return [entry for entry in earlier.get(key) or () if _GENERATED_IDS[key].fullmatch(entry["id"])]


def _authored_entries(earlier: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    entries = earlier.get(key) or ()
    return [entry for entry in entries if not _GENERATED_IDS[key].fullmatch(entry["id"])]


def _with_ids(prefix: str, documents: Sequence[Document]) -> Iterator[dict[str, Any]]:
    # With leading zeros, ids sort in numeric order.
    digits = len(str(len(documents)))
    for number, document in enumerate(documents, start=1):
        yield {"id": f"{prefix}{number:0{digits}}", **document}


def clauses_of(
    generator: Generator, documents: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return the generator's clauses that have cases in `documents`, as plain data.

    Clauses without a quote or a reading are omitted, because the public suite defines them.
    """
    used_ids = {step.get("clause") for document in documents for step in document["steps"]}
    return [
        {"id": clause_id, "quote": clause.quote}
        if clause.quote
        else {"id": clause_id, "reading": clause.reading or ""}
        for clause_id, clause in generator.clauses.items()
        if clause_id in used_ids and (clause.quote or clause.reading)
    ]


def public_document(public: Path) -> dict[str, Any]:
    """Return the suite at the path `public` as plain data. The suite must have been validated."""
    data = read_document(read_source(public.read_bytes(), str(public))).data
    assert isinstance(data, dict), "a suite is a mapping"
    return data


def suite_of(public: Path, generator: Generator, documents: Mapping[str, Document]) -> Suite:
    """Return the suite at `public` with its sessions replaced with `documents`, keyed by id.

    Only groups that have cases in `documents` are kept. Raises `SuiteError` if there is no case,
    if a case has an unknown group, or if the suite is invalid.
    """
    data = public_document(public)
    used_groups = {
        step["group"]
        for session in documents.values()
        for step in session["steps"]
        if "group" in step
    }
    if not used_groups:
        raise SuiteError(NO_CASE, help=NO_CASE_HELP)
    groups = {group["id"]: group for group in data["groups"]}
    groups |= {group.id: asdict(group) for group in generator.groups}
    document = {
        **{key: value for key, value in data.items() if key not in _UNCOPIED_KEYS},
        "clauses": [*data.get("clauses", ()), *clauses_of(generator, [*documents.values()])],
        "groups": [group for group_id, group in groups.items() if group_id in used_groups],
        "sessions": [{"id": session_id, **session} for session_id, session in documents.items()],
    }
    if missing := sorted(used_groups - groups.keys()):
        raise SuiteError(
            f"the generator has cases in unknown groups: {', '.join(missing)}",
            help=f"correct the group in generator.py (the suite has {', '.join(groups)}), or add a "
            "HiddenGroup with points to the generator",
        )
    text = as_yaml(document, schema="", origin="candidates")
    # The name is in the folder of the public suite, so that relative paths in the suite work.
    return parse_suite(text.encode(), str(public.with_name("generated scenes")), KINDS)
