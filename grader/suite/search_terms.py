"""Parses what a rule can look for in source code, such as `for`, `sorted`, `.sort`, `%` or `3.14`.

Each word has one meaning. It is a construct in `grader.suite.vocabulary`; a name that is built in,
has a module prefix or is defined by the exercise; a method or other attribute, if it starts with a
dot; an operator; or a literal.
"""

from __future__ import annotations

import ast
import builtins
from typing import Final, NamedTuple

from grader.protocol import MAX_NAME_CHARS
from grader.suite.diagnostics import Refusal, did_you_mean, quote
from grader.suite.texts import is_dotted, is_name
from grader.suite.vocabulary import CONSTRUCTS, FORBIDDABLE, GROUPS, OPERATORS

SEARCH_TERM_PATTERN: Final = r"^(\.?[^\W\d]\w*(\.[^\W\d]\w*)*|[^\w\s.]{1,2}|[\d'\"].*|[A-Za-z ]+)$"
"""Matches all words that are not constructs, and some that are not valid; only for editors."""
_BUILT_IN: Final = frozenset(dir(builtins))
_ADVICE: Final = (
    "write a construct (docs/reference/suite.md lists them), a function (sorted, math.sqrt), "
    "a method or attribute with its dot (.sort), an operator ('%') or a literal ('3.14')"
)


class SearchTerm(NamedTuple):
    """One thing to look for in source code."""

    word: str
    """The word as written in the suite."""
    kind: str
    """`construct`, `name`, `attribute`, `operator` or `literal`."""
    meanings: tuple[str, ...]
    """What matches in source code: the possible full names of a name, or otherwise one string."""


def parse_search_term(word: str) -> SearchTerm:
    """Return what the `word` of a rule stands for; raises `Refusal` if it is unknown."""
    if word in CONSTRUCTS:
        return SearchTerm(word, "construct", (word,))
    if word in OPERATORS:
        return SearchTerm(word, "operator", (word,))
    if word.startswith(".") and is_name(word[1:]):
        return SearchTerm(word, "attribute", (word[1:],))
    if is_dotted(word):
        return SearchTerm(word, "name", (word, f"builtins.{word}"))
    if len(word) <= MAX_NAME_CHARS and _is_literal(word):
        return SearchTerm(word, "literal", (word,))
    raise Refusal(f"unknown construct {quote(word)}{did_you_mean(word, FORBIDDABLE)}", _ADVICE)


def check_search_word(word: str) -> str:
    """Return `word` if it is known, including groups of constructs; raises `Refusal` otherwise."""
    if word not in GROUPS:
        parse_search_term(word)
    return word


def unknown_name(word: str, own_names: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the problem and the advice for an unknown name, or None for any other word.

    A name without dots is unknown if it is neither built in nor in `own_names`, the names that the
    exercise defines. Raises `Refusal` for a word that has no meaning at all.
    """
    is_plain_name = (
        word not in GROUPS and parse_search_term(word).kind == "name" and "." not in word
    )
    if not is_plain_name or word in _BUILT_IN or word in own_names:
        return None
    suggestion = did_you_mean(word, (*FORBIDDABLE, *_BUILT_IN, *own_names))
    return f"unknown construct {quote(word)}{suggestion}", _ADVICE


def _is_literal(word: str) -> bool:
    """Return whether `word` is a number, text or another constant."""
    try:
        # For deep nesting the parser raises MemoryError or RecursionError.
        parsed = ast.parse(word, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    # `...` also parses as a constant, but rules cannot look for it.
    return isinstance(parsed, ast.Constant) and parsed.value is not ...
