"""Explains how two values or texts differ, in a few sentences for a first-year student.

Explanations are bounded: they list at most `MAX_LISTED` elements, each on one line, and go into
the first difference only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, Literal

from grader.messages import Message, message
from grader.values.display import in_order, short_value
from grader.values.equality import (
    alike,
    array_of,
    equal,
    paired_items,
    unmatched,
    without_scalar,
)
from grader.values.foreign_text import one_line
from grader.values.tree import (
    Array,
    Atom,
    Collection,
    Fields,
    Mapping,
    Opaque,
    Scalar,
    Sequence,
    TooLarge,
    Value,
)

MAX_LISTED: Final = 10
_SHOWN_CHARS: Final = 80
_VISIBLE_BLANKS: Final = {ord(blank): repr(blank)[1:-1] for blank in "\t\xa0"}
_KEYBOARD_CHARS: Final = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2013\u2014\u2212"), "-"),
}
"""Typographic quotes and dashes, as pasted from word processors, to those on a keyboard."""
_COMPOSED_CHARS: Final = 2_000
"""Longer lines are not normalized: ordering the accents on a letter takes quadratic time."""
_MAX_CELLS: Final = 4
"""How many differing cells of an array are listed."""


def value_differences(expected: Value, got: Value) -> list[Message]:
    """Return what differs between two unequal values: a sentence first, then detail."""
    return list(_differences(expected, got, place="")) or list(
        _whole_difference(expected, got, place="")
    )


def _differences(  # noqa: C901 - one case per kind of value
    expected: Value, got: Value, place: str
) -> Iterator[Message]:
    """Yield messages on how `expected` and `got`, found at `place`, differ."""
    match expected, got:
        case _, TooLarge(type_name, excess):
            yield message(f"wrong.too_large.{excess}", type=one_line(type_name))
        case _, Opaque(class_name) if class_name != expected.type_name:
            yield message("wrong.object", type=one_line(class_name), expected=expected.type_name)
        case (Scalar(), _) | (_, Scalar()):
            yield from _scalar_differences(expected, got, place)
        case Array(), Array():
            yield from _array_differences(expected, got, place)
        case Atom(str() as expected_part), Atom(str() as got_part):
            yield from text_differences(expected_part, got_part)
        case Sequence(), Sequence() if expected.type_name == got.type_name:
            yield from _sequence_differences(expected, got, place)
        case Collection(), Collection() if expected.type_name == got.type_name:
            missing, extra = unmatched(expected, got)
            yield message("wrong.set")
            yield from _element_list("wrong.missing", missing)
            yield from _element_list("wrong.extra", extra)
        case Mapping(), Mapping():
            yield from _mapping_differences(expected, got, place)
        case Fields(), Fields() if expected.class_name == got.class_name:
            yield from _field_differences(expected, got, place)
        case Fields(), Sequence("tuple", _, class_name) if class_name == expected.class_name:
            yield from _whole_difference(expected, got, place)
        case _ if expected.type_name != got.type_name:
            yield from _type_differences(expected, got)
        case _:
            yield from _whole_difference(expected, got, place)


def _type_differences(expected: Value, got: Value, *, inside: bool = False) -> Iterator[Message]:
    """Yield a message on two values of different types; `inside` others, None may be right."""
    key = "wrong.type_only" if alike(expected, got) else "wrong.type"
    match expected, got:
        case _, Atom(None):
            key = "wrong.none_legal" if inside else "wrong.none"
        case Array(), Sequence("list"):
            key = "wrong.list_for_array" if array_of(got) else "wrong.rows_uneven"
        case Sequence("list"), Array():
            key = "wrong.array_for_list"
        case _:
            pass
    yield message(key, expected=one_line(expected.type_name), got=one_line(got.type_name))


def _whole_difference(expected: Value, got: Value, place: str) -> Iterator[Message]:
    if place:
        yield message("wrong.at", place=place, expected=_shown(expected), got=_shown(got))
    else:
        yield message("wrong.value", expected=_shown(expected), got=_shown(got))


def _scalar_differences(expected: Value, got: Value, place: str) -> Iterator[Message]:
    """Yield how two scalars of numpy differ, by the plain values inside."""
    match without_scalar(expected), without_scalar(got):
        case Atom(str() as expected_part), Atom(str() as got_part):
            yield from text_differences(expected_part, got_part)
        case expected_part, got_part if expected_part.type_name != got_part.type_name:
            yield from _type_differences(expected, got)
        case _:
            yield from _whole_difference(expected, got, place)


def _array_differences(expected: Array, got: Array, place: str) -> Iterator[Message]:
    """Yield messages on the shapes, the kinds, or the first differing elements."""
    if expected.shape != got.shape:
        yield message("wrong.array_shape", expected=str(expected.shape), got=str(got.shape))
        return
    is_other_kind = got.kind not in {expected.kind, "object"}
    if is_other_kind:
        yield message("wrong.array_kind", expected=expected.kind, got=got.kind)
    cells = [
        (number, expected_part, got_part)
        for number, (expected_part, got_part) in enumerate(
            zip(expected.items, got.items, strict=True)
        )
        if not (
            equal(expected_part, got_part) or (is_other_kind and alike(expected_part, got_part))
        )
    ]
    for number, expected_part, got_part in cells[:_MAX_CELLS]:
        position = _position(expected.shape, number)
        cell_place = f"{place}[{', '.join(map(str, position))}]"
        texts = {"place": cell_place, "expected": _shown(expected_part), "got": _shown(got_part)}
        if len(position) == 2:
            yield message("wrong.cell", row=position[0], column=position[1], **texts)
        else:
            yield message("wrong.at", **texts)
    if len(cells) > _MAX_CELLS:
        yield message("wrong.more_cells", count=len(cells) - _MAX_CELLS)


def _position(shape: tuple[int, ...], number: int) -> tuple[int, ...]:
    """Return the indices of the element at `number` in row-major order."""
    position: tuple[int, ...] = ()
    for length in reversed(shape):
        number, index = divmod(number, length)
        position = (index, *position)
    return position


def _sequence_differences(expected: Sequence, got: Sequence, place: str) -> Iterator[Message]:
    """Yield messages on the lengths, and on the first differing or surplus elements."""
    if len(expected.items) != len(got.items):
        yield message("wrong.length", expected=len(expected.items), got=len(got.items))
    for index, (expected_part, got_part) in enumerate(zip(expected.items, got.items, strict=False)):
        if not equal(expected_part, got_part):
            yield from _nested_differences(expected_part, got_part, f"{place}[{index}]")
            return
    if len(expected.items) > len(got.items):
        yield from _element_list("wrong.missing", list(expected.items[len(got.items) :]))
    else:
        yield from _element_list("wrong.extra", list(got.items[len(expected.items) :]))


def _mapping_differences(expected: Mapping, got: Mapping, place: str) -> Iterator[Message]:
    missing, extra, pairs = paired_items(expected, got)
    if missing or extra:
        yield message("wrong.keys")
    yield from _element_list("wrong.missing_keys", missing)
    yield from _element_list("wrong.extra_keys", extra)
    for key, expected_part, got_part in pairs:
        if not equal(expected_part, got_part):
            yield from _nested_differences(expected_part, got_part, f"{place}[{_shown(key)}]")
            return


def _field_differences(expected: Fields, got: Fields, place: str) -> Iterator[Message]:
    got_fields = dict(got.items)
    for name, expected_part in expected.items:
        if name not in got_fields:
            yield message("wrong.missing", items=name, more=0)
        elif not equal(expected_part, got_fields[name]):
            yield from _nested_differences(
                expected_part, got_fields[name], f"{place}.{one_line(name)}"
            )
            return


def _nested_differences(expected: Value, got: Value, place: str) -> Iterator[Message]:
    """Yield the place that differs, and more detail only where that helps."""
    yield message("wrong.at", place=place, expected=_shown(expected), got=_shown(got))
    match expected, got:
        case Array(), Array():
            yield from _array_differences(expected, got, place)
        case Atom(str() as expected_part), Atom(str() as got_part) if looks := looks_alike(
            expected_part, got_part
        ):
            yield message(looks)
        case _ if without_scalar(expected).type_name != without_scalar(got).type_name:
            yield from _type_differences(expected, got, inside=True)
        case _:
            pass


def _element_list(key: str, items: list[Value]) -> Iterator[Message]:
    if items:
        shown = ", ".join(_shown(item) for item in in_order(tuple(items))[:MAX_LISTED])
        more = max(0, len(items) - MAX_LISTED)
        yield message(f"{key}_more" if more else key, items=shown, more=more)


def _shown(value: Value) -> str:
    return short_value(value, _SHOWN_CHARS)


def comparable(text: str) -> list[str]:
    """Return the lines of printed `text`, without trailing blanks and empty lines.

    These cannot be seen in an example session, so they are not required.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def text_differences(expected: str, got: str) -> Iterator[Message]:
    """Yield how two unequal texts differ: a sentence first, then the first difference."""
    if not got:
        yield message("wrong.text_empty")
        return
    if "".join(expected.split()) == "".join(got.split()):
        yield message("wrong.text_blanks")
    elif looks := looks_alike(expected, got):
        yield message(looks)
    elif expected.casefold() == got.casefold():
        yield message("wrong.text_case")
    else:
        yield message("wrong.text")
    yield from _first_line_difference(expected.split("\n"), got.split("\n"))


