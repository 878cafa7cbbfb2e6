"""Says what is wrong with a command: in one style, and to students in their language.

Staff read English, as everywhere. What a student types, `check` or what looks like it, is answered
in the language of the exercise, as far as the command gives it away.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Final

import click

from grader.cli.suites import likely_language
from grader.cli.terminal import misuse, say, show_error
from grader.errors import GraderError, UsageError
from grader.reporting.wording import DEFAULT_LANGUAGE
from grader.values.foreign_text import one_line

_MESSAGE_CHARS: Final = 2_000
_STUDENTS: Final = "check"
"""The verb that students type."""


class WrongName(click.UsageError):
    """A word that is not a verb, where one should be."""

    def __init__(self, typed: str, near: str | None, ctx: click.Context) -> None:
        """Say that `typed` is no verb, and `near` if that was probably meant."""
        super().__init__(f"No such verb {typed!r}", ctx)
        self.typed: Final = typed
        self.near: Final = near


def show(error: click.ClickException | GraderError, words: Sequence[str]) -> int:
    """Show what is wrong with the command made of `words`; return the exit code."""
    # `grader` alone: for click the help is an error.
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        told = StringIO()
        error.show(told)
        say(told.getvalue().rstrip("\n"))
        return error.exit_code
    ours = error if isinstance(error, GraderError) else _told(error, words)
    show_error(ours)
    return ours.exit_code


def _told(error: click.ClickException, words: Sequence[str]) -> GraderError:
    """Return what click says about `words` as one of our errors, with a way out."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    verb = next(iter(words), "") if ctx is None else ctx.info_name or ""
    command = f"grader {one_line(verb)}" if ctx is None else ctx.command_path
    language = _language(words) if verb == _STUDENTS else DEFAULT_LANGUAGE
    match error:
        case WrongName():
            return _about_verb(error, words)
        case click.NoSuchOption():
            meant = ", ".join(sorted(error.possibilities or ()))
            key = "near_option" if meant else "option"
            option = one_line(error.option_name)
            return misuse(language, key, option=option, meant=meant, command=command)
        case click.BadOptionUsage() if "requires an argument" in error.message:
            return misuse(
                language, "bare_option", option=one_line(error.option_name), command=command
            )
        case click.MissingParameter(param=click.Argument()) if verb == _STUDENTS:
            return misuse(language, "no_path")
        case click.MissingParameter():
            name = error.param.make_metavar(ctx) if error.param and ctx else ""
            return UsageError(f"{name.rstrip('.')} is missing", help=_usage(ctx))
        case click.BadParameter():
            return _about_value(error, words, language, command)
    return UsageError(_as_ours(error.format_message()), help=f"`{command} --help` shows how")


def _about_verb(error: WrongName, words: Sequence[str]) -> GraderError:
    """Return the error for a word that is no verb; somebody who named a file may be a student."""
    typed, near = one_line(error.typed), error.near
    if near is not None and near != _STUDENTS:
        return misuse(DEFAULT_LANGUAGE, "verb", typed=typed, verb=near)
    if near is not None:
        return misuse(_language(words), "verb", typed=typed, verb=near)
    if error.typed.endswith((".py", ".ipynb")) or os.path.exists(error.typed):
        return misuse(_language(words), "bare_path", path=typed)
    return misuse(_language(words), "no_verb", typed=typed)


def _about_value(
    error: click.BadParameter, words: Sequence[str], language: str, command: str
) -> GraderError:
    """Return the error for a value that an option or an argument does not take."""
    names = error.param.opts if error.param is not None else ()
    option = next((name for name in names if _value_of(words, name) is not None), None)
    if language == DEFAULT_LANGUAGE or option is None:
        name = option or max(names, key=len, default="").upper()
        help_ = f"`{command} --help` shows what it takes"
        return UsageError(f"{name}: {_as_ours(error.message)}", help=help_)
    value = one_line(_value_of(words, option) or "")
    return misuse(language, "value", option=option, value=value, command=command)


def _as_ours(message: str) -> str:
    """Return a message of click in our style: lower case, and without a full stop."""
    text = one_line(message, _MESSAGE_CHARS).removesuffix(".")
    return text[:1].lower() + text[1:]


def _usage(ctx: click.Context | None) -> str:
    """Return how to type the command of `ctx`."""
    assert ctx is not None, "click tells whose argument is missing"
    return " ".join((ctx.command_path, *ctx.command.collect_usage_pieces(ctx)))


def watch_alone_error(words: Sequence[str]) -> GraderError:
    """Return the error that `--watch` does not go with options that write files."""
    return misuse(_language(words), "watch_alone")


def _language(words: Sequence[str]) -> str:
    suites = _value_of(words, "--suites")
    paths = [Path(word) for word in words if not word.startswith("-") and os.path.exists(word)]
    exercise = _value_of(words, "--exercise")
    return likely_language(exercise, None if suites is None else Path(suites), paths)


def _value_of(words: Sequence[str], option: str) -> str | None:
    """Return the value given for `option` in `words`, None if there is none."""
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
