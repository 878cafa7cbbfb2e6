"""`grader pytest`: runs suites, or an instructor's own tests, with pytest.

Configuration that may have come with the submission is ignored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import jobs_option, json_option
from grader.cli.result_files import (
    EXIT_FAULT,
    RequestedResult,
    has_mark,
    results_option,
    write_results,
)
from grader.cli.source_options import exercise_options, partial_option, source_options
from grader.cli.terminal import warn
from grader.errors import HostError, UsageError
from grader.intake.submissions import HandIn
from grader.plugins.own_tests.proxying.handed_in import modules_for, packages_of, submission_of
from grader.plugins.own_tests.proxying.own_settings import DetailLevel, OwnSettings
from grader.plugins.own_tests.under_pytest.configuration import with_configuration
from grader.plugins.own_tests.under_pytest.decorators import (
    require_library,
    unsupported_decorators,
)
from grader.plugins.own_tests.under_pytest.run import run_own_tests, run_suites
from grader.plugins.own_tests.under_pytest.submission import default_settings, hand_in_at
from grader.values.foreign_text import one_line
from grader.verdict import Status

_SUITE_SUFFIXES: Final = (".yaml", ".yml")
_TEST_SUFFIXES: Final = (".py", ".txt", ".rst", ".md")
_GRADE_OPTIONS: Final = ("--deadline", "--engine", "--late", "--pseudonyms", "--shard")


@click.command("pytest", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--submission",
    required=True,
    type=click.Path(path_type=Path),
    help="File or folder to grade; with --out also a class, as for `grader grade`.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="For your own tests: grade all submissions, and write reports to this folder.",
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
    help="For your own tests: CPU seconds of the submission in each test.",
)
@click.option(
    "--show",
    type=click.Choice([level.value for level in DetailLevel]),
    default=DetailLevel.ERRORS.value,
    show_default=True,
    help="What students see of your own tests: only their names, also the program's exceptions, or"
    " also pytest's messages.",
)
@click.option(
    "--read",
    "reads",
    multiple=True,
    type=click.Path(exists=True),
    help="For your own tests: another file or folder that they can read, besides their own folder.",
)
@exercise_options("For your own tests:")
@source_options
@partial_option
@jobs_option
@results_option
@json_option
def command(
    arguments: tuple[str, ...],
    submission: Path,
    out: Path | None,
    jobs: int | None,
    *,
    results: tuple[RequestedResult, ...],
    as_json_: bool,
    **options: Any,
) -> None:
    """Run pytest on suites, or your own tests on submissions that run in another process.

    ARGUMENTS are suites, ids such as SUITE::CASE, and options of pytest. For suites, configuration
    files and conftest.py are not read: they may have come with the submission.

    ARGUMENTS can also be files or folders with your own tests, which run unchanged.
    """
    tests = _test_paths(arguments)
    if not tests:
        _refuse_result_options({"--json": as_json_, "--out": out, "--results": results})
        _refuse_other_files(arguments)
        sys.exit(run_suites(arguments, submission))
    _refuse_grade_options(arguments)
    _refuse_tests_in_submission(tests, submission)
    source_option_names = ("layout", "pattern", "roster", "attempt", "partial")
    source_values = {name: options.pop(name) for name in source_option_names}
    apart = tuple(os.path.abspath(path) for path in (submission, out) if path is not None)
    options |= {"arguments": arguments, "apart": apart}
    settings = _own_settings(tests, submission, options)
    if out is not None:
        _grade_class(settings, submission, out, source_values, jobs=jobs, as_json=as_json_)
        return
    hand_in = hand_in_at(submission)
    # Raises `UsageError` if the tests import nothing from the submission.
    modules_for(submission_of(hand_in, settings.files), settings.files)
    if as_json_ or results:
        sys.exit(_results_exit_code(settings, submission, results, as_json=as_json_))
    sys.exit(_pytest_exit_code(settings, hand_in))


def _test_paths(arguments: Sequence[str]) -> list[Path]:
    """Return the paths among `arguments` that are folders, or have the suffix of a test file.

    A suite has another suffix. The files need not exist.
    """
    paths = (argument.partition("::")[0] for argument in arguments if not argument.startswith("-"))
    return [
        Path(path).absolute()
        for path in paths
        if os.path.isdir(path) or path.lower().endswith(_TEST_SUFFIXES)
    ]


def _refuse_result_options(values: Mapping[str, object]) -> None:
    """Raise `UsageError` if any of the options in `values`, which suites do not support, is set."""
    for option, value in values.items():
        if value:
            raise UsageError(
                f"{option} works with your own tests only, not with a suite",
                help="for a suite: grader check --json or --results, or grader grade --out",
            )


def _own_settings(tests: Sequence[Path], submission: Path, options: dict[str, Any]) -> OwnSettings:
    """Return the settings for `tests` from `options` and from the tests' configuration files.

    Changes `options`, and prints a warning for each ignored file and each unsupported decorator.
    Raises `UsageError` if a file cannot be read, if an option does not work here, or if a library
    of the tests is not installed.
    """
    defaults = default_settings(tests, options.pop("title"), options.pop("language"))
    options["show"] = DetailLevel(options["show"])
    options["reads"] = tuple(map(os.path.abspath, options["reads"]))
    settings = replace(defaults, **options)
    settings, ignored_files = with_configuration(settings, submission)
    require_library(settings.files)
    for warning in (*ignored_files, *unsupported_decorators(settings.files)):
        warn(warning)
    return settings


def _refuse_grade_options(arguments: Sequence[str]) -> None:
    """Raise `UsageError` if there is an option of `grader grade`, which pytest would not know."""
    for option in (argument.partition("=")[0] for argument in arguments):
        if option in _GRADE_OPTIONS:
            raise UsageError(
                f"{option} does not work with your own tests",
                help="leave the option out, or use grader grade with a suite",
            )


def _refuse_tests_in_submission(tests: Sequence[Path], submission: Path) -> None:
    """Raise `UsageError` if tests are in the submission: a student may have written them.

    Also raise it if one of the `tests` does not exist.
    """
    for path in tests:
        if not path.exists():
            raise UsageError(
                f"{one_line(str(path))} does not exist", help="name a file or folder with tests"
            )
        is_inside = _is_within(path, submission)
        if is_inside or (path.is_dir() and _is_within(submission, path)):
            relation = "is in the submission" if is_inside else "contains the submission"
            raise UsageError(
                f"{one_line(str(path))} {relation} {one_line(str(submission))}, so a student may"
                " have written these tests",
                help="move your tests to a separate folder; if you meant a suite, its name must end"
                " in .yaml",
            )


def _is_within(path: Path, folder: Path) -> bool:
    """Return whether `path` is in `folder`, or is that folder itself."""
    return path.resolve().is_relative_to(folder.resolve())


def _grade_class(
    settings: OwnSettings,
    submission: Path,
    out: Path,
    source_values: dict[str, Any],
    **options: Any,
) -> None:
    """Grade all submissions at `submission`, and write reports to `out`.

    `source_values` are the options that say how the submissions are found.
    """
    # Importing these takes half as long as importing everything that one submission needs.
    from grader.cli.sources import SourceOptions  # noqa: PLC0415
    from grader.plugins.own_tests.under_pytest.class_grading import grade_class  # noqa: PLC0415

    grade_class(settings, submission, out, SourceOptions(**source_values), **options)


def _pytest_exit_code(settings: OwnSettings, hand_in: HandIn) -> int:
    """Have pytest print the results, and return its exit code.

    Raises `HostError` if the tests cannot be run.
    """
    packages = packages_of(submission_of(hand_in, settings.files), settings.files)
    with _faults_as_errors():
        return run_own_tests(settings, hand_in, packages, shows_output=True).exit_code


def _results_exit_code(
    settings: OwnSettings, submission: Path, results: tuple[RequestedResult, ...], *, as_json: bool
) -> int:
    """Print or write the results as `grader check` does, and return the exit code.

    Raises `HostError` if a mark is requested on a machine without isolation, or if the tests cannot
    be run.
    """
    # Judging and reporting are slow to import.
    from grader.plugins.own_tests.under_pytest.record import record_from_tests  # noqa: PLC0415
    from grader.reporting.shown_results import shown_json  # noqa: PLC0415
    from grader.run.needs import require_isolation  # noqa: PLC0415
    from grader.sandbox.sandbox import new_sandbox  # noqa: PLC0415

    is_mark = has_mark(results)
    if is_mark:
        with closing(new_sandbox()) as sandbox:
            require_isolation(sandbox.isolation)
    # What pytest prints must not mix with printed results.
    is_printed = as_json or any(result.is_printed for result in results)
    with redirect_stdout(sys.stderr) if is_printed else nullcontext(), _faults_as_errors():
        exit_code, record = record_from_tests(settings, hand_in_at(submission), shows_output=True)
    write_results(results, record, Path(os.path.relpath(submission)))
    if as_json:
        sys.stdout.write(shown_json(record))
    if is_mark:
        return EXIT_FAULT if record.status is Status.FAULT else 0
    return exit_code


@contextmanager
def _faults_as_errors() -> Iterator[None]:
    """Turn a `RuntimeError` about the tests' process into a `HostError` with advice."""
    try:
        yield
    except RuntimeError as error:
        raise HostError(
            str(error), help="check the tests by running them on your own solution"
        ) from error


def _refuse_other_files(arguments: Sequence[str]) -> None:
    """Raise `UsageError` if there is a path that pytest would use as tests or configuration."""
    for argument in arguments:
        path = argument.partition("::")[0]
        is_suite = path.lower().endswith(_SUITE_SUFFIXES) and not os.path.isdir(path)
        if not argument.startswith("-") and os.path.lexists(path) and not is_suite:
            raise UsageError(
                f"{one_line(path)} is not a suite",
                help="name suites, whose names end in .yaml; pass the submission with --submission",
            )