def looks_alike(expected: str, got: str) -> str | None:
    """Return the message key for two unequal texts that look (nearly) the same, or None."""
    expected_lines, got_lines = expected.split("\n"), got.split("\n")
    if (
        len(expected_lines) != len(got_lines)
        or max(map(len, (*expected_lines, *got_lines))) > _COMPOSED_CHARS
    ):
        return None
    if _normalized("NFC", expected_lines) == _normalized("NFC", got_lines):
        return "wrong.text_letters"
    both = (
        [line.translate(_KEYBOARD_CHARS) for line in lines] for lines in (expected_lines, got_lines)
    )
    expected_text, got_text = (_normalized("NFKC", lines) for lines in both)
    return "wrong.text_alike" if expected_text == got_text else None


def _normalized(form: Literal["NFC", "NFKC"], lines: list[str]) -> list[str]:
    return [unicodedata.normalize(form, line) for line in lines]


def _visible_line(text: str, other: str) -> str:
    """Return the line with blanks, and characters that look alike in `other`, escaped."""
    if looks_alike(text, other):
        escapes = {
            ord(each): ascii(each)[1:-1] for each in {*text} ^ {*other} if not each.isascii()
        }
        text = text.translate(escapes)
    return one_line(text.translate(_VISIBLE_BLANKS), _SHOWN_CHARS)


def _first_line_difference(expected: list[str], got: list[str]) -> Iterator[Message]:
    """Yield a message on the first line that differs."""
    for number, (expected_part, got_part) in enumerate(zip_longest(expected, got), start=1):
        if expected_part == got_part:
            continue
        if got_part is None:
            yield message("wrong.lines_missing", expected=len(expected), got=len(got))
        elif expected_part is None:
            yield message("wrong.lines_extra", expected=len(expected), got=len(got))
        else:
            pairs = enumerate(zip_longest(expected_part, got_part), start=1)
            yield message(
                "wrong.line",
                line=number,
                column=next(column for column, (one, other) in pairs if one != other),
                expected=_visible_line(expected_part, got_part),
                got=_visible_line(got_part, expected_part),
            )
        return
