"""Writes the files of a run for other similarity checkers, such as Dolos or JPlag.

    folder   one folder for each student
    dolos    the same, with handed-out code in the folder `given`
    jplag    the same within the folder `submissions`, with handed-out code in `base`

Each layout also has an `info.csv` with a row for each file. The folders are named like the pages of
students, and `info.csv` maps these names to students.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.intake.names import without_accents
from grader.plugins.similarity.classes import hand_in_of, handed_out_files, require_files
from grader.plugins.similarity.fingerprints import Sources, sources_of
from grader.reporting.writing import write_below
from grader.store.runs import GradedEntry, RunEntry, distinct_names
from grader.store.store import Store
from grader.values.foreign_text import one_line

LAYOUTS: Final = ("dolos", "jplag", "folder")
_GIVEN_FOLDERS: Final = {"dolos": "given", "jplag": "base"}
"""The folder for handed-out code in each layout that has one."""
_COLUMNS: Final = ("filename", "id", "full_name", "created_at", "label", "status")
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t")  # a spreadsheet would evaluate such a cell
_NAME_CHARS: Final = 80


def write_sources(
    store: Store, entries: Sequence[RunEntry], layout: str, out: Path, suites: Path | None
) -> int:
    """Write the files of `entries`, which share an exercise, and code handed out, below `out`.

    `layout` is one of `LAYOUTS`. The table `info.csv` lists the files of `entries`. Return the
    number of entries with files. Raises `UsageError` if the run does not store hand-ins, or if
    `out` exists and is not an empty folder. Raises `RecordError` if a hand-in is damaged in the
    store.
    """
    require_files(store)
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(
            f"{one_line(str(out))} already exists, and is not an empty folder",
            help="name a new folder or an empty one with --to",
        )
    identities = {entry.identity for entry in entries}
    labels = distinct_names(entries)
    csv_text = io.StringIO()
    table = csv.writer(csv_text, lineterminator="\n")
    table.writerow(_COLUMNS)
    count = 0
    for graded in store.graded_entries():
        if graded.entry.identity in identities:
            stem = graded.entry.stem
            folder = f"submissions/{stem}" if layout == "jplag" else stem
            sources = sources_of(hand_in_of(store, graded))
            count += bool(sources)
            for path in _write_files(out, folder, sources):
                table.writerow([path, *_entry_cells(graded, labels[graded.entry.identity])])
    write_below(out, "info.csv", csv_text.getvalue().encode("utf-8", "replace"))
    if (given_folder := _GIVEN_FOLDERS.get(layout)) is not None:
        # The files are written while the generator is consumed.
        given = handed_out_files(entries[0].exercise, (), suites)
        for _ in _write_files(out, given_folder, given):
            pass
    return count


def _entry_cells(graded: GradedEntry, label: str) -> list[str]:
    """Return the cells of a row of `info.csv`, except the first. `label` is the student's name."""
    attempt = graded.entry.attempt
    submitted = attempt.submitted if attempt is not None else None
    timestamp = "" if submitted is None else submitted.isoformat()
    return [graded.entry.stem, _cell(label), timestamp, graded.entry.exercise, graded.status]


def _cell(text: str) -> str:
    """Return `text` on one line, with a quote before it if it would be evaluated."""
    line = one_line(text, 200)
    return f"'{line}" if line.startswith(_FORMULA_STARTS) else line


def _write_files(out: Path, folder: str, sources: Sources) -> Iterator[str]:
    """Write `sources` to `folder` below `out`, and yield the path of each, relative to `out`."""
    taken = set[str]()
    for name, text in sources:
        path = f"{folder}/{_safe_name(name, taken)}"
        # A notebook can contain lone surrogates, such as `\ud800`, which UTF-8 cannot encode.
        write_below(out, path, text.encode("utf-8", "replace"))
        yield path


def _safe_name(name: str, taken: set[str]) -> str:
    """Return a safe name for the file that a student named `name`, and add it to `taken`.

    The name is ASCII, ends in `.py`, contains no folder, and differs from the names already in
    `taken`.
    """
    stem = without_accents(name.rpartition(".")[0].replace("/", "_"))
    safe = "".join(char if char.isascii() and char.isalnum() else "_" for char in stem)
    safe, number = safe[:_NAME_CHARS] or "file", 1
    file_name = f"{safe}.py"
    while file_name in taken:
        number += 1
        file_name = f"{safe}_{number}.py"
    taken.add(file_name)
    return file_name
