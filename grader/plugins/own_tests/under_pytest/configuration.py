"""Finds the files that set pytest up for tests of an instructor, and none that was handed in.

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
_NAMED: Final = ("-c", "--config-file")
_REPORTS: Final = ("--junitxml", "--junit-xml")
_SPREADING: Final = ("-n", "--numprocesses", "--dist", "--maxprocesses")
_SPREAD: Final = re.compile(r"-n(\d+|auto|logical)")
_REACH: Final = "--confcutdir"
"""The options of pytest that say which file sets it up, and up to where `conftest.py` is read."""


def configured(own: OwnSettings, submission: Path | None) -> tuple[OwnSettings, list[str]]:
    """Return `own` with the settings of the tests, and a sentence on each file that is left out.

    Without a `submission` all files are the author's. Raises `UsageError` for a file that pytest
    cannot read.
    """
    reach = [_highest(folder, submission) for folder in own.folders]
    named, arguments = _named(own.arguments)
    file, settings = (named, _read(named)) if named else _found(own.folders, reach)
    ours = ["-o", "addopts="]  # these are read here, and added to the arguments
    if "python_files" not in settings:
        ours += ["-o", f"python_files={_PYTHON_FILES}"]
    added = settings.get("addopts", ())
    _refuse_reports(arguments)
    added = shlex.split(added) if isinstance(added, str) else added
    asked = [*(each for each in added if not _is_report(each)), *arguments]
    paths = settings.get("pythonpath", ())
    paths = shlex.split(paths) if isinstance(paths, str) else paths
    reads = [os.path.join(file.parent if file else "", each) for each in paths]
    configured = replace(
        own,
        arguments=(*ours, *_alone(asked)),
        reads=(*own.reads, *map(os.path.abspath, reads)),
        reach=() if any(each.startswith(_REACH) for each in arguments) else _read_in(own, reach),
        configuration=None if file is None else str(file),
    )
    told = list(_left_out(reach, own.arguments))
    if _alone(asked) != asked:
        told.append(
            "-n is left out: tests of your own run one by one, and with --out, --jobs counts"
        )
    return configured, told


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


def _read_in(own: OwnSettings, reach: Sequence[Path]) -> tuple[str, ...]:
    """Return, for each folder of tests, the topmost one above with a `conftest.py`, or itself."""
    found = []
    for folder, highest in zip(own.folders, reach, strict=True):
        place = folder.resolve()
        above = [each for each in place.parents if each.is_relative_to(highest)]
        has_one = [each for each in above if (each / CONFTEST).is_file()]
        found.append(str(has_one[-1] if has_one else place))
    return tuple(found)


def _alone(arguments: Sequence[str]) -> list[str]:
    """Return `arguments` without those of pytest-xdist, as the tests have one process."""
    kept, waiting = list[str](), iter(arguments)
    for each in waiting:
        option, has_value, _ = each.partition("=")
        if option in _SPREADING:
            if not has_value:
                next(waiting, None)
        elif not _SPREAD.fullmatch(each):
            kept.append(each)
    return kept


def _highest(folder: Path, submission: Path | None) -> Path:
    """Return the topmost folder above the tests that does not contain the submission."""
    handed_in = submission and submission.resolve()
    highest = folder.resolve()
    for each in highest.parents:
        if handed_in and handed_in.is_relative_to(each):
            break
        highest = each
    return highest


def _named(arguments: Sequence[str]) -> tuple[Path | None, list[str]]:
    """Return the configuration file that `arguments` name, and the other arguments."""
    named, others, waiting = None, list[str](), iter(arguments)
    for each in waiting:
        option, _, value = each.partition("=")
        if each.startswith("-c") and each not in _NAMED:
            option, value = "-c", each[2:]  # `-cFILE`
        if option in _NAMED:
            named = Path(os.path.abspath(value or next(waiting, "")))
        else:
            others.append(each)
    return named, others


def _found(folders: Sequence[Path], reach: Sequence[Path]) -> tuple[Path | None, dict[str, Any]]:
    """Return the configuration file for tests in `folders`, and its settings."""
    for folder, highest in zip(folders, reach, strict=True):
        place = folder.resolve()
        for each in (place, *place.parents):
            if not each.is_relative_to(highest):
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
    reaches = any(each.startswith(_REACH) for each in arguments)
    is_named = _named(arguments)[0] is not None
    for folder in dict.fromkeys(above for highest in reach for above in highest.parents):
        ways: dict[Path, str] = {}
        if not is_named:
            ways |= {file: f"-c {file}" for file in islice(_files(folder), 1)}
        if not reaches and (file := folder / CONFTEST).is_file():
            ways[file] = f"{_REACH}={folder}"
        for file, way in ways.items():
            yield (
                f"{one_line(str(file))} is not read: the submission lies in the same folder,"
                " or below, and may have brought it along\n"
                f"  = help: if it is yours, add: {one_line(way)}"
            )
