"""Finds the runs in a folder and its subfolders, and reads the progress of each."""

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
"""Levels of subfolders that are searched; runs are seldom deeper than two."""
MAX_RUNS: Final = 1_000
MAX_FOLDERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """The progress of one run."""

    folder: Path
    last_written: datetime
    """When its store was last written."""
    exercises: tuple[str, ...] = ()
    shard: Shard | None = None
    """The part of the run that the store contains, or None if it contains the whole run."""
    entries: int = 0
    """The number of submissions to grade in this store."""
    statuses: Counter[Status] = field(default_factory=Counter)
    """The number of graded submissions by status."""
    begun: datetime | None = None
    writer: str | None = None
    """The name of the process that is writing to the store, or None if there is none."""
    damage: str | None = None
    """Why the store cannot be read, or None if it can be read."""


def find_runs(folder: Path) -> tuple[list[Path], bool]:
    """Return the run folders in `folder` and its subfolders, and whether there might be more.

    Symbolic links are not followed. Raises `UsageError` if `folder` is not a folder.
    """
    if not folder.is_dir():
        problem = "is a file, not a folder" if folder.exists() else "does not exist"
        raise UsageError(
            f"{one_line(str(folder))} {problem}",
            help="name a folder that contains runs, such as one that was given to --out",
        )
    run_folders: list[Path] = []
    pending, visited, is_cut = [(folder, 0)], 0, False
    while pending:
        if visited == MAX_FOLDERS or len(run_folders) == MAX_RUNS:
            return run_folders, True
        current, depth = pending.pop()
        visited += 1
        folders, has_store = _folders_and_store(current)
        run_folders += [current] * has_store
        if depth < MAX_DEPTH:
            # Reversed, because the last folder is popped first.
            pending += [(current / name, depth + 1) for name in reversed(folders)]
        elif folders:
            is_cut = True
    return run_folders, is_cut


def _folders_and_store(folder: Path) -> tuple[list[str], bool]:
    """Return the sorted names of the folders in `folder`, and whether it has a store.

    Hidden folders are left out. If `folder` cannot be read, it counts as empty.
    """
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


def view_run(folder: Path) -> RunView:
    """Return the progress of the run in `folder`, or why its store cannot be read."""
    last_written = _last_write(folder)
    try:
        with Store.reading(folder) as store:
            run = store.run
            shard, total = run.settings.shard, len(run.entries)
            return RunView(
                folder=folder,
                last_written=last_written,
                exercises=tuple(dict.fromkeys(entry.exercise for entry in run.entries)),
                shard=shard,
                entries=total if shard is None else len(shard.positions(total)),
                statuses=store.statuses(),
                begun=datetime.fromisoformat(store.begun_at),
                writer=writer_in(folder),
            )
    except GraderError as error:
        return RunView(folder=folder, last_written=last_written, damage=error.message)
    except ValueError as error:  # no event says when the run began, or its time is malformed
        return RunView(folder=folder, last_written=last_written, damage=one_line(str(error)))


def _last_write(folder: Path) -> datetime:
    """Return when the store, or its journal, was last written."""
    times = [0.0]
    for name in (STORE_NAME, f"{STORE_NAME}-wal"):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:  # the journal exists only while a process is writing
            continue
    return datetime.fromtimestamp(max(times), UTC)
