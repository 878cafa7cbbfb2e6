"""Finds the runs in a folder and below it, and how far each has come."""

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
"""Folders below the one asked about; a run is seldom deeper than two."""
MAX_RUNS: Final = 1_000
MAX_FOLDERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """How far one run has come."""

    folder: Path
    written: datetime
    """When its store was last written to."""
    exercises: tuple[str, ...] = ()
    shard: Shard | None = None
    """Which part of the run is there, if not all."""
    entries: int = 0
    """Number of submissions to grade there."""
    statuses: Counter[Status] = field(default_factory=Counter)
    """Of what was graded."""
    begun: datetime | None = None
    writer: str | None = None
    """Who is writing to it."""
    damage: str | None = None
    """Why nothing else is known about it."""


def find_runs(folder: Path) -> tuple[list[Path], bool]:
    """Return the folders of runs in `folder` and below it, and whether there may be more.

    Links are not followed. Raises `UsageError` if `folder` is not a folder.
    """
    if not folder.is_dir():
        raise UsageError(f"{one_line(str(folder))} is not a folder")
    found: list[Path] = []
    waiting, looked_at, is_cut = [(folder, 0)], 0, False
    while waiting:
        if looked_at == MAX_FOLDERS or len(found) == MAX_RUNS:
            return found, True
        at, depth = waiting.pop()
        looked_at += 1
        folders, has_store = _inside(at)
        found += [at] * has_store
        if depth < MAX_DEPTH:
            # Reversed, because the last one waiting comes first.
            waiting += [(at / name, depth + 1) for name in reversed(folders)]
        elif folders:
            is_cut = True
    return found, is_cut


def _inside(folder: Path) -> tuple[list[str], bool]:
    """Return the sorted names of the folders in `folder`, and whether there is a store in it."""
    folders, has_store = [], False
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == STORE_NAME:
                    has_store = entry.is_file(follow_symlinks=False)
                elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
    except OSError:  # not to be read, or gone by now
        return [], False
    return sorted(folders), has_store


def view_of(folder: Path) -> RunView:
    """Return how far the run in `folder` has come; if it cannot be read, why not."""
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
    """Return when the store, or the journal beside it, was last written to."""
    times = [0.0]
    for name in (STORE_NAME, f"{STORE_NAME}-wal"):
        try:
            times.append((folder / name).stat().st_mtime)
        except OSError:  # the journal is there only while somebody writes
            continue
    return datetime.fromtimestamp(max(times), UTC)
