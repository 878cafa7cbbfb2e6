"""The identity of a student in a run or a worksheet, normalized for comparison."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from grader.intake.names import name_rotations, words
from grader.intake.people import Person
from grader.intake.roster import ANONYMOUS_WORDS, Column, Key, without_id_word

SURE: Final = (Key.ID, Key.USER, Key.EMAIL)
"""Unique keys of a student."""
_MIN_WORD_CHARS: Final = 3


@dataclass(frozen=True, slots=True)
class Identity:
    """The keys and the name of one student."""

    shown: str
    keys: Mapping[Key, frozenset[str]]
    words: frozenset[str] = frozenset()
    """The distinctive words of the name: the long ones, or all if none is, as in `Li Wu`."""
    is_label: bool = False
    """Whether there is only one text, which may be an id or a name."""

    def of(self, key: Key) -> frozenset[str]:
        """Return the values of one key."""
        return self.keys.get(key, frozenset())

    def may_be(self, other: Identity) -> bool:
        """Return whether both names may be of one person: they share a word, or one is missing.

        One of them may be written without blanks, so words are looked for inside.
        """
        words = self.words | other.words
        if self.is_label or not self.words or not other.words or words & ANONYMOUS_WORDS:
            return True
        return any(word in form for word in self.words for form in other.of(Key.NAME)) or any(
            word in form for word in other.words for form in self.of(Key.NAME)
        )


def identity_in(cells: Iterable[tuple[Column, str]]) -> Identity:
    """Return the identity in a row, given its `cells` of identifying columns."""
    parts: dict[Column, list[str]] = defaultdict(list)
    for part, text in cells:
        parts[part].append(text)
    keys: dict[Key, set[str]] = defaultdict(set)
    for part in parts.keys() - {Column.NAME, Column.FIRST, Column.LAST}:
        keys[part.key] |= {plain(without_id_word(text, part)) for text in parts[part]}
    keys[Key.EMAIL] |= {user for user in keys[Key.USER] if "@" in user}  # a common login
    names, last = list(parts[Column.NAME]), parts[Column.LAST]
    if Column.FIRST in parts and not last:
        names, last = [], names  # beside a first name, `name` is the family name
    if Column.FIRST in parts or last:
        names.append(" ".join([*parts[Column.FIRST], *last]))
    keys[Key.NAME] = {form for name in names for form in name_rotations(name)}
    shown = names[0] if names else next(text for texts in parts.values() for text in texts)
    given = {key: frozenset(values) for key, values in keys.items() if values}
    return Identity(
        shown, given, frozenset(word for name in names for word in _telling_words(name))
    )


def identities_of(person: Person | None, label: str) -> tuple[Identity, ...]:
    """Return the identity of the hand-in, then those of the members of a group."""
    members = () if person is None else person.members
    return (identity_of(person, label), *(identity_of(each, each.name or "") for each in members))


def identity_of(person: Person | None, label: str) -> Identity:
    """Return the identity of a `person`, or of the `label` alone.

    A label that comes from the name of a file may be an id, a user name, an address or a name.
    """
    person = person or Person()
    email = person.email or (person.user if "@" in (person.user or "") else None)
    given = {Key.ID: person.id, Key.USER: person.user, Key.EMAIL: email}
    keys = {key: frozenset({plain(text)}) for key, text in given.items() if text}
    is_label = not keys
    if is_label:
        texts = frozenset(plain(text) for text in (person.name, person.handle, label) if text)
        keys = dict.fromkeys(SURE, texts)
    names = person.name or person.handle or label
    return Identity(
        shown=person.name or person.user or person.id or person.email or label,
        keys={**keys, Key.NAME: frozenset(name_rotations(names))},
        words=frozenset(_telling_words(person.name or "")),
        is_label=is_label,
    )


def plain(text: str) -> str:
    """Return an id, a user name or an address, normalized: platforms add `#`, and change case."""
    return text.strip().removeprefix("#").strip().casefold()


def _telling_words(name: str) -> list[str]:
    """Return the long words of a name, or all words if none is long."""
    parts = words(name)
    return [part for part in parts if len(part) >= _MIN_WORD_CHARS] or parts
