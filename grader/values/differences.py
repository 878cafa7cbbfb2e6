"""Explains how two values or texts differ, in a few sentences for a first-year student.

Explanations have a bounded length: they list at most `MAX_LISTED` elements, each on one line, and
describe only the first difference in detail.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final, Literal

from grader.messages import Message, message
from grader.values.display import short_value, sort_if_few
from grader.values.equality import (
    are_alike,
    equal,
    pair_items,
    to_array,
    unmatched_elements,
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
    unwrap_scalar,
)

MAX_LISTED: Final = 10
_MAX_SHOWN_CHARS: Final = 80
_VISIBLE_BLANKS: Final = {ord(blank): repr(blank)[1:-1] for blank in "\t\xa0"}
_KEYBOARD_CHARS: Final = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2013\u2014\u2212"), "-"),
}
"""Maps typographic quotes and dashes, as word processors insert them, to those on a keyboard."""
_MAX_NORMALIZED_CHARS: Final = 2_000
"""Longer lines are not normalized, as sorting the accents on a letter takes quadratic time."""
_MAX_CELLS: Final = 4
"""How many differing elements of an array are named."""
_UNEVEN_FOR_ARRAY: Final = "wrong.rows_uneven_for_array"


def value_differences(expected: Value, got: Value, *, as_lists: bool = False) -> list[Message]:
    """Return messages about how two unequal values differ, first a sentence and then details.

    With `as_lists`, lists of rows are accepted wherever an array is expected.
    """
    # No specific difference is found if, for example, a forged dict contains equal keys.
    differences = list(_differences(expected, got, place="")) or list(
        _whole_value_difference(expected, got, place="")
    )
    if as_lists:
        uneven = message("wrong.rows_uneven")
        return [uneven if each.key == _UNEVEN_FOR_ARRAY else each for each in differences]
    return differences


def _differences(  # noqa: C901 - one case per kind of value
    expected: Value, got: Value, place: str
) -> Iterator[Message]:
    """Yield messages about how `expected` and `got`, which are at `place` in the values, differ."""
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
            missing, extra = unmatched_elements(expected, got)
            yield message("wrong.set")
            yield from _listing_messages("wrong.missing", sort_if_few(tuple(missing)))
            yield from _listing_messages("wrong.extra", sort_if_few(tuple(extra)))
        case Mapping(), Mapping():
            yield from _mapping_differences(expected, got, place)
        case Fields(), Fields() if expected.class_name == got.class_name:
            yield from _field_differences(expected, got, place)
        case Fields(), Sequence("tuple", _, class_name) if class_name == expected.class_name:
            # A suite displays a named tuple as `Fields`, so the types do not really differ.
            yield from _whole_value_difference(expected, got, place)
        case _ if expected.type_name != got.type_name:
            yield from _type_differences(expected, got)
        case _:
            yield from _whole_value_difference(expected, got, place)


def _type_differences(expected: Value, got: Value, *, inside: bool = False) -> Iterator[Message]:
    """Yield a message about two values of different types.

    `inside` is whether they are parts of other values, where None is not necessarily a mistake.
    """
    key = "wrong.type_only" if are_alike(expected, got) else "wrong.type"
    match expected, got:
        case _, Atom(None):
            key = "wrong.none_legal" if inside else "wrong.none"
        case Array(), Sequence("list"):
            key = "wrong.list_for_array" if to_array(got) else _UNEVEN_FOR_ARRAY
        case Sequence("list"), Array():
            key = "wrong.array_for_list"
        case _:
            pass
    yield message(key, expected=one_line(expected.type_name), got=one_line(got.type_name))


def _whole_value_difference(expected: Value, got: Value, place: str) -> Iterator[Message]:
    """Yield a message that shows both values as wholes, and their `place` unless it is empty."""
    if place:
        yield message("wrong.at", place=place, expected=_render(expected), got=_render(got))
    else:
        yield message("wrong.value", expected=_render(expected), got=_render(got))


def _scalar_differences(expected: Value, got: Value, place: str) -> Iterator[Message]:
    """Yield messages about how two values, at least one of which is a numpy scalar, differ."""
    match unwrap_scalar(expected), unwrap_scalar(got):
        case Atom(str() as expected_part), Atom(str() as got_part):
            yield from text_differences(expected_part, got_part)
        case expected_part, got_part if expected_part.type_name != got_part.type_name:
            yield from _type_differences(expected, got)
        case _:
            yield from _whole_value_difference(expected, got, place)


def _array_differences(expected: Array, got: Array, place: str) -> Iterator[Message]:
    """Yield a message if the shapes differ, or else messages about kinds and differing elements.

    At most `_MAX_CELLS` elements are named.
    """
    if expected.shape != got.shape:
        yield message("wrong.array_shape", expected=str(expected.shape), got=str(got.shape))
        return
    is_other_kind = got.kind not in {expected.kind, "object"}
    if is_other_kind:
        yield message("wrong.array_kind", expected=expected.kind, got=got.kind)
    cells = [
        (offset, expected_part, got_part)
        for offset, (expected_part, got_part) in enumerate(
            zip(expected.items, got.items, strict=True)
        )
        if not (
            equal(expected_part, got_part) or (is_other_kind and are_alike(expected_part, got_part))
        )
    ]
    for offset, expected_part, got_part in cells[:_MAX_CELLS]:
        indices = _indices(expected.shape, offset)
        cell_place = f"{place}[{', '.join(map(str, indices))}]"
        texts = {"place": cell_place, "expected": _render(expected_part), "got": _render(got_part)}
        if len(indices) == 2:
            yield message("wrong.cell", row=indices[0], column=indices[1], **texts)
        else:
            yield message("wrong.at", **texts)
    if len(cells) > _MAX_CELLS:
        yield message("wrong.more_cells", count=len(cells) - _MAX_CELLS)


def _indices(shape: tuple[int, ...], offset: int) -> tuple[int, ...]:
    """Return the indices of the element at the flat index `offset` in row-major order."""
    indices: tuple[int, ...] = ()
    for length in reversed(shape):
        offset, index = divmod(offset, length)
        indices = (index, *indices)
    return indices


def _sequence_differences(expected: Sequence, got: Sequence, place: str) -> Iterator[Message]:
    """Yield messages about different lengths, and about the first difference between elements.

    If the elements at all common indices are equal, the missing or extra ones are listed.
    """
    if len(expected.items) != len(got.items):
        yield message("wrong.length", expected=len(expected.items), got=len(got.items))
    for index, (expected_part, got_part) in enumerate(zip(expected.items, got.items, strict=False)):
        if not equal(expected_part, got_part):
            yield from _nested_differences(expected_part, got_part, f"{place}[{index}]")
            return
    if len(expected.items) > len(got.items):
        yield from _listing_messages("wrong.missing", list(expected.items[len(got.items) :]))
    else:
        yield from _listing_messages("wrong.extra", list(got.items[len(expected.items) :]))


def _mapping_differences(expected: Mapping, got: Mapping, place: str) -> Iterator[Message]:
    """Yield messages about missing and extra keys, and about the first differing value."""
    missing, extra, pairs = pair_items(expected, got)
    if missing or extra:
        yield message("wrong.keys")
    yield from _listing_messages("wrong.missing_keys", sort_if_few(tuple(missing)))
    yield from _listing_messages("wrong.extra_keys", sort_if_few(tuple(extra)))
    for key, expected_part, got_part in pairs:
        if not equal(expected_part, got_part):
            yield from _nested_differences(expected_part, got_part, f"{place}[{_render(key)}]")
            return


def _field_differences(expected: Fields, got: Fields, place: str) -> Iterator[Message]:
    """Yield messages about missing fields, up to and including the first field that differs."""
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
    """Yield a message that shows the unequal parts at `place`, and messages that explain them."""
    yield message("wrong.at", place=place, expected=_render(expected), got=_render(got))
    match expected, got:
        case Array(), Array():
            yield from _array_differences(expected, got, place)
        case Atom(str() as expected_part), Atom(str() as got_part) if look_key := looks_alike(
            expected_part, got_part
        ):
            yield message(look_key)
        case _ if unwrap_scalar(expected).type_name != unwrap_scalar(got).type_name:
            yield from _type_differences(expected, got, inside=True)
        case _:
            pass


def _listing_messages(key: str, items: list[Value]) -> Iterator[Message]:
    """Yield the message `key` with the first of `items`, or nothing if there are none."""
    if items:
        listed = ", ".join(_render(item) for item in items[:MAX_LISTED])
        more = max(0, len(items) - MAX_LISTED)
        yield message(f"{key}_more" if more else key, items=listed, more=more)


def _render(value: Value) -> str:
    return short_value(value, _MAX_SHOWN_CHARS)


def comparable_lines(text: str) -> list[str]:
    """Return the lines of printed `text`, without trailing whitespace and trailing empty lines.

    Both are invisible in an example session, so a submission need not print them.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def text_differences(expected: str, got: str) -> Iterator[Message]:
    """Yield messages about how two unequal texts differ, first in general and then where."""
    if not got:
        yield message("wrong.text_empty")
        return
    if "".join(expected.split()) == "".join(got.split()):
        yield message("wrong.text_blanks")
    elif look_key := looks_alike(expected, got):
        yield message(look_key)
    elif expected.casefold() == got.casefold():
        yield message("wrong.text_case")
    else:
        yield message("wrong.text")
    yield from _first_line_difference(expected.split("\n"), got.split("\n"))


