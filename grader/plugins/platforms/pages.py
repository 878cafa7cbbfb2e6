"""Writes pages and mails for `grader export`, under names by which platforms find students.

A platform finds the student of a file by its name. Some platforms need the name of the hand-in,
which comes from the download; for others, it is made from the id of the student. A page whose
student is in doubt is not written.
"""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Self

from grader.cli.terminal import say, warn, warn_of
from grader.errors import OutputError, UsageError
from grader.intake.opening import list_source
from grader.intake.people import Person
from grader.intake.roster import Key
from grader.intake.sources import Source
from grader.plugins.platforms.gradebooks.identities import Identity, identities_of, identity_of
from grader.plugins.platforms.gradebooks.mails import addresses, mail
from grader.plugins.platforms.gradebooks.marks import Mark, records_of
from grader.plugins.platforms.platform import Pages, Platform
from grader.reporting.student_page import student_page
from grader.reporting.writing import file_stem, replacing, write_below
from grader.store.store import Store
from grader.values.foreign_text import count_of, one_line, plain

# Archives cannot have an earlier one.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The fixed time of each file, so that the same pages give the same archive."""


def write_archive(
    store: Store, marks: Sequence[Mark], platform: Platform, target: Path, download: Path | None
) -> None:
    """Write the zip for `platform` to `target`, with the names in its `download`."""
    if (pages := platform.pages) is None:
        raise UsageError(
            f"{platform.name} cannot import pages", help="use --feedback folder or --mail"
        )
    found = _names(store, pages, download)
    left_out: list[str] = []
    count = 0
    # A failure leaves an earlier archive in place.
    with replacing(target) as file, PageArchive(file) as archive:
        for mark, _, record in records_of(store, marks):
            paths, without = paths_for(pages, found, mark)
            left_out += without
            page = student_page(record) if paths else ""
            for path in paths:
                archive.add(path, mark, page)
            count += len(paths)
        if not count:
            raise UsageError(
                f"no student of the run could be matched with a page name for {platform.name}",
                help="name its download of the hand-ins with --download, or use --feedback folder",
            )
    warn_of("no page, as its name on the platform is not known", left_out)
    say(f"{count} pages: {one_line(str(target))}")


def _names(store: Store, pages: Pages, download: Path | None) -> Names | None:
    """Return the names of pages from a `download`, or else from the graded files.

    None if neither has names, and they can be made instead.
    """
    if download is not None:
        return Names.of(pages, [download_at(download)])
    downloads: dict[str, Source] = {}
    for source in store.run.settings.sources:
        with suppress(UsageError):  # it may have been moved or replaced since
            downloads[source] = download_at(Path(source))
    found = Names.of(pages, downloads.values())
    if found.by_key:
        say(f"names of pages are those in {', '.join(map(one_line, downloads))}")
        return found
    if pages.made is None:
        raise UsageError(
            f"{pages.form.layout} finds students only by the names in its download of the hand-ins,"
            " but the graded files are not such a download, or are gone",
            help="name the download with --download, or use --feedback folder or --mail",
        )
    if pages.made_by_id:
        title = pages.form.title
        warn(f"ids of the run are assumed to be those of {title}; --download makes sure")
    return None


def download_at(path: Path) -> Source:
    """Return the download at `path`, an archive or a folder; raises `UsageError` for others."""
    source = list_source(path)
    is_damaged = any(refused in {"", source.name} for refused, _ in source.refusals)
    if is_damaged or [leaf.path for leaf in source.leaves] == [source.name]:
        raise UsageError(
            f"{one_line(str(path))} is not a readable archive",
            help="name the download of the hand-ins as it came from the platform, or its folder",
        )
    return source


