"""Makes suites of what a generator makes: of candidates to try, and the hidden suite to be kept.

What was generated has names like these: `g01` for a session, `s01` for a sibling. What has another
name is of the author, and stays when the suite is generated again.
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
"""What an author decides in a hidden suite, and what stays when it is generated again."""
_OURS: Final = {"sessions": re.compile(r"g\d+"), "siblings": re.compile(r"s\d+")}

Entries: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""Sessions and siblings as plain data, by the key that they stand under."""
_OWN_KEYS: Final = frozenset({"groups", "sessions", "rules", "advice", "clauses", "widgets"})
"""What a suite of candidates does not take over from the public one."""


def entries_of(sessions: Sequence[Document], siblings: Sequence[Document]) -> Entries:
    """Return `sessions` and `siblings` with their names."""
    return {"sessions": [*_named("g", sessions)], "siblings": [*_named("s", siblings)]}


def content_sha256(entries: Entries) -> str:
    """Return a hash of generated `entries`, which shows whether they were changed since."""
    text = json.dumps(entries, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def content_of(document: Mapping[str, Any]) -> str:
    """Return the hash of what has names of generated entries in a hidden suite."""
    return content_sha256({key: _made(document, key) for key in _OURS})


def changed_by_hand(earlier: Mapping[str, Any]) -> bool:
    """Return whether generated entries of an `earlier` hidden suite are not as they were made."""
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

    What its author had decided in an `earlier` one, as plain data, is kept: sessions and siblings
    with names of their own too, and groups as they were.
    """
    sessions = [*entries["sessions"], *_authored(earlier, "sessions")]
    small = [*entries["siblings"], *_authored(earlier, "siblings")]
    document: dict[str, Any] = {"exercise": exercise, "generated": generated.as_written()}
    document |= {key: earlier[key] for key in _KEPT if key in earlier}
    document["clauses"] = _clauses(generator, earlier, [*sessions, *small])
    if groups := _groups(generator, earlier, sessions):
        document["groups"] = groups
    document["sessions"] = CaseLines(sessions)
    if small:
        document["siblings"] = CaseLines(small)
    if equivalent := document.pop("equivalent", None):
        document["equivalent"] = [OneLine(each) for each in equivalent]
    return document


def _clauses(
    generator: Generator, earlier: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> list[OneLine]:
    """Return the clauses that `entries` name: those of the generator, and those of the author."""
    made = clauses_of(generator, entries)
    used = {step.get("clause") for entry in entries for step in entry["steps"]}
    taken = {each["id"] for each in made}
    own = (each for each in earlier.get("clauses") or () if each["id"] in used - taken)
    return [OneLine(each) for each in (*made, *own)]


def _groups(
    generator: Generator, earlier: Mapping[str, Any], sessions: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the groups whose points are not those of the public suite, as the author has them."""
    used = {step.get("group") for session in sessions for step in session["steps"]}
    groups = {group.id: asdict(group) for group in generator.groups}
    groups = {group["id"]: group for group in earlier.get("groups") or ()} | groups
    return [group for name, group in groups.items() if name in used]


def _made(earlier: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    return [each for each in earlier.get(key) or () if _OURS[key].fullmatch(each["id"])]


def _authored(earlier: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    return [each for each in earlier.get(key) or () if not _OURS[key].fullmatch(each["id"])]


def _named(letter: str, documents: Sequence[Document]) -> Iterator[dict[str, Any]]:
    digits = len(str(len(documents)))
    for number, document in enumerate(documents, start=1):
        yield {"id": f"{letter}{number:0{digits}}", **document}


def clauses_of(
    generator: Generator, documents: Sequence[Mapping[str, Any]]
) -> list[dict[str, str]]:
    """Return those of the clauses of `generator` that `documents` have cases of, as plain data.

    Those that the public suite has stand there.
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
    """Return the suite at `public`, which was loaded before, as plain data."""
    data = read_document(read_source(public.read_bytes(), str(public))).data
    assert isinstance(data, dict), "a suite is a mapping"
    return data


def suite_of(public: Path, generator: Generator, documents: Mapping[str, Document]) -> Suite:
    """Return the suite at `public` with the sessions of `documents`, by their ids, for its own.

    It has the groups that these sessions have cases of. Raises `SuiteError`.
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
            "the generator makes no scene with a case",
            help="end a line in two blanks, #, a blank and the id of a clause",
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
            f"the generator has cases of a group that is not there: {', '.join(missing)}",
            help=f"correct its id (the suite has {', '.join(groups)}), or give it points in the "
            "generator, as a HiddenGroup",
        )
    text = as_yaml(document, schema="", origin="candidates")
    # Beside the public suite, for the files that it names; no line of it is to blame.
    return parse_suite(text.encode(), str(public.with_name("what the generator made")), KINDS)
