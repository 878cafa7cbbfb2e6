"""Reports mistakes in a command: in one style, and to students in their language.

Staff read English, as everywhere. For `check`, which students type, or a word that looks like it,
the message is in the language of the exercise, as far as the command shows it.
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
_STUDENT_VERB: Final = "check"
"""The verb that students type."""


class WrongName(click.UsageError):
    """A word in place of a verb that is not a verb."""

    def __init__(self, typed: str, near: str | None, ctx: click.Context) -> None:
        """Keep the word `typed`, and the verb `near` that was probably meant, if any."""
        super().__init__(f"No such verb {typed!r}", ctx)
        self.typed: Final = typed
        self.near: Final = near


def show(error: click.ClickException | GraderError, words: Sequence[str]) -> int:
    """Print the `error` in the command made of `words`; return the exit code."""
    # `grader` alone: for click the help is an error.
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        text = StringIO()
        error.show(text)
        say(text.getvalue().rstrip("\n"))
        return error.exit_code
    grader_error = error if isinstance(error, GraderError) else _as_grader_error(error, words)
    show_error(grader_error)
    return grader_error.exit_code


def _as_grader_error(error: click.ClickException, words: Sequence[str]) -> GraderError:
    """Return click's `error` about `words` as one of our errors, with help."""
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    verb = next(iter(words), "") if ctx is None else ctx.info_name or ""
    command = f"grader {one_line(verb)}" if ctx is None else ctx.command_path
    language = _language(words) if verb == _STUDENT_VERB else DEFAULT_LANGUAGE
    match error:
        case WrongName():
            return _verb_error(error, words)
        case click.NoSuchOption():
            meant = ", ".join(sorted(error.possibilities or ()))
            key = "near_option" if meant else "option"
            option = one_line(error.option_name)
            return misuse(language, key, option=option, meant=meant, command=command)
        case click.BadOptionUsage() if "requires an argument" in error.message:
            return misuse(
                language, "bare_option", option=one_line(error.option_name), command=command
            )
        case click.MissingParameter(param=click.Argument()) if verb == _STUDENT_VERB:
            return misuse(language, "no_path")
        case click.MissingParameter():
            name = error.param.make_metavar(ctx) if error.param and ctx else ""
            return UsageError(f"{name.rstrip('.')} is missing", help=_usage(ctx))
        case click.BadParameter():
            return _value_error(error, words, language, command)
    return UsageError(_in_our_style(error.format_message()), help=f"`{command} --help` shows how")


def _verb_error(error: WrongName, words: Sequence[str]) -> GraderError:
    """Return the error for a word that is not a verb; a user who typed a file may be a student."""
    typed, near = one_line(error.typed), error.near
    if near is not None and near != _STUDENT_VERB:
        return misuse(DEFAULT_LANGUAGE, "verb", typed=typed, verb=near)
    if near is not None:
        return misuse(_language(words), "verb", typed=typed, verb=near)
    if error.typed.endswith((".py", ".ipynb")) or os.path.exists(error.typed):
        return misuse(_language(words), "bare_path", path=typed)
    return misuse(_language(words), "no_verb", typed=typed)


def _value_error(
    error: click.BadParameter, words: Sequence[str], language: str, command: str
) -> GraderError:
    """Return the error for a value that an option or an argument does not accept."""
    names = error.param.opts if error.param is not None else ()
    option = next((name for name in names if _value_of(words, name) is not None), None)
    if language == DEFAULT_LANGUAGE or option is None:
        name = option or max(names, key=len, default="").upper()
        help_ = f"`{command} --help` shows what it takes"
        return UsageError(f"{name}: {_in_our_style(error.message)}", help=help_)
    value = one_line(_value_of(words, option) or "")
    return misuse(language, "value", option=option, value=value, command=command)


def _in_our_style(message: str) -> str:
    """Return click's `message` in our style: lower case, without a full stop."""
    text = one_line(message, _MESSAGE_CHARS).removesuffix(".")
    return text[:1].lower() + text[1:]


def _usage(ctx: click.Context | None) -> str:
    """Return how to type the command of `ctx`."""
    assert ctx is not None, "click says whose argument is missing"
    return " ".join((ctx.command_path, *ctx.command.collect_usage_pieces(ctx)))


def watch_alone_error(words: Sequence[str]) -> GraderError:
    """Return the error that `--watch` cannot be combined with options that write files."""
    return misuse(_language(words), "watch_alone")


def _language(words: Sequence[str]) -> str:
    suites = _value_of(words, "--suites")
    paths = [Path(word) for word in words if not word.startswith("-") and os.path.exists(word)]
    exercise = _value_of(words, "--exercise")
    return likely_language(exercise, None if suites is None else Path(suites), paths)


def _value_of(words: Sequence[str], option: str) -> str | None:
    """Return the value of `option` in `words`, None if it is missing."""
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
