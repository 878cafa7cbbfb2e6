"""Checks the shapes of the parts of a message; each raises `Malformed` for any other."""

from __future__ import annotations

from typing import Any

from grader.plugins.own_tests.bridge.wire import MAX_NAME_CHARS, Malformed


def as_list(told: Any) -> list[Any]:
    """Return `told` if it is a list."""
    if type(told) is not list:
        raise Malformed("a list that is none")
    return told


def as_parts(told: Any, count: int) -> list[Any]:
    """Return `told` if it is a list of `count` elements."""
    if len(as_list(told)) != count:
        raise Malformed("a list of another length")
    parts: list[Any] = told
    return parts


def as_pair(told: Any) -> list[Any]:
    """Return `told` if it is a list of two."""
    return as_parts(told, 2)


def as_int(told: Any) -> int:
    """Return `told` if it is an integer."""
    if type(told) is not int:
        raise Malformed("a number that is none")
    return told


def as_key(told: Any) -> int:
    """Return `told` if it can be the other side's key of an object of its own."""
    if type(told) is not int or told <= 0:
        raise Malformed("a key that is none")
    return told


def as_text(told: Any) -> str:
    """Return `told` if it is a string."""
    if type(told) is not str:
        raise Malformed("a text that is none")
    return told


def as_name(told: Any) -> str:
    """Return a short string, with lone surrogates replaced so that it can be printed."""
    text = as_text(told)
    if len(text) > MAX_NAME_CHARS or "\0" in text:
        raise Malformed("a name that is none")
    return text.encode("utf-8", "replace").decode()


def as_float(told: Any) -> float:
    """Return the number in a string."""
    try:
        return float(as_text(told))
    except ValueError:
        raise Malformed("a number that is none") from None


def as_plain(told: Any) -> object:
    """Return `told` if it is a number, a string, a bool or None."""
    if type(told) not in {type(None), bool, int, float, str}:
        raise Malformed("a value that is none")
    return told
