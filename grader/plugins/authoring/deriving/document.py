"""Builds the document of a derived suite: groups with their points, sessions with their steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.plugins.authoring.deriving.drafts import Draft, DraftExpectation, observers
from grader.plugins.authoring.deriving.reconciling import DerivedExpectation
from grader.plugins.authoring.deriving.settings import ExerciseSettings
from grader.plugins.authoring.suite_text import CodeLines, OneLine, written_points
from grader.suite.board import MAX_LABEL_CHARS, Board, Cells
from grader.suite.code import named_files

_CENTS_PER_POINT: Final = 100
_CODE_KEYS: Final = frozenset({"setup", "observe", "headings"})
"""Keys of rules whose values are lists of code."""


_SPELLED: Final = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
    "~": "invert",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
    "[]": "getitem",
    "()": "call",
}
"""Names of operators in ids of groups, after Python's special methods."""


@dataclass(frozen=True, slots=True)
class _Words:
    """Ids and titles in a derived suite, in one language."""

    session_id: str
    session_title: str
    refused: str
    after_action: str


_WORDS: Final[Mapping[str, _Words]] = {
    "de": _Words("beispiel", "Beispielsitzung aus der Aufgabe", "abgelehnt", "nach einer Aktion"),
    "en": _Words("example", "Example session of the spec", "refused", "after an action"),
    "es": _Words("ejemplo", "Sesión de ejemplo del enunciado", "rechazado", "tras una acción"),
    "fr": _Words("exemple", "Session d'exemple de l'énoncé", "refusé", "après une action"),
    "nl": _Words("voorbeeld", "Voorbeeldsessie uit de opgave", "geweigerd", "na een actie"),
}

Pair = tuple[Draft, DerivedExpectation]


@dataclass(frozen=True, slots=True)
class DerivedSession:
    """The steps of one session of the derived suite."""

    pairs: tuple[Pair, ...]
    is_own: bool
    """Whether it is named after the last thing that it tries."""
    uses: tuple[str, ...] = ()
    """In an exercise of several modules, those that it imports; it tests the last one."""


def suite_document(
    settings: ExerciseSettings, spec: str, sessions: Sequence[DerivedSession]
) -> dict[str, Any]:
    """Return the suite as plain data, with its keys in reading order."""
    words = _WORDS[settings.language]
    drafts = [draft for session in sessions for draft, _ in session.pairs]
    names = _group_names(drafts, words)
    document = _head(settings, spec)
    if written := dict.fromkeys((*settings.writes, *_written(drafts, settings.files))):
        document["writes"] = [*written]
    document["groups"] = _groups(drafts, names, settings)
    if settings.rules:
        document["rules"] = {kind: [*map(_spread, own)] for kind, own in settings.rules.items()}
    derived = []
    remaining = iter(names)
    for session in sessions:
        titled = [(pair, next(remaining)) for pair in session.pairs]
        derived.append(_session(titled, words, session, settings))
    _number_duplicates(derived)
    by_hand = [{**each, "steps": [*map(OneLine, each["steps"])]} for each in settings.sessions]
    document["sessions"] = [*derived, *by_hand]
    return document


def _number_duplicates(sessions: Iterable[dict[str, Any]]) -> None:
    """Number the sessions that have the id of an earlier one."""
    seen: Counter[str] = Counter()
    for session in sessions:
        seen[session["id"]] += 1
        if (number := seen[session["id"]]) > 1:
            session["id"] += f"-{number}"
            session["title"] += f" ({number})"


def _written(drafts: Iterable[Draft], files: Collection[str]) -> Iterator[str]:
    """Yield the files that examples name and nobody provides: the reference must write them."""
    for draft in drafts:
        if draft.want is not DraftExpectation.RAISES:
            yield from (name for name in named_files(draft.code) if name not in files)


_ADDRESSES: Final = ("spec_url", "site_url", "contact")


def _head(settings: ExerciseSettings, spec: str) -> dict[str, Any]:
    document: dict[str, Any] = {
        "exercise": settings.exercise,
        "title": settings.title,
        "language": settings.language,
        **({"also_in": [*settings.also_in]} if settings.also_in else {}),
        "spec": spec,
        **{name: each for name in _ADDRESSES if (each := getattr(settings, name)) is not None},
        **({"modules": [*settings.modules]} if settings.modules else {"module": settings.module}),
        "defines": list(settings.defines),
    }
    if settings.helpers:
        document["helpers"] = list(settings.helpers)
    for key in ("given", "checkers", "stand_ins", "wording"):
        if named := getattr(settings, key):
            document[key] = dict(named)
    # Written only if given, so that defaults stay out of the suite.
    if "imports" in settings.given_keys:
        document["imports"] = list(settings.imports)
    if "limits" in settings.given_keys:
        document["limits"] = settings.limits.as_written()
    if settings.files:
        document["files"] = dict(settings.files)
    if settings.now is not None:
        document["now"] = settings.now
    for key in ("stopped", "notebooks", "advice"):
        if key in settings.given_keys:
            document[key] = getattr(settings, key)
    return document | _drawn(settings)


def _drawn(settings: ExerciseSettings) -> dict[str, Any]:
    """Return the keys of a suite that control drawings in reports."""
    drawn = {}
    if settings.board is not None:
        drawn["board"] = written_board(settings.board)
    if "widgets" in settings.given_keys:
        drawn["widgets"] = settings.widgets.as_written()
    return drawn


def written_board(board: Board) -> dict[str, Any]:
    """Return `board` as a suite writes it."""
    written = board.as_written()
    written.pop("cells", None)
    cells = {
        drawing: " ".join(map(_mark, getattr(board.cells, drawing)))
        for drawing in Cells.form_keys
        if drawing in board.cells.given_keys
    }
    return {"cells": cells, **written} if cells else written


