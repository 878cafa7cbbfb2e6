"""Checks parts of a message; each function raises `Malformed` for an invalid one."""

from __future__ import annotations

from typing import Any

from grader.plugins.own_tests.bridge.wire import MAX_NAME_CHARS, Malformed


def as_list(value: Any) -> list[Any]:
    """Return `value` if it is a list."""
    if type(value) is not list:
        raise Malformed("expected a list")
    return value


def as_parts(value: Any, count: int) -> list[Any]:
    """Return `value` if it is a list of exactly `count` elements."""
    if len(as_list(value)) != count:
        raise Malformed(f"expected {count} elements in a list, not {len(value)}")
    parts: list[Any] = value
    return parts


def as_pair(value: Any) -> list[Any]:
    """Return `value` if it is a list of two elements."""
    return as_parts(value, 2)


def as_int(value: Any) -> int:
    """Return `value` if it is an integer."""
    if type(value) is not int:
        raise Malformed("expected an integer")
    return value


def as_key(value: Any) -> int:
    """Return `value` if it is a valid key that the other side assigned to an object of its own."""
    if type(value) is not int or value <= 0:
        raise Malformed("expected a positive integer as a key")
    return value


def as_text(value: Any) -> str:
    """Return `value` if it is a string."""
    if type(value) is not str:
        raise Malformed("expected a string")
    return value


def as_name(value: Any) -> str:
    """Return `value` if it is a short string.

    Lone surrogates are replaced, so that the string can be printed.
    """
    text = as_text(value)
    if len(text) > MAX_NAME_CHARS or "\0" in text:
        raise Malformed(
            f"a name is longer than {MAX_NAME_CHARS} characters, or contains a null character"
        )
    return text.encode("utf-8", "replace").decode()


def as_float(value: Any) -> float:
    """Return the float that the string `value` represents."""
    try:
        return float(as_text(value))
    except ValueError:
        raise Malformed("expected a number in a string") from None


def as_plain(value: Any) -> object:
    """Return `value` if it is a number, a string, a bool or None."""
    if type(value) not in {type(None), bool, int, float, str}:
        raise Malformed("expected a number, a string, a bool or None")
    return value
