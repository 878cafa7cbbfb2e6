"""Comparisons that are less strict than equality, where the author of a suite allows it.

First, each part of the submission's value that differs only in ways that do not count is replaced
with the expected part. Then both values are compared as usual, so that a report names only relevant
differences. `...` matches any text and is the only pattern, as a regular expression on hostile text
could keep the judge busy forever.
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

from grader.values.equality import comparison_key, equal
from grader.values.python_wording import differs_in_wording_only
from grader.values.tree import (
    Array,
    Atom,
    Collection,
    Fields,
    Mapping,
    Scalar,
    Sequence,
    Value,
    unwrap_scalar,
)

ELLIPSIS: Final = "..."
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,4})?")
_MAX_VISITED: Final = 200_000
"""The maximum number of elements visited; all pairs of unordered elements might be compared."""
_MAX_DIGITS: Final = 300
"""Longer numbers in text are compared as text."""


@unique
class Ignored(StrEnum):
    """A kind of difference that a comparison can ignore."""

    BLANKS = "blanks"
    """The amount and kind of whitespace."""
    CASE = "case"
    """Upper and lower case."""
    ORDER = "order"
    """The order of the elements of a list, or of the lines of a text."""
    PROMPTS = "prompts"
    """A program's prompts and what is typed at them."""
    TYPES = "types"
    """The types of numbers and sequences, such as `0` for `False`, or a list for a tuple."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leniency:
    """The differences that a comparison ignores."""

    ellipsis: bool = False
    """Whether `...` in the expected text matches any text."""
    ignored: frozenset[Ignored] = frozenset()
    absolute: float = 0.0
    """The maximum difference between a number and the expected one."""
    relative: float = 0.0
    """The maximum difference as a fraction of the expected number."""

    @property
    def is_tolerant(self) -> bool:
        """Whether numbers are allowed to differ from the expected ones."""
        return self.absolute > 0 or self.relative > 0

    def is_near(self, expected: float, got: float) -> bool:
        """Return whether `got` is within the tolerance of `expected`; none is near inf or nan."""
        if math.isnan(expected) or math.isinf(expected):
            return False  # no distance is defined; callers check for equality first
        return abs(got - expected) <= max(self.absolute, self.relative * abs(expected))


STRICT: Final = Leniency()
"""Ignores no differences."""


def align_text(expected: str, got: str, leniency: Leniency) -> str:
    """Return `expected` if `got` differs from it only in ways that do not count, else `got`.

    A returned `got` has the expected numbers and the expected order of lines wherever differences
    in these do not count.
    """
    if expected == got or differs_in_wording_only(expected, got):
        return expected
    if leniency == STRICT:
        return got
    if leniency.is_tolerant:
        got = _with_near_numbers(expected, got, leniency)
    if Ignored.ORDER in leniency.ignored:
        got = _with_sorted_lines(expected, got, leniency)
    expected_plain, got_plain = (_normalize(text, leniency.ignored) for text in (expected, got))
    matches = (
        matches_pattern(expected_plain, got_plain)
        if leniency.ellipsis
        else expected_plain == got_plain
    )
    return expected if matches else got


def matches_pattern(pattern: str, text: str) -> bool:
    """Return whether `text` matches `pattern`, in which `...` matches any text.

    As in doctest, each part is searched for only once, after the previous one, so there is no
    backtracking.
    """
    first, *parts = pattern.split(ELLIPSIS)
    if not parts:
        return pattern == text
    last = parts.pop()
    start, end = len(first), len(text) - len(last)
    if start > end or not (text.startswith(first) and text.endswith(last)):
        return False
    for part in parts:
        position = text.find(part, start, end)
        if position < 0:
            return False
        start = position + len(part)
    return True


def _normalize(text: str, ignored: frozenset[Ignored]) -> str:
    """Return `text` without the differences in whitespace and case that are `ignored`."""
    if Ignored.BLANKS in ignored:
        text = " ".join(text.split())
    return text.casefold() if Ignored.CASE in ignored else text


def _with_near_numbers(expected: str, got: str, leniency: Leniency) -> str:
    """Return `got` with each number that is within tolerance replaced with the expected one.

    Numbers correspond by their position among the numbers in their text.
    """
    numbers = iter(_NUMBER.findall(expected))

    def replacement(match: re.Match[str]) -> str:
        """Return the corresponding expected number if it is near enough, else the number itself."""
        number = match[0]
        expected_number = next(numbers, None)
        if expected_number is None or max(len(expected_number), len(number)) > _MAX_DIGITS:
            return number
        is_near = leniency.is_near(float(expected_number), float(number))
        return expected_number if is_near else number

    return _NUMBER.sub(replacement, got)


def _with_sorted_lines(expected: str, got: str, leniency: Leniency) -> str:
    """Return `got` with its lines reordered.

    Lines that `expected` contains as well come first, in the order of `expected`. For this
    purpose, ignored differences in whitespace and case do not count.
    """
    expected_lines = [_normalize(line, leniency.ignored) for line in expected.split("\n")]
    remaining: dict[str, list[str]] = {}
    for line in got.split("\n"):
        remaining.setdefault(_normalize(line, leniency.ignored), []).append(line)
    shared = [remaining[line].pop(0) for line in expected_lines if remaining.get(line)]
    return "\n".join([*shared, *(line for lines in remaining.values() for line in lines)])


def align_value(expected: Value, got: Value, leniency: Leniency) -> Value:
    """Return `got` with the expected part wherever they differ only in ways that do not count."""
    if leniency == STRICT and not (isinstance(expected, Atom) and isinstance(expected.value, str)):
        return got
    return _Aligner(leniency).align(expected, got)


class _Aligner:
    """Adapts one value to another; parts beyond the limit on visited elements stay unchanged."""

    def __init__(self, leniency: Leniency) -> None:
        self._leniency: Final = leniency
        self._any_type: Final = Ignored.TYPES in leniency.ignored
        self._any_order: Final = Ignored.ORDER in leniency.ignored
        self._visits_left = _MAX_VISITED

    def align(self, expected: Value, got: Value) -> Value:
        """Return `got`, adapted to `expected` where differences do not count.

        Each call counts as a visited element; once the limit is reached, return `got` unchanged.
        """
        self._visits_left -= 1
        if self._visits_left < 0:
            return got
        match expected, got:
            case Scalar(), _:
                return self.align(unwrap_scalar(expected), got)
            case Atom(), Atom() | Scalar():
                return self._align_atom(expected, got)
            case Array(shape, dtype, items), Array(got_shape, got_dtype, got_items) if (
                shape == got_shape
            ):
                return Array(
                    shape,
                    dtype if self._any_type else got_dtype,
                    self._align_in_order(items, got_items),
                )
            case Sequence(type_name, items, class_name), Sequence(got_type, got_items, got_class):
                if self._any_type:
                    got_type, got_class = type_name, class_name
                align_items = self._align_unordered if self._any_order else self._align_in_order
                return Sequence(got_type, align_items(items, got_items), got_class)
            case Collection(type_name, items), Collection(got_type, got_items):
                return Collection(
                    type_name if self._any_type else got_type,
                    self._align_unordered(items, got_items),
                )
            case Mapping(items), Mapping(got_items, class_name):
                return Mapping(self._align_pairs(items, got_items), class_name)
            case Fields(_, items), Fields(class_name, got_fields):
                values = self._align_in_order(
                    [field for _, field in items], [field for _, field in got_fields]
                )
                names = (name for name, _ in got_fields)
                return Fields(class_name, tuple(zip(names, values, strict=True)))
            case _:
                return got

    def _align_pairs(
        self, expected: Iterable[tuple[Value, Value]], got: Iterable[tuple[Value, Value]]
    ) -> tuple[tuple[Value, Value], ...]:
        """Return the items of the dict `got`, each value adapted to the expected one."""
        expected_by_key = {comparison_key(key): value for key, value in expected}
        aligned = []
        for key, value in got:
            expected_value = expected_by_key.get(comparison_key(key))
            aligned_value = value if expected_value is None else self.align(expected_value, value)
            aligned.append((key, aligned_value))
        return tuple(aligned)

    def _align_in_order(self, expected: Iterable[Value], got: Iterable[Value]) -> tuple[Value, ...]:
        """Return the elements of `got`, each adapted to the element of `expected` at its index.

        Surplus elements stay unchanged.
        """
        pairs = zip_longest(expected, got)
        return tuple(
            got_item if expected_item is None else self.align(expected_item, got_item)
            for expected_item, got_item in pairs
            if got_item is not None
        )

    def _align_unordered(
        self, expected: Iterable[Value], got: Iterable[Value]
    ) -> tuple[Value, ...]:
        """Return the elements of `got`, starting with those that match one of `expected`.

        Each of these is adapted to its match, and they are in the order of `expected`; the others
        stay unchanged.
        """
        # First those that are exactly equal, by key, as comparing all pairs takes quadratic time.
        by_key: dict[str, list[Value]] = {}
        for item in got:
            by_key.setdefault(comparison_key(item), []).append(item)
        matches = {
            index: items.pop()
            for index, item in enumerate(expected)
            if (items := by_key.get(comparison_key(item)))
        }
        unmatched = [item for items in by_key.values() for item in items]
        for index, item in enumerate(expected):
            for position, candidate in enumerate(
                unmatched if index not in matches and self._visits_left > 0 else ()
            ):
                if equal(item, aligned := self.align(item, candidate)):
                    matches[index] = aligned
                    del unmatched[position]
                    break
        return (*(matches[index] for index in sorted(matches)), *unmatched)

    def _align_atom(self, expected: Atom, got: Atom | Scalar) -> Value:
        """Return `expected` if `got`, text or a number, differs only in ways that do not count.

        Otherwise return `got`; if it is text, parts of it can be adapted as in `align_text`.
        """
        match expected.value, got.value:
            case str() as expected_content, str() as got_content:
                return Atom(align_text(expected_content, got_content, self._leniency))
            case complex() as expected_content, complex() as got_content:
                is_near = self._is_near(expected_content.real, got_content.real)
                return (
                    expected
                    if is_near and self._is_near(expected_content.imag, got_content.imag)
                    else got
                )
            case (int() | float()) as expected_content, (int() | float()) as got_content:
                if not self._any_type and isinstance(expected_content, bool) is not isinstance(
                    got_content, bool
                ):
                    return got
                has_equal_value = self._any_type and expected_content == got_content
                is_near = self._leniency.is_tolerant and self._is_near(
                    expected_content, got_content
                )
                return expected if has_equal_value or is_near else got
            case _:
                return got

    def _is_near(self, expected: float, got: float) -> bool:
        """Return whether `got` equals `expected` or is within its tolerance."""
        with suppress(OverflowError):  # an integer exceeds the range of floats
            return expected == got or self._leniency.is_near(float(expected), float(got))
        return False
