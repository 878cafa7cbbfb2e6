"""Values in the judge, represented as trees of a fixed set of immutable node types.

No object of a submission ever enters the judge. The value that a step returned is decoded into
these nodes (`grader.values.decoding`), and an expectation is parsed into them
(`grader.values.literals`), so comparing values means comparing two trees.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Container, Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Final, TypeAlias

from grader.protocol import ELEMENT_KINDS, SMALL_INT_BITS, ValueLimits

Plain: TypeAlias = bool | int | float | complex | str | bytes | range | Fraction | Decimal | None
"""The Python values that an `Atom` can contain, all immutable and of built-in or standard types."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value without elements; `type_name` distinguishes `True` from `1`."""

    value: Plain

    @property
    def type_name(self) -> str:
        """Name of the Python type, such as `int`."""
        return type(self.value).__name__


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Sequence:
    """A list or a tuple; `class_name` is set for a named tuple."""

    type_name: str
    items: tuple[Value, ...]
    class_name: str | None = None


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Collection:
    """A set or a frozenset; the order of `items` is arbitrary."""

    type_name: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Mapping:
    """A dict; `class_name` is set for `defaultdict`, `OrderedDict` and `Counter`."""

    items: tuple[tuple[Value, Value], ...]
    class_name: str | None = None
    type_name: ClassVar[str] = "dict"


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Fields:
    """An instance of a dataclass, with the name of its class and its fields in order."""

    class_name: str
    items: tuple[tuple[str, Value], ...]

    @property
    def type_name(self) -> str:
        """Name of the class."""
        return self.class_name


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Array:
    """A numpy array, with its shape, element type, and elements in row-major order."""

    shape: tuple[int, ...]
    dtype: str
    items: tuple[Value, ...]
    type_name: ClassVar[str] = "ndarray"

    @property
    def kind(self) -> str:
        """The kind of the elements, such as `int`, regardless of their size in bits."""
        return ELEMENT_KINDS[self.dtype]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, text or bool of one of numpy's scalar types, such as `np.int64(5)`."""

    dtype: str
    value: Plain

    @property
    def type_name(self) -> str:
        """Name of the type, as a program writes it."""
        return f"np.{SCALAR_NAMES.get(self.dtype, self.dtype)}"


def unwrap_scalar(value: Value) -> Value:
    """Return `value`, or the plain number, text or bool in it if it is a numpy scalar."""
    return Atom(value.value) if isinstance(value, Scalar) else value


SCALAR_NAMES: Final = {"str": "str_", "bytes": "bytes_"}
"""numpy's names for scalar types, keyed by the element type, where the two differ."""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enum, with the name of its class and its own name."""

    class_name: str
    member: str

    @property
    def type_name(self) -> str:
        """Name of the class."""
        return self.class_name


@dataclass(frozen=True, slots=True)
class Opaque:
    """An object of which only the class is known."""

    class_name: str

    @property
    def type_name(self) -> str:
        """Name of the class."""
        return self.class_name


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A value that exceeded one of the suite's caps; `excess` names the cap."""

    type_name: str
    excess: str


Node: TypeAlias = Sequence | Collection | Mapping | Fields | Array
"""Values with elements, which can be weakly referenced; decoding shares equal ones."""
Value: TypeAlias = Atom | Scalar | Node | EnumMember | Opaque | TooLarge


def has_kind(dtype: str, value: Value) -> bool:
    """Return whether `value` can represent an element of type `dtype` in Python.

    Elements of the type `object` can be anything.
    """
    kind = ELEMENT_KINDS[dtype]
    return kind == "object" or (isinstance(value, Atom) and value.type_name == kind)


def round_to_type(dtype: str, number: float) -> float:
    """Return `number` rounded to the nearest float of type `dtype`, which can be infinite."""
    try:
        (nearest,) = struct.unpack(
            _FLOAT_FORMATS[dtype], struct.pack(_FLOAT_FORMATS[dtype], number)
        )
    except OverflowError:  # `struct` raises where the nearest float is infinite
        return math.copysign(math.inf, number)
    return float(nearest)


