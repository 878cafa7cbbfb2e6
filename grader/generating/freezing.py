"""Writes down what was generated: the hidden suite as plain data, ready to be written as YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from string import ascii_lowercase
from typing import Any, Final

from grader.generating.generation import Slot
from grader.generating.scripts import Generator
from grader.generating.workshop import Document
from grader.suite import Generated
from grader.suite_text import OneLine

_KEPT: Final = ("share", "feedback", "equivalent")
"""What an author decides in a hidden suite, and what stays when it is generated again."""


def hidden_document(
    exercise: str,
    generated: Generated,
    generator: Generator,
    slots: Sequence[Slot],
    siblings: Sequence[Document],
    earlier: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the hidden suite of `exercise` with the sessions in `slots`, and their `siblings`.

    What its author had decided in an `earlier` one, as plain data, is kept.
    """
    sessions = list(_sessions(slots))
    used = {step.get("group") for session in sessions for step in session["steps"]}
    document: dict[str, Any] = {"exercise": exercise, "generated": asdict(generated)}
    document |= {key: earlier[key] for key in _KEPT if key in earlier}
    if groups := [asdict(group) for group in generator.groups if group.id in used]:
        document["groups"] = groups
    document["sessions"] = sessions
    if siblings:
        digits = len(str(len(siblings)))
        document["siblings"] = [
            {"id": f"s{number:0{digits}}", **sibling} for number, sibling in enumerate(siblings, 1)
        ]
    if equivalent := document.pop("equivalent", None):
        document["equivalent"] = [OneLine(each) for each in equivalent]
    return document


def _sessions(slots: Sequence[Slot]) -> Iterator[dict[str, Any]]:
    """Yield the sessions of all slots; those of a slot with alternatives are a pool."""
    digits = len(str(len(slots)))
    for number, slot in enumerate(slots, start=1):
        name = f"g{number:0{digits}}"
        if len(slot.documents) == 1:
            (document,) = slot.documents
            yield _session({"id": name}, document)
            continue
        for letter, document in zip(ascii_lowercase, slot.documents, strict=False):
            yield _session({"id": f"{name}{letter}", "pool": name}, document)


def _session(head: dict[str, Any], document: Document) -> dict[str, Any]:
    return {**head, **document}
