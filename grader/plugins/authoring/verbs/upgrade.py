"""`grader upgrade`: brings files of an earlier grader to the current format."""

from __future__ import annotations

import re
import stat
import sys
import tomllib
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Final

import click

from grader.cli.suites import worded
from grader.cli.terminal import say, show_error, warn
from grader.errors import GraderError, OutputError, SuiteError, UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.courses import find_course
from grader.plugins.authoring.deriving.settings import SETTINGS_NAME, settings_of
from grader.plugins.authoring.upgrading.changes import SAID_NO_MORE, brought_up
from grader.reporting.writing import replacing
from grader.suite.course import COURSE_NAME
from grader.suite.diagnostics import read_source
from grader.suite.exercises import FOLDER_NAME, REFERENCES
from grader.suite.files import HIDDEN_MARK, is_hidden_suite, read_suite
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.values.foreign_text import one_line

_IN_FOLDERS: Final = (
    COURSE_NAME,
    "*.yaml",
    f"{FOLDER_NAME}/*.yaml",
    SETTINGS_NAME,
    f"{REFERENCES}/*/{SETTINGS_NAME}",
)
"""The files to upgrade in a folder of suites, of an exercise, or of a course."""
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_SENTENCE: Final = re.compile(r'^[ \t]*"?([\w.]+)"?[ \t]*=.*\n?', re.MULTILINE)


@click.command("upgrade")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
def command(paths: Sequence[Path], diff: bool) -> None:
    """Upgrade suites, settings and `grader.toml` of an earlier grader to the current format.

    PATHS are files, folders, or courses. Default: the current course. Each change is shown; all
    else stays as written. A file that would still be invalid stays as it is, with an error.
    """
    failed = 0
    for path in _files(paths or [find_course().folder]):
        try:
            _upgrade(path, only_show=diff)
        except GraderError as error:
            show_error(error)
            say(f"{one_line(str(path))} was not changed")
            failed = failed or error.exit_code
    if failed:
        sys.exit(failed)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files at `paths` that can be upgraded, a hidden suite after its public one."""
    for path in paths:
        if path.is_file():
            yield path
            continue
        found = {file for pattern in _IN_FOLDERS for file in path.glob(pattern)}
        in_order = sorted(found, key=lambda file: (is_hidden_suite(file), file))
        ours = [*filter(_is_ours, in_order)]
        if not ours:
            raise UsageError(
                f"there are no suites or settings in {one_line(str(path))}",
                help="name a suite, a folder of suites, or a course",
            )
        yield from ours


def _is_ours(path: Path) -> bool:
    """Return whether a file in a folder is ours: a YAML file may be for anything else."""
    if path.is_dir():
        warn(f"{one_line(str(path))} is a folder, and is skipped")
        return False
    try:
        return path.name == COURSE_NAME or b"exercise:" in read_suite(path)
    except SuiteError:  # reported at its turn, so that the other files are upgraded
        return True


def _upgrade(path: Path, *, only_show: bool) -> None:
    name = one_line(str(path))
    before = read_source(read_suite(path), str(path)).text
    after, told = _brought_up(path, before)
    mode = stat.S_IMODE(path.stat().st_mode)
    # Replacing would succeed: only the folder has to be writable for that.
    if after != before and not only_show and not mode & _WRITABLE:
        raise OutputError(
            f"{name} is read-only", help="make it writable, and run the same command again"
        )
    for line in told or ["there is nothing to change"]:
        say(f"{name}: {line}")
    if after == before:
        return
    if only_show:
        was, will_be = (text.splitlines(keepends=True) for text in (before, after))
        sys.stdout.writelines(unified_diff(was, will_be, name, name))
        return
    with replacing(path.resolve(), mode) as file:  # resolved, so that a link stays a link
        file.write(after.encode())


def _brought_up(path: Path, text: str) -> tuple[str, list[str]]:
    """Return the upgraded `text` of the file at `path`, and a line for each change.

    Raises `SuiteError` if this grader cannot read the result.
    """
    name = str(path)
    if path.name == COURSE_NAME:
        return _without_sentences(text, name)
    if path.name == SETTINGS_NAME:
        text, told = brought_up(text, name, is_suite=False)
        settings_of(text.encode(), path)
    elif is_hidden_suite(path):
        public = _public_suite(path.with_name(path.name.replace(f"{HIDDEN_MARK}.", ".")))
        groups = frozenset(group.id for group in public.groups)
        text, told = brought_up(text, name, groups=groups)
        parse_hidden_suite(text.encode(), name, public)
    else:
        text, told = brought_up(text, name)
        worded(parse_suite(text.encode(), name, KINDS))
    return text, told


def _public_suite(path: Path) -> Suite:
    """Return the public suite at `path` after its own upgrade."""
    text, _ = brought_up(read_source(read_suite(path), str(path)).text, str(path))
    return parse_suite(text.encode(), str(path), KINDS)


def _without_sentences(text: str, name: str) -> tuple[str, list[str]]:
    """Return the settings of a course without sentences that reports no longer use."""
    told: list[str] = []

    def kept(line: re.Match[str]) -> str:
        if line[1] not in SAID_NO_MORE:
            return line[0]
        told.append(f"a sentence that is said no more is left out: {one_line(line[0])}")
        return ""

    text = _SENTENCE.sub(kept, text)
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise SuiteError(f"{one_line(name)} is not valid TOML: {one_line(str(error))}") from error
    return text, told