_FLOAT_FORMATS: Final = {"float16": "e", "float32": "f", "float64": "d"}


def hash_key(value: Value) -> Hashable:
    """Return a key that is equal for values that Python would treat as the same element.

    Raises `TypeError`, with the name of the type, if the value is unhashable.
    """
    match value:
        case Atom(Decimal() as number) if number.is_snan():
            return str(number)  # hashing a signalling NaN raises
        case Atom(content):
            return content
        case Sequence("tuple", items):
            return tuple(map(hash_key, items))
        case Collection("frozenset", items):
            return frozenset(map(hash_key, items))
        case Scalar(_, content):
            return content  # 5 == np.int64(5)
        case Fields() | EnumMember():
            return value
        case _:
            raise TypeError(value.type_name)


def contains_fields(value: Value) -> bool:
    """Return whether `value` is an instance of `Fields`, or a sequence or set that contains one."""
    return isinstance(value, Fields) or (
        isinstance(value, Sequence | Collection) and any(map(contains_fields, value.items))
    )


def named_tuple_classes(values: Iterable[Value]) -> set[str]:
    """Return the classes of the named tuples in `values`, including those inside others."""
    classes: set[str] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if isinstance(value, Sequence | Collection):
            pending.extend(value.items)
        if isinstance(value, Sequence) and value.class_name is not None:
            classes.add(value.class_name)
    return classes


def with_named_tuples(value: Value, classes: Container[str]) -> Value:
    """Return `value` with each `Fields` of one of `classes` replaced with a named tuple.

    Executors send named tuples in this form, without the names of their fields.
    """
    match value:
        case Fields(class_name, fields) if class_name in classes:
            items = tuple(with_named_tuples(item, classes) for _, item in fields)
            return Sequence("tuple", items, class_name)
        case Sequence(type_name, items, class_name):
            items = tuple(with_named_tuples(item, classes) for item in items)
            return Sequence(type_name, items, class_name)
        case Collection(type_name, items):
            return Collection(type_name, tuple(with_named_tuples(item, classes) for item in items))
        case _:
            return value


def caps_for(value: Value) -> ValueLimits:
    """Return the lowest caps with which an executor can send `value`."""
    items = depth = chars = bits = 0
    pending = [(value, 0)]
    while pending:
        node, level = pending.pop()
        items, depth = items + 1, max(depth, level)
        if isinstance(node, Atom):
            chars += len(_encoded_text(node.value))
            if type(node.value) is int:  # not `isinstance`, which accepts a bool
                bits = max(bits, node.value.bit_length())
        # Executors count parts as nested elements, even those of a range or a fraction.
        pending += ((part, level + 1) for part in _encoded_parts(node))
    return ValueLimits(value_items=items, value_depth=depth, value_chars=chars, int_bits=bits)


def elements(value: Value) -> list[Value]:
    """Return the direct elements of `value`, which for a dict are its keys and values."""
    match value:
        case Sequence(items=items) | Collection(items=items) | Array(items=items):
            return list(items)
        case Mapping(items=pairs):
            return [part for pair in pairs for part in pair]
        case Fields(items=fields):
            return [part for _, part in fields]
        case _:
            return []


def _encoded_parts(value: Value) -> Iterable[Value]:
    """Return the values that an executor sends as parts of `value`."""
    match value:
        case Scalar(value=content):
            return (Atom(content),)
        case Atom(range() as numbers):
            return map(Atom, (numbers.start, numbers.stop, numbers.step))
        case Atom(Fraction() as ratio):
            return map(Atom, (ratio.numerator, ratio.denominator))
        case _:
            return elements(value)


def _encoded_text(content: Plain) -> str:
    """Return the text that an executor sends for `content`, or "" if it counts against no cap."""
    match content:
        case str():
            return content
        case bytes():
            return content.hex()
        case Decimal():
            return str(content)
        case int() if content.bit_length() > SMALL_INT_BITS:
            return hex(content)
        case _:
            return ""
