"""Formats values for people: capped, escaped, and identical from run to run.

It formats the judge's own tree, never calls a `__repr__`, and sorts the elements of sets, so that
people can compare two sets by eye. The time it takes depends on the length of the resulting text,
not on the size of the value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, TypeAlias
from weakref import ref

from grader.values.array_text import array_parts, atom_text, cell_texts, scalar_text
from grader.values.foreign_text import MAX_SHOWN_CHARS, MEMORY_ADDRESS, escape_controls, on_one_line
from grader.values.tree import (
    Array,
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Node,
    Opaque,
    Scalar,
    Sequence,
    TooLarge,
    Value,
    elements,
)

MAX_SORTED_NODES: Final = 2_000
"""Sets with more nodes are not sorted."""
_MAX_KEY_CHARS: Final = 200
"""How much of the text of a value is compared for sorting."""


def render_value(value: Value, limit: int = MAX_SHOWN_CHARS, *, on_one_line: bool = False) -> str:
    """Return `value` as Python would display it, escaped and cut after `limit` characters.

    Formatting stops at the limit, so the omitted characters are not counted. The text is cached, as
    a value appears in many transcripts. Only arrays take several lines, unless `on_one_line`.
    """
    key = (id(value), limit, on_one_line)
    cached = _RENDERED.get(key)
    # The reference is checked, as an id can be reused once its object is deleted.
    if cached is not None and cached[0]() is value:
        return cached[1]
    # Twice the limit, as removing addresses shortens the text.
    text = MEMORY_ADDRESS.sub("at 0x…>", literal(value, 2 * limit, on_one_line=on_one_line))
    rendered = escape_controls(text if len(text) <= limit else f"{text[:limit]}…")
    if isinstance(value, Node):
        if len(_RENDERED) >= _MAX_CACHED:
            _RENDERED.clear()  # also drops the entries of values that no longer exist
        _RENDERED[key] = ref(value), rendered
    return rendered


_RENDERED: Final[dict[tuple[int, int, bool], tuple[ref[Node], str]]] = {}
_MAX_CACHED: Final = 256


def short_value(value: Value, limit: int) -> str:
    """Return `value` as `render_value` does, on a single line."""
    return on_one_line(render_value(value, limit, on_one_line=True))


def literal(value: Value, limit: int = sys.maxsize, *, on_one_line: bool = False) -> str:
    """Return `value` as Python would display it, cut somewhere after `limit` characters.

    The elements of a set are sorted unless there are too many.
    """
    writer = _Writer(limit, on_one_line=on_one_line)
    with suppress(_LimitReached):
        writer.write(value)
    return "".join(writer.parts)


def sort_if_few(items: tuple[Value, ...]) -> list[Value]:
    """Return the elements of a set, sorted unless there are too many."""
    return list(items) if _count_nodes(items) > MAX_SORTED_NODES else sorted(items, key=_sort_key)


class _LimitReached(Exception):
    """The text exceeds the limit on its length."""


class _Writer:
    """Writes a value part by part and raises `_LimitReached` after `limit` characters."""

    def __init__(
        self, limit: int, sortable: int = MAX_SORTED_NODES, *, on_one_line: bool = True
    ) -> None:
        """Stop after more than `limit` characters, and sort at most `sortable` nodes of sets."""
        self.parts: Final[list[str]] = []
        self._on_one_line: Final = on_one_line
        self._chars_left = limit
        self._sortable_left = sortable
        """The number of nodes that can still be sorted. It is limited, as sorting nested sets at
        each level is expensive."""

    def write(self, value: Value) -> None:  # noqa: C901, PLR0912 - one case per kind of value
        """Append the text of `value`; raises `_LimitReached` once the limit is exceeded."""
        match value:
            case Atom(str() | bytes() as content):
                # One more character than fits, so that `_append` detects the excess.
                self._append(repr(content[: self._chars_left + 1]))
            case Atom(content):
                self._append(atom_text(content))
            case Sequence("list", items):
                self._write_all("[", items, "]")
            case Sequence(_, items, class_name):
                self._write_all(f"{class_name or ''}(", items, ",)" if len(items) == 1 else ")")
            case Collection(type_name, ()):
                self._append(f"{type_name}()")
            case Collection("set", items):
                self._write_all("{", self._sort_within_limit(items), "}")
            case Collection(_, items):
                self._write_all("frozenset({", self._sort_within_limit(items), "})")
            case Mapping(items):
                self._write_pairs("{", items, "}")
            case Fields(class_name, fields):
                self._write_pairs(f"{class_name}(", fields, ")")
            case Array():
                self._write_array(value)
            case Scalar():
                self._append(_scalar_text(value))
            case EnumMember(class_name, member):
                self._append(f"{class_name}.{member}")
            case Opaque(class_name):
                self._append(f"<{class_name}>")
            case TooLarge(type_name):
                self._append(f"<{type_name} …>")

    def _append(self, text: str) -> None:
        """Append `text`, then raise `_LimitReached` if the limit is exceeded."""
        self.parts.append(text)
        self._chars_left -= len(text)
        if self._chars_left < 0:
            raise _LimitReached

    def _write_all(self, opening: str, items: Iterable[Value], closing: str) -> None:
        """Append `items`, separated by commas, between brackets.

        Raises `_LimitReached` once the limit is exceeded.
        """
        self._append(opening)
        for index, item in enumerate(items):
            if index:
                self._append(", ")
            self.write(item)
        self._append(closing)

    def _write_pairs(
        self, opening: str, pairs: Iterable[tuple[Value | str, Value]], closing: str
    ) -> None:
        """Append pairs between brackets, as `name=item` if the key is a name, else as `key: item`.

        Raises `_LimitReached` once the limit is exceeded.
        """
        self._append(opening)
        for index, (key, item) in enumerate(pairs):
            if index:
                self._append(", ")
            if isinstance(key, str):
                self._append(f"{key}=")
            else:
                self.write(key)
                self._append(": ")
            self.write(item)
        self._append(closing)

    def _write_array(self, array: Array) -> None:
        """Append the text of `array`; raises `_LimitReached` once the limit is exceeded."""
        # An element takes at least one character, so no further ones can fit.
        limit = min(self._chars_left, len(array.items)) + 1
        texts = [] if array.kind == "object" else cell_texts(array, limit)
        for part in array_parts(array, limit, on_one_line=self._on_one_line):
            if isinstance(part, str):
                self._append(part)
            elif array.kind == "object":
                self.write(array.items[part])
            else:
                self._append(texts[part].strip() if self._on_one_line else texts[part])

    def _sort_within_limit(self, items: tuple[Value, ...]) -> Iterable[Value]:
        """Return `items`, sorted if their nodes are not more than can still be sorted.

        The nodes of sorted items are subtracted from that number.
        """
        size = _count_nodes(items)
        if size > self._sortable_left:
            return items
        self._sortable_left -= size
        return sorted(items, key=_sort_key)


def _scalar_text(scalar: Scalar) -> str:
    if isinstance(scalar.value, bool):
        return f"np.{scalar.value}_"
    return f"{scalar.type_name}({scalar_text(scalar.dtype, scalar.value)})"


def _count_nodes(items: tuple[Value, ...]) -> int:
    """Return the number of nodes in `items`, or a lower number that is already too many to sort."""
    pending, size = list(items), len(items)
    while pending and size <= MAX_SORTED_NODES:
        children = elements(pending.pop())
        size += len(children)
        pending += children
    return size


_SortKey: TypeAlias = tuple[int, float, tuple[object, ...], str]


def _sort_key(value: Value) -> _SortKey:
    """Return a sort key that puts numbers first, then texts, sequences and sets, then the rest."""
    match value:
        case Scalar(_, content):
            return _sort_key(Atom(content))
        case Atom(content) if isinstance(content, bool | float) or (
            # Larger integers could overflow `float`, at 1024 bits.
            isinstance(content, int) and content.bit_length() < 1000
        ):
            number = float(content)
            # Comparisons with nan are always false, which would break sorting.
            return (0, 0.0 if math.isnan(number) else number, (), "")
        case Atom(str() as text):
            return (1, 0.0, (), text)
        case Sequence(_, items):
            return (2, 0.0, tuple(map(_sort_key, items)), "")
        case Collection(_, items):
            return (2, 0.0, tuple(sorted(map(_sort_key, items))), "")
        case _:
            # Inner sets stay unsorted, as sorting them both for the key and for the text would
            # double the work at every level.
            writer = _Writer(_MAX_KEY_CHARS, sortable=0)
            with suppress(_LimitReached):
                writer.write(value)
            return (3, 0.0, (), "".join(writer.parts))
