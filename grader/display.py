"""Shows foreign text and values: capped, escaped, and the same each time.

All text that a submission had a hand in goes through `plain` before it reaches a terminal, a page
or a file of ours. Values are shown from the judge's own tree, never by a `__repr__`; the elements
of sets are sorted, so that two sets can be compared by eye.
"""

from __future__ import annotations

import math
import re
from typing import Final

from grader.values import (
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Opaque,
    Sequence,
    TooLarge,
    Value,
)

MAX_SHOWN_CHARS: Final = 4_000
"""Longer text is shown up to here, with the number of characters left out."""

_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_CONTROL_PICTURES: Final = {code: 0x2400 + code for code in range(0x20) if code not in (0x09, 0x0A)}
_INVISIBLE: Final = (
    *range(0x7F, 0xA0),  # delete and the C1 controls, which some terminals obey
    0xAD,
    0x061C,
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),  # line separators and bidirectional overrides
    *range(0x2060, 0x2070),
    0xFEFF,
    *range(0xFFF9, 0xFFFC),
    0xFFFE,
    0xFFFF,
)
_TRANSLATION: Final[dict[int, int | str]] = {
    **_CONTROL_PICTURES,
    **{code: f"\\u{code:04x}" for code in _INVISIBLE},
}
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Return `text` without any character that a terminal, a browser or an XML parser obeys.

    Newlines and tabs stay; other controls become their picture (`␛`), invisible and
    direction-changing characters and lone surrogates become `\uXXXX`.
    """
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text.translate(_TRANSLATION))


def clip(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return `text`, or its first `limit` characters and how many more there are."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… (+{len(text) - limit})"


def shown_text(text: str, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return foreign `text` safe and short, with memory addresses blanked.

    An address in `<Grid object at 0x7f…>` differs from run to run and tells nobody anything.
    """
    beginning = text[: 2 * limit]
    blanked = _ADDRESS.sub("0x…", beginning)
    left_out = max(0, len(blanked) - limit) + len(text) - len(beginning)
    return plain(f"{blanked[:limit]}… (+{left_out})" if left_out else blanked)


def one_line(text: str, limit: int = 200) -> str:
    """Return foreign `text` on a single line."""
    return shown_text(text, limit).replace("\n", "⏎").replace("\t", " ")


def shown_value(value: Value, limit: int = MAX_SHOWN_CHARS) -> str:
    """Return `value` the way Python would write it, safe and short."""
    return shown_text(literal(value), limit)


def literal(value: Value) -> str:  # noqa: C901 - one case per kind of value
    """Return `value` the way Python would write it; elements of sets are sorted."""
    match value:
        case Atom(content):
            return _atom(content)
        case Sequence("list", items):
            return f"[{_joined(items)}]"
        case Sequence(_, items, class_name):
            comma = "," if len(items) == 1 else ""
            return f"{class_name or ''}({_joined(items)}{comma})"
        case Collection("set", items):
            return f"{{{_joined_sorted(items)}}}" if items else "set()"
        case Collection(_, items):
            return f"frozenset({{{_joined_sorted(items)}}})" if items else "frozenset()"
        case Mapping(items):
            return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in items) + "}"
        case Fields(class_name, fields):
            return f"{class_name}({', '.join(f'{name}={literal(v)}' for name, v in fields)})"
        case EnumMember(class_name, member):
            return f"{class_name}.{member}"
        case Opaque(class_name):
            return f"<{class_name}>"
        case TooLarge(type_name):
            return f"<{type_name} …>"


def _atom(content: object) -> str:
    if type(content) is int and content.bit_length() > 10_000:
        return hex(content)  # decimal conversion of long integers is quadratic, and refused
    return repr(content)


def _joined(items: tuple[Value, ...]) -> str:
    return ", ".join(map(literal, items))


def _joined_sorted(items: tuple[Value, ...]) -> str:
    return ", ".join(literal(item) for item in in_order(items))


def in_order(items: tuple[Value, ...]) -> list[Value]:
    """Return the elements of a set in an order that does not depend on the set."""
    return sorted(items, key=_sort_key)


def _sort_key(value: Value) -> tuple[int, float, tuple[object, ...], str]:
    match value:
        case Atom(content) if isinstance(content, bool | float) or (
            isinstance(content, int) and content.bit_length() < 1000
        ):
            number = float(content)
            return (0, 0.0 if math.isnan(number) else number, (), "")
        case Atom(str() as text):
            return (1, 0.0, (), text)
        case Sequence(_, items) | Collection(_, items):
            return (2, 0.0, tuple(_sort_key(item) for item in items), "")
        case _:
            return (3, 0.0, (), literal(value))
