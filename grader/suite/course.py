"""Reads the settings of a course in `grader.toml`, which are its language and wording."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from grader.errors import UsageError
from grader.suite.diagnostics import did_you_mean, quote
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
    """The course's own sentences for reports, keyed by language and then by message key."""


def read_course_settings(path: Path) -> CourseSettings:
    """Return the course settings in the file at `path`.

    Raises `UsageError` if the file cannot be read or is invalid.
    """
    location = one_line(str(path))
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"cannot read {location}: {error.strerror}", help="check the permissions of the file"
        ) from error
    except ValueError as error:
        is_not_utf8 = isinstance(error, UnicodeDecodeError)
        raise UsageError(
            f"cannot read {location}: {'it is not UTF-8' if is_not_utf8 else one_line(str(error))}",
            help="save it as UTF-8" if is_not_utf8 else "correct the TOML there",
        ) from error
    for key in settings.keys() - {*_KEYS}:
        raise UsageError(
            f"{location}: unknown key {quote(key)}{did_you_mean(key, _KEYS)}",
            help=f"the keys are {' and '.join(_KEYS)}",
        )
    language = settings.get("language", "en")
    if language not in LANGUAGES:
        raise UsageError(
            f"{location}: unknown language {quote(str(language))}",
            help=f"write one of {', '.join(LANGUAGES)}, in quotes",
        )
    return CourseSettings(
        language=language, wording=_check_wording(settings.get("wording", {}), location)
    )


def course_wording(suites: Path, language: str) -> Mapping[str, str]:
    """Return the wording in `language` of the course whose suites are in the folder `suites`.

    The settings file is in that folder or in its parent. Return an empty mapping if there is no
    such file, or no wording for `language` in it. Raises `UsageError` if the file is invalid.
    """
    # Absolute, as the parent of Path(".") is itself.
    for folder in (suites, suites.absolute().parent):
        if (path := folder / COURSE_NAME).is_file():
            return read_course_settings(path).wording.get(language, {})
    return {}


def _check_wording(table: Any, location: str) -> Mapping[str, Mapping[str, str]]:
    """Return `table` if it maps languages to tables of sentences.

    Raises `UsageError` about the file at `location` otherwise.
    """
    if not isinstance(table, dict):
        raise UsageError(f"{location}: wording is not a table", help="begin it with [wording.en]")
    for language, sentences in table.items():
        if language not in LANGUAGES:
            raise UsageError(
                f"{location}: unknown language {quote(language)} below wording",
                help="begin each table with a language, such as [wording.en]; the languages are"
                f" {', '.join(LANGUAGES)}",
            )
        if not isinstance(sentences, dict) or not all(
            isinstance(sentence, str) for sentence in sentences.values()
        ):
            raise UsageError(
                f"{location}: wording.{language} is not a table of sentences",
                help=f'write the key in quotes below [wording.{language}]: "report.first" = "..."',
            )
    return table
