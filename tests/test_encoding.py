"""What a step returned travels as tagged JSON, and runs no line of the submission on its way."""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, defaultdict, namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, make_dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple, NoReturn, cast

import pytest
from hypothesis import given
from travelling_values import BUILT_IN, Point, as_value, travelled

from grader.executor.encoding import class_name, is_atomic, mro_names
from grader.protocol import MAX_NAME_CHARS
from grader.values.tree import Atom, EnumMember, Fields, Mapping, Opaque, Sequence, Value


@given(BUILT_IN)
def test_built_in_values_come_home_whole(value: object) -> None:
    """Encoding, JSON and decoding lose nothing: not a type, a sign of zero or a lone surrogate."""
    assert repr(as_value(value)) == repr(travelled(value))


def test_true_in_a_range_is_a_number() -> None:
    """Python itself makes integers of what ranges and fractions are made of."""
    assert Atom(range(1, 5)) == travelled(range(*[True, 5]))
    assert Atom(Fraction(1, 3)) == travelled(Fraction(*[True, 3]))


class Colour(enum.Enum):
    """An enum with an alias."""

    RED = 1
    SCARLET = 1  # noqa: PIE796 - an alias is what this is about


class Access(enum.Flag):
    """A flag: combinations of members are members too."""

    READ = 1
    WRITE = 2


class Number(enum.IntEnum):
    """An enum that is an integer as well."""

    ONE = 1


@dataclass(slots=True, frozen=True)
class Slotted:
    """A dataclass without a dict."""

    x: int


class Pair(NamedTuple):
    """A named tuple by its modern spelling."""

    left: int
    right: int


class SubPoint(Point):
    """A subclass that is no dataclass itself."""


class SubPair(Pair):
    """A subclass that is no named tuple itself."""


Old = namedtuple("Old", "a")  # noqa: PYI024 - the spelling that students learn


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        (Pair(1, 2), Sequence("tuple", (Atom(1), Atom(2)), "Pair")),
        (Old("a"), Sequence("tuple", (Atom("a"),), "Old")),
        (Point(1), Fields("Point", (("x", Atom(1)), ("y", Atom(None))))),
        (Slotted(1), Fields("Slotted", (("x", Atom(1)),))),
        (Point(1, Slotted(2)), Fields("Point", (("x", Atom(1)), ("y", travelled(Slotted(2)))))),
        (Colour.RED, EnumMember("Colour", "RED")),
        (Colour.SCARLET, EnumMember("Colour", "RED")),
        (Number.ONE, EnumMember("Number", "ONE")),
        (Counter("aa"), Mapping(((Atom("a"), Atom(2)),), "Counter")),
        (OrderedDict(a=1), Mapping(((Atom("a"), Atom(1)),), "OrderedDict")),
        (defaultdict(int, {1: 2}), Mapping(((Atom(1), Atom(2)),), "defaultdict")),
        (SubPoint(1), Opaque("SubPoint")),
        (SubPair(1, 2), Opaque("SubPair")),
        (Point, Opaque("type")),
        (len, Opaque("builtin_function_or_method")),
        (object(), Opaque("object")),
        (..., Opaque("ellipsis")),
        (bytearray(b"x"), Opaque("bytearray")),
        ({}.keys(), Opaque("dict_keys")),
        (iter([]), Opaque("list_iterator")),
        (Exception("x"), Opaque("Exception")),
        (type("Long" * 100, (), {})(), Opaque(("Long" * 100)[:MAX_NAME_CHARS])),
    ],
    ids=lambda each: type(each).__name__,
)
def test_standard_objects_travel_by_their_own_shape(value: object, seen: Value) -> None:
    """Named tuples, dataclasses, enums and the dicts of `collections`; all else by class name."""
    assert seen == travelled(value)


def test_flags_that_are_combined_travel() -> None:
    """A combination of flags has a name, or is an object; it never breaks the encoder."""
    assert travelled(Access.READ | Access.WRITE) in {
        EnumMember("Access", "READ|WRITE"),
        Opaque("Access"),
    }


def never(*_arguments: object, **_keywords: object) -> NoReturn:
    """Fail the test: a line of the submission ran."""
    pytest.fail("code of the submission ran while its value was encoded")


TRAPS: Final[dict[str, Callable[..., Any]]] = dict.fromkeys(
    (
        "__eq__",
        "__hash__",
        "__repr__",
        "__str__",
        "__len__",
        "__iter__",
        "__getitem__",
        "__getattr__",
        "__getattribute__",
        "__reduce_ex__",
        "__bool__",
        "__index__",
        "__float__",
        "__contains__",
        "items",
        "keys",
        "hex",
        "bit_length",
    ),
    never,
)


