"""Checks of single texts of a suite: names, identifiers, literals, the form of `raises`.

Each takes the text as it stands in the file and returns what it means, or raises `Refusal`.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from grader.protocol import HIGHEST_CAPS, MAX_MESSAGE_CHARS, MAX_NAME_CHARS
from grader.suite.constructs import CONSTRUCTS, LOOPS
from grader.suite.diagnostics import Refusal, did_you_mean, quoted
from grader.suite.expectations import Prints, Raises, Returns, SameAs
from grader.suite.importable import GIVABLE_PACKAGES, PACKAGES, STANDARD, STANDARD_WORD
from grader.values.display import plain
from grader.values.literals import LiteralError, parse_literal

MAX_ID_CHARS: Final = 100
MAX_UNIT_CHARS: Final = 40
MAX_ADDRESS_CHARS: Final = 500
_NEAR: Final = 0.75
"""How alike a module must be to be offered: names of modules are short, and many."""
_MODULE_ADVICE: Final = "docs/reference/suite.md lists the modules that can be given"

_NAME: Final = r"[^\s\d!-/:-@\[-^`{-~][^\s!-/:-@\[-^`{-~]*"
"""A Python name, roughly; what editors take for a letter is not what Python does."""
SLUG_PATTERN: Final = r"^[a-z0-9]+([_-][a-z0-9]+)*$"
ID_PATTERN: Final = r"^[^\s/]([^/\n]*[^\s/])?$"
IDENTIFIER_PATTERN: Final = f"^{_NAME}$"
DEFINED_PATTERN: Final = rf"^{_NAME}(\.{_NAME})?$"
FUNCTION_PATTERN: Final = rf"^{_NAME}(\.{_NAME}){{0,2}}$"
DOTTED_PATTERN: Final = rf"^{_NAME}(\.{_NAME})*$"
SOURCE_PATTERN: Final = r"^[^/\\]+(/[^/\\]+)*\.py$"
FILE_NAME_PATTERN: Final = r"^[^/\\]+(/[^/\\]+)*$"
ADDRESS_PATTERN: Final = r"^https?://[^\s/]\S*$"
VERSION_PATTERN: Final = r"^3\.(0|[1-9]\d?)$"
SHA256_PATTERN: Final = r"^[0-9a-f]{64}$"
MUTANT_PATTERN: Final = r"^[0-9a-f]{8}$"
RAISES_PATTERN: Final = rf"^{_NAME}(\.{_NAME})*(: [\s\S]+)?\s*$"

_RAISES: Final = re.compile(
    r"(?P<type>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?P<colon>:)?(?: (?P<message>.+))?", re.DOTALL
)

LINE_MARK: Final = "{line}"
"""In the address of a spec it stands for the number of a line."""
ALL_COMPREHENSIONS: Final = "comprehension"
"""The word for the four kinds of comprehensions."""
FORBIDDABLE: Final = (*CONSTRUCTS, ALL_COMPREHENSIONS)


def _shows_as_it_is(text: str) -> bool:
    return plain(text) == text and not {"\n", "\t"} & set(text)


def slug(text: str) -> str:
    """Return `text` if it can stand in a file name and in a URL as it is."""
    if len(text) > MAX_ID_CHARS or not re.fullmatch(SLUG_PATTERN, text):
        raise Refusal(
            f"{quoted(text)} is no slug",
            "use small letters and digits, with - or _ between them, such as yin-yang",
        )
    return text


def identity(text: str) -> str:
    """Return `text` if it can be part of a case id, `<group>/<case>`."""
    fits = len(text) <= MAX_ID_CHARS and re.fullmatch(ID_PATTERN, text)
    if not fits or not _shows_as_it_is(text):
        raise Refusal(
            f"{quoted(text)} is no id",
            f"use one line of at most {MAX_ID_CHARS} characters, without / or blanks around it",
        )
    return text


def heading(text: str) -> str:
    """Return `text` if it is a single line with something on it."""
    if not text.strip() or len(text) > MAX_NAME_CHARS or not _shows_as_it_is(text):
        advice = f"write one line of at most {MAX_NAME_CHARS} characters"
        raise Refusal(f"{quoted(text)} is no title", advice)
    return text


def remark(text: str) -> str:
    """Return `text` if there is something in it."""
    if not text.strip():
        raise Refusal("there is no text here", "write some, or leave the key out")
    return text


def web_address(text: str) -> str:
    """Return `text` if a browser can go there, whatever number stands for the line."""
    example = text.replace(LINE_MARK, "1")
    try:
        address = urlsplit(example)
        is_one = address.scheme in {"http", "https"} and bool(address.hostname)
    except ValueError:
        is_one = False
    if not is_one or re.search(r"[\s{}]", example) or not _shows_as_it_is(text):
        advice = "write one that begins with https://, such as https://course.example/spec#{line}"
        raise Refusal(f"{quoted(text)} is no address of the web", advice)
    if len(text) > MAX_ADDRESS_CHARS:
        raise Refusal(f"the address is longer than {MAX_ADDRESS_CHARS} characters", "shorten it")
    return text


def unit(text: str) -> str:
    """Return `text` if it can stand behind a number in a sentence."""
    if not text.strip() or len(text) > MAX_UNIT_CHARS or not _shows_as_it_is(text):
        advice = f"write a word or two, at most {MAX_UNIT_CHARS} characters, such as cells"
        raise Refusal(f"{quoted(text)} does not say what a size counts", advice)
    return text


def loop(text: str) -> str:
    """Return `text` if it is a kind of loop that a rule can forbid."""
    return _one_of(text, LOOPS, "loop")


def construct(text: str) -> str:
    """Return `text` if it is a construct that a rule can forbid."""
    return _one_of(text, FORBIDDABLE, "construct")


def _one_of(text: str, words: Collection[str], what: str) -> str:
    if text not in words:
        problem = f"unknown {what} {quoted(text)}{did_you_mean(text, words)}"
        raise Refusal(problem, f"write one of {', '.join(words)}")
    return text


def python_version(text: str) -> tuple[int, int]:
    """Return the version of Python that `text` names, one that this Python knows about."""
    major, newest = sys.version_info[:2]
    if not re.fullmatch(VERSION_PATTERN, text) or int(text.partition(".")[2]) > newest:
        advice = f"write one from 3.0 to {major}.{newest}, in quotes"
        raise Refusal(f"{quoted(text)} is no version of Python that can be checked", advice)
    return major, int(text.partition(".")[2])


def top_module(text: str) -> str:
    """Return `text` if it is a module as a whole, not a part of one."""
    whole = dotted(text).partition(".")[0]
    if whole != text:
        raise Refusal(f"{quoted(text)} is part of a module", f"write {whole}, the whole of it")
    return text


def identifier(text: str) -> str:
    """Return `text` if it is a name that Python code can define."""
    if not text.isidentifier() or keyword.iskeyword(text):
        raise Refusal(f"{quoted(text)} is no Python name", "write a name, such as yinyang")
    return text


def part(text: str) -> str:
    """Return `text` if it can name one of several modules that students hand in."""
    if text.startswith("__"):
        raise Refusal(f"{quoted(text)} is a name of Python's own", "write a name, such as Board")
    return identifier(text)


def defined(text: str) -> str:
    """Return `text` if it is a name that a submission can define, with its module or without."""
    if text.count(".") > 1 or not _is_dotted(text):
        raise Refusal(
            f"{quoted(text)} is no name to define",
            "write a name, such as YinYang, or Board.fill_cell for one in a module",
        )
    return text


def function(text: str) -> str:
    """Return `text` if it can name a function: of a module, of a class, or of both."""
    if text.count(".") > 2 or not _is_dotted(text):
        raise Refusal(
            f"{quoted(text)} is no function",
            "write a name, such as solve, or Board.fill_cell for one in a module or a class",
        )
    return text


def dotted(text: str) -> str:
    """Return `text` if it is a name that an `import` can have: with dots for packages."""
    if not _is_dotted(text):
        raise Refusal(f"{quoted(text)} is no module", "write a name, such as helper or src.helper")
    return text


def _is_dotted(text: str) -> bool:
    return all(name.isidentifier() and not keyword.iskeyword(name) for name in text.split("."))


def source_path(text: str) -> str:
    """Return `text` if it names a Python file, from the folder of the suite or the one above."""
    if "\\" in text or text.startswith("/") or not text.endswith(".py") or plain(text) != text:
        raise Refusal(
            f"{quoted(text)} names no Python file of this project",
            "write a path with /, such as reference/1010/Board.py",
        )
    return text


def module(text: str) -> str:
    """Return `text` if it is a module that submissions can be given, or the word for all of them.

    There is no use in a module that needs files, the network or other programs.
    """
    if text in {STANDARD_WORD, *STANDARD, *GIVABLE_PACKAGES}:
        return text
    whole = text.partition(".")[0]
    if whole != text and whole in {*STANDARD, *GIVABLE_PACKAGES}:
        raise Refusal(f"{quoted(text)} is part of a module", f"write {whole}, the whole of it")
    if text in sys.stdlib_module_names:
        problem = f"the module {quoted(text)} is of no use to a submission, so none is given it"
    elif text in PACKAGES:
        problem = f"the module {quoted(text)} is not in the standard library, so none is given it"
    else:
        near = did_you_mean(text, (STANDARD_WORD, *STANDARD, *GIVABLE_PACKAGES), cutoff=_NEAR)
        problem = f"there is no module {quoted(text)} to be given{near}"
    raise Refusal(problem, _MODULE_ADVICE)


def file_name(text: str) -> str:
    """Return `text` if it names a file in or below the directory of the submission."""
    parts = text.split("/")
    if "\\" in text or not _shows_as_it_is(text):
        advice = "use letters, digits, and / between directories"
        raise Refusal(f"{quoted(text)} is no name for a file", advice)
    if {"", ".", ".."} & set(parts) or re.match(r"[A-Za-z]:", text):
        advice = "name it as a submission opens it, such as akari.txt or data/akari.txt"
        raise Refusal(f"{quoted(text)} leads out of the submission's directory", advice)
    return text


def sha256(text: str) -> str:
    """Return `text` if it can be the SHA-256 of something."""
    if not re.fullmatch(SHA256_PATTERN, text):
        advice = "write its 64 hexadecimal digits, in small letters"
        raise Refusal(f"{quoted(text)} is no SHA-256", advice)
    return text


def mutant(text: str) -> str:
    """Return `text` if it can name a mutant."""
    if not re.fullmatch(MUTANT_PATTERN, text):
        advice = "write the 8 hexadecimal digits that the audit shows, in quotes"
        raise Refusal(f"{quoted(text)} names no mutant", advice)
    return text


def returns(text: str) -> Returns:
    """Return the expectation of the value that `text`, a Python literal, stands for."""
    try:
        return Returns(parse_literal(text, HIGHEST_CAPS), text.strip())
    except LiteralError as error:
        raise Refusal(error.problem, error.advice, offset=error.column, width=1) from error


def prints(text: str) -> Prints:
    """Return the expectation that `text` is printed."""
    return Prints(text)


def raises(text: str) -> Raises:
    """Return the expectation of an exception, written as `Type` or as `Type: message`."""
    match = _RAISES.fullmatch(text.rstrip("\n"))
    if match is None or bool(match["colon"]) != bool(match["message"]):
        raise Refusal(
            f"{quoted(text)} is no exception",
            "write a type, or a type and its message, such as AssertionError: invalid move",
        )
    # Executors report classes by their own name, not by that of their module.
    type_name, message = match["type"].rpartition(".")[2], match["message"]
    known = vars(builtins).get(type_name, Exception)
    if not (isinstance(known, type) and issubclass(known, BaseException)):
        raise Refusal(
            f"{quoted(type_name)} is no exception", "write a type, such as AssertionError"
        )
    if len(message or "") > MAX_MESSAGE_CHARS:
        advice = f"of messages only {MAX_MESSAGE_CHARS:,} characters are compared: leave it out"
        raise Refusal("the message is too long", advice)
    return Raises(type_name, message)


def same_as(text: str) -> SameAs:
    """Return the expectation of the very object that `text`, a name, is bound to."""
    if not text.isidentifier() or keyword.iskeyword(text):
        advice = "write a name that an earlier step assigns, such as puzzel"
        raise Refusal(f"{quoted(text)} is no name", advice)
    return SameAs(text)
