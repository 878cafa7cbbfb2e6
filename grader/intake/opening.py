"""Lists the contents of a folder, archive or file that the user named."""

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
    is_program_path,
    is_skipped,
    open_regular_file,
    unreadable_error,
)
from grader.intake.listing import Listing, ReadingBudget
from grader.intake.members import MAX_LEVELS, datetime_from_timestamp, intended_path
from grader.intake.sources import Leaf, Source
from grader.messages import message
from grader.values.foreign_text import one_line

_MAX_CHECKED: Final = 1000
"""How many entries of a skipped folder are checked for a student's work."""


# Lists a folder on disk: regular files only, and never through a link.


def _list_file(disk_path: str, name: str, listing: Listing) -> None:
    """Add the file at `disk_path` to `listing` as `name`, or record why it is refused."""
    try:
        _add(disk_path, name, os.lstat(disk_path), listing)
    except OSError as error:
        listing.refuse(name, unreadable_error(name, error).reason)
    except SubmissionError as refused:
        listing.refuse(name, refused.reason)


def _list_folder(folder: str, listing: Listing) -> None:
    """Add the files below `folder` to `listing`, outer folders first.

    Files with a backslash in their name come last, so that they cannot take the path of a file that
    is really in a folder.
    """
    level, deferred = [(folder, "")], list[tuple[str, str]]()
    for depth in range(MAX_LEVELS + 1):
        next_level: list[tuple[str, str]] = []
        for disk_path, path in level:
            if depth == MAX_LEVELS:
                reason = message("refused.deep", file=one_line(path), most=MAX_LEVELS)
                listing.refuse(path, reason)
            elif listing.budget.entries >= 0:
                next_level += _list_level(disk_path, path, listing, deferred)
        level = next_level
    for disk_path, path in deferred:
        _list_file(disk_path, path, listing)


def _list_level(
    disk_path: str, path: str, listing: Listing, deferred: list[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Add the files in the folder `disk_path` to `listing`, and yield its subfolders.

    Each subfolder is a pair of its location on disk and its path in the source. Files whose name
    contains a backslash are appended to `deferred` instead, as pairs of the same kind. A folder
    that cannot be read is recorded as refused.
    """
    try:
        with os.scandir(disk_path) as entries:
            paths_by_name = {entry.name: f"{path}/{entry.name}".lstrip("/") for entry in entries}
    except OSError as error:
        listing.refuse(path, unreadable_error(path or listing.name, error).reason)
        return
    for name, inner_path in sorted(paths_by_name.items()):  # the order of `scandir` is arbitrary
        if is_skipped(inner_path.replace("\\", "/")):
            if _contains_work(os.path.join(disk_path, name), inner_path):
                listing.record_hidden(intended_path(inner_path))
            continue
        if not listing.count_entry():
            return
        inner_disk_path = os.path.join(disk_path, name)
        if _is_folder(inner_disk_path):
            listing.add_folder(intended_path(inner_path))
            yield inner_disk_path, intended_path(inner_path)
        elif "\\" in name:
            deferred.append((inner_disk_path, inner_path))
        else:
            _list_file(inner_disk_path, inner_path, listing)


def _contains_work(disk_path: str, name: str) -> bool:
    """Return whether the skipped folder or file `name` might contain a student's work.

    Only the first `_MAX_CHECKED` entries are checked.
    """
    unchecked, remaining = [(disk_path, name)], _MAX_CHECKED
    while unchecked and remaining > 0:
        inner_disk_path, inner_path = unchecked.pop()
        if is_program_path(inner_path):
            continue
        if not _is_folder(inner_disk_path):
            if hides_work(inner_path):
                return True
            continue
        with suppress(OSError), os.scandir(inner_disk_path) as entries:
            children = list(islice(entries, remaining))
            remaining -= len(children)
            unchecked += [(entry.path, f"{inner_path}/{entry.name}") for entry in children]
    return False


def _is_folder(disk_path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(disk_path).st_mode)  # a link to a folder is not a folder
    except OSError:
        return False


def _add(disk_path: str, name: str, status: os.stat_result, listing: Listing) -> None:
    """Add the regular file at `disk_path` to `listing`.

    Raises `SubmissionError` if it is a link or another special file, or if its name contains a
    backslash and leads to a path that is already in use.
    """
    if stat.S_ISLNK(status.st_mode):
        raise SubmissionError(message("refused.link", file=one_line(name)))
    if not stat.S_ISREG(status.st_mode):
        raise SubmissionError(message("refused.special", file=one_line(name)))
    path = intended_path(name)
    if path in listing.leaves and "\\" in name:
        raise SubmissionError(message("refused.backslash", file=one_line(name)))
    leaf = Leaf(
        path=path,
        size_bytes=status.st_size,
        modified=datetime_from_timestamp(status.st_mtime),
        read=file_content(disk_path, path),
    )
    listing.add(leaf, replaces=False)


def open_source(path: Path) -> Source:
    """Return the contents of `path`: a folder, an archive or a single file.

    Nothing stays open or is unpacked to disk: a leaf opens its file when it is read. If `path` is a
    link, it is followed; links below it never are. Raises `UsageError` if `path` does not exist.
    """
    if not os.path.lexists(path):
        raise UsageError(
            f"no such file or folder: {one_line(str(path))}",
            help="check the path: it is relative to the current folder unless it starts with /",
        )
    return list_source(path)


def list_source(path: Path) -> Source:
    """Return the contents of `path`: a folder, an archive or a single file.

    Anything that cannot be read, even `path` itself, is recorded as refused.
    """
    # If `path` is a link, the source keeps the name of the link, which the user typed.
    name, disk_path = Path(os.path.abspath(path)).name, os.path.realpath(path)
    budget = ReadingBudget()
    listing = Listing(budget, name)
    try:
        if os.path.isdir(disk_path):
            _list_folder(disk_path, listing)
        elif not _list_archive_at(disk_path, listing):
            listing = Listing(budget, name)  # the first might list parts of a document
            _list_file(disk_path, name, listing)
            return listing.source()
        open_archives(listing)
    except SubmissionError as refused:
        listing.refuse("", refused.reason)
    return listing.source()


def _list_archive_at(disk_path: str, listing: Listing) -> bool:
    """Add the files in the archive at `disk_path` to `listing`; return False if it is no archive.

    The budget for unpacked bytes is increased by twice the size of the file, so that a
    large download has more room. Raises `SubmissionError` if the archive cannot be opened.
    """
    with suppress(OSError):
        listing.budget.unpacked_bytes += 2 * os.path.getsize(disk_path)
    content = file_content(disk_path, listing.name)
    return list_archive(content, partial(open_regular_file, disk_path, listing.name), listing)
