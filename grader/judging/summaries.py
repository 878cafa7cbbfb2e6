"""Summaries of what calls were given: what executors tell of a value in a few words.

How they are made, and what they can be, is said in `grader.executor.tracing`. They come from the
process of a submission, so their shape is checked before anything is done with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType
from typing import Any, Final

from grader.values.foreign_text import one_line

MOST: Final = 1 << 63
"""No length is more; numbers and lines do not come near it. Whoever says so has forged it."""
_SHOWN_CHARS: Final = 40
CALL_CHARS: Final = 120
_EXACT: Final = ("none", "bool", "float")
_PLAIN: Final = (str, int, bool, NoneType)


def is_summary(facts: object) -> bool:
    """Return whether `facts` are plain: what is nested could be too deep to be compared."""
    return isinstance(facts, list) and bool(facts) and all(map(_is_plain, facts))


def _is_plain(fact: object) -> bool:
    return type(fact) in _PLAIN and not (isinstance(fact, int) and abs(fact) > MOST)


def shown_call(function: str, arguments: Sequence[Sequence[Any]], limit: int = CALL_CHARS) -> str:
    """Return a call as code has it; one that is longer than `limit` is cut."""
    return one_line(f"{function}({', '.join(map(shown_summary, arguments))})", limit)


def is_told(summary: Sequence[Any]) -> bool:
    """Return whether equal summaries like this one mean equal values, or the same object."""
    match summary:
        case ["str", int() as length, str() as text]:
            return length == len(text)
        case ["sized", str(), int(), text, *_]:
            return text is not None
        case ["object", str(), number, *_]:
            return bool(number)
        case ["int", number]:
            return type(number) is int
        case _:
            return summary[0] in _EXACT


def shown_summary(summary: Sequence[Any]) -> str:
    """Return a summary as it stands in a call."""
    match summary:
        case ["none"]:
            return "None"
        case ["bool" | "int" | "float", value]:
            return one_line(str(value), _SHOWN_CHARS)
        case ["str", int() as length, str() as text]:
            return one_line(repr(text) if length <= len(text) else f"{text!r}...", _SHOWN_CHARS)
        case ["sized", str() as kind, int(), str() as text] if kind in _BRACKETS:
            opening, closing = _BRACKETS[kind]
            return one_line(f"{opening}{text}{closing}", _SHOWN_CHARS)
        case ["sized", str() as kind, int() as length, *_]:
            return one_line(f"<{kind}: {length}>", _SHOWN_CHARS)
        case ["object", str() as kind, *_]:
            return one_line(f"<{kind}>", _SHOWN_CHARS)
        case _:
            return "..."


_BRACKETS: Final = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}"), "dict": ("{", "}")}