@pytest.mark.parametrize(
    ("base", "arguments"),
    [
        (object, ()),
        (int, (1,)),
        (float, (1.5,)),
        (complex, (1j,)),
        (str, ("a",)),
        (bytes, (b"a",)),
        (list, ([1],)),
        (tuple, ((1,),)),
        (set, ()),
        (frozenset, ()),
        (dict, ()),
        (Fraction, (1,)),
        (Decimal, (1,)),
        (Counter, ()),
        (Pair, (1, 2)),
        (BaseException, ("a",)),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_subclasses_are_objects_and_are_never_asked(
    base: type, arguments: tuple[object, ...]
) -> None:
    """A subclass that lies about everything travels as an object, and is not even looked at."""
    value = base.__new__(type("Liar", (base,), {}), *arguments)
    for name, trap in TRAPS.items():
        setattr(type(value), name, trap)
    assert Opaque("Liar") == travelled(value)


def test_a_lying_class_attribute_is_not_believed() -> None:
    """`__class__` can say anything; the real type is what counts."""
    liar = type("Liar", (), {"__class__": property(lambda _self: int)})()
    assert isinstance(liar, int)
    assert Opaque("Liar") == travelled(liar)


class Yes(type):
    """A metaclass for which its classes equal any other; it also makes them unhashable."""

    def __eq__(cls, other: object) -> bool:
        """Claim to be `other`, which only a careless look-up asks."""
        return never()

    __hash__ = None  # type: ignore[assignment]

    def __getattribute__(cls, name: str) -> Any:
        """Lie about `__name__` and `__mro__`."""
        return never()


def test_metaclasses_are_not_asked() -> None:
    """A metaclass that defines equality, hash and attributes has no say in how values travel."""
    base = Yes("Base", (), {})
    value: Any = object.__new__(
        cast("Any", Yes)("Child", (base,), {"_fields": (), "__iter__": never})
    )
    assert Opaque("Child") == travelled(value)
    assert not is_atomic(value)


def test_a_metaclass_that_claims_to_be_list_is_no_list() -> None:
    """Neither the hash nor the equality of a class decides how its instances travel."""
    meta = type(
        "Meta",
        (type,),
        {"__hash__": lambda _cls: hash(list), "__eq__": lambda _cls, _other: True},
    )
    value: Any = meta("Fake", (), {"__iter__": lambda _self: iter([1])})()
    assert Opaque("Fake") == travelled(value)


class FakeFields:
    """Pretends to be a dataclass, with field names that are no text and fields that are gone."""

    __dataclass_fields__: Final[dict[object, object]] = {1: None, "gone": None}


def test_false_dataclasses_are_objects() -> None:
    """A class that only looks like a dataclass tells no more than its name."""
    assert Opaque("FakeFields") == travelled(FakeFields())


def test_a_dataclass_without_one_of_its_fields_is_an_object() -> None:
    """A field that was deleted does not break the encoder."""
    point = Point(1)
    del point.x
    assert Opaque("Point") == travelled(point)


def test_an_enum_member_without_a_name_is_an_object() -> None:
    """A member whose name was taken away, or replaced, does not break the encoder."""
    strange = enum.Enum("strange", "A B")
    del strange.A.__dict__["_name_"]
    vars(strange.B)["_name_"] = 5
    assert [Opaque("strange")] * 2 == [travelled(strange.A), travelled(strange.B)]


class Hidden:
    """Refuses every attribute."""

    __getattribute__ = never


def test_fields_are_read_past_getattribute() -> None:
    """A dataclass cannot answer differently for us than it holds."""
    cls = make_dataclass("Fake", ["x"], namespace={"__getattribute__": never})
    value: Any = object.__new__(cls)
    object.__setattr__(value, "x", 3)
    assert Fields("Fake", (("x", Atom(3)),)) == travelled(value)


class Endless(list[int]):
    """Never stops giving elements."""

    def __iter__(self) -> Iterator[int]:
        """Count on."""
        never()


def test_class_names_are_clipped_and_come_from_the_slot() -> None:
    """A class cannot choose the name that is reported after it was made."""
    assert "Endless" == class_name(Endless)
    assert ["Endless", "list"] == mro_names(Endless, {})


def test_only_values_without_identity_are_atomic() -> None:
    """A subclass of an atomic type can hold state, so its identity counts."""
    assert [True] * 4 == [is_atomic(value) for value in (None, True, 1, "a")]
    stateful: list[object] = [[], (), Endless(), Number.ONE]
    assert [False] * 4 == [is_atomic(value) for value in stateful]


def test_a_namesake_of_a_known_class_is_told_by_its_module() -> None:
    """What has the name of one of Python's exceptions and is another one cannot pass for it."""
    known = {"ValueError": ValueError, "Exception": Exception}
    own = type("ValueError", (Exception,), {"__module__": "board"})
    odd = type("ValueError", (own,), {"__module__": 5})
    true = type("ValueError", (ValueError,), {"__module__": "board"})
    assert ["board.ValueError", "Exception", "BaseException"] == mro_names(own, known)
    assert [".ValueError", "board.ValueError"] == mro_names(odd, known, 2)
    assert ["board.ValueError", "ValueError"] == mro_names(true, known, 2)
    assert ["ValueError", "Exception"] == mro_names(ValueError, known, 2)
