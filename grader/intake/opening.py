"""Opens a folder, archive or file named by the user, and lists its contents."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.intake.archives import list_archive, open_archives
from grader.intake.files import (
    SubmissionError,
    file_content,
    hides_work,
    is_of_programs,
    is_skipped,
    opened_file,
    unreadable,
)
from grader.intake.listing import Listing, Room
from grader.intake.members import MAX_LEVELS, moment, path_on_disk
from grader.intake.sources import Leaf, Source
from grader.messages import message
from grader.values.foreign_text import one_line

_MAX_CHECKED: Final = 1000
"""How many entries of a skipped folder are checked for hidden work."""


# Lists a folder on disk: regular files only, and never through a link.


def _list_file(place: str, name: str, listing: Listing) -> None:
    """Add the file at `place` to `listing`, under `name`; a file that cannot be read is refused."""
    try:
        _add(place, name, os.lstat(place), listing)
    except OSError as error:
        listing.refuse(name, unreadable(name, error).reason)
    except SubmissionError as refused:
        listing.refuse(name, refused.reason)


def _list_folder(folder: str, listing: Listing) -> None:
    """Add the files below `folder` to `listing`, outer folders first.

    Names with a backslash come last: a file that is really in a folder has priority.
    """
    level, late = [(folder, "")], list[tuple[str, str]]()
    for depth in range(MAX_LEVELS + 1):
        next_level: list[tuple[str, str]] = []
        for place, path in level:
            if depth == MAX_LEVELS:
                reason = message("refused.deep", file=one_line(path), most=MAX_LEVELS)
                listing.refuse(path, reason)
            elif listing.room.entries >= 0:
                next_level += _list_level(place, path, listing, late)
        level = next_level
    for place, path in late:
        _list_file(place, path, listing)


def _list_level(
    place: str, path: str, listing: Listing, late: list[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Add the files in the folder `place`; yield the folders in it, and their paths.

    Names with a backslash are appended to `late` instead.
    """
    try:
        with os.scandir(place) as entries:
            paths = {entry.name: f"{path}/{entry.name}".lstrip("/") for entry in entries}
    except OSError as error:
        listing.refuse(path, unreadable(path or listing.name, error).reason)
        return
    for name, shown in sorted(paths.items()):  # the system lists them in any order
        if is_skipped(shown.replace("\\", "/")):
            if _contains_work(os.path.join(place, name), shown):
                listing.hide(path_on_disk(shown))
            continue
        if not listing.count_entry():
            return
        inner = os.path.join(place, name)
        if _is_folder(inner):
            listing.add_folder(path_on_disk(shown))
            yield inner, path_on_disk(shown)
        elif "\\" in name:
            late.append((inner, shown))
        else:
            _list_file(inner, shown, listing)


def _contains_work(place: str, name: str) -> bool:
    """Return whether the skipped folder or file `name` at `place` may be a student's work."""
    level, left = [(place, name)], _MAX_CHECKED
    while level and left > 0:
        inner, shown = level.pop()
        if is_of_programs(shown):
            continue
        if not _is_folder(inner):
            if hides_work(shown):
                return True
            continue
        with suppress(OSError), os.scandir(inner) as entries:
            children = list(islice(entries, left))
            left -= len(children)
            level += [(entry.path, f"{name}/{entry.name}") for entry in children]
    return False


def _is_folder(place: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(place).st_mode)  # a link to a folder is not a folder
    except OSError:
        return False


def _add(place: str, name: str, status: os.stat_result, listing: Listing) -> None:
    """Add the regular file at `place` to `listing`; raises `SubmissionError` if it is not one."""
    if stat.S_ISLNK(status.st_mode):
        raise SubmissionError(message("refused.link", file=one_line(name)))
    if not stat.S_ISREG(status.st_mode):
        raise SubmissionError(message("refused.special", file=one_line(name)))
    path = path_on_disk(name)
    if path in listing.leaves and "\\" in name:
        raise SubmissionError(message("refused.backslash", file=one_line(name)))
    leaf = Leaf(
        path=path,
        size_bytes=status.st_size,
        modified=moment(status.st_mtime),
        read=file_content(place, path),
    )
    listing.add(leaf, replaces=False)


def opened_source(path: Path) -> Source:
    """Return the contents of `path`: a folder, an archive or a single file.

    Nothing stays open, and nothing is unpacked: a leaf opens its file when it is read. If `path` is
    a link it is followed; links below it never are. Raises `UsageError` if `path` does not exist.
    """
    if not os.path.lexists(path):
        raise UsageError(
            f"no such file or folder: {one_line(str(path))}",
            help="check the path: it starts from the current folder, unless it begins with /",
        )
    return source_at(path)


def source_at(path: Path) -> Source:
    """Return the contents of `path`; whatever cannot be read is refused."""
    # Under the name given by the user, which may be that of a link.
    name, place = Path(os.path.abspath(path)).name, os.path.realpath(path)
    room = Room()
    listing = Listing(room, name)
    try:
        if os.path.isdir(place):
            _list_folder(place, listing)
        elif not _list_archive_at(place, listing):
            listing = Listing(room, name)
            _list_file(place, name, listing)
            return listing.source()
        open_archives(listing)
    except SubmissionError as refused:
        listing.refuse("", refused.reason)
    return listing.source()


def _list_archive_at(place: str, listing: Listing) -> bool:
    """Add the files in the archive at `place`; return whether it is one."""
    with suppress(OSError):
        listing.room.unpacked_bytes += 2 * os.path.getsize(place)
    content = file_content(place, listing.name)
    return list_archive(content, partial(opened_file, place, listing.name), listing)
