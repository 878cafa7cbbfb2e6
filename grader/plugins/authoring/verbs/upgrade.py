"""`grader upgrade`: converts files of an earlier grader version to the current format."""

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

from grader.cli.suites import with_wording
from grader.cli.terminal import say, show_error, warn
from grader.errors import GraderError, OutputError, SuiteError, UsageError
from grader.judging.rules import KINDS
from grader.plugins.authoring.courses import find_course
from grader.plugins.authoring.deriving.settings import SETTINGS_NAME, parse_settings
from grader.plugins.authoring.upgrading.changes import REMOVED_SENTENCE_KEYS, upgrade_text
from grader.reporting.writing import replacing
from grader.suite.course import COURSE_NAME
from grader.suite.diagnostics import read_source
from grader.suite.exercises import FOLDER_NAME, REFERENCES
from grader.suite.files import HIDDEN_MARK, is_hidden_suite, read_suite
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.values.foreign_text import one_line

_FILE_PATTERNS: Final = (
    COURSE_NAME,
    "*.yaml",
    f"{FOLDER_NAME}/*.yaml",
    SETTINGS_NAME,
    f"{REFERENCES}/*/{SETTINGS_NAME}",
)
"""Patterns of the files to upgrade in the folder of a course, of suites, or of an exercise."""
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_SENTENCE_LINE: Final = re.compile(r'^[ \t]*"?([\w.]+)"?[ \t]*=.*\n?', re.MULTILINE)


@click.command("upgrade")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--diff", is_flag=True, help="Write nothing; show the changes.")
def command(paths: Sequence[Path], diff: bool) -> None:
    """Upgrade suites, settings and `grader.toml` from an earlier grader version.

    PATHS are files, folders or courses. Default: the current course. Each change is shown, and
    everything else stays as written. A file that would still be invalid is only reported.
    """
    exit_code = 0
    for path in _files(paths or [find_course().folder]):
        try:
            _upgrade_file(path, only_show=diff)
        except GraderError as error:
            show_error(error)
            say(f"{one_line(str(path))} was not changed")
            exit_code = exit_code or error.exit_code  # the other files can still be upgraded
    if exit_code:
        sys.exit(exit_code)


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files at `paths` to upgrade, with hidden suites after public ones.

    Raises `UsageError` for a folder without such files.
    """
    for path in paths:
        if path.is_file():
            yield path
            continue
        paths_found = {file for pattern in _FILE_PATTERNS for file in path.glob(pattern)}
        ordered = sorted(paths_found, key=lambda file: (is_hidden_suite(file), file))
        upgradable = [*filter(_is_grader_file, ordered)]
        if not upgradable:
            raise UsageError(
                f"the folder contains no suites or settings: {one_line(str(path))}",
                help="give a suite, a folder of suites, or a course",
            )
        yield from upgradable


def _is_grader_file(path: Path) -> bool:
    """Return whether the file at `path` belongs to the grader.

    There can be other YAML files in the same folder. For a folder, return False and print a
    warning.
    """
    if path.is_dir():
        warn(f"skipped, because it is a folder: {one_line(str(path))}")
        return False
    try:
        return path.name == COURSE_NAME or b"exercise:" in read_suite(path)
    except SuiteError:  # reported when this file is upgraded, so that the others are upgraded too
        return True


def _upgrade_file(path: Path, *, only_show: bool) -> None:
    """Upgrade the file at `path` and print each change.

    With `only_show`, print a diff too, but leave the file unchanged. Raises `OutputError` for a
    read-only file and `SuiteError` for one that cannot be upgraded.
    """
    name = one_line(str(path))
    before = read_source(read_suite(path), str(path)).text
    after, messages = _upgraded_text(path, before)
    mode = stat.S_IMODE(path.stat().st_mode)
    # Must be checked, because replacing a read-only file succeeds if its folder is writable.
    if after != before and not only_show and not mode & _WRITABLE:
        raise OutputError(
            f"{name} is read-only", help="make it writable and run the same command again"
        )
    for message in messages or ["there is nothing to change"]:
        say(f"{name}: {message}")
    if after == before:
        return
    if only_show:
        old_lines, new_lines = (text.splitlines(keepends=True) for text in (before, after))
        sys.stdout.writelines(unified_diff(old_lines, new_lines, name, name))
        return
    with replacing(path.resolve(), mode) as file:  # resolved, so that a link is not replaced
        file.write(after.encode())


def _upgraded_text(path: Path, text: str) -> tuple[str, list[str]]:
    """Return the upgraded `text` of the file at `path`, and a message for each change.

    Raises `SuiteError` if the result is invalid.
    """
    name = str(path)
    if path.name == COURSE_NAME:
        return _remove_sentences(text, name)
    if path.name == SETTINGS_NAME:
        text, messages = upgrade_text(text, name, is_suite=False)
        parse_settings(text.encode(), path)
    elif is_hidden_suite(path):
        public = _public_suite(path.with_name(path.name.replace(f"{HIDDEN_MARK}.", ".")))
        groups = frozenset(group.id for group in public.groups)
        text, messages = upgrade_text(text, name, groups=groups)
        parse_hidden_suite(text.encode(), name, public)
    else:
        text, messages = upgrade_text(text, name)
        with_wording(parse_suite(text.encode(), name, KINDS))
    return text, messages


def _public_suite(path: Path) -> Suite:
    """Return the public suite at `path`, upgraded in memory."""
    text, _ = upgrade_text(read_source(read_suite(path), str(path)).text, str(path))
    return parse_suite(text.encode(), str(path), KINDS)


def _remove_sentences(text: str, name: str) -> tuple[str, list[str]]:
    """Return the text of `grader.toml` without obsolete sentences.

    Also return a message for each removed sentence. Raises `SuiteError` if the result is not valid
    TOML.
    """
    messages: list[str] = []

    def replace_line(line: re.Match[str]) -> str:
        if line[1] not in REMOVED_SENTENCE_KEYS:
            return line[0]
        messages.append(f"removed an obsolete sentence: {one_line(line[0])}")
        return ""

    text = _SENTENCE_LINE.sub(replace_line, text)
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise SuiteError(
            f"{one_line(name)} is not valid TOML: {one_line(str(error))}",
            help="correct it, or delete the obsolete sentences by hand, and try again",
        ) from error
    return text, messages
