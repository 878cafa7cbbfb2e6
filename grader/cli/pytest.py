"""`grader pytest`: the cases of a suite as items of pytest, which obeys nothing of a submission."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from contextlib import closing, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from grader.cli.options import json_option
from grader.cli.pytest_plugin import SUBMISSION_VARIABLE
from grader.errors import UsageError
from grader.intake.submissions import single_entry
from grader.proxying.handed_in import files_of, modules_for, read_submission
from grader.proxying.records import record_of
from grader.proxying.watched import CAN_WATCH, Bounds, go_on_as_copy
from grader.reporting.results import entry_json, results_json
from grader.sandbox.sandbox import new_sandbox
from grader.values.display import one_line

_SUFFIXES: Final = (".yaml", ".yml")
_TEST_SUFFIXES: Final = (".py", ".txt", ".rst", ".md")
TESTS_VARIABLE: Final = "GRADER_OWN_TESTS"
_OWN_SETTINGS: Final = """\
[pytest]
python_files = test_*.py *_test.py *_Test.py *Test.py *Tests.py tests.py test.py
filterwarnings = ignore:Module already imported so cannot be rewritten
"""
_COLLECTING: Final = Bounds(cpu_s=60, wall_s=math.inf, memory_bytes=2 << 30)
"""What it may take until the tests are collected, which may meet values of the submission."""
_FINISHED: Final = (0, 1)
"""What pytest returns where tests were found, and run to the end."""
_NOT_OBEYED: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_XDIST_WORKER")


@click.command("pytest", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--submission",
    required=True,
    type=click.Path(path_type=Path),
    help="File or folder to grade.",
)
@click.option(
    "--fresh",
    type=click.Choice(("test", "module", "session")),
    default="test",
    show_default=True,
    help="For your own tests: what gets a fresh process with the submission.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.1, 600),
    default=10.0,
    show_default=True,
    help="For your own tests: computing time of the submission in each.",
)
@json_option
def command(
    arguments: tuple[str, ...], submission: Path, fresh: str, seconds: float, *, as_json_: bool
) -> None:
    """Run pytest on suites, or your own tests on a submission behind a wall.

    ARGUMENTS are suites, ids such as SUITE::CASE, and options of pytest. Configuration files and
    conftest.py are not read: they may have come with the submission.

    ARGUMENTS can be tests of your own as well, folders of them or files: they run unmodified.
    """
    tests = _own_tests(arguments)
    if tests:
        _refuse_handed_in(tests, submission)
        files = files_of(map(Path, _folders(tests)))
        modules_for(read_submission(single_entry(submission), files), files)  # or it refuses
        ended = go_on_as_copy(_COLLECTING) if CAN_WATCH else None
        unfit = None if ended is None else str(ended)
        settings = {
            "folders": _folders(tests), "fresh": fresh, "seconds": seconds, "unfit": unfit
        }  # fmt: skip
        own = _own_arguments(arguments, settings)
        if as_json_:
            sys.exit(_as_json(own, submission.absolute(), tests, seconds))
        sys.exit(_pytest(own, submission.absolute(), own=True))
    if as_json_:
        raise UsageError("--json is for your own tests", help="for a suite: grader check --json")
    _refuse_other_files(arguments)
    sys.exit(_pytest(arguments, submission.absolute()))


def _own_tests(arguments: Sequence[str]) -> list[Path]:
    """Return the paths among `arguments` that are tests, or folders of them."""
    named = (each.partition("::")[0] for each in arguments if not each.startswith("-"))
    return [
        Path(each).absolute()
        for each in named
        if os.path.isdir(each) or each.lower().endswith(_TEST_SUFFIXES)
    ]


def _refuse_handed_in(tests: Sequence[Path], submission: Path) -> None:
    """Raise `UsageError` where tests lie in the submission: its author may have changed them."""
    for path in tests:
        if not path.exists():
            raise UsageError(f"there is no {one_line(str(path))}")
        if _is_within(path, submission) or (path.is_dir() and _is_within(submission, path)):
            raise UsageError(
                f"{one_line(str(path))} and the submission lie in one folder:"
                " these tests may have been handed in",
                help="keep tests in a folder of their own; a suite ends in .yaml",
            )


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _folders(tests: Sequence[Path]) -> list[str]:
    return [str(path if path.is_dir() else path.parent) for path in tests]


def _as_json(
    arguments: Sequence[str], submission: Path, tests: Sequence[Path], seconds: float
) -> int:
    """Print what came of the tests as `grader grade --json` does; return the exit code."""
    from grader.cli.pytest_own import Results, limits_for  # noqa: PLC0415 - it imports pytest

    results = Results()
    with redirect_stdout(sys.stderr):
        exit_code = _pytest(arguments, submission, own=True, plugins=[results])
    files = files_of(map(Path, _folders(tests)))
    if results.isolation is None:  # workers of xdist had it, and are like this one
        with closing(new_sandbox()) as sandbox:
            results.isolation = sandbox.isolation
    record = record_of(
        read_submission(single_entry(submission), files),
        list(results.tested()),
        exercise=tests[0].stem,
        tests=files,
        isolation=results.isolation,
        limits=limits_for(seconds),
        uncollected=results.uncollected or ([] if exit_code in _FINISHED else _named(tests)),
    )
    sys.stdout.write(b"".join(results_json([entry_json(record)])).decode())
    return exit_code


def _named(tests: Sequence[Path]) -> list[str]:
    return [path.name for path in tests]


def _own_arguments(arguments: Sequence[str], settings: dict[str, object]) -> list[str]:
    os.environ[TESTS_VARIABLE] = json.dumps(settings)
    return ["-p", "grader.cli.pytest_own", *arguments]


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


def _pytest(
    arguments: Sequence[str],
    submission: Path,
    *,
    own: bool = False,
    plugins: Sequence[object] = (),
) -> int:
    """Return the exit code of pytest, which finds no file that it would obey but an empty one.

    Tests of the instructor's `own` have what lies beside them.
    """
    for variable in _NOT_OBEYED:
        os.environ.pop(variable, None)
    os.environ[SUBMISSION_VARIABLE] = str(submission)
    os.environ["PYTHONSAFEPATH"] = "1"  # workers of xdist would import what lies in this folder
    import pytest  # noqa: PLC0415 - it takes long

    if own:  # what is loaded by then, pytest does not rewrite
        import grader.cli.pytest_own  # noqa: F401, PLC0415 - it imports pytest

    with TemporaryDirectory() as folder:
        settings = Path(folder) / "pytest.ini"
        settings.write_text(_OWN_SETTINGS if own else "[pytest]\n", encoding="utf-8")
        ours = ["-c", str(settings), f"--rootdir={Path.cwd()}", "-p", "no:cacheprovider"]
        if own:
            ours += ["--code-highlight=no"]  # colours of ours are no text, and stay
        else:
            ours += ["--noconftest", "--import-mode=importlib", "--assert=plain"]
        return int(pytest.main([*ours, *arguments], plugins))
