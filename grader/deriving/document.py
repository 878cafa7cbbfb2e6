"""Builds the document of a derived suite: groups with their points, one session with its steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from grader.deriving.drafts import Draft, Want, observers
from grader.deriving.reconciling import Proven
from grader.deriving.settings import Settings

_WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "en": ("example", "Example session of the spec", "refused"),
    "es": ("ejemplo", "Sesión de ejemplo del enunciado", "rechazado"),
    "nl": ("voorbeeld", "Voorbeeldsessie uit de opgave", "geweigerd"),
}
"""Per language: id and title of the session, and what a group of refused actions is called."""

Pair = tuple[Draft, Proven]


def suite_document(settings: Settings, spec: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the suite as plain data, in the order in which a reader wants it."""
    session_id, session_title, refused = _WORDS[settings.language]
    drafts = [draft for draft, _ in pairs]
    names = _group_names(drafts, refused)
    document: dict[str, Any] = {
        "exercise": settings.exercise,
        "title": settings.title,
        "language": settings.language,
        "spec": spec,
        "module": settings.module,
        "defines": list(settings.defines),
    }
    if settings.limits is not None:
        document["limits"] = settings.limits.model_dump(exclude_unset=True)
    if settings.files:
        document["files"] = dict(settings.files)
    document["groups"] = _groups(drafts, names)
    session: dict[str, Any] = {"id": session_id, "title": session_title}
    if looked_at := observers(drafts):
        session["observers"] = looked_at
    session["steps"] = [_step(pair, name) for pair, name in zip(pairs, names, strict=True)]
    document["sessions"] = [session]
    return document


def _group_names(drafts: Sequence[Draft], refused: str) -> list[str]:
    """Return the title of each draft's group: what is tried, and whether it must be refused.

    Where several classes have a method or a text of the same name, the class is named too.
    """
    classes = _classes(drafts)
    owners: dict[str, set[str | None]] = {}
    keyed = [(draft.subject, owner) for draft, owner in zip(drafts, classes, strict=True)]
    for subject, owner in keyed:
        owners.setdefault(subject, set()).add(owner)
    return [
        subject
        + (f" {owner}" if owner and len(owners[subject]) > 1 else "")
        + (f" {refused}" if draft.want is Want.RAISES else "")
        for draft, (subject, owner) in zip(drafts, keyed, strict=True)
    ]


def _classes(drafts: Sequence[Draft]) -> list[str | None]:
    """Return the class of each draft's receiver, as far as the session shows it being made."""
    made: dict[str, str] = {}
    classes = []
    for draft in drafts:
        classes.append(made.get(draft.receiver or ""))
        for name in draft.binds:
            made[name] = draft.subject
    return classes


def _groups(drafts: Sequence[Draft], names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the groups in order of appearance; each example of the spec is worth one point."""
    points: dict[str, Fraction] = {}
    for draft, name in zip(drafts, names, strict=True):
        points[name] = points.get(name, Fraction(0)) + draft.share
    return [
        {"id": _slug(name), "title": name, "points": _number(share)}
        for name, share in points.items()
    ]


def _number(points: Fraction) -> int | float:
    return int(points) if points.denominator == 1 else round(float(points), 2)


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text).strip("-")


def _step(pair: Pair, group: str) -> dict[str, Any]:
    draft, proof = pair
    step: dict[str, Any] = {"do": draft.code, **proof.expectation, "group": _slug(group)}
    if draft.example.note and draft.share == 1:
        step["note"] = draft.example.note
    step["line"] = draft.example.line
    return step
