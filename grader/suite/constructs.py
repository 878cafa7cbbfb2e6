"""The constructs of Python that a rule can forbid, by the names that a suite calls them.

The executor finds them in the source (`grader.executor.surveying`), the judge holds them against
the rules. Names of built-in functions stand for their use as a function or a value.
"""

from __future__ import annotations

from typing import Final

LOOPS: Final = ("for", "while", "comprehension")
"""What a rule on loops can forbid; `comprehension` stands for all four kinds."""
COMPREHENSIONS: Final = (
    "list comprehension",
    "set comprehension",
    "dict comprehension",
    "generator expression",
)
FUNCTIONS: Final = ("all", "any", "eval", "exec", "filter", "map", "reduce", "sorted", "sum", "zip")
"""Functions that a rule can forbid by their name."""
CONSTRUCTS: Final = (
    "for",
    "while",
    *COMPREHENSIONS,
    "assert",
    "async",
    "break",
    "class",
    "continue",
    "decorator",
    "del",
    "f-string",
    "global",
    "lambda",
    "match",
    "nested function",
    "nonlocal",
    "star argument",
    "ternary",
    "try",
    "walrus",
    "with",
    "yield",
    *FUNCTIONS,
)
"""All of them. `comprehension` may be written for all kinds of comprehensions."""


def expanded(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return `names` with the kinds of comprehensions that `comprehension` stands for."""
    groups = (COMPREHENSIONS if name == "comprehension" else (name,) for name in names)
    return tuple(dict.fromkeys(name for group in groups for name in group))
