"""`grader pytest`: runs suites, or an instructor's own tests, with pytest.

Configuration that may have come with the submission is ignored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.options import jobs_option, json_option
from grader.cli.result_files import (
    EXIT_FAULT,
    AskedResult,
    has_mark,
    results_option,
    write_results,
)
from grader.cli.source_options import exercise_options, partial_option, source_options
from grader.cli.terminal import warn
from grader.errors import HostError, UsageError
from grader.intake.submissions import HandIn
from grader.plugins.own_tests.proxying.handed_in import modules_for, packages_of, submission_of
from grader.plugins.own_tests.proxying.own_settings import OwnSettings, Shown
from grader.plugins.own_tests.under_pytest.configuration import configured
from grader.plugins.own_tests.under_pytest.decorated import require_library, unread_in
from grader.plugins.own_tests.under_pytest.run import run_own_tests, run_suites
from grader.plugins.own_tests.under_pytest.submission import hand_in_at, own_settings
from grader.values.foreign_text import one_line
from grader.verdict import Status

_SUFFIXES: Final = (".yaml", ".yml")
_TEST_SUFFIXES: Final = (".py", ".txt", ".rst", ".md")
_GRADE_OPTIONS: Final = ("--deadline", "--engine", "--late", "--pseudonyms", "--shard")


@click.command("pytest", context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--submission",
    required=True,
    type=click.Path(path_type=Path),
    help="File or folder to grade; with --out also a class, as `grader grade` takes it.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="For your own tests: grade everybody, and write reports to this folder.",
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
@click.option(
    "--show",
    type=click.Choice([each.value for each in Shown]),
    default=Shown.ERRORS.value,
    show_default=True,
    help="What students read of your own tests: their names, also what their program raised, or"
    " all that pytest says.",
)
@click.option(
    "--read",
    "reads",
    multiple=True,
    type=click.Path(exists=True),
    help="For your own tests: a file or folder that they may read, besides those beside them.",
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
    results: tuple[AskedResult, ...],
    as_json_: bool,
    **asked: Any,
) -> None:
    """Run pytest on suites, or your own tests on submissions behind a wall.

    ARGUMENTS are suites, ids such as SUITE::CASE, and options of pytest. Configuration files and
    conftest.py are not read: they may have come with the submission.

    ARGUMENTS can be tests of your own as well, folders of them or files: they run unmodified.
    """
    tests = _own_tests(arguments)
    if not tests:
        for used, option in (
            (as_json_, "--json"),
            (out, "--out"),
            (results, "--results"),
        ):
            if used:
                raise UsageError(
                    f"{option} is for your own tests",
                    help="for a suite: grader check --json or --results, or grader grade --out",
                )
        _refuse_other_files(arguments)
        sys.exit(run_suites(arguments, submission))
    _refuse_options_of_grade(arguments)
    _refuse_handed_in(tests, submission)
    of_class = ("layout", "pattern", "roster", "attempt", "partial")
    of_sources = {each: asked.pop(each) for each in of_class}
    title, language, asked["show"] = asked.pop("title"), asked.pop("language"), Shown(asked["show"])
    asked["reads"] = tuple(map(os.path.abspath, asked["reads"]))
    apart = tuple(os.path.abspath(each) for each in (submission, out) if each is not None)
    own = own_settings(tests, title, language)
    own = replace(own, arguments=arguments, apart=apart, **asked)
    own, left_out = configured(own, submission)
    require_library(own.files)
    for sentence in (*left_out, *unread_in(own.files)):
        warn(sentence)
    if out is not None:
        _grade_class(own, submission, out, of_sources, jobs=jobs, as_json=as_json_)
        return
    hand_in = hand_in_at(submission)
    modules_for(submission_of(hand_in, own.files), own.files)  # for its `UsageError`
    if as_json_ or results:
        sys.exit(_results_exit_code(own, submission, results, as_json=as_json_))
    sys.exit(_pytest_exit_code(own, hand_in))


def _own_tests(arguments: Sequence[str]) -> list[Path]:
    """Return the paths among `arguments` that are tests, or folders of them."""
    named = (each.partition("::")[0] for each in arguments if not each.startswith("-"))
    return [
        Path(each).absolute()
        for each in named
        if os.path.isdir(each) or each.lower().endswith(_TEST_SUFFIXES)
    ]


def _refuse_options_of_grade(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for an option of suites only, before pytest calls it unknown."""
    for option in (each.partition("=")[0] for each in arguments):
        if option in _GRADE_OPTIONS:
            raise UsageError(
                f"{option} is not there with tests of your own",
                help="grader grade has it, for suites",
            )


def _refuse_handed_in(tests: Sequence[Path], submission: Path) -> None:
    """Raise `UsageError` if tests are in the submission, as its author may have changed them."""
    for path in tests:
        if not path.exists():
            raise UsageError(f"there is no {one_line(str(path))}")
        if _is_within(path, submission) or (path.is_dir() and _is_within(submission, path)):
            raise UsageError(
                f"{one_line(str(path))} is in one folder with the submission, so a student may have"
                " written these tests",
                help="move your tests to a folder of their own; if a suite was meant, its name must"
                " end in .yaml",
            )


def _is_within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _grade_class(
    own: OwnSettings, submission: Path, out: Path, of_sources: dict[str, Any], **how: Any
) -> None:
    # Slow to import: half as long again as everything that grading one submission needs.
    from grader.cli.sources import SourceOptions  # noqa: PLC0415
    from grader.plugins.own_tests.under_pytest.classes import grade_class  # noqa: PLC0415

    grade_class(own, submission, out, SourceOptions(**of_sources), **how)


def _pytest_exit_code(own: OwnSettings, hand_in: HandIn) -> int:
    """Have pytest print the results; return its exit code."""
    packages = packages_of(submission_of(hand_in, own.files), own.files)
    with _faults_as_errors():
        return run_own_tests(own, hand_in, packages, shows=True).exit_code


def _results_exit_code(
    own: OwnSettings, submission: Path, results: tuple[AskedResult, ...], *, as_json: bool
) -> int:
    """Print or write the results as `grader check` does; return the exit code."""
    # Judging and pages are slow to import.
    from grader.plugins.own_tests.under_pytest.record import record_from_tests  # noqa: PLC0415
    from grader.reporting.shown_results import shown_json  # noqa: PLC0415
    from grader.run.needs import require_isolation  # noqa: PLC0415
    from grader.sandbox.sandbox import new_sandbox  # noqa: PLC0415

    is_mark = has_mark(results)
    if is_mark:
        with closing(new_sandbox()) as sandbox:
            require_isolation(sandbox.isolation)
    is_printed = as_json or any(each.is_printed for each in results)
    with redirect_stdout(sys.stderr) if is_printed else nullcontext(), _faults_as_errors():
        exit_code, record = record_from_tests(own, hand_in_at(submission), shows=True)
    write_results(results, record, Path(os.path.relpath(submission)))
    if as_json:
        sys.stdout.write(shown_json(record))
    if is_mark:
        return EXIT_FAULT if record.status is Status.FAULT else 0
    return exit_code


@contextmanager
def _faults_as_errors() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise HostError(str(error), help="run the tests on a solution of your own") from error


def _refuse_other_files(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for a path that pytest would take for tests or a configuration file."""
    for argument in arguments:
        path = argument.partition("::")[0]
        is_suite = path.lower().endswith(_SUFFIXES) and not os.path.isdir(path)
        if not argument.startswith("-") and os.path.lexists(path) and not is_suite:
            raise UsageError(
                f"{one_line(path)} is not a suite",
                help="name suites, files that end in .yaml; what is graded comes with --submission",
            )
