"""Reports mistakes in a command in a uniform style, and to students in their language.

Staff get English, as everywhere. For `check`, which students use, and for words that look like it,
the message is in the exercise's language, if the command reveals the exercise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Final

import click

from grader.cli.suites import likely_language
from grader.cli.terminal import say, show_error, student_usage_error
from grader.errors import GraderError, UsageError
from grader.reporting.wording import DEFAULT_LANGUAGE
from grader.values.foreign_text import one_line

_MESSAGE_CHARS: Final = 2_000
_STUDENT_VERB: Final = "check"
"""The verb that students use."""


class WrongName(click.UsageError):
    """The first word of the command is not a verb."""

    def __init__(self, word: str, similar_verb: str | None, ctx: click.Context) -> None:
        """Store the `word`, and the `similar_verb` that was probably meant, if any."""
        super().__init__(f"No such verb {word!r}", ctx)
        self.word: Final = word
        self.similar_verb: Final = similar_verb


def show(error: click.ClickException | GraderError, words: Sequence[str]) -> int:
    """Print the `error` in the command with these `words`, and return the exit code."""
    # For `grader` alone, click raises its help as an error.
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        text = StringIO()
        error.show(text)
        say(text.getvalue().rstrip("\n"))
        return error.exit_code
    grader_error = error if isinstance(error, GraderError) else _as_grader_error(error, words)
    show_error(grader_error)
    return grader_error.exit_code


def _as_grader_error(error: click.ClickException, words: Sequence[str]) -> GraderError:
    """Convert click's `error` in the command with these `words` to a `GraderError` with help."""
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
            return student_usage_error(language, key, option=option, meant=meant, command=command)
        # Click has no class of its own for this mistake.
        case click.BadOptionUsage() if "requires an argument" in error.message:
            return student_usage_error(
                language, "bare_option", option=one_line(error.option_name), command=command
            )
        case click.MissingParameter(param=click.Argument()) if verb == _STUDENT_VERB:
            return student_usage_error(language, "no_path")
        case click.MissingParameter():
            name = error.param.make_metavar(ctx) if error.param and ctx else ""
            return UsageError(f"{name.rstrip('.')} is missing", help=_usage_line(ctx))
        case click.BadParameter():
            return _value_error(error, words, language, command)
    return UsageError(_in_grader_style(error.format_message()), help=f"see `{command} --help`")


def _verb_error(error: WrongName, words: Sequence[str]) -> GraderError:
    """Return the error for a word that is not a verb.

    If the word is a file, the user is probably a student who left out `check`.
    """
    word, similar_verb = one_line(error.word), error.similar_verb
    if similar_verb is not None:
        language = _language(words) if similar_verb == _STUDENT_VERB else DEFAULT_LANGUAGE
        return student_usage_error(language, "verb", typed=word, verb=similar_verb)
    if error.word.endswith((".py", ".ipynb")) or os.path.exists(error.word):
        return student_usage_error(_language(words), "bare_path", path=word)
    return student_usage_error(_language(words), "no_verb", typed=word)


def _value_error(
    error: click.BadParameter, words: Sequence[str], language: str, command: str
) -> GraderError:
    """Return the error for a value that an option or an argument does not accept.

    The error repeats click's message, unless the student's `language` is not the one of click.
    """
    names = error.param.opts if error.param is not None else ()
    option = next((name for name in names if _option_value(words, name) is not None), None)
    if language == DEFAULT_LANGUAGE or option is None:
        name = option or max(names, key=len, default="").upper()
        help_ = f"see `{command} --help` for the accepted values"
        return UsageError(f"{name}: {_in_grader_style(error.message)}", help=help_)
    value = one_line(_option_value(words, option) or "")
    return student_usage_error(language, "value", option=option, value=value, command=command)


def _in_grader_style(message: str) -> str:
    """Return click's `message` in the grader's style: in lower case, without a full stop."""
    text = one_line(message, _MESSAGE_CHARS).removesuffix(".")
    return text[:1].lower() + text[1:]


def _usage_line(ctx: click.Context | None) -> str:
    """Return the usage line of the command in `ctx`."""
    assert ctx is not None, "click sets the context of a missing argument"
    return " ".join((ctx.command_path, *ctx.command.collect_usage_pieces(ctx)))


def watch_combination_error(words: Sequence[str]) -> GraderError:
    """Return the error for combining `--watch` with options that write files."""
    return student_usage_error(_language(words), "watch_alone")


def _language(words: Sequence[str]) -> str:
    """Return the likely language of the user who typed the command with these `words`."""
    suites = _option_value(words, "--suites")
    paths = [Path(word) for word in words if not word.startswith("-") and os.path.exists(word)]
    exercise = _option_value(words, "--exercise")
    return likely_language(exercise, None if suites is None else Path(suites), paths)


def _option_value(words: Sequence[str], option: str) -> str | None:
    """Return the value of `option` in `words`, or None if the option or its value is missing."""
    for word, following in zip(words, [*words[1:], None], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
