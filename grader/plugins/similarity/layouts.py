"""Writes the files of a run for other similarity checkers: Dolos, JPlag, or any.

    folder   one folder for each student
    dolos    that, and `info.csv` with a row for each file; what was given in `given`
    jplag    `submissions` with that, and what was given in `base`

Names of folders are those of pages. `info.csv` maps them to students.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from grader.errors import UsageError
from grader.intake.names import without_accents
from grader.plugins.similarity.classes import hand_in_of, handed_out, require_files
from grader.plugins.similarity.fingerprints import Sources, sources_of
from grader.reporting.writing import write_below
from grader.store.runs import GradedEntry, RunEntry, names_apart
from grader.store.store import Store
from grader.values.foreign_text import one_line

LAYOUTS: Final = ("dolos", "jplag", "folder")
_BASES: Final = {"dolos": "given", "jplag": "base"}
_HEADS: Final = ("filename", "id", "full_name", "created_at", "label", "status")
_FORMULA: Final = ("=", "+", "-", "@", "\t")  # a spreadsheet would evaluate such a cell
_NAME_CHARS: Final = 80


def write_sources(
    store: Store, entries: Sequence[RunEntry], layout: str, out: Path, suites: Path | None
) -> int:
    """Write the files of `entries`, all of one exercise, below `out`; return how many have any.

    Raises `UsageError` if `out` is not empty.
    """
    require_files(store)
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{one_line(str(out))} exists already", help="name an empty folder")
    names = {each.name for each in entries}
    called = names_apart(entries)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_HEADS)
    count = 0
    for line in store.lines():
        if line.entry.name in names:
            folder = f"submissions/{line.entry.stem}" if layout == "jplag" else line.entry.stem
            sources = sources_of(hand_in_of(store, line))
            count += bool(sources)
            for name in _written(out, folder, sources):
                table.writerow([name, *_facts(line, called[line.entry.name])])
    write_below(out, "info.csv", text.getvalue().encode("utf-8", "replace"))
    if (base := _BASES.get(layout)) is not None:
        # It writes while it is iterated.
        for _ in _written(out, base, handed_out(entries[0].exercise, (), suites)):
            pass
    return count


def _facts(line: GradedEntry, called: str) -> list[str]:
    attempt = line.entry.attempt
    submitted = attempt.submitted if attempt is not None else None
    when = "" if submitted is None else submitted.isoformat()
    return [line.entry.stem, _cell(called), when, line.entry.exercise, line.status]


def _cell(text: str) -> str:
    shown = one_line(text, 200)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown


def _written(out: Path, folder: str, sources: Sources) -> Iterator[str]:
    """Write `sources` to a folder below `out`; yield the path of each from `out`."""
    taken = set[str]()
    for name, text in sources:
        path = f"{folder}/{_plain(name, taken)}"
        # A notebook may have lone surrogates, as `\ud800`, which UTF-8 refuses.
        write_below(out, path, text.encode("utf-8", "replace"))
        yield path


def _plain(name: str, taken: set[str]) -> str:
    """Return a safe, unique name for the file that a student called `name`: ASCII, no path."""
    stem = without_accents(name.rpartition(".")[0].replace("/", "_"))
    safe = "".join(each if each.isascii() and each.isalnum() else "_" for each in stem)
    safe, number = safe[:_NAME_CHARS] or "file", 1
    plain = f"{safe}.py"
    while plain in taken:
        number += 1
        plain = f"{safe}_{number}.py"
    taken.add(plain)
    return plain
