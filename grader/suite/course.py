"""What a course says of itself, in its `grader.toml`: its language, and its own words."""

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
    """Of new exercises."""
    wording: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By language, sentences of reports in words of the course, by their keys."""


def course_settings(path: Path) -> CourseSettings:
    """Return what the settings of a course at `path` say; raises `UsageError`."""
    where = one_line(str(path))
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {where}: {one_line(str(error))}") from error
    for key in found.keys() - {*_KEYS}:
        raise UsageError(
            f"{where}: unknown key {quoted(key)}{did_you_mean(key, _KEYS)}",
            help=f"the keys are {' and '.join(_KEYS)}",
        )
    language = _known_language(found.get("language", "en"), where)
    return CourseSettings(language=language, wording=_wording(found.get("wording", {}), where))


def course_words(suites: Path, language: str) -> Mapping[str, str]:
    """Return the words in `language` of the course that has the folder `suites`.

    Its settings lie in that folder or beside it. Raises `UsageError` if they cannot be read.
    """
    for folder in (suites, suites.absolute().parent):
        if (path := folder / COURSE_NAME).is_file():
            return course_settings(path).wording.get(language, {})
    return {}


def _wording(written: Any, where: str) -> Mapping[str, Mapping[str, str]]:
    if not isinstance(written, dict):
        raise UsageError(f"{where}: wording is no table", help="begin it with [wording.en]")
    for language, sentences in written.items():
        _known_language(language, where)
        if not isinstance(sentences, dict) or not all(
            isinstance(each, str) for each in sentences.values()
        ):
            raise UsageError(
                f"{where}: wording.{language} is no table of sentences",
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
