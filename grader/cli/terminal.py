"""Output of the command line on standard error: errors, warnings, lists of names, help."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from grader.cli.status_line import STATUS
from grader.errors import GraderError, UsageError
from grader.reporting.wording import Locale
from grader.values.foreign_text import log_safe, one_line

_MAX_LISTED: Final = 100
_LATER_VERSIONS: Final = 4
"""How many minor versions, starting with the required one, are searched for."""
_WALL_S: Final = 5.0  # gives up on an interpreter that hangs


def show_error(error: GraderError) -> None:
    """Print `error`, with its location and help if it has any."""
    text, (error_label, help_label) = str(error), error.labels
    say(text if text.startswith(error_label) else f"{error_label} {text}")
    if error.help:
        say(f"  = {help_label} {error.help}")


def warn(text: str) -> None:
    """Print a warning."""
    say(f"warning: {text}")


def say(text: str) -> None:
    """Print a line to standard error, escaping control sequences for terminals and CI systems."""
    STATUS.print_line(log_safe(text))


def join_names(items: Iterable[str]) -> str:
    """Join `items` with commas for a message, shortening long items."""
    return ", ".join(one_line(item, 60) for item in items)


def join_people(people: Sequence[str], max_people: int = _MAX_LISTED) -> str:
    """Join the first `max_people` of `people` with commas, followed by how many more there are."""
    more = len(people) - max_people
    return join_names(people[:max_people]) + (f" and {more} more" if more > 0 else "")


def warn_about(text: str, people: Sequence[str]) -> None:
    """Print a warning with the number and names of `people`, if there are any."""
    if people:
        warn(f"{text}: {len(people)}: {join_people(people)}")


SETUP_SCRIPT: Final = Path(__file__).parents[2] / "scripts" / "setup"
"""The set-up script, which exists next to the package in a checkout but not once installed."""


def warn_of_newer_python(needed: tuple[int, int]) -> None:
    """Warn that submissions need at least Python `needed`, and explain how to get it."""
    major, minor = needed
    commands = (f"python{major}.{version}" for version in range(minor, minor + _LATER_VERSIONS))
    installed = next(filter(_can_run, commands), None)
    location = (
        f"this machine has {one_line(shutil.which(installed) or installed)}; " if installed else ""
    )
    python = installed or f"python{major}.{minor}"
    command = f"{python} -m pip install sessiongrader"
    advice = f"install the grader for it: {command}" if installed else f"and then {command}"
    if SETUP_SCRIPT.exists():
        advice = f"remove .venv and run: PYTHON={python} scripts/setup"
    if not installed:
        advice = f"install Python {major}.{minor}, {advice}"
    warn(
        f"submissions written for Python {major}.{minor} cannot be graded with this Python\n"
        f"  = help: {location}to use it, {advice}"
    )


def _can_run(name: str) -> bool:
    """Return whether the interpreter `name` on PATH really runs.

    What PATH leads to might be a dangling link, or the shim of a version manager.
    """
    path = shutil.which(name)
    if path is None:
        return False
    try:
        finished = subprocess.run(
            [path, "-c", ""], capture_output=True, timeout=_WALL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return finished.returncode == 0


def student_usage_error(
    language: str, key: str, kind: type[GraderError] = UsageError, **parameters: str | int
) -> GraderError:
    """Return the error for a mistake in a student's command, in `language`.

    The error is of the class `kind`. `key` selects the sentences, into which `parameters` are
    inserted.
    """
    locale = Locale.for_language(language)
    return kind(
        locale(f"usage_{key}", **parameters),
        help=locale(f"usage_{key}_help", **parameters),
        labels=labels(locale),
    )


def labels(locale: Locale) -> tuple[str, str]:
    """Return the labels of an error and of its help in the language of `locale`."""
    return locale("usage_label"), locale("usage_label_help")
