"""Parsers for single texts of a suite: names, identifiers, files, headings of functions.

Each takes the text as written and returns the parsed value, or raises `Refusal`.
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
from grader.suite.diagnostics import Refusal, did_you_mean, quoted
from grader.suite.vocabulary import (
    GIVABLE_PACKAGES,
    LOOPS,
    PACKAGES,
    STANDARD,
    STANDARD_WORD,
)
from grader.values.foreign_text import plain

MAX_ID_CHARS: Final = 100
MAX_UNIT_CHARS: Final = 40
MAX_ADDRESS_CHARS: Final = 500
_NEAR: Final = 0.75
"""The least similarity of a suggested module: module names are short, and many."""
_MODULE_ADVICE: Final = "docs/reference/suite.md lists the modules that can be given"

_NAME: Final = r"[^\s\d!-/:-@\[-^`{-~][^\s!-/:-@\[-^`{-~]*"
"""Roughly a Python name: editors and Python disagree on what a letter is."""
COMMAND: Final = "$ "
"""The start of a line that runs a program, among lines of Python."""
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
STOPPED_PATTERN: Final = r"^(graded|review|[1-9]\d?%|100%)$"
SHA256_PATTERN: Final = r"^[0-9a-f]{64}$"
MUTANT_PATTERN: Final = r"^[0-9a-f]{8}$"
HEADING_PATTERN: Final = r"^[^\s(]+\([\s\S]*\)$"
LINE_MARK: Final = "{line}"
"""Placeholder for a line number in the address of a spec."""


def _is_shown_unchanged(text: str) -> bool:
    return plain(text) == text and not {"\n", "\t"} & set(text)


def _is_one_line(text: str, most: int) -> bool:
    return bool(text.strip()) and len(text) <= most and _is_shown_unchanged(text)


def is_dotted(text: str, most: int = sys.maxsize) -> bool:
    """Return whether `text` is a dotted name of at most `most` parts."""
    names = text.split(".")
    return len(names) <= most and all(map(is_name, names))


def is_name(text: str) -> bool:
    """Return whether `text` can be a name in code."""
    return text.isidentifier() and not keyword.iskeyword(text)


def _text_parser(
    is_right: Callable[[str], object], problem: str, advice: str
) -> Callable[[str], str]:
    """Return a parser that takes text that `is_right` and refuses other text: "is not a slug"."""

    def check(text: str) -> str:
        if not is_right(text):
            raise Refusal(f"{quoted(text)} {problem}", advice)
        return text

    return check


slug: Final = _text_parser(
    # `$` alone would also match before a final newline, here and below.
    lambda text: len(text) <= MAX_ID_CHARS and re.fullmatch(SLUG_PATTERN, text),
    "is not a slug",
    "use small letters and digits, with - or _ between them, such as yin-yang",
)
"""Valid in file names and URLs."""
identity: Final = _text_parser(
    lambda text: _is_one_line(text, MAX_ID_CHARS) and re.fullmatch(ID_PATTERN, text),
    "is not an id",
    f"use one line of at most {MAX_ID_CHARS} characters, without / or blanks around it",
)
"""Valid as part of a case id, `<group>/<case>`."""
heading: Final = _text_parser(
    lambda text: _is_one_line(text, MAX_NAME_CHARS),
    "is not a title",
    f"write one line of at most {MAX_NAME_CHARS} characters",
)
unit: Final = _text_parser(
    lambda text: _is_one_line(text, MAX_UNIT_CHARS),
    "does not say what a size counts",
    f"write a word or two, at most {MAX_UNIT_CHARS} characters, such as cells",
)
"""Valid after a number in a sentence."""
identifier: Final = _text_parser(is_name, "is not a Python name", "write a name, such as yinyang")
defined: Final = _text_parser(
    lambda text: is_dotted(text, 2),
    "is not a name to define",
    "write a name, such as YinYang, or Board.fill_cell for one in a module",
)
function: Final = _text_parser(
    lambda text: is_dotted(text, 3),
    "is not a function",
    "write a name, such as solve, or Board.fill_cell for one in a module or a class",
)
dotted: Final = _text_parser(
    is_dotted, "is not a module", "write a name, such as helper or src.helper"
)
"""An importable name, with dots for packages."""
source_path: Final = _text_parser(
    lambda text: plain(text) == text and re.fullmatch(r"(?!/)[^\\]*\.py", text),
    "names no Python file of this project",
    "write a path with /, such as reference/1010/Board.py",
)
sha256: Final = _text_parser(
    lambda text: re.fullmatch(SHA256_PATTERN, text),
    "is not a SHA-256",
    "write its 64 hexadecimal digits, in small letters",
)
mutant: Final = _text_parser(
    lambda text: re.fullmatch(MUTANT_PATTERN, text),
    "names no mutant",
    "write the 8 hexadecimal digits that the audit shows, in quotes",
)


def remark(text: str) -> str:
    """Return `text` unless it is blank."""
    if not text.strip():
        raise Refusal("there is no text here", "write some, or leave the key out")
    return text


def message_key(text: str) -> str:
    """Return `text` if it has the form of a message key."""
    if re.fullmatch(MESSAGE_KEY_PATTERN, text) is None:
        raise Refusal(
            f"{quoted(text)} is not the key of a sentence", "they are like `report.first`"
        )
    return text


def web_address(text: str) -> str:
    """Return `text` if it is a web address once `{line}` is replaced by a number."""
    example = text.replace(LINE_MARK, "1")
    try:
        # ValueError: brackets around something that is not an IPv6 address.
        address = urlsplit(example)
        is_valid = address.scheme in {"http", "https"} and bool(address.hostname)
    except ValueError:
        is_valid = False
    # Check for whitespace here, as `urlsplit` drops tabs and newlines.
    if not is_valid or re.search(r"[\s{}]", example) or not _is_shown_unchanged(text):
        advice = "write one that begins with https://, such as https://course.example/"
        raise Refusal(f"{quoted(text)} is not a web address", advice)
    if len(text) > MAX_ADDRESS_CHARS:
        raise Refusal(f"the address is longer than {MAX_ADDRESS_CHARS} characters", "shorten it")
    return text


def mail_address(text: str) -> str:
    """Return `text` if mail can be sent there."""
    if not re.fullmatch(MAIL_PATTERN, text) or len(text) > MAX_ADDRESS_CHARS:
        advice = "write it alone, without a name: prof@school.example"
        raise Refusal(f"{quoted(text)} is not a mail address", advice)
    return text


def _one_of(words: Collection[str], kind: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in words:
            problem = f"unknown {kind} {quoted(text)}{did_you_mean(text, words)}"
            raise Refusal(problem, f"write one of {', '.join(words)}")
        return text

    return check


loop: Final = _one_of(LOOPS, "loop")


def python_version(text: str) -> tuple[int, int]:
    """Return the version of Python that `text` names; newer ones than this Python are refused."""
    major, newest = sys.version_info[:2]
    if not re.fullmatch(VERSION_PATTERN, text) or int(text.partition(".")[2]) > newest:
        advice = f"write one from 3.0 to {major}.{newest}, in quotes"
        raise Refusal(f"{quoted(text)} is not a version of Python that can be checked", advice)
    return major, int(text.partition(".")[2])


def moment(text: str) -> str:
    """Return `text` if it is a valid date, with or without a time."""
    if not re.fullmatch(MOMENT_PATTERN, text) or not _is_valid_date(text):
        advice = "write the date, and the time if it matters: 2024-02-29 or 2024-02-29 12:30"
        raise Refusal(f"{quoted(text)} is not a time from 1970 to 2999", advice)
    return text


def _is_valid_date(text: str) -> bool:
    try:
        return 1970 <= datetime.fromisoformat(text).year < 3000
    except ValueError:
        return False


def stopped(text: str) -> str:
    """Return `text` if it is a valid value of `stopped`."""
    if not re.fullmatch(STOPPED_PATTERN, text):
        advice = "write graded, review, or what it costs: 10%"
        raise Refusal(f"{quoted(text)} is nothing that can become of a file that stops", advice)
    return text


def top_module(text: str) -> str:
    """Return `text` if it is a top-level module."""
    top_level = dotted(text).partition(".")[0]
    if top_level != text:
        raise Refusal(f"{quoted(text)} is part of a module", f"write {top_level}, the whole of it")
    return text


def part(text: str) -> str:
    """Return `text` if it can name one of several modules that students hand in."""
    if text.startswith("__"):  # such as `__main__`, which means something else
        raise Refusal(f"{quoted(text)} is a name of Python's own", "write a name, such as Board")
    return identifier(text)


def module(text: str) -> str:
    """Return `text` if it is a module that submissions may import, or the word for all of them.

    Modules that need files, the network or other programs are refused as useless.
    """
    givable = (STANDARD_WORD, *STANDARD, *GIVABLE_PACKAGES)
    if text in givable:
        return text
    top_level = text.partition(".")[0]
    if top_level != STANDARD_WORD and top_level in givable:
        raise Refusal(f"{quoted(text)} is part of a module", f"write {top_level}, the whole of it")
    if text in sys.stdlib_module_names:
        problem = f"the module {quoted(text)} is of no use to a submission, so none is given it"
    elif text in PACKAGES:
        problem = f"the package {quoted(text)} cannot be given to submissions"
        packages = ", ".join(each for each in GIVABLE_PACKAGES if each in PACKAGES)
        raise Refusal(problem, f"packages that can be given: {packages}; or give code with `given`")
    else:
        near = did_you_mean(text, givable, cutoff=_NEAR)
        problem = f"there is no module {quoted(text)} to be given{near}"
    raise Refusal(problem, _MODULE_ADVICE)


def file_name(text: str) -> str:
    """Return `text` if it names a file inside the directory of the submission."""
    parts = text.split("/")
    if "\\" in text or not _is_shown_unchanged(text):
        advice = "use letters, digits, and / between directories"
        raise Refusal(f"{quoted(text)} is not a name for a file", advice)
    # A letter and a colon are a drive of Windows.
    if {"", ".", ".."} & set(parts) or re.match(r"[A-Za-z]:", text):
        advice = "name it as a submission opens it, such as akari.txt or data/akari.txt"
        raise Refusal(f"{quoted(text)} leads out of the submission's directory", advice)
    return text


_HEADING_ADVICE: Final = "write a name and its parameters, such as Board.make_board(dimension=10)"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a heading."""

    name: str
    has_default: bool


