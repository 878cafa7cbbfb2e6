"""Parts of a message, each of the shape that it must have; raises `Malformed` for any other."""

from __future__ import annotations

from typing import Any

from grader.plugins.own_tests.bridge.wire import MOST_NAME_CHARS, Malformed


def as_list(told: Any) -> list[Any]:
    """Return a list."""
    if type(told) is not list:
        raise Malformed("a list that is none")
    return told


def as_parts(told: Any, count: int) -> list[Any]:
    """Return a list of so many elements."""
    if len(as_list(told)) != count:
        raise Malformed("a list of another length")
    parts: list[Any] = told
    return parts


def as_pair(told: Any) -> list[Any]:
    """Return a list of two."""
    return as_parts(told, 2)


def as_int(told: Any) -> int:
    """Return a number."""
    if type(told) is not int:
        raise Malformed("a number that is none")
    return told


def as_key(told: Any) -> int:
    """Return a key that the other side has given to something of its own."""
    if type(told) is not int or told <= 0:
        raise Malformed("a key that is none")
    return told


def as_text(told: Any) -> str:
    """Return a text."""
    if type(told) is not str:
        raise Malformed("a text that is none")
    return told


def as_name(told: Any) -> str:
    """Return a short text that can be printed."""
    text = as_text(told)
    if len(text) > MOST_NAME_CHARS or "\0" in text:
        raise Malformed("a name that is none")
    return text.encode("utf-8", "replace").decode()


def as_float(told: Any) -> float:
    """Return the number that a text spells."""
    try:
        return float(as_text(told))
    except ValueError:
        raise Malformed("a number that is none") from None


def as_plain(told: Any) -> object:
    """Return a value that stands for itself: a number, a text, a truth or nothing."""
    if type(told) not in {type(None), bool, int, float, str}:
        raise Malformed("a value that is none")
    return told
