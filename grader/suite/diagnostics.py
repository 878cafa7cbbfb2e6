"""Diagnostics of mistakes in a suite, rendered in the style of compilers.

This module also reads the source of a suite, and suggests known words for misspelt ones.

::

    error: unknown key 'stdot' (did you mean 'stdout'?)
      --> testsuites/yinyang.yaml:6:7
       |
     6 |       stdot: |
       |       ^^^^^
       = help: keys of a step: do, group, case, ...
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Final

from grader.errors import SuiteError
from grader.values.foreign_text import clip, escape_controls, one_line

MAX_SHOWN: Final = 20
"""The number of diagnostics that are rendered; further ones are only counted."""

_WINDOW: Final = 100
"""How many characters of a source line are shown. If the line is longer, they are the characters
around the mistake."""
_DOUBLE_WIDTH: Final = frozenset({"F", "W"})
"""The classes of East Asian characters that take up two columns in a terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One mistake in a file; `line` and `column` count from 1, and columns are characters."""

    file: str
    line: int
    column: int
    message: str
    help: str | None = None
    source: str = ""
    """The line with the mistake, or "" if the mistake concerns the whole file."""
    width: int = 1
    """Number of wrong characters, starting at `column`."""


class InvalidSuite(SuiteError):
    """A suite has mistakes; `diagnostics` contains all of them, in the order of the file."""

    def __init__(self, name: str, diagnostics: Iterable[Diagnostic]) -> None:
        """Store the `diagnostics` of the suite `name`, sorted and without duplicates."""
        # Two checks can find the same mistake.
        distinct = dict.fromkeys(diagnostics)
        self.diagnostics = tuple(
            sorted(distinct, key=lambda diagnostic: (diagnostic.line, diagnostic.column))
        )
        count = len(self.diagnostics)
        super().__init__(f"{one_line(name)}: {count} error{'s' if count != 1 else ''}")

    def __str__(self) -> str:
        """Return the rendered diagnostics."""
        return render_all(self.diagnostics)


def render_all(diagnostics: tuple[Diagnostic, ...]) -> str:
    """Return the first `MAX_SHOWN` of `diagnostics` as text, and how many more there are."""
    parts = [render(diagnostic) for diagnostic in diagnostics[:MAX_SHOWN]]
    if len(diagnostics) > MAX_SHOWN:
        parts.append(f"... and {len(diagnostics) - MAX_SHOWN} more")
    return "\n\n".join(parts)


def render(diagnostic: Diagnostic) -> str:
    """Return the text of `diagnostic`, on several lines as compilers print it."""
    gutter_width = max(2, len(str(diagnostic.line)))
    margin = " " * gutter_width
    location = f"{one_line(diagnostic.file)}:{diagnostic.line}:{diagnostic.column}"
    lines = [f"error: {diagnostic.message}", f"{margin}--> {location}"]
    if diagnostic.source:
        text, carets = _excerpt(diagnostic)
        source = f"{diagnostic.line:>{gutter_width}} | {text}".rstrip()
        lines += [f"{margin} |", source, f"{margin} | {carets}"]
    if diagnostic.help is not None:
        lines.append(f"{margin} = help: {diagnostic.help}")
    return "\n".join(lines)


def _excerpt(diagnostic: Diagnostic) -> tuple[str, str]:
    """Return the source line of `diagnostic`, and the line of carets to print below it.

    A long line is shortened to the part around the mistake.
    """
    line = diagnostic.source
    mistake_start = min(diagnostic.column - 1, len(line))
    start = max(0, mistake_start - _WINDOW // 2) if len(line) > _WINDOW else 0
    end = min(len(line), start + _WINDOW)
    before = ("…" if start else "") + _printable(line[start:mistake_start])
    fault = _printable(line[mistake_start : min(mistake_start + diagnostic.width, end)])
    after = _printable(line[mistake_start:end])[len(fault) :] + ("…" if end < len(line) else "")
    # At least one caret, as a mistake at the end of the line covers no character.
    carets = "^" * max(1, _terminal_width(fault))
    return before + fault + after, " " * _terminal_width(before) + carets


def _printable(text: str) -> str:
    """Return `text` from a source line escaped, with spaces for tabs and newlines."""
    # Not `one_line`, which removes memory addresses and so would misalign the carets.
    return escape_controls(text).replace("\t", " ").replace("\n", " ")


def _terminal_width(text: str) -> int:
    """Return the width of `text` in terminal columns."""
    return sum(
        # Combining marks take up no column, and East Asian wide characters take up two.
        0
        if unicodedata.combining(char)
        else 1 + (unicodedata.east_asian_width(char) in _DOUBLE_WIDTH)
        for char in text
    )


MAX_BYTES: Final = 2 * 1024 * 1024
"""The maximum size of a suite; the largest suites in use are a tenth of that size."""

_LINE_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""Matches the newlines of YAML 1.1, which is how the parser counts lines."""
_NOT_YAML: Final = re.compile(
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Matches characters that YAML forbids; a pattern for the allowed ones takes 3 ms longer
to compile."""


@dataclass(frozen=True, slots=True)
class Position:
    """A range of characters on one line; `line` and `column` count from 1."""

    line: int
    column: int
    width: int = 1


START: Final = Position(1, 1)


@dataclass(frozen=True, slots=True)
class SuiteText:
    """The text of a suite, its lines, and the file name that diagnostics show."""

    name: str
    text: str
    lines: tuple[str, ...]

    @classmethod
    def from_text(cls, name: str, text: str) -> SuiteText:
        """Return `text` split into lines, with the file name that diagnostics show."""
        return cls(name, text, tuple(_LINE_BREAK.split(text)))

    def line(self, number: int) -> str:
        """Return line `number`, counted from 1, or "" if it does not exist."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def diagnostic(self, position: Position, message: str, advice: str | None = None) -> Diagnostic:
        """Return a diagnostic for the mistake at `position`, with `advice` as its help."""
        return Diagnostic(
            file=self.name,
            line=position.line,
            column=position.column,
            message=message,
            help=advice,
            source=self.line(position.line),
            width=position.width,
        )


def read_source(data: bytes, name: str) -> SuiteText:
    """Return the text of a suite, decoded from `data`.

    `name` is the file name to show in diagnostics. Raises `InvalidSuite` if the text is too long,
    is not UTF-8, or has characters that YAML forbids.
    """
    if len(data) > MAX_BYTES:
        message = f"the suite is larger than {MAX_BYTES // 1024**2} MB"
        advice = "split it, or remove generated sessions that find nothing new"
        raise InvalidSuite(name, [SuiteText.from_text(name, "").diagnostic(START, message, advice)])
    try:
        # utf-8-sig, as editors on Windows start files with a byte order mark.
        source = SuiteText.from_text(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        # The text before the wrong byte is valid UTF-8.
        lines_before = _LINE_BREAK.split(error.object[: error.start].decode("utf-8"))
        diagnostic = SuiteText.from_text(
            name, error.object.decode("utf-8", errors="replace")
        ).diagnostic(
            Position(len(lines_before), len(lines_before[-1]) + 1),
            f"byte 0x{error.object[error.start]:02x} is not UTF-8",
            "save the file as UTF-8",
        )
        raise InvalidSuite(name, [diagnostic]) from error
    if _NOT_YAML.search(source.text):
        raise InvalidSuite(name, _forbidden_characters(source))
    return source


def _forbidden_characters(source: SuiteText) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each character in `source` that YAML forbids, in order."""
    for number, line in enumerate(source.lines, start=1):
        for match in _NOT_YAML.finditer(line):
            code = ord(match[0])
            yield source.diagnostic(
                Position(number, match.start() + 1),
                f"the character U+{code:04X} is not allowed in YAML",
                f"write it as \\u{code:04x} between double quotes, or remove it",
            )


class Refusal(ValueError):
    """Text in a suite does not have the form that its key requires.

    Validators raise this error inside pydantic, which collects errors and adds their paths.
    """

    def __init__(
        self, problem: str, advice: str | None = None, *, offset: int = 0, width: int | None = None
    ) -> None:
        """Store the problem, the advice, and which characters of the text are wrong.

        They are the `width` characters from `offset`, or the whole text without `width`.
        """
        super().__init__(problem)
        self.problem = problem
        self.advice = advice
        self.offset = offset
        self.width = width


_MAX_WORD_CHARS: Final = 60
"""Longer words are not compared, as that takes quadratic time and no known word is longer."""
_MAX_CANDIDATES: Final = 1_000
_SHOWN_CHARS: Final = 80
_MAX_WORDS: Final = 20


def quote(text: str) -> str:
    """Return foreign `text` in quotes, on one line and truncated, for a message."""
    return f"'{one_line(clip(text, _SHOWN_CHARS))}'"


def join_words(words: Collection[str]) -> str:
    """Return the first foreign `words` on one line, followed by how many were left out.

    Return "nothing" if there are no words.
    """
    first = [one_line(word, _SHOWN_CHARS) for word in islice(words, _MAX_WORDS)]
    omitted = f" and {len(words) - _MAX_WORDS} more" if len(words) > _MAX_WORDS else ""
    return (", ".join(first) or "nothing") + omitted


def did_you_mean(word: str, words: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a suggestion such as ` (did you mean 'stdout'?)`, or "" if none of `words` is similar.

    Case is ignored, and `cutoff` is the minimum similarity, from 0 to 1. Only the first
    `_MAX_CANDIDATES` words are compared.
    """
    if len(word) > _MAX_WORD_CHARS:
        return ""
    # Limited, as `get_close_matches` is slow and a damaged file can have very many names.
    by_lower = {known.lower(): known for known in islice(words, _MAX_CANDIDATES)}
    matches = get_close_matches(word.lower(), by_lower, n=1, cutoff=cutoff)
    return f" (did you mean {quote(by_lower[matches[0]])}?)" if matches else ""
