"""Builds the document of a derived suite: groups with their points, sessions with their steps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from grader.plugins.authoring.deriving.drafts import Draft, DraftExpectation, observers
from grader.plugins.authoring.deriving.reconciling import DerivedExpectation
from grader.plugins.authoring.deriving.settings import ExerciseSettings
from grader.plugins.authoring.suite_text import CodeLines, OneLine, as_yaml_number
from grader.suite.board import MAX_LABEL_CHARS, Board, Cells
from grader.suite.code import named_files
from grader.suite.expectations import ALTERNATIVE_PARSERS
from grader.values.leniency import Ignored

_CENTS_PER_POINT: Final = 100
_DIGIT: Final = re.compile(r"\d")
_CODE_KEYS: Final = frozenset({"setup", "observe", "headings"})
"""Keys of rules whose values are lists of code."""


_OPERATOR_NAMES: Final = {
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
"""Names of operators in group ids, taken from Python's special methods."""


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
    is_separate: bool
    """Whether the session prepares its last step, and is named after it."""
    uses: tuple[str, ...] = ()
    """The modules that it imports, in an exercise of several modules. It tests the last one."""

    @property
    def example_count(self) -> int:
        """The number of examples in the spec that are cases of the session."""
        examples = (draft.example for draft, _ in self.pairs)
        # A split example has several drafts, so it is counted by its line and code.
        return len({(example.line, example.code) for example in examples if not example.is_setup})


def suite_document(
    settings: ExerciseSettings, spec: str, sessions: Sequence[DerivedSession]
) -> dict[str, Any]:
    """Return the suite as plain data, with its keys in reading order."""
    words = _WORDS[settings.language]
    drafts = [draft for session in sessions for draft, _ in session.pairs]
    names = _group_names(drafts, words)
    document = _head_keys(settings, spec)
    if written_files := dict.fromkeys((*settings.writes, *_written_files(drafts, settings.files))):
        document["writes"] = [*written_files]
    document["groups"] = _groups(drafts, names, settings)
    if settings.rules:
        document["rules"] = {
            kind: [*map(_with_code_lines, rules)] for kind, rules in settings.rules.items()
        }
    derived = []
    remaining = iter(names)
    for session in sessions:
        titled_pairs = [(pair, next(remaining)) for pair in _with_leniency(session.pairs, settings)]
        derived.append(_session(titled_pairs, words, session, settings))
    _number_duplicates(derived)
    handwritten = [
        {**session, "steps": [*map(OneLine, session["steps"])]} for session in settings.sessions
    ]
    document["sessions"] = [*derived, *handwritten]
    return document


def _with_leniency(pairs: Iterable[Pair], settings: ExerciseSettings) -> Iterator[Pair]:
    """Yield `pairs` with the `ignore`, `tolerance` and `actions` of the settings applied."""
    for draft, proof in pairs:
        expectation = dict(proof.expectation)
        if draft.code in settings.actions:
            expectation["action"] = True
        compared = [str(expectation[key]) for key in ALTERNATIVE_PARSERS if key in expectation]
        ignored_here = {Ignored(word) for word in expectation.get("ignore", ())}
        # Only steps that read input show prompts.
        inapplicable = {Ignored.PROMPTS} if "stdin" not in expectation else set()
        ignored = ignored_here | {*settings.ignore} - inapplicable
        if compared and ignored:
            # Sorted, because sets are unordered and a suite must be reproducible.
            expectation["ignore"] = sorted(difference.value for difference in ignored)
        if settings.tolerance is not None and any(map(_DIGIT.search, compared)):
            expectation.setdefault("tolerance", settings.tolerance)
        yield draft, replace(proof, expectation=expectation)


def _number_duplicates(sessions: Iterable[dict[str, Any]]) -> None:
    """Add a number to the id and title of each session whose id an earlier session has."""
    counts: Counter[str] = Counter()
    for session in sessions:
        counts[session["id"]] += 1
        if (number := counts[session["id"]]) > 1:
            session["id"] += f"-{number}"
            session["title"] += f" ({number})"


