"""Parsers for single texts in a suite, such as names, files and function headings.

Each parser takes the text as written and returns the parsed value, or raises `Refusal`.
"""

from __future__ import annotations

import ast
import keyword
import re
import sys
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from grader.protocol import MAX_NAME_CHARS
from grader.suite.diagnostics import Refusal, did_you_mean, quote
from grader.suite.vocabulary import (
    GIVABLE_PACKAGES,
    KNOWN_PACKAGES,
    LOOPS,
    STANDARD_MODULES,
    STANDARD_WORD,
)
from grader.values.foreign_text import escape_controls

MAX_ID_CHARS: Final = 100
MAX_UNIT_CHARS: Final = 40
MAX_ADDRESS_CHARS: Final = 500
_MIN_MODULE_SIMILARITY: Final = 0.75
"""The minimum similarity of a suggested module to the name given. It is high because module names
are many and short."""
_MODULE_ADVICE: Final = "docs/reference/suite.md lists the modules that can be given"

_NAME: Final = r"[^\s\d!-/:-@\[-^`{-~][^\s!-/:-@\[-^`{-~]*"
"""Matches a Python name, but only roughly, as editors and Python disagree on what a letter is."""
COMMAND_PREFIX: Final = "$ "
"""The prefix that distinguishes a line that runs a program from lines of Python."""
SLUG_PATTERN: Final = r"^[a-z0-9]+([_-][a-z0-9]+)*$"
ID_PATTERN: Final = r"^[^\s/]([^/\n]*[^\s/])?$"
IDENTIFIER_PATTERN: Final = f"^{_NAME}$"
DEFINED_PATTERN: Final = rf"^{_NAME}(\.{_NAME})?$"
FUNCTION_PATTERN: Final = rf"^{_NAME}(\.{_NAME}){{0,2}}$"
DOTTED_PATTERN: Final = rf"^{_NAME}(\.{_NAME})*$"
SOURCE_PATTERN: Final = r"^[^/\\]+(/[^/\\]+)*\.py$"
FILE_NAME_PATTERN: Final = r"^[^/\\]+(/[^/\\]+)*$"
ADDRESS_PATTERN: Final = r"^https?://[^\s/]\S*$"
MAIL_PATTERN: Final = r"^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$"
VERSION_PATTERN: Final = r"^3\.(0|[1-9]\d?)$"
MOMENT_PATTERN: Final = r"^\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?$"
MESSAGE_KEY_PATTERN: Final = r"^[a-z_]+(\.[A-Za-z0-9_]+)+$"
STOPS_COST_NOTHING: Final = "graded"
STOPS_ARE_FOR_REVIEW: Final = "review"
STOP_POLICY_PATTERN: Final = r"^(graded|review|[1-9]\d?%|100%)$"
SHA256_PATTERN: Final = r"^[0-9a-f]{64}$"
MUTANT_PATTERN: Final = r"^[0-9a-f]{8}$"
HEADING_PATTERN: Final = r"^[^\s(]+\([\s\S]*\)$"
LINE_PLACEHOLDER: Final = "{line}"
"""Placeholder for a line number in the address of a spec."""


def _is_printable(text: str) -> bool:
    """Return whether `text` needs no escaping and has no newlines or tabs."""
    return escape_controls(text) == text and not {"\n", "\t"} & set(text)


def _is_one_line(text: str, max_chars: int) -> bool:
    return bool(text.strip()) and len(text) <= max_chars and _is_printable(text)


def is_dotted(text: str, max_parts: int = sys.maxsize) -> bool:
    """Return whether `text` is a dotted name with at most `max_parts` parts."""
    names = text.split(".")
    return len(names) <= max_parts and all(map(is_name, names))


def is_name(text: str) -> bool:
    """Return whether `text` can be a name in code."""
    return text.isidentifier() and not keyword.iskeyword(text)


def _text_parser(
    is_valid: Callable[[str], object], problem: str, advice: str
) -> Callable[[str], str]:
    """Return a parser that accepts text for which `is_valid` is true.

    Other text is refused with `problem`, such as "is not a slug", and `advice`.
    """

    def check(text: str) -> str:
        if not is_valid(text):
            raise Refusal(f"{quote(text)} {problem}", advice)
        return text

    return check