@dataclass(frozen=True, slots=True)
class Names:
    """Prefixes of names of pages, by the keys of students in a download of hand-ins."""

    by_key: Mapping[tuple[Key, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, pages: Pages, downloads: Iterable[Source]) -> Names:
        """Return those in `downloads`, without keys that two students share."""
        fitting = (pages.form.match_names(each)[0] for each in downloads)
        owned = [each for of_one in filter(None, fitting) for each in pages.form.read(of_one).owned]
        # If ids are those of hand-ins, only names are left to match students by.
        kinds = (Key.ID, Key.USER, *((Key.NAME,) if pages.form.has_own_ids else ()))
        found: dict[tuple[Key, str], dict[str, str]] = defaultdict(dict)
        for fit, person in sorted(owned, key=lambda each: each[0].match[0]):
            name = pages.name(fit.match)
            if name is None or plain(name) != name or "\\" in name:
                continue
            who = identity_of(person, "")
            owner = person.id or person.user or person.called
            for key in kinds:
                for text in who.of(key):
                    found[key, text][owner] = name
        return cls({key: names.popitem()[1] for key, names in found.items() if len(names) == 1})

    def name_of(self, who: Identity) -> str | None:
        """Return the name for `who`, None unless there is exactly one."""
        keys = [(key, text) for key in Key for text in who.of(key)]
        names = {self.by_key[key] for key in keys if key in self.by_key}
        return names.pop() if len(names) == 1 else None


def paths_for(pages: Pages, names: Names | None, mark: Mark) -> tuple[list[str], list[str]]:
    """Return the paths of the page of `mark`, and the students without one.

    They come from the `names` of the download, or are made without one. A group has a page for each
    of its members that the platform knows.
    """
    people = [mark.person or Person(), *(mark.person.members if mark.person is not None else ())]
    group = identities_of(mark.person, mark.student)
    found = [
        (pages.made and pages.made(person)) if names is None else names.name_of(who)
        for who, person in zip(group, people, strict=True)
    ]
    paths = [None if name is None else f"{name}{mark.exercise}.html" for name in found]
    if not any(paths[1:]):
        return ([paths[0]], []) if paths[0] is not None else ([], [mark.shown])
    members = list(zip(group[1:], paths[1:], strict=True))
    without = [who.shown for who, path in members if path is None]
    return [path for _, path in members if path is not None], without


class PageArchive:
    """A zip of pages that refuses duplicate paths."""

    def __init__(self, file: BinaryIO) -> None:
        """Write to `file`."""
        self._archive: Final = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._taken: Final[dict[str, Mark]] = {}

    def add(self, path: str, mark: Mark, page: str) -> None:
        """Add the page of `mark`; raises `OutputError` if another page has that path."""
        # Without case, as file systems of Windows and macOS ignore it.
        other = self._taken.setdefault(path.casefold(), mark)
        if other is not mark:
            who = f"{one_line(mark.shown)} and {one_line(other.shown)}"
            raise OutputError(
                f"{who} would have the same page, {one_line(path)}",
                help="name the download of the hand-ins with --download",
            )
        info = zipfile.ZipInfo(path, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        # The upper half is the Unix mode; with 0, nobody could read unpacked files.
        info.external_attr = 0o644 << 16
        self._archive.writestr(info, page.encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()


def write_folder(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    """Write a page for each of `marks` below `folder`."""
    taken: dict[str, set[str]] = {}
    for mark, entry, record in records_of(store, marks):
        stem = file_stem(mark.shown, taken.setdefault(entry.exercise, set()))
        write_below(folder, f"{entry.exercise}/{stem}.html", student_page(record).encode())
    say(f"{count_of(len(marks), 'page')}: {one_line(str(folder))}")


def write_mails(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    """Write a mail for each of `marks` below `folder`; none is sent."""
    taken: dict[str, set[str]] = {}
    without: list[str] = []
    count = 0
    for mark, entry, record in records_of(store, marks):
        for who, address in addresses(mark):
            if address is None:
                without.append(who)
                continue
            stem = file_stem(who, taken.setdefault(entry.exercise, set()))
            write_below(folder, f"{entry.exercise}/{stem}.eml", mail(record, address))
            count += 1
    if not count:
        raise UsageError("nobody in the run has a mail address", help="grade with --roster")
    warn_of("no mail address", without)
    say(f"{count} mails, none sent: {one_line(str(folder))}")
