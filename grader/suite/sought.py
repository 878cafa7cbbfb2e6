"""What a rule can look for in a source: `for`, `sorted`, `.sort`, `%`, `3.14`.

A word stands for one thing: a construct of `grader.suite.vocabulary`; a name that is built in, has
a module before it or is asked for by the exercise; behind a dot, a method or another attribute; an
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
"""What a word can look like that is no construct; for editors, and rather too wide."""
_BUILT_IN: Final = frozenset(dir(builtins))
_ADVICE: Final = (
    "write a construct (docs/reference/suite.md lists them), a function (sorted, math.sqrt), "
    "a method or attribute with its dot (.sort), an operator ('%') or a literal ('3.14')"
)


class Sought(NamedTuple):
    """One thing to look for."""

    word: str
    """As the suite writes it."""
    kind: str
    """`construct`, `name`, `attribute`, `operator` or `literal`."""
    meanings: tuple[str, ...]
    """What it is in a source: full names of a name, else one text."""


def sought(word: str) -> Sought:
    """Return what `word` stands for; raises `Refusal` where it can stand for nothing."""
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
    """Return `word` if there can be something that it stands for."""
    if word not in GROUPS:
        sought(word)
    return word


def unknown_name(word: str, own: tuple[str, ...]) -> tuple[str, str] | None:
    """Return what is wrong with a name without a dot that is neither built in nor among `own`."""
    is_open = word not in GROUPS and sought(word).kind == "name" and "." not in word
    if not is_open or word in _BUILT_IN or word in own:
        return None
    near = did_you_mean(word, (*FORBIDDABLE, *_BUILT_IN, *own))
    return f"unknown construct {quoted(word)}{near}", _ADVICE


def _is_literal(word: str) -> bool:
    try:
        parsed = ast.parse(word, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return isinstance(parsed, ast.Constant) and parsed.value is not ...
