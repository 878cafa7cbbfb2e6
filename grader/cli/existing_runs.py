"""Gives what an earlier run has left another name."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

from grader.cli.terminal import say, warn
from grader.errors import GraderError, OutputError, UsageError
from grader.reporting.writing import write_atomically
from grader.store.places import MARK_NAME, sole_writer
from grader.store.store import STORE_NAME, Store
from grader.values.display import one_line


def require_outside(submissions: Iterable[Path], folder: Path) -> None:
    """Raise `UsageError` if hand-ins are in `folder`: they would get another name with it."""
    ours = folder.resolve()
    if any(path.resolve().is_relative_to(ours) for path in submissions):
        raise UsageError(
            f"hand-ins are in {one_line(str(folder))}, which --fresh gives another name",
            help="name another folder with --out",
        )


def say_left(aside: Path | None) -> None:
    """Say how many decisions stay with a run that was set aside, if it can be read."""
    with suppress(GraderError):
        if aside is not None:
            with Store.reading(aside) as store:
                left = len(list(store.decisions))
            if left:
                warn(f"what persons have decided stays there, and is not in the new run: {left}")


def set_aside(folder: Path) -> Path | None:
    """Give what is in `folder`, if that has a run, another name beside it; return that.

    The store may be damaged, or one of another version: it is not opened.
    """
    if not (folder / STORE_NAME).exists():
        return None
    require_name(folder)
    with sole_writer(folder):
        return _renamed(folder)


def _renamed(folder: Path) -> Path:
    numbers = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
    aside = next(path for path in numbers if not path.exists())
    try:
        folder.rename(aside)
    except OSError as error:
        shown = one_line(str(folder))
        raise OutputError(f"cannot rename {shown}: {error.strerror}") from error
    say(f"the run that was there is now in {one_line(str(aside))}")
    return aside


def require_name(folder: Path) -> None:
    """Raise `UsageError` unless `folder` is named so that it can get another name."""
    if folder.name in {"", ".."}:
        raise UsageError(
            f"{one_line(str(folder))} cannot get another name",
            help="go to the folder above, and name it from there",
        )


def take_place(new: Path, folder: Path) -> None:
    """Give the run in `new` the place of the one in `folder`, of which this is the writer.

    That gets another name. Whatever cuts it off, a mark in `new` tells whose place it is to take.
    """
    mark = new / MARK_NAME
    write_atomically(mark, os.fsencode(folder.name))
    if folder.exists():
        _renamed(folder)
    try:
        new.rename(folder)
    except OSError as error:
        raise OutputError(
            f"cannot rename {one_line(str(new))}: {error.strerror}",
            help=f"rename it to {one_line(str(folder))} yourself: it is whole",
        ) from error
    (folder / MARK_NAME).unlink()
