"""Shows foreign text and values: capped, escaped, and the same each time.

All text that a submission had a hand in goes through `plain` before it reaches a page or a file of
ours, and through `for_log` before it reaches a terminal, which may be the log of a CI system.
Values are shown from the judge's own tree, never by a `__repr__`; the elements of sets are sorted,
so that two sets can be compared by eye. Showing a value takes time for what is shown of it, not for
what there is.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, TypeAlias
from unicodedata import east_asian_width
from weakref import ref

from grader.values.array_text import array_pieces, atom_text, cell_texts, scalar_text
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

MAX_SHOWN_CHARS: Final = 4_000
"""Longer text is shown up to here, with the number of characters left out."""

MAX_SORTED_NODES: Final = 2_000
"""Sets of more than so many nodes are shown in the order in which they came."""
_MAX_KEY_CHARS: Final = 200

_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}>")
"""As the default `__repr__` has it; a bare number in hexadecimals may be the answer itself."""
_CONTROL_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)}
_INVISIBLE: Final = (
    *range(0x7F, 0xA0),  # delete and the C1 controls, which some terminals obey
    0xAD,
    0x034F,
    0x061C,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    *range(0x180B, 0x1810),
    *range(0x200B, 0x200D),
    *range(0x200E, 0x2010),
    *range(0x2028, 0x202F),  # line separators and bidirectional overrides
    *range(0x2060, 0x2070),
    0x3164,
    *range(0xFE00, 0xFE0F),
    0xFEFF,
    0xFFA0,
    *range(0xFFF0, 0xFFFC),
    0xFFFE,
    0xFFFF,
    *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B),
    *range(0xE0000, 0xE1000),  # tags, a whole alphabet that cannot be seen
)
"""What Unicode calls default ignorable, and what a terminal, a browser or XML takes amiss.

The two that make emoji out of several characters are missing here: see `_EMOJI_PART`.
"""


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_TRANSLATION: Final[dict[int, int | str]] = {
    **_CONTROL_PICTURES,
    **{code: _escape(code) for code in _INVISIBLE},
}
_PICTURE: Final = "\u2190-\u2bff\U0001f000-\U0001faff"
_COLOURED: Final = "".join(
    character for character in map(chr, range(0x2190, 0x2C00)) if east_asian_width(character) == "W"
)
"""Pictures that look the same with a selector: somebody must see why `⚪` is not `⚪\ufe0f`."""
_EMOJI_PART: Final = (
    f"(?<=[{_PICTURE}])(?<![{_COLOURED}])\ufe0f|\ufe0f(?=\u20e3)"
    f"|(?:(?<=[{_PICTURE}])|(?<=[{_PICTURE}]\ufe0f)(?<![{_COLOURED}]\ufe0f))\u200d(?=[{_PICTURE}])"
)
"""The selector and the joiner where they change a picture that one sees, as in a heart in red."""
_DEPENDING: Final = re.compile(f"(?P<shown>{_EMOJI_PART})|[\u200d\ufe0f\ud800-\udfff]")

_COMMAND: Final = re.compile(r"^([^\S\n]*?)[^\S\n]?(?=::)|(#)(?=#\w*\[)", re.MULTILINE)
"""What a CI system reads in a log: `::error::` as the first thing on a line, `##[error]` or
`##vso[task.complete]` or `##teamcity[message]` anywhere."""


def plain(text: str) -> str:
    r"""Return `text` without any character that a terminal, a browser or an XML parser obeys.

    Newlines and tabs stay; other controls become their picture (`␛`), invisible and
    direction-changing characters and lone surrogates become `\uXXXX` or `\UXXXXXXXX`.
    """
    if text.isascii():  # as most text is: nothing in it depends on what stands around it
        return text if text.isprintable() else text.translate(_TRANSLATION)
    return _DEPENDING.sub(
        lambda match: match["shown"] or _escape(ord(match[0])), text.translate(_TRANSLATION)
    )


def for_log(text: str) -> str:
    r"""Return `text` as `plain` does, and without any command to a CI system that reads it.

    A backslash breaks the command up: `\::error::`, `#\#[error]`. It takes the place of the blank
    before the colons, where there is one, so that columns stay below each other. It is there
    everywhere and not in CI alone, so that a check shows the same wherever it runs.
    """
    return _COMMAND.sub(r"\1\2\\", plain(text))


def count_of(count: int, what: str) -> str:
    """Return a number of things, in English: `1 session`, `2 sessions`."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def clip(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return `text`, or its first `limit` characters and how many more there are."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… (+{len(text) - limit})"


