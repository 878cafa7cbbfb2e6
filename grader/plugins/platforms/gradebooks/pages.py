"""Pages for their students, under the names by which a platform gives each back.

A platform knows whose a file is by its name. Where it is enough to know the student, the name is
made; where it wants a name of its own, of an attempt or of a file that was handed in, that is taken
from the download of the hand-ins. Nobody gets a page that is not surely hers.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum, unique
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, Self

from grader.errors import OutputError, UsageError
from grader.intake.columns import Key
from grader.intake.names import forms
from grader.intake.people import Person
from grader.plugins.platforms.gradebooks.identities import Identity, identities_of
from grader.plugins.platforms.gradebooks.marks import Mark
from grader.values.display import one_line, plain

_MAX_PATHS: Final = 200_000
_MAX_NAME_CHARS: Final = 50
"""Of a student in the name of a folder: few systems have room for more than 255 bytes."""
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The time of each file, so that the same pages give the same archive."""


@unique
class Platform(StrEnum):
    """What takes pages back."""

    MOODLE = "moodle"
    CANVAS = "canvas"
    BRIGHTSPACE = "brightspace"
    BLACKBOARD = "blackboard"


_OF_DOWNLOADS: Final = {
    Platform.MOODLE: re.compile(
        r"(?P<called>.*)_(?P<id>\d+)_assign(?:submission|feedback)_file(?=_|\Z)"
    ),
    Platform.CANVAS: re.compile(r"[^_]+(?:_LATE)?_(?P<id>\d+)_\d+_"),
    Platform.BRIGHTSPACE: re.compile(
        r"(?P<pair>(?P<id>\d+)-(?P<other>\d+)) - (?P<name>.+?) - [^-]*\d{4}[^-]*\Z"
    ),
    Platform.BLACKBOARD: re.compile(
        r"(?:.*_)?(?P<user>[^_]+)_(?:attempt|poging|intento?)_\d{4}(?:-\d\d){5}_?"
    ),
}
"""How a part of a path begins in a download, by which the platform knows a student."""
_WITH_FOLDERS: Final = frozenset({Platform.MOODLE, Platform.BRIGHTSPACE})
"""Platforms that have a folder for each student."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names in a download of hand-ins, by what each says of the student."""

    by_key: Mapping[tuple[Key, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, platform: Platform, paths: Iterable[str]) -> Names:
        """Return the names among `paths`; what two students might have is left out."""
        pattern = _OF_DOWNLOADS[platform]
        parts = {part for path in islice(paths, _MAX_PATHS) for part in re.split(r"[/\\]", path)}
        found: dict[tuple[Key, str], dict[str, str]] = defaultdict(dict)
        for part in sorted(parts):
            match = pattern.match(part)
            if match is not None and plain(part) == part:
                told = match.groupdict()
                owner = told.get("pair") or told.get("id") or told["user"]
                called = told.get("called") or ""  # Moodle cuts its names at each `_`
                name = called.replace("_", " ") + match[0][len(called) :]
                for key in _keys(told):
                    found[key][owner] = name
        return cls({key: names.popitem()[1] for key, names in found.items() if len(names) == 1})

    def name_of(self, who: Identity) -> str | None:
        """Return the name for `who`, None where there is none, or more than one."""
        keys = [(key, text) for key in Key for text in who.of(key)]
        names = {self.by_key[key] for key in keys if key in self.by_key}
        return names.pop() if len(names) == 1 else None


def _keys(told: Mapping[str, str | None]) -> Iterator[tuple[Key, str]]:
    for number in filter(None, (told.get("id"), told.get("other"))):
        yield Key.ID, number
    if user := told.get("user"):
        yield Key.USER, user.casefold()
    for form in forms(told.get("name") or ""):
        yield Key.NAME, form


def paths_in(download: Path) -> Iterator[str]:
    """Yield the paths of files in a zip, or in a folder, that a platform has given.

    Raises `UsageError` if it is neither.
    """
    if download.is_dir():
        for folder, _, files in os.walk(download):
            yield from (os.path.relpath(os.path.join(folder, name), download) for name in files)
        return
    try:
        with zipfile.ZipFile(download) as archive:
            yield from archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise UsageError(
            f"{one_line(str(download))} is no zip that can be read: {one_line(str(error))}",
            help="name the download of the hand-ins, as the platform gave it, or its folder",
        ) from error


def paths_for(platform: Platform, names: Names | None, mark: Mark) -> tuple[list[str], list[str]]:
    """Return under which paths the page of `mark` goes back, and for whom there is none.

    These are the `names` of the download, or such as are made where there is none. A group has one
    for each of its members, where the platform knows these.
    """
    people = [mark.person or Person(), *(mark.person.members if mark.person is not None else ())]
    group = identities_of(mark.person, mark.student)
    found = [
        _made(platform, person) if names is None else names.name_of(who)
        for who, person in zip(group, people, strict=True)
    ]
    between = "/" if platform in _WITH_FOLDERS else "_"
    paths = [
        None if name is None else f"{name.removesuffix('_')}{between}{mark.exercise}.html"
        for name in found
    ]
    if not any(paths[1:]):
        return ([paths[0]], []) if paths[0] is not None else ([], [mark.shown])
    members = list(zip(group[1:], paths[1:], strict=True))
    without = [who.shown for who, path in members if path is None]
    return [path for _, path in members if path is not None], without


def _made(platform: Platform, person: Person) -> str | None:
    """Return the name that `platform` would give `person`, None where that is not enough."""
    match platform:
        case Platform.MOODLE if (person.id or "").isdecimal():
            name = _safe(person.name or "student").replace("_", " ")
            return f"{name}_{person.id}_assignsubmission_file"
        case Platform.BLACKBOARD if person.user:
            return _safe(person.user)
        case _:
            return None


def _safe(text: str) -> str:
    """Return `text` as a part of a path on any system."""
    shown = plain(text[:_MAX_NAME_CHARS])[:_MAX_NAME_CHARS]
    return re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', " ", shown).strip(" .") or "student"


class PageArchive:
    """A zip of pages, in which no page takes the place of another one."""

    def __init__(self, file: BinaryIO) -> None:
        """Write to `file`."""
        self._archive: Final = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._taken: Final[dict[str, Mark]] = {}

    def add(self, path: str, mark: Mark, page: str) -> None:
        """Add the page of `mark`; raises `OutputError` where another one has that path."""
        other = self._taken.setdefault(path.casefold(), mark)
        if other is not mark:
            who = f"{one_line(mark.shown)} and {one_line(other.shown)}"
            raise OutputError(
                f"{who} would have the same page, {one_line(path)}",
                help="name the download of the hand-ins with --download",
            )
        info = zipfile.ZipInfo(path, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        self._archive.writestr(info, page.encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()
