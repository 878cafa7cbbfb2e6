"""Builds the document of a derived suite: groups with their points, one session with its steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.deriving.drafts import Draft, Want, observers
from grader.deriving.reconciling import Proven
from grader.deriving.settings import Settings

_CENTS: Final = 100


@dataclass(frozen=True, slots=True)
class _Words:
    """What the parts of a derived suite are called in one language."""

    session_id: str
    session_title: str
    refused: str
    after_action: str


_WORDS: Final[Mapping[str, _Words]] = {
    "en": _Words("example", "Example session of the spec", "refused", "after an action"),
    "es": _Words("ejemplo", "Sesión de ejemplo del enunciado", "rechazado", "tras una acción"),
    "nl": _Words("voorbeeld", "Voorbeeldsessie uit de opgave", "geweigerd", "na een actie"),
}

Pair = tuple[Draft, Proven]


def suite_document(settings: Settings, spec: str, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the suite as plain data, in the order in which a reader wants it."""
    words = _WORDS[settings.language]
    drafts = [draft for draft, _ in pairs]
    names = _group_names(drafts, words)
    document: dict[str, Any] = {
        "exercise": settings.exercise,
        "title": settings.title,
        "language": settings.language,
        "spec": spec,
        "module": settings.module,
        "defines": list(settings.defines),
    }
    if "imports" in settings.model_fields_set:
        document["imports"] = list(settings.imports)
    if settings.limits is not None:
        document["limits"] = settings.limits.model_dump(exclude_unset=True)
    if settings.files:
        document["files"] = dict(settings.files)
    document["groups"] = _groups(drafts, names)
    session: dict[str, Any] = {"id": words.session_id, "title": words.session_title}
    if looked_at := observers(drafts):
        session["observers"] = looked_at
    session["steps"] = [_step(pair, name) for pair, name in zip(pairs, names, strict=True)]
    document["sessions"] = [session]
    return document


def _group_names(drafts: Sequence[Draft], words: _Words) -> list[str]:
    """Return the title of each draft's group: what is tried, and on what occasion.

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
        + (f" {words.refused}" if draft.want is Want.RAISES else "")
        + (f" {words.after_action}" if draft.want is Want.PRINTS and draft.share < 1 else "")
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
    """Return the groups in order of appearance, with their points.

    There are as many points as examples. Groups are worth the same as far as that goes without
    a case being worth more than one point, which is what an example is worth on average: so no
    single mistake costs more than it would if the examples were scored one by one.
    """
    cases = Counter(names)
    total = len({draft.example.line for draft in drafts})
    points = _level(cases, total)
    return [
        {"id": _slug(name), "title": name, "points": _plain(points[name])}
        for name in dict.fromkeys(names)
    ]


def _plain(points: float) -> float:
    return int(points) if points.is_integer() else points


def _level(cases: Mapping[str, int], total: int) -> dict[str, float]:
    """Share `total` points out evenly, no group getting more than it has cases.

    Points are whole cents; what does not divide goes to the groups that have most room.
    """
    left, level = total * _CENTS, {}
    for number, name in enumerate(sorted(cases, key=lambda name: cases[name])):
        level[name] = min(cases[name] * _CENTS, left // (len(cases) - number))
        left -= level[name]
    return {name: cents / _CENTS for name, cents in level.items()}


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", text).strip("-")


def _step(pair: Pair, group: str) -> dict[str, Any]:
    draft, proof = pair
    step: dict[str, Any] = {"do": draft.code, **proof.expectation, "group": _slug(group)}
    if draft.example.note and draft.share == 1:
        step["note"] = draft.example.note
    step["line"] = draft.example.line
    return step
