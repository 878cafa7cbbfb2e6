"""What a submission returns costs the judge little, whatever it is: work is counted, not timed."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from grader.executor.encoding import encode
from grader.protocol import MAX_DEPTH, MAX_INT_BITS, MAX_NODES, MAX_TEXT_CHARS
from grader.values import display, equality
from grader.values import tree as values
from grader.values.decoding import decode
from grader.values.differences import value_differences
from grader.values.display import MAX_SORTED_NODES, literal, shown_value
from grader.values.equality import alike, equal, key_of
from grader.values.tree import Atom, Collection, Fields, Mapping, Sequence, Value

LONGEST = (1 << MAX_INT_BITS) - 1
NAN = float("nan")


def _nested(depth: int) -> frozenset[object]:
    inner: frozenset[object] = frozenset()
    for number in range(depth):
        inner = frozenset({inner, number})
    return inner


AT_THE_CAP: dict[str, object] = {
    "int": LONGEST,
    "negative int": -LONGEST,
    "float": 1.7976931348623157e308,
    "complex": complex(NAN, -1.7976931348623157e308),
    "str": "\u202e" * MAX_TEXT_CHARS,
    "bytes": b"\xff" * (MAX_TEXT_CHARS // 2),
    "range": range(-LONGEST, LONGEST, LONGEST - 1),
    "range of one step": range(LONGEST),
    "Fraction": Fraction(LONGEST, LONGEST - 1),
    "Decimal of digits": Decimal("1." + "7" * (MAX_TEXT_CHARS - 2)),
    "Decimal of a power": Decimal("1E+999999999999999999"),
    "list": list(range(MAX_NODES - 1)),
    "tuple": ((),) * (MAX_NODES - 1),
    "set": {(number, -number) for number in range(MAX_NODES // 3)},
    "set of NaN": {float("nan") for _ in range(MAX_NODES - 1)},
    "frozenset": frozenset(range(MAX_NODES - 1)),
    "nested frozensets": _nested(MAX_DEPTH - 1),
    "dict": dict.fromkeys(range(MAX_NODES // 2 - 1)),
    "dict with keys of NaN": {float("nan"): number for number in range(MAX_NODES // 2 - 1)},
}


@pytest.fixture(params=list(AT_THE_CAP.values()), ids=list(AT_THE_CAP))
def largest(request: pytest.FixtureRequest) -> Value:
    """Return the largest value of each kind that the protocol lets through."""
    value = decode(encode(request.param))
    assert not isinstance(value, values.TooLarge)
    return value


def test_the_largest_values_are_shown_and_compared(largest: Value) -> None:
    """No value is too large for the judge to look at once the protocol has let it through."""
    assert literal(largest)
    assert len(shown_value(largest, 100)) <= 100 * len("\\u202e") + 1
    assert key_of(largest)
    assert equal(largest, largest)
    display._sort_key(largest)
    for other in (Atom(1), Atom("1"), Atom(Fraction(1, 3)), Sequence("list", ()), largest):
        alike(other, largest)
        alike(largest, other)
        said = value_differences(other, largest)
        assert 1 <= len(said) <= 5
        assert all(len(str(text)) < 2_000 for each in said for _, text in each.parameters)


@pytest.fixture
def sorted_nodes(monkeypatch: pytest.MonkeyPatch) -> list[Value]:
    """Collect the nodes that are looked at for the sake of an order."""
    seen: list[Value] = []
    original = display._sort_key

    def counting(value: Value) -> display._SortKey:
        seen.append(value)
        return original(value)

    monkeypatch.setattr(display, "_sort_key", counting)
    return seen


@pytest.mark.parametrize("limit", [1, 80, 2_000])
def test_no_more_is_written_than_is_shown(largest: Value, limit: int) -> None:
    """A writer stops soon after its limit; what stands beyond is never looked at."""
    longest_atom = MAX_INT_BITS // 4 * 3 + 100  # three integers, of a range
    most = limit + max(longest_atom, 6 * (limit + 1))
    if isinstance(largest, Atom) and isinstance(largest.value, Decimal):
        most = MAX_TEXT_CHARS + 100
    assert len(literal(largest, limit)) <= most


@pytest.mark.parametrize("size", [10, MAX_SORTED_NODES, MAX_SORTED_NODES + 1, MAX_NODES - 1])
def test_only_sets_that_can_be_taken_in_are_sorted(size: int, sorted_nodes: list[Value]) -> None:
    """The elements of a large set are shown as they come."""
    largest = Collection("set", tuple(Atom(number) for number in reversed(range(size))))
    shown = literal(largest, 100)
    assert shown.startswith("{0, 1, " if size <= MAX_SORTED_NODES else f"{{{size - 1}, ")
    assert len(sorted_nodes) == (size if size <= MAX_SORTED_NODES else 0)


def test_sets_in_sets_are_not_sorted_at_every_level(sorted_nodes: list[Value]) -> None:
    """A forged tree of sets and dicts by turns takes no more work at each level."""
    tree: Value = Atom(0)
    for _ in range(MAX_DEPTH // 2):
        tree = Collection("set", (Mapping(((Atom(1), tree),)), Fields("P", (("x", tree),))))
        tree = Sequence("list", (tree,))
        literal(tree, 1_000)
    assert len(sorted_nodes) <= MAX_DEPTH * MAX_SORTED_NODES


@pytest.fixture
def comparisons(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Value, Value]]:
    """Collect the pairs that are compared by the function that knows of tolerances."""
    seen: list[tuple[Value, Value]] = []
    original = equality.equal

    def counting(expected: Value, got: Value) -> bool:
        seen.append((expected, got))
        return original(expected, got)

    monkeypatch.setattr(equality, "equal", counting)
    return seen


@pytest.mark.parametrize("size", [10, 44, 45, 100, 1_000, 1_001, 9_000])
@pytest.mark.parametrize("factor", [1 + 1e-12, 2.5])
def test_comparisons_of_sets_are_few(
    size: int, factor: float, comparisons: list[tuple[Value, Value]]
) -> None:
    """Pairing off by rounding errors takes time in proportion to what is expected."""
    one, other = (
        Collection("set", tuple(Atom((number + 0.3) * by) for number in range(size)))
        for by in (1.0, factor)
    )
    assert equal(one, other) == (factor < 2 and size <= equality._MAX_TOLERANT)
    assert len(comparisons) <= max(2_000, equality._MAX_SHIFT * size)


def test_rounding_errors_do_not_hide_behind_equal_beginnings() -> None:
    """In a large set, elements that share a first number find their partner all the same."""
    expected = Collection(
        "set", tuple(Sequence("tuple", (Atom(0.3), Atom(number))) for number in range(200))
    )
    got = Collection(
        "set",
        tuple(
            Sequence("tuple", (Atom(0.1 + 0.2 if number % 3 else 0.3), Atom(number)))
            for number in reversed(range(200))
        ),
    )
    assert equal(expected, got)


def test_sets_of_other_sizes_are_not_compared(comparisons: list[tuple[Value, Value]]) -> None:
    """The number of elements says enough."""
    expected = Collection("set", (Atom(0.5),))
    assert not equal(expected, decode(encode(AT_THE_CAP["set of NaN"])))
    assert not comparisons


def test_a_value_that_comes_again_is_one_object() -> None:
    """Sessions are replayed: what they return again is neither decoded nor kept twice."""
    tagged = ["s", [["t", [1, 2]], ["f", "nan"]]]
    first = decode(tagged)
    assert first is decode(["s", [["t", [1, 2]], ["f", "nan"]]])
    assert first is not decode(["s", [["t", [True, 2]], ["f", "nan"]]])


def test_a_value_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in many transcripts is not written again for each of them."""
    written: list[Value] = []
    original = display.literal

    def counting(value: Value, limit: int, *, on_one_line: bool = False) -> str:
        written.append(value)
        return original(value, limit, on_one_line=on_one_line)

    monkeypatch.setattr(display, "literal", counting)
    value = decode(encode([1, {2}]))
    assert ["[1, {2}]"] * 3 == [shown_value(value) for _ in range(3)]
    assert [value] == written


def test_texts_of_values_kept_are_few() -> None:
    """What has been written is kept for a while only."""
    kept = [decode(["l", [number]]) for number in range(3 * display._MAX_CACHED)]
    assert [f"[{number}]" for number in range(len(kept))] == list(map(shown_value, kept))
    assert len(display._RENDERED) <= display._MAX_CACHED
