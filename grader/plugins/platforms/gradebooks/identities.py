"""What is known of a student, on either side, in the form in which it is compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from grader.intake.names import forms, words
from grader.intake.people import Person
from grader.intake.roster import ANONYMOUS, Key, Part, numbered

SURE: Final = (Key.ID, Key.USER, Key.EMAIL)
"""What nobody shares with anybody else."""
_MIN_WORD_CHARS: Final = 3


@dataclass(frozen=True, slots=True)
class Identity:
    """What is known of one student."""

    shown: str
    keys: Mapping[Key, frozenset[str]]
    words: frozenset[str] = frozenset()
    """Of the name, those that say something: all of them where each is short, as of `Li Wu`."""
    is_label: bool = False
    """Whether all of it is one word, of which nobody knows whether it is an id or a name."""

    def of(self, key: Key) -> frozenset[str]:
        """Return what there is of one kind."""
        return self.keys.get(key, frozenset())

    def may_be(self, other: Identity) -> bool:
        """Return whether both names may be of one person: they have a word in common, if any.

        One of them may be written without blanks.
        """
        words = self.words | other.words
        if self.is_label or not self.words or not other.words or words & ANONYMOUS:
            return True
        return any(word in form for word in self.words for form in other.of(Key.NAME)) or any(
            word in form for word in other.words for form in self.of(Key.NAME)
        )


def identity_in(told: Iterable[tuple[Part, str]]) -> Identity:
    """Return who is in a row, of which some cells tell something."""
    parts: dict[Part, list[str]] = defaultdict(list)
    for part, text in told:
        parts[part].append(text)
    keys: dict[Key, set[str]] = defaultdict(set)
    for part in parts.keys() - {Part.NAME, Part.FIRST, Part.LAST}:
        keys[part.key] |= {plain(numbered(text, part)) for text in parts[part]}
    keys[Key.EMAIL] |= {user for user in keys[Key.USER] if "@" in user}  # as many log in
    names, last = list(parts[Part.NAME]), parts[Part.LAST]
    if Part.FIRST in parts and not last:
        names, last = [], names  # the name is that of the family where a first name stands by it
    if Part.FIRST in parts or last:
        names.append(" ".join([*parts[Part.FIRST], *last]))
    keys[Key.NAME] = {form for name in names for form in forms(name)}
    shown = names[0] if names else next(text for texts in parts.values() for text in texts)
    given = {key: frozenset(values) for key, values in keys.items() if values}
    return Identity(
        shown, given, frozenset(word for name in names for word in _telling_words(name))
    )


def identities_of(person: Person | None, label: str) -> tuple[Identity, ...]:
    """Return who handed in, and after it the members of a group."""
    members = () if person is None else person.members
    return (identity_of(person, label), *(identity_of(each, each.name or "") for each in members))


def identity_of(person: Person | None, label: str) -> Identity:
    """Return who handed in: a `person`, or whoever the run knows by a `label` alone.

    Where names of files are all that is known, such a name may be anything.
    """
    person = person or Person()
    email = person.email or (person.user if "@" in (person.user or "") else None)
    told = {Key.ID: person.id, Key.USER: person.user, Key.EMAIL: email}
    keys = {key: frozenset({plain(text)}) for key, text in told.items() if text}
    is_label = not keys
    if is_label:
        texts = frozenset(plain(text) for text in (person.name, person.handle, label) if text)
        keys = dict.fromkeys(SURE, texts)
    names = person.name or person.handle or label
    return Identity(
        shown=person.name or person.user or person.id or person.email or label,
        keys={**keys, Key.NAME: frozenset(forms(names))},
        words=frozenset(_telling_words(person.name or "")),
        is_label=is_label,
    )


def plain(text: str) -> str:
    """Return an id, a user name or an address as all platforms compare them."""
    return text.strip().removeprefix("#").strip().casefold()


def _telling_words(name: str) -> list[str]:
    """Return the words of a name that say something: all of them where each is short."""
    parts = words(name)
    return [part for part in parts if len(part) >= _MIN_WORD_CHARS] or parts
