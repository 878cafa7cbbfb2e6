"""Reads the settings of a course, `grader.toml`: its language, and its own wording."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.suite.diagnostics import did_you_mean, quoted
from grader.suite.model import LANGUAGES
from grader.values.foreign_text import one_line

COURSE_NAME: Final = "grader.toml"
_KEYS: Final = ("language", "wording")


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseSettings:
    """The settings of a course."""

    language: str = "en"
    """The language of new exercises."""
    wording: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The course's own sentences for reports, by language and message key."""


def course_settings(path: Path) -> CourseSettings:
    """Return the settings of a course in the file at `path`; raises `UsageError`."""
    where = one_line(str(path))
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    # ValueError covers TOML errors and bytes that are not UTF-8.
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {where}: {one_line(str(error))}") from error
    for key in settings.keys() - {*_KEYS}:
        raise UsageError(
            f"{where}: unknown key {quoted(key)}{did_you_mean(key, _KEYS)}",
            help=f"the keys are {' and '.join(_KEYS)}",
        )
    language = _known_language(settings.get("language", "en"), where)
    return CourseSettings(language=language, wording=_wording(settings.get("wording", {}), where))


def course_words(suites: Path, language: str) -> Mapping[str, str]:
    """Return the wording in `language` of the course with the folder `suites`.

    Its settings are in that folder or next to it. Raises `UsageError` if they cannot be read.
    """
    for folder in (suites, suites.absolute().parent):  # the parent of Path(".") is itself
        if (path := folder / COURSE_NAME).is_file():
            return course_settings(path).wording.get(language, {})
    return {}


def _wording(written: Any, where: str) -> Mapping[str, Mapping[str, str]]:
    """Return the table `written` if it maps languages to sentences; raises `UsageError`."""
    if not isinstance(written, dict):
        raise UsageError(f"{where}: wording must be a table", help="begin it with [wording.en]")
    for language, sentences in written.items():
        _known_language(language, where)
        if not isinstance(sentences, dict) or not all(
            isinstance(each, str) for each in sentences.values()
        ):
            raise UsageError(
                f"{where}: wording.{language} must be a table of sentences",
                help=f'write the key in quotes below [wording.{language}]: "report.first" = "..."',
            )
    return written


def _known_language(language: object, where: str) -> str:
    if language not in LANGUAGES:
        raise UsageError(
            f"{where}: unknown language {quoted(str(language))}",
            help=f"write one of {', '.join(LANGUAGES)}, in quotes",
        )
    return str(language)