def looks_alike(expected: str, got: str) -> str | None:
    """Return the key of a message if two unequal texts look (nearly) the same, or else None."""
    expected_lines, got_lines = expected.split("\n"), got.split("\n")
    if (
        len(expected_lines) != len(got_lines)
        or max(map(len, (*expected_lines, *got_lines))) > _MAX_NORMALIZED_CHARS
    ):
        return None
    if _normalize("NFC", expected_lines) == _normalize("NFC", got_lines):
        return "wrong.text_letters"
    keyboard_lines = (
        [line.translate(_KEYBOARD_CHARS) for line in lines] for lines in (expected_lines, got_lines)
    )
    expected_text, got_text = (_normalize("NFKC", lines) for lines in keyboard_lines)
    return "wrong.text_alike" if expected_text == got_text else None


def _normalize(unicode_form: Literal["NFC", "NFKC"], lines: list[str]) -> list[str]:
    return [unicodedata.normalize(unicode_form, line) for line in lines]


def _visible_line(text: str, counterpart: str) -> str:
    """Return the line `text`, shortened and with tabs and no-break spaces escaped.

    If it looks like its `counterpart`, the non-ASCII characters that only one of the two contains
    are escaped as well.
    """
    if looks_alike(text, counterpart):
        escapes = {
            ord(char): ascii(char)[1:-1] for char in {*text} ^ {*counterpart} if not char.isascii()
        }
        text = text.translate(escapes)
    return one_line(text.translate(_VISIBLE_BLANKS), _MAX_SHOWN_CHARS)


def _first_line_difference(expected: list[str], got: list[str]) -> Iterator[Message]:
    """Yield a message about the first line that differs, is missing or is extra."""
    for line_number, (expected_line, got_line) in enumerate(zip_longest(expected, got), start=1):
        if expected_line == got_line:
            continue
        if got_line is None:
            yield message("wrong.lines_missing", expected=len(expected), got=len(got))
        elif expected_line is None:
            yield message("wrong.lines_extra", expected=len(expected), got=len(got))
        else:
            pairs = enumerate(zip_longest(expected_line, got_line), start=1)
            yield message(
                "wrong.line",
                line=line_number,
                column=next(
                    column
                    for column, (expected_char, got_char) in pairs
                    if expected_char != got_char
                ),
                expected=_visible_line(expected_line, got_line),
                got=_visible_line(got_line, expected_line),
            )
        return
