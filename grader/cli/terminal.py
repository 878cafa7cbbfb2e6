"""What the command line prints on standard error: errors, warnings, names, ways out."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from grader.cli.status_line import STATUS
from grader.errors import GraderError, UsageError
from grader.reporting.wording import Locale
from grader.values.foreign_text import for_log, one_line

_MAX_NAMED: Final = 100
_FURTHER: Final = 4
"""Minor versions looked for after the one that is needed."""
_WALL_S: Final = 5.0  # for an interpreter that hangs


def show_error(error: GraderError) -> None:
    """Print `error`, with its place if it has one, and the way out."""
    text, (failed, way_out) = str(error), error.labels
    say(text if text.startswith(failed) else f"{failed} {text}")
    if error.help:
        say(f"  = {way_out} {error.help}")


def warn(text: str) -> None:
    """Print a warning."""
    say(f"warning: {text}")


def say(text: str) -> None:
    """Print a line to standard error, with nothing in it that a terminal or a CI system obeys."""
    STATUS.talk(for_log(text))


def names(items: Iterable[str]) -> str:
    """Return `items` as an enumeration for a message."""
    return ", ".join(one_line(item, 60) for item in items)


def named(people: Sequence[str]) -> str:
    """Return `people` as an enumeration of limited length."""
    more = len(people) - _MAX_NAMED
    return names(people[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def warn_of(what: str, people: Sequence[str]) -> None:
    """Warn about some `people`, if there are any."""
    if people:
        warn(f"{what}: {len(people)}: {named(people)}")


SETUP: Final = Path(__file__).parents[2] / "scripts" / "setup"
"""Beside the package in a checkout; an installed package has none."""


def warn_of_newer(needed: tuple[int, int]) -> None:
    """Warn that Python `needed` or a newer one is required, and say how to get it."""
    major, minor = needed
    names = (f"python{major}.{later}" for later in range(minor, minor + _FURTHER))
    found = next(filter(_runs, names), None)
    where = f"{one_line(shutil.which(found) or found)} is on this machine; " if found else ""
    python = found or f"python{major}.{minor}"
    how = f"install the grader for it: {python} -m pip install sessiongrader"
    if not found:
        how = f"install Python {major}.{minor}, and then {how.partition(': ')[2]}"
    if SETUP.exists():
        how = f"remove .venv and run: PYTHON={python} scripts/setup"
    warn(
        f"submissions written for Python {major}.{minor} cannot be graded with this Python\n"
        f"  = help: {where}to use it, {how}"
    )


def _runs(name: str) -> bool:
    """Return whether the interpreter `name` runs: a name in the path alone may lead nowhere."""
    path = shutil.which(name)
    if path is None:
        return False
    try:
        done = subprocess.run([path, "-c", ""], capture_output=True, timeout=_WALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def misuse(
    language: str, key: str, kind: type[GraderError] = UsageError, **parameters: str | int
) -> GraderError:
    """Return a mistake in the command of a student, in the language of her exercise."""
    locale = Locale.of(language)
    return kind(
        locale(f"usage_{key}", **parameters),
        help=locale(f"usage_{key}_help", **parameters),
        labels=labels(locale),
    )


def labels(locale: Locale) -> tuple[str, str]:
    """Return the labels of an error and its way out, in the language of `locale`."""
    return locale("usage_label"), locale("usage_label_help")
