"""Makes suites of what a generator makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from grader.errors import SuiteError
from grader.judging.rules import KINDS
from grader.plugins.authoring.generating.scenes import Generator
from grader.plugins.authoring.suite_text import as_yaml
from grader.suite.diagnostics import read_source
from grader.suite.loading import parse_suite
from grader.suite.model import Suite
from grader.suite.reading import read_document

_OWN_KEYS: Final = frozenset({"groups", "sessions", "rules", "advice", "clauses", "widgets"})
"""What a suite of candidates does not take over from the public one."""
Document = Mapping[str, Any]


def clauses_of(generator: Generator, documents: Sequence[Document]) -> list[dict[str, str]]:
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


def suite_of(public: Path, generator: Generator, documents: Mapping[str, Document]) -> Suite:
    """Return the suite at `public` with the sessions of `documents`, by their ids, for its own.

    It has the groups that these sessions have cases of. Raises `SuiteError`.
    """
    data = read_document(read_source(public.read_bytes(), str(public))).data
    assert isinstance(data, dict), "a suite that was loaded before is a mapping"
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
            help="name it in the groups of the generator, or correct its id",
        )
    text = as_yaml(document, schema="", origin="candidates")
    # Beside the public suite, for the files that it names; no line of it is to blame.
    return parse_suite(text.encode(), str(public.with_name("what the generator made")), KINDS)
