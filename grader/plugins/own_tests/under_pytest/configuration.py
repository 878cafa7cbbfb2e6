"""Finds the files that set pytest up for tests of an instructor, but none that was handed in.

pytest looks for them in the folder of the tests and above. A submission may lie in one of those
folders as well, as in a student's repository: files there may be the student's, and are not walled.
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
"""The files of which pytest reads the first with settings: see its "Configuration" reference."""
_PYTHON_FILES: Final = "test_*.py *_test.py *_Test.py *Test.py *Tests.py tests.py test.py"
_CONFIGURATION_OPTIONS: Final = ("-c", "--config-file")
_REPORTS: Final = ("--junitxml", "--junit-xml")
_XDIST_OPTIONS: Final = ("-n", "--numprocesses", "--dist", "--maxprocesses")
_XDIST_SHORT: Final = re.compile(r"-n(\d+|auto|logical)")
_REACH: Final = "--confcutdir"
"""The options of pytest that say which file sets it up, and up to where `conftest.py` is read."""


def configured(own: OwnSettings, submission: Path | None) -> tuple[OwnSettings, list[str]]:
    """Return `own` with the settings of the tests, and a sentence on each file that is left out.

    Without a `submission` all files are the author's. Raises `UsageError` for a file that pytest
    cannot read.
    """
    reach = [_topmost(folder, submission) for folder in own.folders]
    named, arguments = _named_configuration(own.arguments)
    file, settings = (named, _read(named)) if named else _found_configuration(own.folders, reach)
    added_options = ["-o", "addopts="]  # these are read here, and added to the arguments
    if "python_files" not in settings:
        added_options += ["-o", f"python_files={_PYTHON_FILES}"]
    added = settings.get("addopts", ())
    _refuse_reports(arguments)
    added = shlex.split(added) if isinstance(added, str) else added
    requested = [*(each for each in added if not _is_report(each)), *arguments]
    paths = settings.get("pythonpath", ())
    paths = shlex.split(paths) if isinstance(paths, str) else paths
    reads = [os.path.join(file.parent if file else "", each) for each in paths]
    is_limited = any(each.startswith(_REACH) for each in arguments)
    configured = replace(
        own,
        arguments=(*added_options, *_without_xdist(requested)),
        reads=(*own.reads, *map(os.path.abspath, reads)),
        reach=() if is_limited else _conftest_folders(own, reach),
        configuration=None if file is None else str(file),
    )
    sentences = list(_left_out(reach, own.arguments))
    if _without_xdist(requested) != requested:
        sentences.append(
            "-n is left out: tests of your own run one by one, and with --out, --jobs counts"
        )
    return configured, sentences


def _is_report(argument: str) -> bool:
    return argument.partition("=")[0] in _REPORTS


def _refuse_reports(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for a report file, which pytest could not write behind the wall."""
    for each in filter(_is_report, arguments):
        raise UsageError(
            f"{one_line(each)}: tests write in temporary folders alone, so pytest has no file to"
            " report to",
            help="--json prints what came of them, and --out writes reports",
        )


def _conftest_folders(own: OwnSettings, reach: Sequence[Path]) -> tuple[str, ...]:
    """Return, for each folder of tests, the topmost one above with a `conftest.py`, or itself."""
    found = []
    for folder, topmost in zip(own.folders, reach, strict=True):
        place = folder.resolve()
        above = [each for each in place.parents if each.is_relative_to(topmost)]
        with_conftest = [each for each in above if (each / CONFTEST).is_file()]
        found.append(str(with_conftest[-1] if with_conftest else place))
    return tuple(found)


def _without_xdist(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` without those of pytest-xdist, as the tests have one process."""
    kept, remaining = list[str](), iter(arguments)
    for each in remaining:
        option, has_value, _ = each.partition("=")
        if option in _XDIST_OPTIONS:
            if not has_value:
                next(remaining, None)
        elif not _XDIST_SHORT.fullmatch(each):
            kept.append(each)
    return kept


def _topmost(folder: Path, submission: Path | None) -> Path:
    """Return the topmost folder above the tests that does not contain the submission."""
    handed_in = submission and submission.resolve()
    topmost = folder.resolve()
    for each in topmost.parents:
        if handed_in and handed_in.is_relative_to(each):
            break
        topmost = each
    return topmost


def _named_configuration(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Return the configuration file that `arguments` name, and the other arguments."""
    named, others, remaining = None, list[str](), iter(arguments)
    for each in remaining:
        option, _, value = each.partition("=")
        if each.startswith("-c") and each not in _CONFIGURATION_OPTIONS:
            option, value = "-c", each[2:]  # `-cFILE`
        if option in _CONFIGURATION_OPTIONS:
            named = Path(os.path.abspath(value or next(remaining, "")))
        else:
            others.append(each)
    return named, others


def _found_configuration(
    folders: Sequence[Path], reach: Sequence[Path]
) -> tuple[Path | None, dict[str, Any]]:
    """Return the configuration file for tests in `folders`, and its settings."""
    for folder, topmost in zip(folders, reach, strict=True):
        place = folder.resolve()
        for each in (place, *place.parents):
            if not each.is_relative_to(topmost):
                break
            for file in _files(each):
                return file, _read(file)
    return None, {}


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that have settings for pytest."""
    for name in _NAMES:
        file = folder / name
        if file.is_file() and _loaded(file) is not None:
            yield file


def _read(file: Path) -> dict[str, Any]:
    """Return the settings in a file."""
    if not file.is_file():
        raise UsageError(f"there is no {one_line(str(file))}", help="name a file with -c")
    return {name: getattr(each, "value", each) for name, each in (_loaded(file) or {}).items()}


def _loaded(file: Path) -> dict[str, Any] | None:
    """Return the settings that pytest reads from a file, None if it has no section for pytest."""
    from _pytest.config.exceptions import UsageError as Unreadable  # noqa: PLC0415 - it imports pytest
    from _pytest.config.findpaths import load_config_dict_from_file  # noqa: PLC0415 - it, too

    try:
        return load_config_dict_from_file(file)
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{one_line(str(file))} cannot be read: {one_line(str(error))}",
            help="it would set pytest up for your tests; mend it, or name another file with -c",
        ) from error


def _left_out(reach: Sequence[Path], arguments: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each file that pytest would read, but that may have been handed in."""
    is_limited = any(each.startswith(_REACH) for each in arguments)
    is_named = _named_configuration(arguments)[0] is not None
    for folder in dict.fromkeys(above for topmost in reach for above in topmost.parents):
        help_by_file: dict[Path, str] = {}
        if not is_named:
            help_by_file |= {file: f"-c {file}" for file in islice(_files(folder), 1)}
        if not is_limited and (file := folder / CONFTEST).is_file():
            help_by_file[file] = f"{_REACH}={folder}"
        for file, option in help_by_file.items():
            yield (
                f"{one_line(str(file))} is not read: the submission lies in the same folder,"
                " or below, and may have brought it along\n"
                f"  = help: if it is yours, add: {one_line(option)}"
            )
