"""Pages and mails that `grader export` writes, under names by which platforms know students."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from grader.cli.talk import say, warn, warn_of
from grader.errors import UsageError
from grader.plugins.platforms.gradebooks.mails import addresses, mail
from grader.plugins.platforms.gradebooks.marks import Mark, records_of
from grader.plugins.platforms.gradebooks.pages import (
    Names,
    PageArchive,
    Platform,
    paths_for,
    paths_in,
)
from grader.reporting.student_page import student_page
from grader.reporting.writing import file_stem, replacing, write_below
from grader.store.store import Store
from grader.values.display import one_line


def write_archive(
    store: Store, marks: Sequence[Mark], platform: Platform, target: Path, download: Path | None
) -> None:
    """Write the zip that `platform` takes back to `target`, by the names in its `download`."""
    found = _names(store, platform, download)
    left_out: list[str] = []
    count = 0
    with replacing(target) as file, PageArchive(file) as archive:
        for mark, _, record in records_of(store, marks):
            paths, without = paths_for(platform, found, mark)
            left_out += without
            page = student_page(record) if paths else ""
            for path in paths:
                archive.add(path, mark, page)
            count += len(paths)
        if not count:
            raise UsageError(
                f"of nobody it is known what {platform} would call the page",
                help="name its download of the hand-ins with --download, or take --feedback folder",
            )
    warn_of("no page, as the platform's name for it is not known", left_out)
    say(f"{count} pages: {one_line(str(target))}")


def _names(store: Store, platform: Platform, download: Path | None) -> Names | None:
    """Return by which names `platform` knows students: of a `download`, or of what was graded.

    It is None where neither tells, and names can be made.
    """
    if download is not None:
        return Names.of(platform, paths_in(download))
    paths: list[str] = []
    sources: list[str] = []
    for source in store.run.manner.sources:
        with suppress(UsageError):  # it is gone, or something else by now
            paths += paths_in(Path(source))
            sources.append(source)
    found = Names.of(platform, paths)
    if found.by_key:
        say(f"names of pages are those in {', '.join(map(one_line, sources))}")
        return found
    if platform in {Platform.CANVAS, Platform.BRIGHTSPACE}:
        raise UsageError(
            f"{platform} takes pages back only under the names in its download of the hand-ins,"
            " and what was graded is no such download, or is gone",
            help="name it with --download, or take --feedback folder or --mail",
        )
    if platform is Platform.MOODLE:
        warn("ids of the run are taken for those of Moodle; --download makes sure of it")
    return None


def write_folder(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    """Write a page for each of `marks` below `folder`."""
    taken: dict[str, set[str]] = {}
    for mark, entry, record in records_of(store, marks):
        stem = file_stem(mark.shown, taken.setdefault(entry.exercise, set()))
        write_below(folder, f"{entry.exercise}/{stem}.html", student_page(record).encode())
    say(f"{len(marks)} pages: {one_line(str(folder))}")


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
