"""Finds the files that configure pytest for an instructor's tests, but none that was handed in.

pytest looks for them in the test folder and in the folders above it. One of those folders might
also contain the submission, for example in a student's repository. Files in such a folder might be
the student's, and they would run outside the wall.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.plugins.own_tests.proxying.own_settings import CONFTEST, OwnSettings
from grader.values.foreign_text import one_line

_NAMES: Final = (
    *("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"),
    *("pyproject.toml", "tox.ini", "setup.cfg"),
)
"""The files that can configure pytest. It reads the first one with settings: see "Configuration" in
its reference."""
_PYTHON_FILES: Final = "test_*.py *_test.py *_Test.py *Test.py *Tests.py tests.py test.py"
_CONFIGURATION_OPTIONS: Final = ("-c", "--config-file")
_REPORT_OPTIONS: Final = ("--junitxml", "--junit-xml")
_XDIST_OPTIONS: Final = ("-n", "--numprocesses", "--dist", "--maxprocesses")
_XDIST_SHORT_OPTION: Final = re.compile(r"-n(\d+|auto|logical)")
_REACH_OPTION: Final = "--confcutdir"
"""The option of pytest that names the topmost folder whose `conftest.py` is read."""


def with_configuration(
    settings: OwnSettings, submission: Path | None
) -> tuple[OwnSettings, list[str]]:
    """Return `settings`, completed from the tests' configuration file, and a list of warnings.

    There is a warning for each file that is ignored because it might have been handed in, and one
    if options of pytest-xdist are ignored. If `submission` is None, all files are the instructor's.
    Raises `UsageError` if a file cannot be read, or for an option that does not work here.
    """
    topmost_folders = [_topmost_trusted(folder, submission) for folder in settings.folders]
    named_file, arguments = _named_configuration(settings.arguments)
    file, pytest_settings = (
        (named_file, _read_settings(named_file))
        if named_file
        else _find_configuration(settings.folders, topmost_folders)
    )
    added_options = ["-o", "addopts="]  # `addopts` is read below, and becomes part of the arguments
    if "python_files" not in pytest_settings:
        added_options += ["-o", f"python_files={_PYTHON_FILES}"]
    addopts = pytest_settings.get("addopts", ())
    _refuse_report_options(arguments)
    addopts = shlex.split(addopts) if isinstance(addopts, str) else addopts
    requested_arguments = [
        *(argument for argument in addopts if not _is_report_option(argument)),
        *arguments,
    ]
    paths = pytest_settings.get("pythonpath", ())
    paths = shlex.split(paths) if isinstance(paths, str) else paths
    reads = [os.path.join(file.parent if file else "", path) for path in paths]
    is_limited = any(argument.startswith(_REACH_OPTION) for argument in arguments)
    new_settings = replace(
        settings,
        arguments=(*added_options, *_without_xdist(requested_arguments)),
        reads=(*settings.reads, *map(os.path.abspath, reads)),
        reach=() if is_limited else _conftest_folders(settings, topmost_folders),
        configuration=None if file is None else str(file),
    )
    warnings = list(_warnings_for_ignored(topmost_folders, settings.arguments))
    if _without_xdist(requested_arguments) != requested_arguments:
        warnings.append(
            "-n is ignored: your own tests run one by one; with --out, use --jobs instead"
        )
    return new_settings, warnings


def _is_report_option(argument: str) -> bool:
    """Return whether an argument is an option that makes pytest write a report file."""
    return argument.partition("=")[0] in _REPORT_OPTIONS


def _refuse_report_options(arguments: Sequence[str]) -> None:
    """Raise `UsageError` if `arguments` request a report file.

    pytest cannot write such a file behind the wall.
    """
    for argument in filter(_is_report_option, arguments):
        raise UsageError(
            f"{one_line(argument)} does not work: tests can only write in temporary folders",
            help="print the results with --json, or write reports with --out",
        )


def _conftest_folders(settings: OwnSettings, topmost_folders: Sequence[Path]) -> tuple[str, ...]:
    """Return, for each test folder, the topmost folder above it that has a `conftest.py`.

    Folders above those in `topmost_folders` do not count. If no folder counts, the test folder
    itself is returned.
    """
    folders = []
    for folder, topmost in zip(settings.folders, topmost_folders, strict=True):
        resolved = folder.resolve()
        parents = [parent for parent in resolved.parents if parent.is_relative_to(topmost)]
        with_conftest = [parent for parent in parents if (parent / CONFTEST).is_file()]
        folders.append(str(with_conftest[-1] if with_conftest else resolved))
    return tuple(folders)


def _without_xdist(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` without the options of pytest-xdist, as all tests run in one process."""
    kept_arguments, remaining = list[str](), iter(arguments)
    for argument in remaining:
        option, has_value, _ = argument.partition("=")
        if option in _XDIST_OPTIONS:
            if not has_value:
                next(remaining, None)
        elif not _XDIST_SHORT_OPTION.fullmatch(argument):
            kept_arguments.append(argument)
    return kept_arguments


