"""What sets and dicts can hold: elements that can be hashed, no two of them equal.

An executor encodes real sets, so a list in a set or `{1, True}` is forged. Python's own hash is of
no use to tell: a reply full of colliding numbers would keep the judge busy for hours. Elements are
told apart by text of our own making, which nobody can make collide.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Final

from grader.errors import ProtocolError
from grader.values import (
    Array,
    Atom,
    Collection,
    Fields,
    Mapping,
    Plain,
    Scalar,
    Sequence,
    Value,
)

_LONGEST_DECIMAL: Final = 400
"""Decimals of more places are told from other decimals, not from integers and fractions. No float
reaches so far."""


def check_elements(value: Value) -> None:
    """Raise `ProtocolError` for a set or a dict in `value` that no interpreter can hold."""
    _Elements().check(value)


class _Elements:
    """The elements of one value; equal ones have the same token."""

    def __init__(self) -> None:
        self._tokens: Final[dict[Hashable, int]] = {}
        self._token_by_id: Final[dict[int, int]] = {}

    def check(self, value: Value) -> None:
        match value:
            case Collection(items=items):
                self._check_different(items)
                self._check_all(items)
            case Mapping(items=pairs):
                self._check_different([key for key, _ in pairs])
                self._check_all(part for pair in pairs for part in pair)
            case Sequence(items=items) | Array(items=items):
                self._check_all(items)
            case Fields(items=fields):
                self._check_all(item for _, item in fields)

    def _check_all(self, values: Iterable[Value]) -> None:
        for value in values:
            if not isinstance(value, Atom):
                self.check(value)

    def _check_different(self, items: Iterable[Value]) -> None:
        tokens = [self._token(item) for item in items]
        if len(set(tokens)) != len(tokens):
            raise ProtocolError("equal elements or keys")

    def _token(self, value: Value) -> int:
        token = self._token_by_id.get(id(value))
        if token is None:
            token = self._tokens.setdefault(self._key(value), len(self._tokens))
            self._token_by_id[id(value)] = token
        return token

    def _key(self, value: Value) -> Hashable:
        match value:
            case Atom(content) | Scalar(_, content):  # Python takes 5 and np.int64(5) for one
                return _key_of_atom(content)
            case Sequence("tuple", items, None):
                return ("tuple", *map(self._token, items))
            case Collection("frozenset", items):
                return ("frozenset", frozenset(map(self._token, items)))
            case Sequence(class_name=None) | Collection() | Mapping() | Array():
                raise _unhashable()
            case _:  # an instance of a class, which may differ from all others
                return object()


def _unhashable() -> ProtocolError:
    return ProtocolError("an element or a key that cannot be hashed")


def _key_of_atom(content: Plain) -> Hashable:
    match content:
        case None | str() | bytes():
            return content
        case range():
            return _key_of_range(content)
        case complex() if content.imag:  # NaN included
            parts = (_key_of_number(content.real), _key_of_number(content.imag))
            return ("complex", *parts)
        case complex():
            return _key_of_number(content.real)
        case Decimal():
            return _key_of_decimal(content)
        case _:
            return _key_of_number(content)


def _key_of_range(numbers: range) -> Hashable:
    if not numbers:
        return ("range",)
    first, last = numbers[0], numbers[-1]
    return ("range", hex(first), hex(last), "" if first == last else hex(numbers.step))


def _key_of_number(number: float | Fraction) -> Hashable:
    if isinstance(number, float) and not math.isfinite(number):
        # NaN is not even equal to itself.
        return object() if math.isnan(number) else ("infinite", number > 0)
    above, below = number.as_integer_ratio()
    return ("number", hex(above), hex(below))


def _key_of_decimal(number: Decimal) -> Hashable:
    """Return the key of the equal float, integer or fraction, if there can be one.

    A decimal of many places is equal to other decimals only: to write it as a ratio takes time.
    """
    if number.is_snan():
        raise _unhashable()
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return _key_of_number(float(number))
    text = "".join(map(str, digits)).lstrip("0")
    significant = text.rstrip("0")
    if not significant:
        return _key_of_number(0)
    exponent += len(text) - len(significant)
    if len(significant) + abs(exponent) > _LONGEST_DECIMAL:
        return ("decimal", sign, significant, exponent)
    return _key_of_number(Fraction(f"{'-' * sign}{significant}E{exponent}"))
