"""The result of recognising a layout in a source, and the steps that all layouts share.

A layout looks at names, and at most reads small text files. It never raises for hostile names or
content: paths that do not fit are left out with a reason.
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
from grader.intake.files import MAX_FILES, SubmissionError, is_ignored
from grader.intake.kinds import COMPILED, DOCUMENTS, HAND_INS, suffix_of
from grader.intake.people import Attempt, Person
from grader.intake.sources import Leaf, Source
from grader.intake.tables import decode_text
from grader.messages import Message
from grader.values.foreign_text import one_line

MAX_NAME_CHARS: Final = 400
"""Longer names fit no platform, and are not matched, because matching them can take very long."""
_MAX_LEAVES: Final = 2 * MAX_FILES
"""Further files of an attempt are dropped, because they would not be read anyway."""
_MAX_WRAPPERS: Final = 3
"""How many folders around the part that follows a naming scheme are looked into."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path in a source that is not graded, with the reason for a teacher."""

    path: str
    reason: str | Message
    is_hand_in: bool | None = None
    """Whether the path might nevertheless be a hand-in; None if its name decides."""

    @property
    def may_be_hand_in(self) -> bool:
        """Whether a student might be missing because the path is left out."""
        if self.is_hand_in is None:
            return bool(self.path) and suffix_of(self.path) in HAND_INS - DOCUMENTS - {COMPILED}
        return self.is_hand_in


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownExercise:
    """What is known about the exercise before anything is read."""

    exercise: str | None = None
    modules: tuple[str, ...] = ()
    is_forced: bool = False
    """Whether the user selected this layout."""

    def has_module(self, stem: str) -> bool:
        """Return whether a file with this `stem` is named after a module of the exercise."""
        return stem.casefold() in {module.casefold() for module in self.modules}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """What a layout found in a source: the attempts, and the evidence for them."""

    layout: str
    evidence: str
    """A sentence such as `212 of 214 names follow the naming scheme of Blackboard (nl)`."""
    fitting: frozenset[str]
    """The paths that follow the naming scheme, whether they are part of an attempt or not."""
    attempts: tuple[Attempt, ...]
    left_out: tuple[LeftOut, ...] = ()
    guesses: tuple[str, ...] = ()
    """Decisions that a teacher should check, because they do not rest on a platform's data."""
    missing: tuple[Person, ...] = ()
    """People who handed in nothing, as far as the platform lists them."""
    has_own_ids: bool = False
    """Whether the ids identify hand-ins rather than people, so no roster or gradebook has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The naming scheme of one platform's downloads."""

    name: str
    recognise: Callable[[Source, KnownExercise], Recognition | None]
    """Returns None if no name follows the scheme."""
    is_common: bool = False
    """Whether unrelated names might follow the scheme by accident, so others are tried first."""


@dataclass(frozen=True, slots=True)
class Name:
    """The path of a leaf, an empty folder or a refused file in a source."""

    parts: tuple[str, ...]
    leaf: Leaf | None = None
    refusal: Message | None = None

    @property
    def path(self) -> str:
        """The whole path."""
        return "/".join(self.parts)


def names_of(source: Source) -> list[Name]:
    """Return the names in `source`, except for files that editors and systems leave behind."""
    names = [
        *(Name(tuple(leaf.path.split("/")), leaf=leaf) for leaf in source.leaves),
        *(Name(tuple(path.split("/"))) for path in source.empty_folders),
        *(Name(tuple(path.split("/")), refusal=reason) for path, reason in source.refusals if path),
    ]
    return [name for name in names if not _is_ignored_path(name.parts, source.archives)]


def _is_ignored_path(parts: Sequence[str], archives: Container[str]) -> bool:
    """Return whether any of `parts` is ignored; a folder made from an archive never is."""
    return any(
        is_ignored(part) and "/".join(parts[: index + 1]) not in archives
        for index, part in enumerate(parts)
    )


