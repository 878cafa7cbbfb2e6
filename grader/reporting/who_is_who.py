"""The table of who is who in a run with pseudonyms, by which it is also gone on with."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Final

from grader.errors import OutputError, UsageError
from grader.reporting.pseudonyms import Pseudonyms, names_in_table
from grader.reporting.writing import replacing
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line

PSEUDONYMS_NAME: Final = "pseudonyms.csv"


def known_pseudonyms(folder: Path) -> dict[str, str]:
    """Return who is called what in the run in `folder`, as its table shows names; none without one.

    Raises `UsageError` where names stand in that run beside pseudonyms.
    """
    path = folder / PSEUDONYMS_NAME
    if not (path.is_file() and (folder / STORE_NAME).is_file()):
        return {}
    try:
        known = names_in_table(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(
            f"{one_line(str(path))} cannot be read: {one_line(str(error))}",
            help="without it nobody knows who is who: begin anew with --fresh",
        ) from error
    with Store.reading(folder) as store:
        if not store.students <= {*known.values()}:
            raise UsageError(
                f"{one_line(str(folder))} has names, and not only those of its table",
                help="with --pseudonyms, name a new folder with --out, or begin anew with --fresh",
            )
    return known


def write_pseudonyms(folder: Path, pseudonyms: Pseudonyms, *, goes_on: bool = False) -> None:
    """Write the table of who is who into `folder`, in which there may be nothing yet.

    Unless the run there `goes_on`. Without it there is no telling whose page is whose. A page of an
    earlier run would show a name, or be taken for that of somebody else. Raises `OutputError` if it
    cannot be written.
    """
    path = folder / PSEUDONYMS_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not goes_on and {*os.listdir(folder)} - {PSEUDONYMS_NAME}:
            raise OutputError(
                f"{one_line(str(folder))} is not empty",
                help="with --pseudonyms, name a new folder with --out: what is there has names",
            )
    except OSError as error:
        raise OutputError(f"cannot write {one_line(str(path))}: {error.strerror}") from error
    with replacing(path, mode=0o600) as file:
        file.write(pseudonyms.table().encode("utf-8"))