slug: Final = _text_parser(
    # `fullmatch` here and below, as `$` alone would also match before a final newline.
    lambda text: len(text) <= MAX_ID_CHARS and re.fullmatch(SLUG_PATTERN, text),
    "is not a slug",
    "use lowercase letters and digits, with - or _ between them, such as yin-yang",
)
"""Valid in file names and URLs."""
item_id: Final = _text_parser(
    lambda text: _is_one_line(text, MAX_ID_CHARS) and re.fullmatch(ID_PATTERN, text),
    "is not an id",
    f"use one line of at most {MAX_ID_CHARS} characters, without / and without whitespace at"
    " either end",
)
"""Valid as part of a case id, `<group>/<case>`."""
title: Final = _text_parser(
    lambda text: _is_one_line(text, MAX_NAME_CHARS),
    "is not a title",
    f"write one line of at most {MAX_NAME_CHARS} characters",
)
size_unit: Final = _text_parser(
    lambda text: _is_one_line(text, MAX_UNIT_CHARS),
    "is not a unit of size",
    f"write a word or two, at most {MAX_UNIT_CHARS} characters, such as cells",
)
"""Valid after a number in a sentence."""
identifier: Final = _text_parser(is_name, "is not a Python name", "write a name, such as yinyang")
defined_name: Final = _text_parser(
    lambda text: is_dotted(text, 2),
    "is not a name to define",
    "write a name, such as YinYang, or Board.fill_cell for one in a module",
)
function_name: Final = _text_parser(
    lambda text: is_dotted(text, 3),
    "is not a function",
    "write a name, such as solve, or Board.fill_cell for one in a module or a class",
)
dotted_name: Final = _text_parser(
    is_dotted, "is not a module", "write a name, such as helper or src.helper"
)
"""An importable name, with dots for packages."""
source_path: Final = _text_parser(
    lambda text: escape_controls(text) == text and re.fullmatch(r"(?!/)[^\\]*\.py", text),
    "is not the path of a Python file in this project",
    "write a path with /, such as reference/1010/Board.py",
)
sha256: Final = _text_parser(
    lambda text: re.fullmatch(SHA256_PATTERN, text),
    "is not a SHA-256",
    "write its 64 hexadecimal digits, in lowercase",
)
mutant_name: Final = _text_parser(
    lambda text: re.fullmatch(MUTANT_PATTERN, text),
    "is not the name of a mutant",
    "write the 8 hexadecimal digits that the audit shows, in quotes",
)


def nonempty_text(text: str) -> str:
    """Return `text`; raises `Refusal` if it is empty or only whitespace."""
    if not text.strip():
        raise Refusal("there is no text here", "write some, or remove the key")
    return text


def message_key(text: str) -> str:
    """Return `text` if it has the form of a message key; raises `Refusal` otherwise."""
    if re.fullmatch(MESSAGE_KEY_PATTERN, text) is None:
        raise Refusal(
            f"{quote(text)} is not the key of a sentence", "write a key such as `report.first`"
        )
    return text


def web_address(text: str) -> str:
    """Return `text` if it is a web address after replacing `{line}` with a number.

    Raises `Refusal` otherwise.
    """
    example = text.replace(LINE_PLACEHOLDER, "1")
    try:
        # `urlsplit` raises ValueError for brackets without an IPv6 address in them.
        address = urlsplit(example)
        is_valid = address.scheme in {"http", "https"} and bool(address.hostname)
    except ValueError:
        is_valid = False
    # Whitespace is checked separately, as `urlsplit` drops tabs and newlines.
    if not is_valid or re.search(r"[\s{}]", example) or not _is_printable(text):
        advice = "write one that begins with https://, such as https://course.example/"
        raise Refusal(f"{quote(text)} is not a web address", advice)
    if len(text) > MAX_ADDRESS_CHARS:
        raise Refusal(f"the address is longer than {MAX_ADDRESS_CHARS} characters", "shorten it")
    return text


def mail_address(text: str) -> str:
    """Return `text` if it has the form of a mail address; raises `Refusal` otherwise."""
    if not re.fullmatch(MAIL_PATTERN, text) or len(text) > MAX_ADDRESS_CHARS:
        advice = "write it alone, without a name: prof@school.example"
        raise Refusal(f"{quote(text)} is not a mail address", advice)
    return text


def _word_parser(words: Collection[str], kind: str) -> Callable[[str], str]:
    """Return a parser that accepts any of `words` and refuses other text.

    Error messages call a word by its `kind`, such as "loop".
    """

    def check(text: str) -> str:
        if text not in words:
            problem = f"unknown {kind} {quote(text)}{did_you_mean(text, words)}"
            raise Refusal(problem, f"write one of {', '.join(words)}")
        return text

    return check


loop: Final = _word_parser(LOOPS, "loop")


def python_version(text: str) -> tuple[int, int]:
    """Return the version of Python that `text` names.

    Raises `Refusal` if it is malformed or newer than the running Python, whose parser knows no
    newer syntax.
    """
    major, newest = sys.version_info[:2]
    if not re.fullmatch(VERSION_PATTERN, text) or int(text.partition(".")[2]) > newest:
        advice = f"write one from 3.0 to {major}.{newest}, in quotes"
        raise Refusal(f"{quote(text)} is not a version of Python that can be checked", advice)
    return major, int(text.partition(".")[2])


def date_or_time(text: str) -> str:
    """Return `text` if it is a date from 1970 to 2999, with or without a time.

    Raises `Refusal` otherwise.
    """
    if not re.fullmatch(MOMENT_PATTERN, text) or not _is_valid_date(text):
        advice = "write the date, and the time if it matters: 2024-02-29 or 2024-02-29 12:30"
        raise Refusal(f"{quote(text)} is not a time from 1970 to 2999", advice)
    return text


def _is_valid_date(text: str) -> bool:
    try:
        return 1970 <= datetime.fromisoformat(text).year < 3000
    except ValueError:
        return False


