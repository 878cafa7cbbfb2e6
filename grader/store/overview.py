"""Finds the runs in a folder and its subfolders, and the progress of each."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from grader.errors import GraderError, UsageError
from grader.store.places import writer_in
from grader.store.runs import Shard
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import one_line
from grader.verdict import Status

MAX_DEPTH: Final = 6
"""Levels of subfolders that are searched; a run is seldom deeper than two."""
MAX_RUNS: Final = 1_000
MAX_FOLDERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """The progress of one run."""

    folder: Path
    written: datetime
    """When its store was last written."""
    exercises: tuple[str, ...] = ()
    shard: Shard | None = None
    """Which part of the run the store has, if not all."""
    entries: int = 0
    """Number of submissions to grade in this store."""
    statuses: Counter[Status] = field(default_factory=Counter)
    """The statuses of graded submissions."""
    begun: datetime | None = None
    writer: str | None = None
    """Who is writing to it."""
    damage: str | None = None
    """Why nothing else is known about the run."""


def find_runs(folder: Path) -> tuple[list[Path], bool]:
    """Return the folders of runs in `folder` and its subfolders, and whether there may be more.

    Links are not followed. Raises `UsageError` if `folder` is not a folder.
    """
    if not folder.is_dir():
        raise UsageError(f"{one_line(str(folder))} is not a folder")
    found: list[Path] = []
    pending, visited, is_cut = [(folder, 0)], 0, False
    while pending:
        if visited == MAX_FOLDERS or len(found) == MAX_RUNS:
            return found, True
        current, depth = pending.pop()
        visited += 1
        folders, has_store = _folders_and_store(current)
        found += [current] * has_store
        if depth < MAX_DEPTH:
            # Reversed, because the last one is popped first.
            pending += [(current / name, depth + 1) for name in reversed(folders)]
        elif folders:
            is_cut = True
    return found, is_cut


def _folders_and_store(folder: Path) -> tuple[list[str], bool]:
    """Return the sorted names of the folders in `folder`, and whether it has a store."""
    folders, has_store = [], False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == STORE_NAME:
                    has_store = entry.is_file(follow_symlinks=False)
                elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
    except OSError:  # unreadable, or already gone
        return [], False
    return sorted(folders), has_store


def view_of(folder: Path) -> RunView:
    """Return the progress of the run in `folder` or, if it cannot be read, why not."""
    written = _last_write(folder)
    try:
        with Store.reading(folder) as store:
            run = store.run
            shard, total = run.settings.shard, len(run.entries)
            return RunView(
                folder=folder,
                written=written,
                exercises=tuple(dict.fromkeys(entry.exercise for entry in run.entries)),
                shard=shard,
                entries=total if shard is None else len(shard.positions(total)),
                statuses=store.statuses(),
                begun=datetime.fromisoformat(store.begun),
                writer=writer_in(folder),
            )
    except GraderError as error:
        return RunView(folder=folder, written=written, damage=error.message)
    except ValueError as error:
        return RunView(folder=folder, written=written, damage=one_line(str(error)))


def _last_write(folder: Path) -> datetime:
    """Return when the store, or its journal, was last written."""
    times = [0.0]
    for name in (STORE_NAME, f"{STORE_NAME}-wal"):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:  # the journal exists only while somebody writes
            continue
    return datetime.fromtimestamp(max(times), UTC)