@dataclass(frozen=True, slots=True)
class Fit:
    """A name with a part that follows a platform's naming scheme."""

    name: Name
    match: re.Match[str]
    depth: int
    """The index of that part: how many folders precede it."""

    @property
    def parts_below(self) -> tuple[str, ...]:
        """The parts of the path below the one that fits."""
        return self.name.parts[self.depth + 1 :]

    def path_of(self, file: str | None) -> str:
        """Return the student's own path for the file; `file` is its name in the part that fits.

        If the path has parts below that part, these are returned instead, because `file` is then
        the name of the archive that contains them.
        """
        return "/".join(self.parts_below) or file or self.name.parts[-1]


def match_names(
    names: Iterable[Name], pattern: re.Pattern[str], archives: Mapping[str, str] | None = None
) -> tuple[list[Fit], list[Name]]:
    """Split `names` into those with a part that matches `pattern`, and all other names.

    If several parts match, the outermost one counts. If `archives` are given, only files and
    folders made from archives are matched, by the name of the file or archive.
    """
    fits: list[Fit] = []
    other_names: list[Name] = []
    for name in names:
        fit = (
            _match_part(name, pattern) if archives is None else _match_file(name, pattern, archives)
        )
        if fit is None:
            other_names.append(name)
        else:
            fits.append(fit)
    return fits, other_names


def _match_part(name: Name, pattern: re.Pattern[str]) -> Fit | None:
    for depth, part in enumerate(name.parts[: _MAX_WRAPPERS + 1]):
        if len(part) <= MAX_NAME_CHARS and (match := pattern.fullmatch(part)):
            return Fit(name, match, depth)
    return None


def _match_file(name: Name, pattern: re.Pattern[str], archives: Mapping[str, str]) -> Fit | None:
    """Return the fit of the outermost file or opened archive whose own name matches `pattern`.

    `archives` are the paths of the opened archives, keyed by the folder that contains their leaves.
    """
    for depth in range(min(len(name.parts), _MAX_WRAPPERS + 1)):
        path = "/".join(name.parts[: depth + 1])
        file = archives.get(path, "" if depth + 1 < len(name.parts) else path).rpartition("/")[2]
        if len(file) <= MAX_NAME_CHARS and (match := pattern.fullmatch(file)):
            return Fit(name, match, depth)
    return None


@dataclass(slots=True)
class AttemptBuilder:
    """Collects the files of an attempt."""

    leaves: dict[str, Leaf] = field(default_factory=dict)
    refusals: list[Message] = field(default_factory=list)

    def add_file(self, name: Name, path: str) -> None:
        """Add the file with this `name`, or its refusal, under the student's own `path`."""
        if name.refusal is not None:
            self.refusals.append(name.refusal)
        elif name.leaf is not None and len(self.leaves) < _MAX_LEAVES:
            self.leaves[_unused_path(path, self.leaves)] = name.leaf

    def attempt(
        self,
        person: Person,
        *,
        submitted: datetime | None = None,
        number: int | None = None,
        is_late: bool | None = None,
    ) -> Attempt:
        """Return the attempt with the collected files."""
        return Attempt(
            person=person,
            leaves=self.leaves,
            refusals=tuple(self.refusals),
            submitted=submitted,
            number=number,
            is_late=is_late,
        )


def _unused_path(path: str, leaves: Mapping[str, Leaf]) -> str:
    """Return `path`, with a number if one of `leaves` already has it."""
    original, number, unused = PurePosixPath(path), 1, path
    while unused in leaves:
        number += 1
        unused = str(original.with_name(f"{original.stem} ({number}){original.suffix}"))
    return unused


def evidence_text(fits: Sequence[Fit], other_names: Sequence[Name], platform: str) -> str:
    """Return the evidence for `platform`, a sentence that says how many names fit its scheme.

    Files in one folder count once.
    """
    fit_count = len({fit.name.parts[: fit.depth + 1] for fit in fits})
    other_count = len({name.parts[:-1] or name.parts for name in other_names})
    return f"{fit_count} of {fit_count + other_count} names follow the naming scheme of {platform}"


def leave_out_others(other_names: Iterable[Name], platform: str) -> tuple[LeftOut, ...]:
    """Return `other_names` as paths left out because they do not follow the scheme of `platform`.

    Refused names keep the reason for their refusal.
    """
    reason = f"the name does not follow the naming scheme of {platform}"
    return tuple(LeftOut(name.path, name.refusal or reason) for name in other_names)


