"""Comparisons that are less strict than equality, where the author of a suite asks for it.

First the differences that do not count are replaced in the submission's value by what was
expected. Then both are compared as usual, so that a report names only what counts. `...` matches
any text and is the only pattern: a regular expression on hostile text could keep the judge busy
for ever.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum, unique
from itertools import zip_longest
from typing import Final

from grader.values.equality import equal, key_of, without_scalar
from grader.values.python_wording import differs_in_wording_only
from grader.values.tree import Array, Atom, Collection, Fields, Mapping, Scalar, Sequence, Value

ELLIPSIS: Final = "..."
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?")
_MAX_VISITED: Final = 200_000
"""Limit on the elements visited, because all pairs of unordered ones are compared."""
_MAX_DIGITS: Final = 300
"""Longer numbers in a text are compared as text."""


@unique
class Ignored(StrEnum):
    """What may differ."""

    BLANKS = "blanks"
    """The amount and kind of whitespace."""
    CASE = "case"
    """Upper and lower case."""
    ORDER = "order"
    """The order of the elements of lists, or of the lines of a text."""
    PROMPTS = "prompts"
    """A program's prompts, and what is typed at them."""
    TYPES = "types"
    """Types of numbers and of sequences: `0` for `False`, a list for a tuple."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leniency:
    """The differences that a comparison ignores."""

    ellipsis: bool = False
    """Whether `...` in the expected text matches any text."""
    ignored: frozenset[Ignored] = frozenset()
    absolute: float = 0.0
    """How far a number may be from the expected one."""
    relative: float = 0.0
    """The same, as a fraction of the expected one."""

    @property
    def is_tolerant(self) -> bool:
        """Whether numbers may differ."""
        return self.absolute > 0 or self.relative > 0

    def near(self, expected: float, got: float) -> bool:
        """Return whether the number `got` is near enough to `expected`."""
        if math.isnan(expected) or math.isinf(expected):
            return False  # they have no distance; equal ones are handled before
        return abs(got - expected) <= max(self.absolute, self.relative * abs(expected))


STRICT: Final = Leniency()
"""Ignores no difference."""


def text_as(expected: str, got: str, leniency: Leniency) -> str:
    """Return `got`, with differences that do not count replaced by what `expected` has."""
    if expected == got or differs_in_wording_only(expected, got):
        return expected
    if leniency == STRICT:
        return got
    if leniency.is_tolerant:
        got = _with_near_numbers(expected, got, leniency)
    if Ignored.ORDER in leniency.ignored:
        got = _with_sorted_lines(expected, got, leniency)
    expected_plain, got_plain = (_plain(text, leniency.ignored) for text in (expected, got))
    matches = fits(expected_plain, got_plain) if leniency.ellipsis else expected_plain == got_plain
    return expected if matches else got


def fits(pattern: str, text: str) -> bool:
    """Return whether `text` matches `pattern`, in which `...` matches any text.

    Each part is searched for once, after the one before it, as doctest does: there is no
    backtracking.
    """
    first, *others = pattern.split(ELLIPSIS)
    if not others:
        return pattern == text
    last = others.pop()
    start, end = len(first), len(text) - len(last)
    if start > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for part in others:
        position = text.find(part, start, end)
        if position < 0:
            return False
        start = position + len(part)
    return True


def _plain(text: str, ignored: frozenset[Ignored]) -> str:
    if Ignored.BLANKS in ignored:
        text = " ".join(text.split())
    return text.casefold() if Ignored.CASE in ignored else text


def _with_near_numbers(expected: str, got: str, leniency: Leniency) -> str:
    """Return `got` with numbers that are near enough replaced by those of `expected`."""
    numbers = iter(_NUMBER.findall(expected))

    def replacement(found: re.Match[str]) -> str:
        other = next(numbers, None)
        is_short = other is not None and max(len(other), len(found[0])) <= _MAX_DIGITS
        near = is_short and leniency.near(float(other or 0), float(found[0]))
        return other if near and other is not None else found[0]

    return _NUMBER.sub(replacement, got)


def _with_sorted_lines(expected: str, got: str, leniency: Leniency) -> str:
    """Return `got` with the lines it shares with `expected` first, in the order of `expected`."""
    expected_lines = [_plain(line, leniency.ignored) for line in expected.split("\n")]
    remaining: dict[str, list[str]] = {}
    for line in got.split("\n"):
        remaining.setdefault(_plain(line, leniency.ignored), []).append(line)
    shared = [remaining[line].pop(0) for line in expected_lines if remaining.get(line)]
    return "\n".join([*shared, *(line for lines in remaining.values() for line in lines)])


def value_as(expected: Value, got: Value, leniency: Leniency) -> Value:
    """Return `got`, with differences that do not count replaced by the parts of `expected`."""
    if leniency == STRICT and not (isinstance(expected, Atom) and isinstance(expected.value, str)):
        return got
    return _Normalizer(leniency).form(expected, got)


class _Normalizer:
    """Gives one value the form of another; what it cannot visit in bounded time stays as it is."""

    def __init__(self, leniency: Leniency) -> None:
        self._leniency: Final = leniency
        self._any_type: Final = Ignored.TYPES in leniency.ignored
        self._any_order: Final = Ignored.ORDER in leniency.ignored
        self._visits_left = _MAX_VISITED

    def form(self, expected: Value, got: Value) -> Value:
        """Return `got`, with differences that do not count replaced by parts of `expected`."""
        self._visits_left -= 1
        if self._visits_left < 0:
            return got
        match expected, got:
            case Scalar(), _:
                return self.form(without_scalar(expected), got)
            case Atom(), Atom() | Scalar():
                return self._atom(expected, got)
            case Array(shape, dtype, items), Array(other, own, given) if shape == other:
                return Array(shape, dtype if self._any_type else own, self._each(items, given))
            case Sequence(type_name, items, class_name), Sequence(own, given, other):
                if self._any_type:
                    own, other = type_name, class_name
                formed = self._matched if self._any_order else self._each
                return Sequence(own, formed(items, given), other)
            case Collection(type_name, items), Collection(own, given):
                return Collection(type_name if self._any_type else own, self._matched(items, given))
            case Mapping(items), Mapping(given, class_name):
                wanted = {key_of(key): value for key, value in items}
                keys = ((key, value, wanted.get(key_of(key))) for key, value in given)
                pairs = ((k, v if one is None else self.form(one, v)) for k, v, one in keys)
                return Mapping(tuple(pairs), class_name)
            case Fields(_, items), Fields(class_name, given):
                values = self._each([one for _, one in items], [each for _, each in given])
                names = (name for name, _ in given)
                return Fields(class_name, tuple(zip(names, values, strict=True)))
            case _:
                return got

    def _each(self, expected: Iterable[Value], got: Iterable[Value]) -> tuple[Value, ...]:
        """Return the elements of `got`, each in the form of the one at its index in `expected`."""
        pairs = zip_longest(expected, got)
        return tuple(
            each if one is None else self.form(one, each) for one, each in pairs if each is not None
        )

    def _matched(self, expected: Iterable[Value], got: Iterable[Value]) -> tuple[Value, ...]:
        """Return `got` with elements that match `expected` first, in its order, then the rest."""
        by_key: dict[str, list[Value]] = {}
        for item in got:
            by_key.setdefault(key_of(item), []).append(item)
        matches = {
            index: items.pop()
            for index, item in enumerate(expected)
            if (items := by_key.get(key_of(item)))
        }
        others = [item for items in by_key.values() for item in items]
        for index, item in enumerate(expected):
            for position, candidate in enumerate(
                others if index not in matches and self._visits_left > 0 else ()
            ):
                if equal(item, formed := self.form(item, candidate)):
                    matches[index] = formed
                    del others[position]
                    break
        return (*(matches[index] for index in sorted(matches)), *others)

    def _atom(self, expected: Atom, got: Atom | Scalar) -> Value:
        """Return `expected` if `got` is a text or number that differs only in what is ignored."""
        match expected.value, got.value:
            case str() as wanted, str() as given:
                return Atom(text_as(wanted, given, self._leniency))
            case complex() as wanted, complex() as given:
                is_near = self._is_near(wanted.real, given.real)
                return expected if is_near and self._is_near(wanted.imag, given.imag) else got
            case (int() | float()) as wanted, (int() | float()) as given:
                if not self._any_type and isinstance(wanted, bool) is not isinstance(given, bool):
                    return got
                is_as_expected = self._any_type and wanted == given
                is_near = self._leniency.is_tolerant and self._is_near(wanted, given)
                return expected if is_as_expected or is_near else got
            case _:
                return got

    def _is_near(self, expected: float, got: float) -> bool:
        with suppress(OverflowError):  # integers too large for any float
            return expected == got or self._leniency.near(float(expected), float(got))
        return False