def _written_files(drafts: Iterable[Draft], files: Collection[str]) -> Iterator[str]:
    """Yield the files that examples name but the exercise does not provide.

    The reference must write these files.
    """
    for draft in drafts:
        if draft.want is not DraftExpectation.RAISES:
            yield from (name for name in named_files(draft.code) if name not in files)


_ADDRESSES: Final = ("spec_url", "site_url", "contact")


def _head_keys(settings: ExerciseSettings, spec: str) -> dict[str, Any]:
    """Return the keys of the suite that precede its groups."""
    document: dict[str, Any] = {
        "exercise": settings.exercise,
        "title": settings.title,
        "language": settings.language,
        **({"also_in": [*settings.also_in]} if settings.also_in else {}),
        "spec": spec,
        **{name: url for name in _ADDRESSES if (url := getattr(settings, name)) is not None},
        **({"modules": [*settings.modules]} if settings.modules else {"module": settings.module}),
        "defines": list(settings.defines),
    }
    if settings.helpers:
        document["helpers"] = list(settings.helpers)
    for key in ("given", "checkers", "stand_ins", "wording"):
        if entries := getattr(settings, key):
            document[key] = dict(entries)
    # Keys are written only if the settings have them, so that defaults stay out of the suite.
    if "imports" in settings.given_keys:
        document["imports"] = list(settings.imports)
    if "limits" in settings.given_keys:
        document["limits"] = settings.limits.to_plain_data()
    if settings.files:
        document["files"] = dict(settings.files)
    if settings.now is not None:
        document["now"] = settings.now
    for key in ("stopped", "notebooks", "advice"):
        if key in settings.given_keys:
            document[key] = getattr(settings, key)
    return document | _drawing_keys(settings)


def _drawing_keys(settings: ExerciseSettings) -> dict[str, Any]:
    """Return the keys of a suite that control drawings in reports."""
    keys = {}
    if settings.board is not None:
        keys["board"] = board_document(settings.board)
    if "widgets" in settings.given_keys:
        keys["widgets"] = settings.widgets.to_plain_data()
    return keys


def board_document(board: Board) -> dict[str, Any]:
    """Return `board` as it is written in a suite."""
    written = board.to_plain_data()
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
    """Return the title of each draft's group, such as `pop refused`.

    A title contains the subject, and says if it is refused or printed after an action. It contains
    the class too if several classes have this subject, a method or `str`.
    """
    classes = _receiver_classes(drafts)
    owners: dict[str, set[str | None]] = {}
    keyed = [(draft.subject, owner) for draft, owner in zip(drafts, classes, strict=True)]
    for subject, owner in keyed:
        owners.setdefault(subject, set()).add(owner)
    return [
        subject
        + (f" {owner}" if owner and len(owners[subject]) > 1 else "")
        + (f"{_colon_after(subject)} {words.refused}" if draft.refuses else "")
        + (
            f" {words.after_action}"
            if draft.want is DraftExpectation.PRINTS and draft.share < 1
            else ""
        )
        for draft, (subject, owner) in zip(drafts, keyed, strict=True)
    ]


def _colon_after(subject: str) -> str:
    """Return ":" if `subject` ends in an operator.

    Otherwise `Money - refused` would look like a subtraction.
    """
    return ":" if subject.rpartition(" ")[2] in _OPERATOR_NAMES else ""


def _receiver_classes(drafts: Sequence[Draft]) -> list[str | None]:
    """Return the class of each draft's receiver, or None where no earlier draft creates it."""
    subjects: dict[str, str] = {}
    classes = []
    for draft in drafts:
        classes.append(subjects.get(draft.receiver or ""))
        for name in () if draft.example.is_setup else draft.binds:
            subjects[name] = draft.subject
    return classes


