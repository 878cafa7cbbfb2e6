"""The result of recognising a layout in a source, and the steps that all layouts share.

A layout looks at names, and reads small text files at most. It never raises for hostile names or
content: what does not fit is left out, with a reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final

from grader.errors import UsageError
from grader.intake.files import MAX_FILES, SubmissionError, ignored
from grader.intake.kinds import COMPILED, DOCUMENTS, HAND_INS, suffix_of
from grader.intake.people import Attempt, Person
from grader.intake.sources import Leaf, Source
from grader.intake.tables import decoded
from grader.messages import Message
from grader.values.foreign_text import one_line

MAX_NAME_CHARS: Final = 400
"""Longer names fit no platform, and are not matched, which would only take time."""
_MAX_LEAVES: Final = 2 * MAX_FILES
"""More files of an attempt are dropped; they would not be read anyway."""
_MAX_WRAPPERS: Final = 3


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path in a source that is not graded, and the reason, for a teacher."""

    path: str
    reason: str | Message
    is_hand_in: bool | None = None
    """Whether it may be a hand-in all the same; None if its name decides."""

    @property
    def may_be_hand_in(self) -> bool:
        """Whether a student may be missing because of it."""
        if self.is_hand_in is None:
            return bool(self.path) and suffix_of(self.path) in HAND_INS - DOCUMENTS - {COMPILED}
        return self.is_hand_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is known of the exercise before anything is read."""

    exercise: str | None = None
    modules: tuple[str, ...] = ()
    is_forced: bool = False
    """Whether the user named this layout."""

    def names(self, stem: str) -> bool:
        """Return whether a file with this `stem` is named like a module of the exercise."""
        return stem.casefold() in {module.casefold() for module in self.modules}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """The result of a layout for a source: the attempts that it found, and the evidence."""

    layout: str
    evidence: str
    """A sentence, such as `212 of 214 names have the form of Blackboard (nl)`."""
    fitting: frozenset[str]
    """The paths with its form, whether they are part of an attempt or not."""
    attempts: tuple[Attempt, ...]
    left_out: tuple[LeftOut, ...] = ()
    guesses: tuple[str, ...] = ()
    """Decisions that a teacher should check, as they had weaker evidence than platform data."""
    missing: tuple[Person, ...] = ()
    """People who handed in nothing, if the platform lists them."""
    has_own_ids: bool = False
    """Whether its ids are those of hand-ins, which are in no roster or gradebook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How one platform names the files in its downloads."""

    name: str
    recognise: Callable[[Source, Wanted], Recognition | None]
    """Returns None if nothing has its form."""
    is_common: bool = False
    """Whether other names may have its form by accident: it is tried only if no other fits."""


@dataclass(frozen=True, slots=True)
class Name:
    """A path in a source: of a leaf, of an empty folder, or of a refused file."""

    parts: tuple[str, ...]
    leaf: Leaf | None = None
    refusal: Message | None = None

    @property
    def path(self) -> str:
        """The whole path."""
        return "/".join(self.parts)


def names_of(source: Source) -> list[Name]:
    """Return the names in `source`, without those that editors and systems leave behind."""
    names = [
        *(Name(tuple(leaf.path.split("/")), leaf=leaf) for leaf in source.leaves),
        *(Name(tuple(path.split("/"))) for path in source.empty_folders),
        *(Name(tuple(path.split("/")), refusal=why) for path, why in source.refusals if path),
    ]
    return [name for name in names if not _is_passed_over(name.parts, source.archives)]


def _is_passed_over(parts: Sequence[str], archives: Container[str]) -> bool:
    """Return whether one of `parts` is ignored; folders made from archives never are."""
    return any(
        ignored(part) and "/".join(parts[: place + 1]) not in archives
        for place, part in enumerate(parts)
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """A name in which one part has the form of a platform."""

    name: Name
    found: re.Match[str]
    depth: int
    """How many folders come before that part."""

    @property
    def below(self) -> tuple[str, ...]:
        """The parts after that part."""
        return self.name.parts[self.depth + 1 :]

    def path_of(self, file: str | None) -> str:
        """Return the path that the student gave, if the form has `file` as the file name.

        Parts below are the path in an archive: then `file` is the name of the archive.
        """
        return "/".join(self.below) or file or self.name.parts[-1]


def fits(
    names: Iterable[Name], form: re.Pattern[str], archives: Mapping[str, str] | None = None
) -> tuple[list[Fit], list[Name]]:
    """Return the names with a part of the `form`, by the outermost such part, and the others.

    If `archives` are given, only folders made from them can have it, by the archive's own name.
    """
    found: list[Fit] = []
    others: list[Name] = []
    for name in names:
        fit = _fit(name, form) if archives is None else _fit_of_file(name, form, archives)
        if fit is None:
            others.append(name)
        else:
            found.append(fit)
    return found, others


def _fit(name: Name, form: re.Pattern[str]) -> Fit | None:
    for depth, part in enumerate(name.parts[: _MAX_WRAPPERS + 1]):
        if len(part) <= MAX_NAME_CHARS and (found := form.fullmatch(part)):
            return Fit(name, found, depth)
    return None


def _fit_of_file(name: Name, form: re.Pattern[str], archives: Mapping[str, str]) -> Fit | None:
    for depth in range(min(len(name.parts), _MAX_WRAPPERS + 1)):
        path = "/".join(name.parts[: depth + 1])
        file = archives.get(path, "" if depth + 1 < len(name.parts) else path).rpartition("/")[2]
        if len(file) <= MAX_NAME_CHARS and (found := form.fullmatch(file)):
            return Fit(name, found, depth)
    return None


@dataclass(slots=True)
class Pile:
    """An attempt in the making."""

    leaves: dict[str, Leaf] = field(default_factory=dict)
    refusals: list[Message] = field(default_factory=list)

    def put(self, name: Name, path: str) -> None:
        """Add the file with this `name`, under the `path` that the student gave it."""
        if name.refusal is not None:
            self.refusals.append(name.refusal)
        elif name.leaf is not None and len(self.leaves) < _MAX_LEAVES:
            self.leaves[_free(path, self.leaves)] = name.leaf

    def attempt(
        self,
        person: Person,
        *,
        submitted: datetime | None = None,
        number: int | None = None,
        is_late: bool | None = None,
    ) -> Attempt:
        """Return the finished attempt."""
        return Attempt(
            person=person,
            leaves=self.leaves,
            refusals=tuple(self.refusals),
            submitted=submitted,
            number=number,
            is_late=is_late,
        )


def _free(path: str, taken: Mapping[str, Leaf]) -> str:
    pure, number, free = PurePosixPath(path), 1, path
    while free in taken:
        number += 1
        free = str(pure.with_name(f"{pure.stem} ({number}){pure.suffix}"))
    return free


def counted(fitting: Sequence[Fit], others: Sequence[Name], form: str) -> str:
    """Return a sentence on how many names have the `form`; files in one folder count once."""
    fit = len({each.name.parts[: each.depth + 1] for each in fitting})
    other = len({name.parts[:-1] or name.parts for name in others})
    return f"{fit} of {fit + other} names have the form of {form}"


def others_left_out(others: Iterable[Name], form: str) -> tuple[LeftOut, ...]:
    """Return `others` as left out because they do not have the `form`."""
    reason = f"the name has not the form of {form}"
    return tuple(LeftOut(name.path, name.refusal or reason) for name in others)


def text_of(leaf: Leaf, most_bytes: int) -> str | None:
    """Return the text in `leaf`, None if it cannot be read or is larger than `most_bytes`."""
    try:
        return unicodedata.normalize("NFC", decoded(leaf.read(most_bytes)).text)
    except (SubmissionError, ValueError):
        return None


def grouped(fitting: Iterable[Fit], key: Callable[[Fit], str]) -> dict[str, list[Fit]]:
    """Return `fitting` by their `key`, in order of first appearance."""
    groups: dict[str, list[Fit]] = {}
    for each in fitting:
        groups.setdefault(key(each), []).append(each)
    return groups


def paths_of(fitting: Iterable[Fit]) -> frozenset[str]:
    """Return the whole paths of `fitting`."""
    return frozenset(each.name.path for each in fitting)


def values_of(fitting: Iterable[Fit], group: str) -> Iterator[str]:
    """Yield the distinct values of a `group` of the form, in order of first appearance."""
    yield from dict.fromkeys(each.found[group] for each in fitting)


# A layout that a teacher describes: a regular expression with a group `student`.
#
# Groups `id`, `user`, `email`, `time` (in ISO form), `number` and `file` are optional.


_GROUPS: Final = ("student", "user", "id", "email", "time", "number")


def compiled_pattern(text: str) -> re.Pattern[str]:
    """Compile the pattern in `text`; raises `UsageError` if it cannot be used."""
    try:
        pattern = re.compile(text, re.DOTALL)  # names of files may have newlines
    except re.error as error:
        raise UsageError(
            f"--pattern is not a regular expression: {one_line(str(error))}"
        ) from error
    if not {"student", "user", "id", "email"} & pattern.groupindex.keys():
        raise UsageError(
            "--pattern does not say who handed in",
            help="it needs a group, such as (?P<student>[^/]+)/(?P<file>.+)",
        )
    return pattern


def by_pattern(source: Source, pattern: re.Pattern[str]) -> Recognition | None:
    """Return the attempts in `source` by `pattern`, matched against whole paths."""
    piles: dict[tuple[str | None, ...], Pile] = {}
    fitting: set[str] = set()
    others: list[LeftOut] = []
    for name in names_of(source):
        # A pattern may take very long for a long name.
        short = len(name.path) <= 2 * MAX_NAME_CHARS
        found = pattern.fullmatch(name.path) if short else None
        if found is None:
            others.append(LeftOut(name.path, name.refusal or "the pattern does not match it"))
            continue
        fitting.add(name.path)
        groups = found.groupdict()
        pile = piles.setdefault(tuple(groups.get(key) for key in _GROUPS), Pile())
        pile.put(name, groups.get("file") or name.parts[-1])
    if not piles:
        return None
    return Recognition(
        layout="pattern",
        evidence=f"{len(fitting)} of {len(fitting) + len(others)} paths match the pattern",
        fitting=frozenset(fitting),
        attempts=tuple(_attempt(facts, pile) for facts, pile in piles.items()),
        left_out=tuple(others),
    )


def _attempt(facts: tuple[str | None, ...], pile: Pile) -> Attempt:
    student, user, identifier, email, time, number = facts
    submitted = None
    with suppress(ValueError):
        submitted = datetime.fromisoformat(time or "")
    return pile.attempt(
        Person(name=student, user=user, id=identifier, email=email, handle=student),
        submitted=submitted,
        number=int(number) if number is not None and number.isdecimal() else None,
    )
