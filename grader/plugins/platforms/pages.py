"""Writes pages and emails for `grader export`, under the names that platforms use to find students.

A platform finds a file's student by the file name. Some platforms need the name of the hand-in,
which comes from the download; for others, a name is made from the student's id. A page is not
written if its student is in doubt.
"""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final, Self

from grader.cli.terminal import say, warn, warn_about
from grader.errors import OutputError, UsageError
from grader.intake.opening import list_source
from grader.intake.people import Person
from grader.intake.roster import Key
from grader.intake.sources import Source
from grader.plugins.platforms.gradebooks.identities import Identity, identities_of, identity_of
from grader.plugins.platforms.gradebooks.mails import addresses, build_mail
from grader.plugins.platforms.gradebooks.marks import Mark, records_of
from grader.plugins.platforms.platform import Pages, Platform
from grader.reporting.student_page import student_page
from grader.reporting.writing import file_stem, remove_incomplete_files, replacing, write_below
from grader.store.store import Store
from grader.values.foreign_text import count_noun, escape_controls, one_line

# The zip format cannot store an earlier date.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The fixed time of each file, so that equal pages give an identical archive."""


def write_archive(
    store: Store, marks: Sequence[Mark], platform: Platform, target: Path, download: Path | None
) -> None:
    """Write the zip of pages for `platform` to `target`, using the names in its `download`.

    Warns of students without a page. Raises `UsageError` if the platform cannot import pages, or if
    no student has a page name, and `OutputError` if two pages have the same name.
    """
    if (pages := platform.pages) is None:
        raise UsageError(
            f"the platform {platform.name} cannot import pages",
            help="use --feedback folder or --mail",
        )
    page_names = _find_page_names(store, pages, download)
    left_out: list[str] = []
    count = 0
    # If writing fails, an earlier archive stays in place.
    with replacing(target) as file, PageArchive(file) as archive:
        for mark, _, record in records_of(store, marks):
            paths, students_without_page = page_paths(pages, page_names, mark)
            left_out += students_without_page
            page = student_page(record) if paths else ""
            for path in paths:
                archive.add(path, mark, page)
            count += len(paths)
        if not count:
            advice = (
                "pass the platform's download of the hand-ins with --download"
                if download is None
                else "check that --download is the download of the hand-ins in this run"
            )
            raise UsageError(
                f"no student in the run could be matched with a page name for {platform.name}",
                help=f"{advice}, or use --feedback folder",
            )
    warn_about("no page, because the name on the platform is unknown", left_out)
    say(f"{count_noun(count, 'page')}: {one_line(str(target))}")


def _find_page_names(store: Store, pages: Pages, download: Path | None) -> PageNames | None:
    """Return the page names from `download`, or from the graded files if it is None.

    Returns None if the graded files have no page names, but names can be made from ids instead.
    Raises `UsageError` if they cannot be made from ids either, or if `download` is not an archive
    or a folder.
    """
    if download is not None:
        return PageNames.from_downloads(pages, [open_download(download)])
    downloads: dict[str, Source] = {}
    for source in store.run.settings.sources:
        with suppress(UsageError):  # the file might have been moved or replaced since
            downloads[source] = open_download(Path(source))
    page_names = PageNames.from_downloads(pages, downloads.values())
    if page_names.by_key:
        say(f"page names come from {', '.join(map(one_line, downloads))}")
        return page_names
    if pages.make_prefix is None:
        still_exist = any(Path(source).exists() for source in store.run.settings.sources)
        problem = "that still exist are not such a download" if still_exist else "no longer exist"
        raise UsageError(
            f"{pages.scheme.title} finds students only by the names in its download of the"
            f" hand-ins, but the graded files {problem}",
            help="pass the download with --download, or use --feedback folder or --mail",
        )
    if pages.needs_platform_id:
        title = pages.scheme.title
        warn(
            f"assuming that the ids in the run are those of {title}; to be sure, pass the download"
            " of the hand-ins with --download"
        )
    return None


def open_download(path: Path) -> Source:
    """List the download at `path`; raises `UsageError` unless it is an archive or a folder."""
    source = list_source(path)
    is_damaged = any(refused in {"", source.name} for refused, _ in source.refusals)
    # A source whose only file has its own name is a single file.
    is_file = [leaf.path for leaf in source.leaves] == [source.name]
    if is_damaged or is_file:
        problem = "is not an archive or a folder" if is_file else "cannot be read"
        raise UsageError(
            f"{one_line(str(path))} {problem if path.exists() else 'does not exist'}",
            help="pass the platform's download of the hand-ins unchanged, or the folder that it"
            " was unpacked into",
        )
    return source


