"""`grader pytest`: the cases of a suite as items of pytest, which obeys nothing of a submission."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from grader.cli.pytest_plugin import SUBMISSION_VARIABLE
from grader.errors import UsageError
from grader.values.display import one_line

_SUFFIXES: Final = (".yaml", ".yml")
_NOT_OBEYED: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")


@click.command("pytest", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--submission",
    required=True,
    type=click.Path(path_type=Path),
    help="File or folder to grade.",
)
def command(arguments: tuple[str, ...], submission: Path) -> None:
    """Run pytest on suites, with an item for each case.

    ARGUMENTS are suites, ids such as SUITE::CASE, and options of pytest. Configuration files and
    conftest.py are not read: they may have come with the submission.
    """
    _refuse_other_files(arguments)
    sys.exit(_pytest(arguments, submission.absolute()))


def _refuse_other_files(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for a path that pytest would take for tests, or for a configuration."""
    for argument in arguments:
        path = argument.partition("::")[0]
        is_suite = path.lower().endswith(_SUFFIXES) and not os.path.isdir(path)
        if not argument.startswith("-") and os.path.lexists(path) and not is_suite:
            raise UsageError(
                f"{one_line(path)} is no suite",
                help="name suites, files that end in .yaml; what is graded comes with --submission",
            )


def _pytest(arguments: Sequence[str], submission: Path) -> int:
    """Return the exit code of pytest, which finds no file that it would obey but an empty one."""
    for variable in _NOT_OBEYED:
        os.environ.pop(variable, None)
    os.environ[SUBMISSION_VARIABLE] = str(submission)
    os.environ["PYTHONSAFEPATH"] = "1"  # workers of xdist would import what lies in this folder
    import pytest  # noqa: PLC0415 - it takes long

    with TemporaryDirectory() as folder:
        settings = Path(folder) / "pytest.ini"
        settings.write_text("[pytest]\n", encoding="utf-8")
        ours = ["-c", str(settings), f"--rootdir={Path.cwd()}", "--noconftest"]
        ours += ["--import-mode=importlib", "--assert=plain", "-p", "no:cacheprovider"]
        return int(pytest.main([*ours, *arguments]))