def stop_policy(text: str) -> str:
    """Return `text` if it is a valid value of the key `stopped`; raises `Refusal` otherwise."""
    if not re.fullmatch(STOP_POLICY_PATTERN, text):
        advice = "write graded, review, or the cost as a share of the points, such as 10%"
        raise Refusal(f"{quote(text)} is not a valid way to treat a file that stops", advice)
    return text


def top_module(text: str) -> str:
    """Return `text` if it has the form of a top-level module's name; raises `Refusal` otherwise."""
    top_level = dotted_name(text).partition(".")[0]
    if top_level != text:
        raise Refusal(f"{quote(text)} is part of a module", f"write {top_level}, the whole module")
    return text


def part_name(text: str) -> str:
    """Return `text` if it can be the name of one of several modules that students hand in.

    Raises `Refusal` otherwise.
    """
    if text.startswith("__"):  # `__main__`, for example, has another meaning
        raise Refusal(
            f"{quote(text)} is a name that Python reserves", "write a name, such as Board"
        )
    return identifier(text)


def importable_module(text: str) -> str:
    """Return `text` if it is a module that submissions can import, or the word `standard`.

    Raises `Refusal` otherwise, for example for modules that are useless without files, the network
    or other programs.
    """
    givable = (STANDARD_WORD, *STANDARD_MODULES, *GIVABLE_PACKAGES)
    if text in givable:
        return text
    top_level = text.partition(".")[0]
    if top_level != STANDARD_WORD and top_level in givable:
        raise Refusal(f"{quote(text)} is part of a module", f"write {top_level}, the whole module")
    if text in sys.stdlib_module_names:
        problem = f"submissions have no use for the module {quote(text)}, so it cannot be given"
    elif text in KNOWN_PACKAGES:
        problem = f"the package {quote(text)} cannot be given to submissions"
        packages = ", ".join(package for package in GIVABLE_PACKAGES if package in KNOWN_PACKAGES)
        raise Refusal(problem, f"packages that can be given: {packages}; or give code with `given`")
    else:
        suggestion = did_you_mean(text, givable, cutoff=_MIN_MODULE_SIMILARITY)
        problem = f"no module {quote(text)} can be given{suggestion}"
    raise Refusal(problem, _MODULE_ADVICE)


def file_name(text: str) -> str:
    """Return `text` if it names a file in the submission's directory.

    Raises `Refusal` otherwise.
    """
    parts = text.split("/")
    if "\\" in text or not _is_printable(text):
        advice = "use letters, digits, and / between directories"
        raise Refusal(f"{quote(text)} is not a name for a file", advice)
    # On Windows, a letter and a colon name a drive.
    if {"", ".", ".."} & set(parts) or re.match(r"[A-Za-z]:", text):
        advice = "name it as a submission opens it, such as akari.txt or data/akari.txt"
        raise Refusal(f"{quote(text)} leads out of the submission's directory", advice)
    return text


_HEADING_ADVICE: Final = "write a name and its parameters, such as Board.make_board(dimension=10)"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function signature."""

    name: str
    has_default: bool


@dataclass(frozen=True, slots=True)
class FunctionHeading:
    """The name of a function and its parameters."""

    function: str
    parameters: tuple[Parameter, ...]


def parse_heading(text: str) -> FunctionHeading:
    """Return the function signature in `text`.

    Raises `Refusal` if it is malformed, or if a parameter has special syntax or a repeated name.
    Rules check only the names and the order of parameters, so `/`, `*` and keyword-only parameters
    are refused.
    """
    name, _, _ = text.partition("(")
    function_name(name)
    arguments = _parse_arguments(text[len(name) :])
    if arguments is None:
        raise Refusal(f"{quote(text)} is not the heading of a function", _HEADING_ADVICE)
    starred = (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs)
    if arguments.posonlyargs or any(argument is not None for argument in starred):
        advice = "name each parameter, without / and *; `extra` sets which parameters may follow"
        raise Refusal("a heading may contain only plain parameters", advice)
    names = [argument.arg for argument in arguments.args]
    if len(set(names)) < len(names):
        raise Refusal(f"{quote(text)} has two parameters with the same name", "rename one of them")
    # In `ast`, the defaults belong to the last parameters.
    first_default = len(names) - len(arguments.defaults)
    parameters = [
        Parameter(argument_name, index >= first_default)
        for index, argument_name in enumerate(names)
    ]
    return FunctionHeading(name, tuple(parameters))


def _parse_arguments(parameters: str) -> ast.arguments | None:
    """Parse `parameters`, which include the parentheses; return None if they are invalid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for defaults such as `1if x else 2`
            tree = ast.parse(f"def heading{parameters}: ...")
    # Deep nesting raises the last two, and some versions of Python raise ValueError for null
    # characters.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match tree.body:
        # If the body is exactly this, there was nothing after the parentheses.
        case [ast.FunctionDef(args=args, returns=None, body=[ast.Expr(ast.Constant(value))])]:
            return args if value is ... else None
        case _:
            return None