@dataclass(frozen=True, slots=True)
class PageNames:
    """The prefixes of page names, keyed by the student keys in a download of hand-ins."""

    by_key: Mapping[tuple[Key, str], str] = field(default_factory=dict)

    @classmethod
    def from_downloads(cls, pages: Pages, downloads: Iterable[Source]) -> PageNames:
        """Return the page names from `downloads`, without keys that two students share."""
        fits_by_download = (pages.scheme.match_names(download)[0] for download in downloads)
        owner_pairs = [
            pair
            for fits in filter(None, fits_by_download)
            for pair in pages.scheme.read(fits).owners
        ]
        # If the ids identify hand-ins, students can be matched only by name.
        kinds = (Key.ID, Key.USER, *((Key.NAME,) if pages.scheme.has_own_ids else ()))
        prefixes_by_key: dict[tuple[Key, str], dict[str, str]] = defaultdict(dict)
        for fit, person in sorted(owner_pairs, key=lambda pair: pair[0].match[0]):
            prefix = pages.find_prefix(fit.match)
            # Some systems would unpack such a name differently, or not at all.
            if prefix is None or escape_controls(prefix) != prefix or "\\" in prefix:
                continue
            identity = identity_of(person, "")
            owner = person.id or person.user or person.display_name
            for key in kinds:
                for text in identity.values(key):
                    prefixes_by_key[key, text][owner] = prefix
        return cls(
            {
                key: prefix_by_owner.popitem()[1]
                for key, prefix_by_owner in prefixes_by_key.items()
                if len(prefix_by_owner) == 1
            }
        )

    def name_of(self, identity: Identity) -> str | None:
        """Return the prefix of page names for `identity`, or None unless there is exactly one."""
        keys = [(key, text) for key in Key for text in identity.values(key)]
        names = {self.by_key[key] for key in keys if key in self.by_key}
        return names.pop() if len(names) == 1 else None


def page_paths(pages: Pages, names: PageNames | None, mark: Mark) -> tuple[list[str], list[str]]:
    """Return the paths of the pages for `mark`, and the students without a page.

    Paths come from the `names` in the download, or are made from ids if `names` is None. A group
    gets a page for each member whom the platform knows, or one for the group if it knows no member.
    """
    people = [mark.person or Person(), *(mark.person.members if mark.person is not None else ())]
    group = identities_of(mark.person, mark.student)
    prefixes = [
        (pages.make_prefix and pages.make_prefix(person))
        if names is None
        else names.name_of(identity)
        for identity, person in zip(group, people, strict=True)
    ]
    paths = [None if prefix is None else f"{prefix}{mark.exercise}.html" for prefix in prefixes]
    if not any(paths[1:]):
        return ([paths[0]], []) if paths[0] is not None else ([], [mark.display_name])
    members = list(zip(group[1:], paths[1:], strict=True))
    members_without_page = [member.display_name for member, path in members if path is None]
    return [path for _, path in members if path is not None], members_without_page


class PageArchive:
    """A zip of pages that rejects duplicate paths."""

    def __init__(self, file: BinaryIO) -> None:
        """Start an archive in `file`."""
        self._archive: Final = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self._taken: Final[dict[str, Mark]] = {}

    def add(self, path: str, mark: Mark, page: str) -> None:
        """Add the page of `mark`; raises `OutputError` if another page has that path."""
        # Compared without case, because file systems on Windows and macOS ignore case.
        owner = self._taken.setdefault(path.casefold(), mark)
        if owner is not mark:
            students = f"{one_line(mark.display_name)} and {one_line(owner.display_name)}"
            raise OutputError(
                f"the pages of {students} would have the same path, {one_line(path)}",
                help="pass the download of the hand-ins with --download, or use --feedback folder",
            )
        info = zipfile.ZipInfo(path, _EPOCH)
        info.compress_type = zipfile.ZIP_DEFLATED
        # The upper half is the Unix mode; with 0, unpacked files would be unreadable.
        info.external_attr = 0o644 << 16
        self._archive.writestr(info, page.encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()


def write_folder(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    """Write a page for each of `marks` below `folder`, and report how many there are.

    Also removes the incomplete files that a killed export left there.
    """
    taken: dict[str, set[str]] = {}
    for mark, entry, record in records_of(store, marks):
        stem = file_stem(mark.display_name, taken.setdefault(entry.exercise, set()))
        write_below(folder, f"{entry.exercise}/{stem}.html", student_page(record).encode())
    _remove_parts_below(folder, taken)
    say(f"{count_noun(len(marks), 'page')}: {one_line(str(folder))}")


def write_mails(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    """Write an email below `folder` for each student who has one of `marks`, without sending it.

    Warns of students without a valid address, and removes the incomplete files that a killed export
    left there. Raises `UsageError` if nobody has a valid address.
    """
    taken: dict[str, set[str]] = {}
    without_address: list[str] = []
    count = 0
    for mark, entry, record in records_of(store, marks):
        for name, address in addresses(mark):
            if address is None:
                without_address.append(name)
                continue
            stem = file_stem(name, taken.setdefault(entry.exercise, set()))
            write_below(folder, f"{entry.exercise}/{stem}.eml", build_mail(record, address))
            count += 1
    _remove_parts_below(folder, taken)
    if not count:
        raise UsageError(
            "nobody in the run has a valid email address",
            help="grade again with --roster and a roster that has a column of email addresses",
        )
    warn_about("no email address", without_address)
    say(f"{count_noun(count, 'email')}, not sent: {one_line(str(folder))}")


def _remove_parts_below(folder: Path, exercises: Iterable[str]) -> None:
    """Remove the incomplete files that an earlier, killed export left in the `exercises`."""
    for exercise in exercises:
        remove_incomplete_files(folder / exercise)
