"""Foreign text and values are shown capped, escaped, and the same each time."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.executor.encoding import encode
from grader.values.decoding import decode
from grader.values.display import literal, render_value, sort_if_few
from grader.values.equality import equal
from grader.values.foreign_text import clip, escape_controls, log_safe, one_line, safe_text
from grader.values.literals import parse_literal
from grader.values.tree import (
    Atom,
    Collection,
    EnumMember,
    Fields,
    Opaque,
    Sequence,
    TooLarge,
    Value,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "\u241b[31mred\u241b[0m"),
        ("\x1b]0;title\x07", "\u241b]0;title\u2407"),
        ("a\x00b", "a\u2400b"),
        ("a\rb", "a\u240db"),
        ("\x08\x0b\x0c", "\u2408\u240b\u240c"),
        ("\x7f\x9b31m", "\\u007f\\u009b31m"),
        ("\ud800x\udfff", "\\ud800x\\udfff"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("\u2066\u2069\u200f", "\\u2066\\u2069\\u200f"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ufffe\uffff", "\\ufffe\\uffff"),
        ("caf\u00e9 \u25cf \U0001f600", "caf\u00e9 \u25cf \U0001f600"),
        ("", ""),
    ],
)
def test_plain(text: str, shown: str) -> None:
    """Nothing is left that a terminal, a browser or an XML parser obeys; letters stay letters."""
    assert shown == escape_controls(text)


DEFAULT_IGNORABLE = (
    "00AD 034F 061C 115F-1160 17B4-17B5 180B-180F 200B-200F 202A-202E 2060-206F 3164 FE00-FE0F FEFF"
    " FFA0 FFF0-FFF8 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF"
)
"""As DerivedCoreProperties.txt of Unicode has them, in all versions from 11 to 16."""


@pytest.mark.parametrize("codes", DEFAULT_IGNORABLE.split())
def test_characters_that_cannot_be_seen_are_escaped(codes: str) -> None:
    """Two names or texts that differ look different."""
    first, _, last = codes.partition("-")
    for code in range(int(first, 16), int(last or first, 16) + 1):
        escaped = f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        assert f"a{escaped}b" == escape_controls(f"a{chr(code)}b")


@pytest.mark.parametrize(
    "text",
    [
        "Zo\u00eb Zoe\u0308 O\u2019Neill \u0141ukasz \u674e \u0645\u0631\u064a\u0645 \ubc15",
        "\u2764\ufe0f \u26a0\ufe0f 1\ufe0f\u20e3",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f469\U0001f3fd\u200d\U0001f4bb",
        "\u2764\ufe0f\u200d\U0001f525 \U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f1e7\U0001f1ea",
    ],
)
def test_names_and_emoji_stay_readable(text: str) -> None:
    """Letters, accents, and the sequences that make one picture are shown as they stand."""
    assert text == escape_controls(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u26aa\ufe0f", "\u26aa\\ufe0f"),
        ("\U0001f600\u200d", "\U0001f600\\u200d"),
        ("\u200d\U0001f600", "\\u200d\U0001f600"),
        ("\u26aa\ufe0f\u200d\U0001f600", "\u26aa\\ufe0f\\u200d\U0001f600"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\ufe0f"),
    ],
)
def test_parts_of_emoji_that_change_nothing_are_escaped(text: str, shown: str) -> None:
    """A selector after a picture that needs none, or a joiner of nothing, costs points unseen."""
    assert shown == escape_controls(text)


@given(st.text(st.sampled_from("a1\u200d\ufe0f\ufe0e\u20e3\u26aa\u2764\U0001f469\U0001f3fd\ud800")))
def test_emoji_are_made_plain_once(text: str) -> None:
    """What stays of an emoji stays when the text is made plain again."""
    assert escape_controls(text) == escape_controls(escape_controls(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::a", "\\::error::a"),
        ("    ::error::a", "   \\::error::a"),
        ("a\n\t::add-mask::x\n::b", "a\n\\::add-mask::x\n\\::b"),
        ("\u00a0\u3000::error::a", "\u00a0\\::error::a"),
        ("\u200b::error::a", "\\u200b::error::a"),
        ("a ##[error]b", "a #\\#[error]b"),
        ("##vso[task.setvariable variable=x]y", "#\\#vso[task.setvariable variable=x]y"),
        ("###[group]", "##\\#[group]"),
        ("##teamcity[message]##[x]", "#\\#teamcity[message]#\\#[x]"),
        ("a[::2] == b::c", "a[::2] == b::c"),
        ("## [a](b)  # [1] ### x", "## [a](b)  # [1] ### x"),
        (": : :a", ": : :a"),
        ("", ""),
    ],
)
def test_no_command_to_a_ci_system_in_a_log(text: str, shown: str) -> None:
    """Commands of GitHub, Azure and TeamCity are broken up; colons and hashes elsewhere stay."""
    assert shown == log_safe(text)


@given(st.text(st.sampled_from("a:# []\n\t\u00a0\u200b\x1b\\")))
def test_any_log_is_free_of_commands(text: str) -> None:
    """Whatever stands in a text, no line of it is a command, nor becomes one a second time."""
    shown = log_safe(text)
    assert shown == log_safe(shown)
    assert not any(line.lstrip().startswith("::") for line in shown.splitlines())
    assert not re.search(r"##\w*\[", shown)


@given(st.text(st.characters(codec=None)))
def test_plain_text_is_harmless(text: str) -> None:
    """Any text becomes valid XML and UTF-8, and is not changed a second time."""
    shown = escape_controls(text)
    shown.encode()
    assert shown == escape_controls(shown)
    escaped = shown.replace("&", "&amp;").replace("<", "&lt;")
    assert ET.fromstring(f"<t>{escaped}</t>").text or "" == shown


@given(st.text(st.characters(codec="ascii")))
def test_ascii_is_made_plain_as_it_is_among_other_text(text: str) -> None:
    """Text without any other character takes a shorter way, which gives the same."""
    assert f"{escape_controls(text)}\u00e9" == escape_controls(f"{text}\u00e9")


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc\u2026 (+1)"),
        ("", 0, ""),
        ("x" * 1000, 2, "xx\u2026 (+998)"),
    ],
)
def test_clip(text: str, limit: int, shown: str) -> None:
    """What is left out is counted."""
    assert shown == clip(text, limit)


@pytest.mark.parametrize("length", [11, 19, 20, 21, 5_000, 100_000])
def test_shown_text_counts_all_that_it_leaves_out(length: int) -> None:
    """The number of characters left out is that of the whole text, however long it is."""
    assert f"{'x' * 10}\u2026 (+{length - 10})" == safe_text("x" * length, 10)


def test_shown_text_is_short_before_it_is_escaped() -> None:
    """Escapes make a text longer, by no more than their own length."""
    assert len(safe_text("\u202e" * 100_000, 100)) < 700


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<Grid object at 0x7f3b2c1d0e50>", "<Grid object at 0x\u2026>"),
        ("<f at 0x7F3B2C1D0E50> <g>", "<f at 0x\u2026> <g>"),
        ("0x7F3B2C1D0E50", "0x7F3B2C1D0E50"),
        ("kleur 0xFFAA00aa", "kleur 0xFFAA00aa"),
        ("at 0xFFAA00aa", "at 0xFFAA00aa"),
    ],
)
def test_addresses_are_blanked(text: str, shown: str) -> None:
    """A memory address differs from run to run, so it must not stand in a record."""
    assert shown == safe_text(text)


def test_addresses_do_not_make_a_text_of_another_length() -> None:
    """Two texts that differ only in addresses are shown alike, also where they are clipped."""
    one, other = (safe_text(f"<X at {at}>" * 50, 60) for at in ("0x7f0000000001", "0x7faaaaaaaaaa"))
    assert one == other


def test_one_line() -> None:
    """Line ends become a mark, tabs a blank."""
    assert "a\u23ceb c" == one_line("a\nb\tc")
    assert "\n" not in one_line("x\n" * 1000)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "None"),
        (True, "True"),
        (-0.0, "-0.0"),
        (math.nan, "nan"),
        ("it's", '"it\'s"'),
        (b"\xff", "b'\\xff'"),
        ([1, (2,), ()], "[1, (2,), ()]"),
        (set(), "set()"),
        (frozenset(), "frozenset()"),
        ({3, 1, 2}, "{1, 2, 3}"),
        ({"b", "a"}, "{'a', 'b'}"),
        (frozenset({(2, 1), (1, 3)}), "frozenset({(1, 3), (2, 1)})"),
        ({"b": 1, "a": {2: None}}, "{'b': 1, 'a': {2: None}}"),
        (Decimal("1.50"), "Decimal('1.50')"),
        (range(2), "range(0, 2)"),
    ],
)
def test_literal(value: object, shown: str) -> None:
    """Values are written as Python writes them, sets in order."""
    assert shown == literal(decode(encode(value)))


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Sequence("tuple", (Atom(1), Atom(2)), "Pair"), "Pair(1, 2)"),
        (Sequence("tuple", (Atom(1),), "One"), "One(1,)"),
        (Fields("P", (("x", Atom(1)),)), "P(x=1)"),
        (EnumMember("Colour", "RED"), "Colour.RED"),
        (Opaque("Grid"), "<Grid>"),
        (TooLarge("list", "nodes"), "<list \u2026>"),
        (Collection("set", (Opaque("B"), Atom(1), Opaque("A"))), "{1, <A>, <B>}"),
    ],
)
def test_literal_of_objects(value: Value, shown: str) -> None:
    """Objects are shown by what is known of them."""
    assert shown == literal(value)


def test_huge_integers_are_shown() -> None:
    """An integer that Python refuses to write in decimals is shown in hexadecimals, cut."""
    shown = render_value(Atom(1 << 16_000))
    assert shown.startswith("0x1000")
    assert len(shown) < 5_000


def test_hostile_class_names_are_escaped() -> None:
    """The name of a class is foreign text too."""
    assert "<\u241b[2J>" == render_value(Opaque("\x1b[2J"))


_VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=5),
        st.binary(max_size=5),
        st.complex_numbers(),
    ),
    lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=4)),
    max_leaves=8,
)


@given(st.lists(_VALUES, max_size=6))
def test_sets_are_shown_in_one_order(items: list[object]) -> None:
    """The order of a set does not depend on how it was filled; any mixture has an order."""
    values = tuple(decode(encode(item)) for item in items)
    forth, back = (list(map(literal, sort_if_few(part))) for part in (values, values[::-1]))
    assert sorted(forth) == sorted(back)
    assert len(values) == len(forth)


@given(_VALUES)
def test_literals_can_be_read_back(value: object) -> None:
    """What is shown of a value is what a suite would have to say to expect it."""
    node = decode(encode(value))
    assert equal(parse_literal(literal(node)), node)
