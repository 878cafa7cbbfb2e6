"""Parses what a rule can look for in a source: `for`, `sorted`, `.sort`, `%`, `3.14`.

A word means one thing: a construct of `grader.suite.vocabulary`; a name that is built in, has
a module prefix or is defined by the exercise; with a leading dot, a method or other attribute; an
operator; or a literal.
"""

from __future__ import annotations

import ast
import builtins
from typing import Final, NamedTuple

from grader.protocol import MAX_NAME_CHARS
from grader.suite.diagnostics import Refusal, did_you_mean, quoted
from grader.suite.texts import is_dotted, is_name
from grader.suite.vocabulary import CONSTRUCTS, FORBIDDABLE, GROUPS, OPERATORS

SOUGHT_PATTERN: Final = r"^(\.?[^\W\d]\w*(\.[^\W\d]\w*)*|[^\w\s.]{1,2}|[\d'\"].*|[A-Za-z ]+)$"
"""The form of words other than constructs; for editors, and too permissive."""
_BUILT_IN: Final = frozenset(dir(builtins))
_ADVICE: Final = (
    "write a construct (docs/reference/suite.md lists them), a function (sorted, math.sqrt), "
    "a method or attribute with its dot (.sort), an operator ('%') or a literal ('3.14')"
)


class Sought(NamedTuple):
    """One thing to look for."""

    word: str
    """The word as written in the suite."""
    kind: str
    """`construct`, `name`, `attribute`, `operator` or `literal`."""
    meanings: tuple[str, ...]
    """The forms in a source: full names of a name, else one text."""


def sought(word: str) -> Sought:
    """Return what `word` means; raises `Refusal` if it is unknown."""
    if word in CONSTRUCTS:
        return Sought(word, "construct", (word,))
    if word in OPERATORS:
        return Sought(word, "operator", (word,))
    if word.startswith(".") and is_name(word[1:]):
        return Sought(word, "attribute", (word[1:],))
    if is_dotted(word):
        return Sought(word, "name", (word, f"builtins.{word}"))
    if len(word) <= MAX_NAME_CHARS and _is_literal(word):
        return Sought(word, "literal", (word,))
    raise Refusal(f"unknown construct {quoted(word)}{did_you_mean(word, FORBIDDABLE)}", _ADVICE)


def sought_word(word: str) -> str:
    """Return `word` if it is known; raises `Refusal` otherwise."""
    if word not in GROUPS:
        sought(word)
    return word


def unknown_name(word: str, own: tuple[str, ...]) -> tuple[str, str] | None:
    """Return problem and advice for an undotted name that is neither built in nor in `own`."""
    is_open = word not in GROUPS and sought(word).kind == "name" and "." not in word
    if not is_open or word in _BUILT_IN or word in own:
        return None
    near = did_you_mean(word, (*FORBIDDABLE, *_BUILT_IN, *own))
    return f"unknown construct {quoted(word)}{near}", _ADVICE


def _is_literal(word: str) -> bool:
    try:
        # Deep nesting makes the parser raise MemoryError or RecursionError.
        parsed = ast.parse(word, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    # `...` parses as a constant, but is not a literal to look for.
    return isinstance(parsed, ast.Constant) and parsed.value is not ...