def shown_text(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return foreign `text` safe and short, with memory addresses blanked.

    An address in `<Grid object at 0x7f…>` differs from run to run and tells nobody anything.
    """
    if len(text) <= limit and "at 0x" not in text:
        return plain(text)
    beginning = text[: 2 * limit]
    blanked = _ADDRESS.sub("at 0x…>", beginning)
    left_out = max(0, len(blanked) - limit) + len(text) - len(beginning)
    return plain(f"{blanked[:limit]}… (+{left_out})" if left_out else blanked)


def one_line(text: str, limit: int = 200) -> str:
    """Return foreign `text` on a single line."""
    return _on_one_line(shown_text(text, limit))


def _on_one_line(shown: str) -> str:
    return shown.replace("\n", "⏎").replace("\t", " ")


def shown_value(value: Value, limit: int = MAX_SHOWN_CHARS, *, on_one_line: bool = False) -> str:
    """Return `value` the way Python would write it, safe and short.

    No more is written than is shown: how much is left out of a long value is not counted. What
    stands in many transcripts is written once. Only an array takes several lines.
    """
    key = (id(value), limit, on_one_line)
    known = _SHOWN.get(key)
    if known is not None and known[0]() is value:
        return known[1]
    text = _ADDRESS.sub("at 0x…>", literal(value, 2 * limit, on_one_line=on_one_line))
    shown = plain(text if len(text) <= limit else f"{text[:limit]}…")
    if isinstance(value, Node):
        if len(_SHOWN) >= _MAX_KEPT:
            _SHOWN.clear()
        _SHOWN[key] = ref(value), shown
    return shown


_SHOWN: Final[dict[tuple[int, int, bool], tuple[ref[Node], str]]] = {}
_MAX_KEPT: Final = 256


def short_value(value: Value, limit: int) -> str:
    """Return `value` on a single line."""
    return _on_one_line(shown_value(value, limit, on_one_line=True))


def literal(value: Value, limit: int = sys.maxsize, *, on_one_line: bool = False) -> str:
    """Return `value` the way Python would write it, or a beginning longer than `limit`.

    The elements of a set are sorted, unless there is too much to sort.
    """
    writer = _Writer(limit, on_one_line=on_one_line)
    with suppress(_Full):
        writer.write(value)
    return "".join(writer.parts)


def in_order(items: tuple[Value, ...]) -> list[Value]:
    """Return the elements of a set in an order that does not depend on the set.

    When there is too much to sort, they stay in the order in which they came.
    """
    return list(items) if _size(items) > MAX_SORTED_NODES else sorted(items, key=_sort_key)


class _Full(Exception):
    """More has been written than will be shown."""


class _Writer:
    """Writes a value piece by piece, until there are more than `limit` characters."""

    def __init__(
        self, limit: int, sortable: int = MAX_SORTED_NODES, *, on_one_line: bool = True
    ) -> None:
        self.parts: Final[list[str]] = []
        self._on_one_line: Final = on_one_line
        self._room = limit
        self._sortable = sortable
        """How many nodes may yet be sorted: sets in sets must not be sorted at every level."""

    def write(self, value: Value) -> None:  # noqa: C901, PLR0912 - one case per kind of value
        match value:
            case Atom(str() | bytes() as content):
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
        most = min(self._room, len(array.items)) + 1  # each takes a character at least
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
    """Return how many nodes there are in `items`, or any number that is too many to sort."""
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
            isinstance(content, int) and content.bit_length() < 1000
        ):
            number = float(content)
            return (0, 0.0 if math.isnan(number) else number, (), "")
        case Atom(str() as text):
            return (1, 0.0, (), text)
        case Sequence(_, items):
            return (2, 0.0, tuple(map(_sort_key, items)), "")
        case Collection(_, items):
            return (2, 0.0, tuple(sorted(map(_sort_key, items))), "")
        case _:
            # Sets in a dict stay as they are: sorting in keys and again in what is written would
            # double the work at every level.
            writer = _Writer(_MAX_KEY_CHARS, sortable=0)
            with suppress(_Full):
                writer.write(value)
            return (3, 0.0, (), "".join(writer.parts))
