"""Formats values for people: capped, escaped, and the same each time.

It formats the judge's own tree, never calls a `__repr__`, and sorts the elements of sets, so that
two sets can be compared by eye. The time it takes depends on the text shown, not on the value.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, TypeAlias
from weakref import ref

from grader.values.array_text import array_pieces, atom_text, cell_texts, scalar_text
from grader.values.foreign_text import ADDRESS, MAX_SHOWN_CHARS, on_one_line, plain
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
"""Sets of more nodes are shown unsorted."""
_MAX_KEY_CHARS: Final = 200


def shown_value(value: Value, limit: int = MAX_SHOWN_CHARS, *, on_one_line: bool = False) -> str:
    """Return `value` the way Python would write it, safe and short.

    Formatting stops at the limit, so what is left out of a long value is not counted. The text is
    cached, as a value is shown in many transcripts. Only an array takes several lines.
    """
    key = (id(value), limit, on_one_line)
    known = _SHOWN.get(key)
    if known is not None and known[0]() is value:  # an id is reused after its object is gone
        return known[1]
    # Twice the limit, as blanking addresses shortens the text.
    text = ADDRESS.sub("at 0x…>", literal(value, 2 * limit, on_one_line=on_one_line))
    shown = plain(text if len(text) <= limit else f"{text[:limit]}…")
    if isinstance(value, Node):
        if len(_SHOWN) >= _MAX_KEPT:
            _SHOWN.clear()  # also drops the entries of values that are gone
        _SHOWN[key] = ref(value), shown
    return shown


_SHOWN: Final[dict[tuple[int, int, bool], tuple[ref[Node], str]]] = {}
_MAX_KEPT: Final = 256


def short_value(value: Value, limit: int) -> str:
    """Return `value` on a single line."""
    return on_one_line(shown_value(value, limit, on_one_line=True))


def literal(value: Value, limit: int = sys.maxsize, *, on_one_line: bool = False) -> str:
    """Return `value` the way Python would write it, cut off somewhere after `limit` characters.

    The elements of a set are sorted, unless they are too many.
    """
    writer = _Writer(limit, on_one_line=on_one_line)
    with suppress(_Full):
        writer.write(value)
    return "".join(writer.parts)


def in_order(items: tuple[Value, ...]) -> list[Value]:
    """Return the elements of a set sorted, or as they are if they are too many."""
    return list(items) if _size(items) > MAX_SORTED_NODES else sorted(items, key=_sort_key)


class _Full(Exception):
    """The text is longer than the limit."""


class _Writer:
    """Writes a value piece by piece, and raises `_Full` after `limit` characters."""

    def __init__(
        self, limit: int, sortable: int = MAX_SORTED_NODES, *, on_one_line: bool = True
    ) -> None:
        self.parts: Final[list[str]] = []
        self._on_one_line: Final = on_one_line
        self._room = limit
        self._sortable = sortable
        """How many more nodes may be sorted: sorting nested sets at each level would be costly."""

    def write(self, value: Value) -> None:  # noqa: C901, PLR0912 - one case per kind of value
        match value:
            case Atom(str() | bytes() as content):
                # One more than fits, so that `_put` notices.
                self._put(repr(content[: self._room + 1]))
            case Atom(content):
                self._put(atom_text(content))
            case Sequence("list", items):
                self._write_all("[", items, "]")
            case Sequence(_, items, class_name):
                self._write_all(f"{class_name or ''}(", items, ",)" if len(items) == 1 else ")")
            case Collection(type_name, ()):
                self._put(f"{type_name}()")
            case Collection("set", items):
                self._write_all("{", self._in_order(items), "}")
            case Collection(_, items):
                self._write_all("frozenset({", self._in_order(items), "})")
            case Mapping(items):
                self._write_pairs("{", items, "}")
            case Fields(class_name, fields):
                self._write_pairs(f"{class_name}(", fields, ")")
            case Array():
                self._write_array(value)
            case Scalar():
                self._put(_scalar_text(value))
            case EnumMember(class_name, member):
                self._put(f"{class_name}.{member}")
            case Opaque(class_name):
                self._put(f"<{class_name}>")
            case TooLarge(type_name):
                self._put(f"<{type_name} …>")

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self._room -= len(text)
        if self._room < 0:
            raise _Full

    def _write_all(self, opening: str, items: Iterable[Value], closing: str) -> None:
        self._put(opening)
        for index, item in enumerate(items):
            if index:
                self._put(", ")
            self.write(item)
        self._put(closing)

    def _write_pairs(
        self, opening: str, pairs: Iterable[tuple[Value | str, Value]], closing: str
    ) -> None:
        self._put(opening)
        for index, (key, item) in enumerate(pairs):
            if index:
                self._put(", ")
            if isinstance(key, str):
                self._put(f"{key}=")
            else:
                self.write(key)
                self._put(": ")
            self.write(item)
        self._put(closing)

    def _write_array(self, array: Array) -> None:
        most = min(self._room, len(array.items)) + 1  # each takes at least one character
        texts = [] if array.kind == "object" else cell_texts(array, most)
        for piece in array_pieces(array, most, on_one_line=self._on_one_line):
            if isinstance(piece, str):
                self._put(piece)
            elif array.kind == "object":
                self.write(array.items[piece])
            else:
                self._put(texts[piece].strip() if self._on_one_line else texts[piece])

    def _in_order(self, items: tuple[Value, ...]) -> Iterable[Value]:
        size = _size(items)
        if size > self._sortable:
            return items
        self._sortable -= size
        return sorted(items, key=_sort_key)


def _scalar_text(scalar: Scalar) -> str:
    if isinstance(scalar.value, bool):
        return f"np.{scalar.value}_"
    return f"{scalar.type_name}({scalar_text(scalar.dtype, scalar.value)})"


def _size(items: tuple[Value, ...]) -> int:
    """Count the nodes in `items`, and stop counting when they are too many to sort."""
    waiting, size = list(items), len(items)
    while waiting and size <= MAX_SORTED_NODES:
        inner = elements(waiting.pop())
        size += len(inner)
        waiting += inner
    return size


_SortKey: TypeAlias = tuple[int, float, tuple[object, ...], str]


def _sort_key(value: Value) -> _SortKey:
    match value:
        case Scalar(_, content):
            return _sort_key(Atom(content))
        case Atom(content) if isinstance(content, bool | float) or (
            # `float` overflows at 1024 bits.
            isinstance(content, int) and content.bit_length() < 1000
        ):
            number = float(content)
            # Every comparison with nan is false, which would spoil the order.
            return (0, 0.0 if math.isnan(number) else number, (), "")
        case Atom(str() as text):
            return (1, 0.0, (), text)
        case Sequence(_, items):
            return (2, 0.0, tuple(map(_sort_key, items)), "")
        case Collection(_, items):
            return (2, 0.0, tuple(sorted(map(_sort_key, items))), "")
        case _:
            # Sets in here stay unsorted: sorting them for the key and again for the text would
            # double the work at every level.
            writer = _Writer(_MAX_KEY_CHARS, sortable=0)
            with suppress(_Full):
                writer.write(value)
            return (3, 0.0, (), "".join(writer.parts))