def _mark(marked: tuple[str, str]) -> str:
    mark, label = marked
    return mark if label == mark[:MAX_LABEL_CHARS] else f"{mark}={label}"


def _group_names(drafts: Sequence[Draft], words: _Words) -> list[str]:
    """Return the title of each draft's group: its subject, and whether it is refused.

    The class is named too if several classes have a method or a text of the same name.
    """
    classes = _classes(drafts)
    owners: dict[str, set[str | None]] = {}
    keyed = [(draft.subject, owner) for draft, owner in zip(drafts, classes, strict=True)]
    for subject, owner in keyed:
        owners.setdefault(subject, set()).add(owner)
    return [
        subject
        + (f" {owner}" if owner and len(owners[subject]) > 1 else "")
        + (f"{_mark_after(subject)} {words.refused}" if draft.refuses else "")
        + (
            f" {words.after_action}"
            if draft.want is DraftExpectation.PRINTS and draft.share < 1
            else ""
        )
        for draft, (subject, owner) in zip(drafts, keyed, strict=True)
    ]


def _mark_after(subject: str) -> str:
    """Return ":" after an operator, so that `Money - refused` does not read as a subtraction."""
    return ":" if subject.rpartition(" ")[2] in _SPELLED else ""


def _classes(drafts: Sequence[Draft]) -> list[str | None]:
    """Return the class of each draft's receiver, None unless an earlier draft makes the object."""
    made: dict[str, str] = {}
    classes = []
    for draft in drafts:
        classes.append(made.get(draft.receiver or ""))
        for name in () if draft.example.is_setup else draft.binds:
            made[name] = draft.subject
    return classes


def _groups(
    drafts: Sequence[Draft], names: Sequence[str], settings: ExerciseSettings
) -> list[dict[str, Any]]:
    """Return the groups in order of appearance, with their points.

    Groups without points in the settings share one point per example. They are worth the same,
    except that no case is worth more than one point, the average of an example: so no mistake
    costs more than if examples were scored one by one.
    """
    counted = [
        (draft.example.line, name)
        for draft, name in zip(drafts, names, strict=True)
        if not draft.example.is_setup
    ]
    titles = {_slug(name): name for _, name in counted}
    levelled = [(line, name) for line, name in counted if _slug(name) not in settings.points]
    points = _level(Counter(name for _, name in levelled), len({line for line, _ in levelled}))
    return [
        {
            "id": group,
            "title": settings.titles.get(group, titles.get(group, group)),
            "points": written_points(
                settings.points.get(group, points.get(titles.get(group, ""), 0.0))
            ),
        }
        for group in dict.fromkeys([*titles, *settings.points])
    ]


def _level(cases: Mapping[str, int], total: int) -> dict[str, float]:
    """Share `total` points evenly, at most one point for each case of a group.

    Points are whole cents; the remainder goes to the groups with most cases.
    """
    left, level = total * _CENTS_PER_POINT, {}
    # Smallest groups first: what they cannot take is left for the larger ones.
    for number, name in enumerate(sorted(cases, key=lambda name: cases[name])):
        level[name] = min(cases[name] * _CENTS_PER_POINT, left // (len(cases) - number))
        left -= level[name]
    return {name: cents / _CENTS_PER_POINT for name, cents in level.items()}


def _slug(text: str) -> str:
    # `_mark_after` adds the `:`.
    words = (_SPELLED.get(word.removesuffix(":"), word) for word in text.split(" "))
    return re.sub(r"[^\w]+", "-", " ".join(words)).strip("-")


def _session(
    titled: Sequence[tuple[Pair, str]],
    words: _Words,
    derived: DerivedSession,
    settings: ExerciseSettings,
) -> dict[str, Any]:
    """Return a session of the suite; `titled` are its steps with the titles of their groups."""
    session: dict[str, Any] = {"id": words.session_id, "title": words.session_title}
    if derived.is_own:
        # The earlier steps only prepare the last one.
        (*_, (_, last)) = titled
        session["id"] += f"-{_slug(last)}"
        session["title"] += f": {last}"
    elif settings.modules:
        session["id"] += f"-{derived.uses[-1]}"
        session["title"] += f": {derived.uses[-1]}.py"
    session |= _module_keys(derived.uses, settings)
    if looked_at := observers(draft for (draft, _), _ in titled):
        session["observers"] = looked_at
    session["steps"] = [_step(pair, name) for pair, name in titled]
    return session


def _module_keys(uses: Sequence[str], settings: ExerciseSettings) -> dict[str, Any]:
    """Return the keys of a session that `uses` some of several modules; {} for one module."""
    if not settings.modules:
        return {}
    earlier = settings.modules[: settings.modules.index(uses[-1])]
    replaced = [module for module in earlier if module in settings.stand_ins]
    return {"uses": [*uses], **({"stand_ins": replaced} if replaced else {})}


def _spread(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the handwritten `rule` with its code on one line per step."""
    return {key: CodeLines(value) if key in _CODE_KEYS else value for key, value in rule.items()}


def _step(pair: Pair, group: str) -> dict[str, Any]:
    draft, proof = pair
    step: dict[str, Any] = {"do": draft.code} if draft.code else {}
    step.update(proof.expectation)
    if not draft.example.is_setup:
        step["group"] = _slug(group)
    # The note is about the whole example, not about a part of it.
    if draft.example.note and draft.share == 1:
        step["note"] = draft.example.note
    step["line"] = draft.example.line
    return step