def _topmost_trusted(folder: Path, submission: Path | None) -> Path:
    """Return the topmost folder above `folder` that does not contain the submission.

    Returns `folder` itself if all folders above it contain the submission.
    """
    handed_in = submission and submission.resolve()
    topmost = folder.resolve()
    for parent in topmost.parents:
        if handed_in and handed_in.is_relative_to(parent):
            break
        topmost = parent
    return topmost


def _named_configuration(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Return the configuration file that `arguments` name, or None, and the other arguments.

    If they name several files, the last one counts.
    """
    file, other_arguments, remaining = None, list[str](), iter(arguments)
    for argument in remaining:
        option, _, value = argument.partition("=")
        if argument.startswith("-c") and argument not in _CONFIGURATION_OPTIONS:
            option, value = "-c", argument[2:]  # `-cFILE`
        if option in _CONFIGURATION_OPTIONS:
            file = Path(os.path.abspath(value or next(remaining, "")))
        else:
            other_arguments.append(argument)
    return file, other_arguments


def _find_configuration(
    folders: Sequence[Path], topmost_folders: Sequence[Path]
) -> tuple[Path | None, dict[str, Any]]:
    """Return the configuration file for tests in `folders`, or None, and its settings.

    Each folder is searched, and then the folders above it, up to the topmost trusted one, which is
    in `topmost_folders`. Raises `UsageError` if a file cannot be read.
    """
    for folder, topmost in zip(folders, topmost_folders, strict=True):
        resolved = folder.resolve()
        for parent in (resolved, *resolved.parents):
            if not parent.is_relative_to(topmost):
                break
            for file in _configuration_files(parent):
                return file, _read_settings(file)
    return None, {}


def _configuration_files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that contain settings for pytest.

    Raises `UsageError` if a file cannot be read.
    """
    for name in _NAMES:
        file = folder / name
        if file.is_file() and _load_settings(file) is not None:
            yield file


def _read_settings(file: Path) -> dict[str, Any]:
    """Return the settings in a file; raises `UsageError` if it is missing or cannot be read."""
    if not file.is_file():
        raise UsageError(
            f"the configuration file {one_line(str(file))} does not exist",
            help="name an existing file with -c",
        )
    # Recent versions of pytest wrap each value in an object that also has its origin.
    return {
        name: getattr(item, "value", item) for name, item in (_load_settings(file) or {}).items()
    }


def _load_settings(file: Path) -> dict[str, Any] | None:
    """Return the settings that pytest reads from a file, or None if none of them are for pytest.

    Raises `UsageError` if the file cannot be read.
    """
    from _pytest.config.exceptions import UsageError as Unreadable  # noqa: PLC0415 - it imports pytest
    from _pytest.config.findpaths import load_config_dict_from_file  # noqa: PLC0415 - as above

    try:
        return load_config_dict_from_file(file)
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else one_line(str(error))
        if isinstance(error, UnicodeDecodeError):
            reason = "it is not UTF-8"
        raise UsageError(
            f"{one_line(str(file))} cannot be read: {reason}",
            help="correct this configuration file of your tests, or name another file with -c",
        ) from error


def _warnings_for_ignored(
    topmost_folders: Sequence[Path], arguments: Sequence[str]
) -> Iterator[str]:
    """Yield a warning for each file that pytest would read, but that might have been handed in.

    Raises `UsageError` if a configuration file cannot be read.
    """
    is_limited = any(argument.startswith(_REACH_OPTION) for argument in arguments)
    is_named = _named_configuration(arguments)[0] is not None
    # Each folder above a topmost trusted one contains the submission.
    for folder in dict.fromkeys(
        parent for topmost in topmost_folders for parent in topmost.parents
    ):
        help_by_file: dict[Path, str] = {}
        if not is_named:
            help_by_file |= {file: f"-c {file}" for file in islice(_configuration_files(folder), 1)}
        if not is_limited and (file := folder / CONFTEST).is_file():
            help_by_file[file] = f"{_REACH_OPTION}={folder}"
        for file, option in help_by_file.items():
            yield (
                f"{one_line(str(file))} is not read: the submission is in the same folder or"
                " below it, so the file might be part of the submission\n"
                f"  = help: if the file is yours, add: {one_line(option)}"
            )
