"""Opens what was named, a folder or a file, and tells what is in it."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import UsageError
from grader.intake.folders import list_file, list_folder
from grader.intake.listing import Listing, path_on_disk
from grader.intake.sources import Source
from grader.values.display import one_line


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
    listing = Listing()
    name, place = Path(os.path.abspath(path)).name, Path(os.path.realpath(path))
    if os.path.isdir(place):
        list_folder(place, listing)
    else:
        list_file(place, path_on_disk(name), listing)
    return listing.source(name)