def _groups(
    drafts: Sequence[Draft], names: Sequence[str], settings: ExerciseSettings
) -> list[dict[str, Any]]:
    """Return the groups in order of appearance, with their points.

    Groups without points in the settings share one point for each of their examples. They get equal
    points, except that a group gets at most one point for each of its cases, as much as an example
    is worth on average. So no mistake costs more than it would if examples were scored one by one.
    """
    titled_cases = [
        (draft.example.line, name)
        for draft, name in zip(drafts, names, strict=True)
        if not draft.example.is_setup
    ]
    titles = {_slug(name): name for _, name in titled_cases}
    without_points = [
        (line, name) for line, name in titled_cases if _slug(name) not in settings.points
    ]
    points = _divide_points(
        Counter(name for _, name in without_points), len({line for line, _ in without_points})
    )
    return [
        {
            "id": group,
            "title": settings.titles.get(group, titles.get(group, group)),
            "points": as_yaml_number(
                settings.points.get(group, points.get(titles.get(group, ""), 0.0))
            ),
        }
        for group in dict.fromkeys([*titles, *settings.points])
    ]


def _divide_points(cases: Mapping[str, int], total: int) -> dict[str, float]:
    """Divide `total` points evenly among groups, with at most one point for each case of a group.

    `cases` has the number of cases of each group. Points are rounded down to hundredths, and the
    remainder goes to the groups with the most cases.
    """
    # Whole cents have exact sums, unlike fractions of points.
    remaining, cents_of = total * _CENTS_PER_POINT, {}
    # The smallest groups come first, because points that they cannot take go to larger groups.
    for index, name in enumerate(sorted(cases, key=lambda name: cases[name])):
        cents_of[name] = min(cases[name] * _CENTS_PER_POINT, remaining // (len(cases) - index))
        remaining -= cents_of[name]
    return {name: cents / _CENTS_PER_POINT for name, cents in cents_of.items()}


def _slug(text: str) -> str:
    # `_colon_after` adds a `:` to an operator.
    words = (_OPERATOR_NAMES.get(word.removesuffix(":"), word) for word in text.split(" "))
    return re.sub(r"[^\w]+", "-", " ".join(words)).strip("-")


def _session(
    titled_pairs: Sequence[tuple[Pair, str]],
    words: _Words,
    derived: DerivedSession,
    settings: ExerciseSettings,
) -> dict[str, Any]:
    """Return `derived` as a session of the suite.

    `titled_pairs` are its drafts and proofs, each with the title of its group.
    """
    session: dict[str, Any] = {"id": words.session_id, "title": words.session_title}
    if derived.is_separate:
        # The session is named after its last step, which the earlier steps only prepare.
        (*_, (_, last_title)) = titled_pairs
        session["id"] += f"-{_slug(last_title)}"
        session["title"] += f": {last_title}"
    elif settings.modules:
        session["id"] += f"-{derived.uses[-1]}"
        session["title"] += f": {derived.uses[-1]}.py"
    session |= _module_keys(derived.uses, settings)
    if expressions := observers(draft for (draft, _), _ in titled_pairs):
        session["observers"] = expressions
    session["steps"] = [_step(pair, name) for pair, name in titled_pairs]
    return session


def _module_keys(uses: Sequence[str], settings: ExerciseSettings) -> dict[str, Any]:
    """Return the keys about the modules that a session `uses`, and about their stand-ins.

    Return an empty dict for an exercise with one module.
    """
    if not settings.modules:
        return {}
    earlier = settings.modules[: settings.modules.index(uses[-1])]
    replaced = [module for module in earlier if module in settings.stand_ins]
    return {"uses": [*uses], **({"stand_ins": replaced} if replaced else {})}


def _with_code_lines(rule: Mapping[str, Any]) -> dict[str, Any]:
    """Return the handwritten `rule`, with its code marked to be written one step per line."""
    return {key: CodeLines(value) if key in _CODE_KEYS else value for key, value in rule.items()}


def _step(pair: Pair, group: str) -> dict[str, Any]:
    """Return the step of a suite for a draft and its proof, in the group with this title."""
    draft, proof = pair
    step: dict[str, Any] = {"do": draft.code} if draft.code else {}
    step.update(proof.expectation)
    if not draft.example.is_setup:
        step["group"] = _slug(group)
    # A note describes the whole example, so a split example has none.
    if draft.example.note and draft.share == 1:
        step["note"] = draft.example.note
    step["line"] = draft.example.line
    return step
