"""Opens what was named, a folder or a file, and tells what is in it."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path

from grader.errors import UsageError
from grader.intake.archives import list_archive, look_into_archives
from grader.intake.files import SubmissionError, file_content, opened_file
from grader.intake.folders import list_file, list_folder
from grader.intake.listing import Listing, Room
from grader.intake.sources import Source
from grader.values.foreign_text import one_line


def opened_source(path: Path) -> Source:
    """Return what `path` holds: a folder, an archive or a single file.

    Nothing stays open, and nothing is unpacked: a leaf opens its file when it is read. A link that
    was named is followed, one below it never. Raises `UsageError` when there is nothing at `path`.
    """
    if not os.path.lexists(path):
        raise UsageError(
            f"no such file or folder: {one_line(str(path))}",
            help="name the folder that holds one file or one folder per student",
        )
    return source_at(path)


def source_at(path: Path) -> Source:
    """Return what `path` holds; what cannot be read, that is refused."""
    name, place = Path(os.path.abspath(path)).name, os.path.realpath(path)
    room = Room()
    listing = Listing(room, name)
    try:
        if os.path.isdir(place):
            list_folder(place, listing)
        elif not _is_archive(place, listing):
            listing = Listing(room, name)
            list_file(place, name, listing)
            return listing.source()
        look_into_archives(listing)
    except SubmissionError as refused:
        listing.refuse("", refused.reason)
    return listing.source()


def _is_archive(place: str, listing: Listing) -> bool:
    """Add what is in the archive at `place`, if it is one; a large one has more room."""
    with suppress(OSError):
        listing.room.unpacked_bytes += 2 * os.path.getsize(place)
    content = file_content(place, listing.name)
    return list_archive(content, partial(opened_file, place, listing.name), listing)
