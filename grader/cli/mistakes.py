"""Says what is wrong with a command: to students in the language of their exercise.

Where a command of theirs could not be read, the language is looked for in its words: the exercise
that is named, the one that a file fits, the one that all suites are in, and else that of the
computer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Final

import click

from grader.cli.suites import language_of, suite_of
from grader.cli.terminal import misuse, say, show_error
from grader.errors import GraderError
from grader.intake.submissions import single_entry
from grader.reporting.wording import LANGUAGES
from grader.suite.exercises import common_language, suite_paths, suites_folder
from grader.values.foreign_text import one_line

_STUDENTS: Final = "check"
"""The verb that students type."""
_ENVIRONMENT: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


class WrongName(click.UsageError):
    """A verb that is nearly one of ours."""

    def __init__(self, typed: str, near: str, ctx: click.Context) -> None:
        """Say that `near` was meant by what was `typed`."""
        super().__init__(f"No such verb {typed!r}: did you mean {near}?", ctx)
        self.typed: Final = typed
        self.near: Final = near


def show(error: click.ClickException | GraderError, words: Sequence[str]) -> int:
    """Say what is wrong with the command that has these `words`; return the exit code.

    Click has to say what is no student's mistake, or of a kind that is not known here.
    """
    ours = error if isinstance(error, GraderError) else _told_to_student(error, words)
    if ours is not None:
        show_error(ours)
        return ours.exit_code
    assert isinstance(error, click.ClickException)
    told = StringIO()
    error.show(told)  # it may name a file that a stranger has named
    say(told.getvalue().rstrip("\n"))
    return error.exit_code


def _told_to_student(error: click.ClickException, words: Sequence[str]) -> GraderError | None:
    """Return `error` in the language of the exercise that `words` are about."""
    match error:
        case WrongName() if error.near == _STUDENTS:
            return misuse(_language(words), "verb", typed=one_line(error.typed), verb=error.near)
        case click.UsageError() if _verb(error, words) == _STUDENTS:
            return _about_check(error, words)
    return None


def _verb(error: click.UsageError, words: Sequence[str]) -> str | None:
    """Return the verb that `error` is about; of a missing value click does not tell it."""
    return error.ctx.info_name if error.ctx is not None else next(iter(words), None)


def _about_check(error: click.UsageError, words: Sequence[str]) -> GraderError | None:
    match error:
        case click.NoSuchOption():
            option = one_line(error.option_name)
            if error.possibilities:
                meant = ", ".join(sorted(error.possibilities))
                return misuse(_language(words), "near_option", option=option, meant=meant)
            return misuse(_language(words), "option", option=option)
        case click.BadOptionUsage() if "requires an argument" in error.message:
            option = one_line(error.option_name)
            return misuse(_language(words), "bare_option", option=option)
        case click.MissingParameter(param=click.Argument()):
            return misuse(_language(words), "no_path")
    return None


def watched_alone(words: Sequence[str]) -> GraderError:
    """Return that `--watch` goes with no option that writes files, as `words` have it."""
    return misuse(_language(words), "watch_alone")


def _language(words: Sequence[str]) -> str:
    return next(_languages(words), "")


def _languages(words: Sequence[str]) -> Iterator[str]:
    """Yield the languages that may be those of who typed `words`, the likeliest first."""
    suites = _value(words, "--suites")
    folder = None if suites is None else Path(suites)
    if exercise := _value(words, "--exercise"):
        with suppress(GraderError):
            yield language_of(exercise, folder)
    for word in words:
        if not word.startswith("-") and os.path.exists(word):
            with suppress(GraderError):
                yield suite_of(single_entry(Path(word)), None, folder).language
    with suppress(GraderError):
        if language := common_language(suite_paths(suites_folder(folder)).values()):
            yield language
    for name in _ENVIRONMENT:
        if (language := os.environ.get(name, "")[:2]) in LANGUAGES:
            yield language


def _value(words: Sequence[str], option: str) -> str | None:
    """Return what is given for `option` in `words`, None where nothing is."""
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