def read_text(leaf: Leaf, max_bytes: int) -> str | None:
    """Read the text in `leaf`; return None if it is unreadable or larger than `max_bytes`."""
    try:
        return unicodedata.normalize("NFC", decode_text(leaf.read(max_bytes)).text)
    except (SubmissionError, ValueError):
        return None


def group_fits(fits: Iterable[Fit], key: Callable[[Fit], str]) -> dict[str, list[Fit]]:
    """Group `fits` by `key`, in order of first appearance."""
    groups: dict[str, list[Fit]] = {}
    for fit in fits:
        groups.setdefault(key(fit), []).append(fit)
    return groups


def paths_of(fits: Iterable[Fit]) -> frozenset[str]:
    """Return the full paths of `fits`."""
    return frozenset(fit.name.path for fit in fits)


def values_of(fits: Iterable[Fit], group: str) -> Iterator[str]:
    """Yield the distinct values of the regular expression's `group`, in order of appearance."""
    yield from dict.fromkeys(fit.match[group] for fit in fits)


# A layout that a teacher describes with a regular expression. It must have a group `student`,
# `user`, `id` or `email`. The groups `time` (in ISO format), `number` and `file` are optional.


_GROUPS: Final = ("student", "user", "id", "email", "time", "number")


def compile_pattern(text: str) -> re.Pattern[str]:
    """Compile the pattern in `text`; raises `UsageError` if it is invalid or lacks a group."""
    try:
        pattern = re.compile(text, re.DOTALL)  # file names can contain newlines
    except re.error as error:
        raise UsageError(
            f"--pattern {one_line(text, 60)!r} is not a valid regular expression:"
            f" {one_line(str(error))}",
            help="see https://docs.python.org/3/library/re.html for the syntax",
        ) from error
    if not {"student", "user", "id", "email"} & pattern.groupindex.keys():
        raise UsageError(
            f"--pattern {one_line(text, 60)!r} does not identify the student",
            help="add a group named student, user, id or email: (?P<student>[^/]+)/(?P<file>.+)",
        )
    return pattern


def recognise_by_pattern(source: Source, pattern: re.Pattern[str]) -> Recognition | None:
    """Recognise the attempts in `source` by matching `pattern` against full paths.

    Return None if no path matches.
    """
    builders: dict[tuple[str | None, ...], AttemptBuilder] = {}
    fitting: set[str] = set()
    left_out: list[LeftOut] = []
    for name in names_of(source):
        # A teacher's pattern can backtrack, so matching a long path can take very long.
        is_short = len(name.path) <= 2 * MAX_NAME_CHARS
        match = pattern.fullmatch(name.path) if is_short else None
        if match is None:
            left_out.append(LeftOut(name.path, name.refusal or "the path does not match --pattern"))
            continue
        fitting.add(name.path)
        groups = match.groupdict()
        builder = builders.setdefault(tuple(groups.get(key) for key in _GROUPS), AttemptBuilder())
        builder.add_file(name, groups.get("file") or name.parts[-1])
    if not builders:
        return None
    return Recognition(
        layout="pattern",
        evidence=f"{len(fitting)} of {len(fitting) + len(left_out)} paths match --pattern",
        fitting=frozenset(fitting),
        attempts=tuple(_attempt(facts, builder) for facts, builder in builders.items()),
        left_out=tuple(left_out),
    )


def _attempt(facts: tuple[str | None, ...], builder: AttemptBuilder) -> Attempt:
    """Return the attempt with the files in `builder`; `facts` are the values of `_GROUPS`."""
    student, user, identifier, email, time, number = facts
    submitted = None
    with suppress(ValueError):  # without a valid time, a hand-in can still be graded
        submitted = datetime.fromisoformat(time or "")
    return builder.attempt(
        Person(name=student, user=user, id=identifier, email=email, handle=student),
        submitted=submitted,
        number=int(number) if number is not None and number.isdecimal() else None,
    )