@dataclass(frozen=True, slots=True)
class FunctionHeading:
    """A function and its required parameters."""

    function: str
    parameters: tuple[Parameter, ...]


def parse_heading(text: str) -> FunctionHeading:
    """Return the heading in `text`; raises `Refusal` for anything else.

    Rules check names and order only, so `/`, `*` and keyword-only parameters are refused.
    """
    name, _, _ = text.partition("(")
    function(name)
    arguments = _arguments(text[len(name) :])
    if arguments is None:
        raise Refusal(f"{quoted(text)} is not the heading of a function", _HEADING_ADVICE)
    starred = (arguments.vararg, arguments.kwarg, *arguments.kwonlyargs)
    if arguments.posonlyargs or any(argument is not None for argument in starred):
        advice = "name each parameter, without / and *; `extra` says what may come behind them"
        raise Refusal("a heading knows plain parameters only", advice)
    names = [argument.arg for argument in arguments.args]
    if len(set(names)) < len(names):
        raise Refusal(f"{quoted(text)} has two parameters of one name", "rename one of them")
    # `ast` aligns defaults with the last parameters.
    first_default = len(names) - len(arguments.defaults)
    parameters = [Parameter(each, index >= first_default) for index, each in enumerate(names)]
    return FunctionHeading(name, tuple(parameters))


def _arguments(parameters: str) -> ast.arguments | None:
    """Return the parsed `parameters`, given with parentheses; None if they are invalid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for defaults such as `1if x else 2`
            tree = ast.parse(f"def heading{parameters}: ...")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    match tree.body:
        # Exactly our own body: anything after the parentheses is refused.
        case [ast.FunctionDef(args=args, returns=None, body=[ast.Expr(ast.Constant(value))])]:
            return args if value is ... else None
        case _:
            return None
