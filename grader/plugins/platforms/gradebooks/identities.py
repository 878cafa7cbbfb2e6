"""The identities of students in a run or a worksheet, normalized for comparison."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from grader.intake.names import name_rotations, words
from grader.intake.people import Person
from grader.intake.roster import ANONYMOUS_WORDS, Column, Key, without_id_word

UNIQUE_KEYS: Final = (Key.ID, Key.USER, Key.EMAIL)
"""The keys that are unique to a student, unlike a name."""
_MIN_WORD_CHARS: Final = 3
"""The length of a distinctive word: many people share initials and words such as `de`."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The keys and the name of one student, or of a group."""

    display_name: str
    keys: Mapping[Key, frozenset[str]]
    words: frozenset[str] = frozenset()
    """The distinctive words of the name: the long ones, or all if none is long, as in `Li Wu`."""
    is_label: bool = False
    """Whether the student is known only by a label, which might be an id or a name."""

    def values(self, key: Key) -> frozenset[str]:
        """Return the student's values for `key`, which might be none."""
        return self.keys.get(key, frozenset())

    def might_be(self, other: Identity) -> bool:
        """Return whether both might be the same person.

        They might if their names share a word, or if one of the names is missing, a label or
        anonymous. Either name might be written without spaces, so a word can be part of another.
        """
        words = self.words | other.words
        if self.is_label or not self.words or not other.words or words & ANONYMOUS_WORDS:
            return True
        return any(word in name for word in self.words for name in other.values(Key.NAME)) or any(
            word in name for word in other.words for name in self.values(Key.NAME)
        )


def identity_from_cells(cells: Iterable[tuple[Column, str]]) -> Identity:
    """Return the identity in a row.

    `cells` are at least one cell in columns that identify people, each with what its column
    contains.
    """
    texts_by_column: dict[Column, list[str]] = defaultdict(list)
    for column, text in cells:
        texts_by_column[column].append(text)
    keys: dict[Key, set[str]] = defaultdict(set)
    for column in texts_by_column.keys() - {Column.NAME, Column.FIRST, Column.LAST}:
        texts = texts_by_column[column]
        keys[column.key] |= {normalize_key(without_id_word(text, column)) for text in texts}
    # On many sites, the user name is an email address.
    keys[Key.EMAIL] |= {user for user in keys[Key.USER] if "@" in user}
    names, last_names = list(texts_by_column[Column.NAME]), texts_by_column[Column.LAST]
    if Column.FIRST in texts_by_column and not last_names:
        names, last_names = [], names  # next to a first name, `name` is the family name
    if Column.FIRST in texts_by_column or last_names:
        names.append(" ".join([*texts_by_column[Column.FIRST], *last_names]))
    keys[Key.NAME] = {rotation for name in names for rotation in name_rotations(name)}
    all_texts = (text for texts in texts_by_column.values() for text in texts)
    display_name = names[0] if names else next(all_texts)
    known_keys = {key: frozenset(values) for key, values in keys.items() if values}
    return Identity(
        display_name,
        known_keys,
        frozenset(word for name in names for word in _distinctive_words(name)),
    )


def identities_of(person: Person | None, label: str) -> tuple[Identity, ...]:
    """Return the identity of the submitter, followed by those of a group's members."""
    members = () if person is None else person.members
    return (
        identity_of(person, label),
        *(identity_of(member, member.name or "") for member in members),
    )


def identity_of(person: Person | None, label: str) -> Identity:
    """Return the identity of `person`, or one based on the `label` alone.

    A label from a file name might be an id, a user name, an email address or a name.
    """
    person = person or Person()
    email = person.email or (person.user if "@" in (person.user or "") else None)
    values = {Key.ID: person.id, Key.USER: person.user, Key.EMAIL: email}
    keys = {key: frozenset({normalize_key(text)}) for key, text in values.items() if text}
    is_label = not keys
    if is_label:
        # An id, a user name or an address in the worksheet might equal any of these.
        texts = frozenset(
            normalize_key(text) for text in (person.name, person.handle, label) if text
        )
        keys = dict.fromkeys(UNIQUE_KEYS, texts)
    name = person.name or person.handle or label
    return Identity(
        display_name=person.name or person.user or person.id or person.email or label,
        keys={**keys, Key.NAME: frozenset(name_rotations(name))},
        words=frozenset(_distinctive_words(person.name or "")),
        is_label=is_label,
    )


def normalize_key(text: str) -> str:
    """Normalize an id, a user name or an address, because platforms add `#` and change case."""
    return text.strip().removeprefix("#").strip().casefold()


def _distinctive_words(name: str) -> list[str]:
    """Return the long words of a name, or all words if none is long."""
    parts = words(name)
    return [part for part in parts if len(part) >= _MIN_WORD_CHARS] or parts
