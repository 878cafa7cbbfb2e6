"""Values as the judge sees them: a closed tree of immutable nodes.

No object of a submission ever enters the judge. The value that a step returned becomes one of the
nodes below (`grader.values.decoding`), and so does an expectation (`grader.values.literals`):
comparing values means comparing two trees.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, Final, TypeAlias

from grader.protocol import ELEMENT_KINDS, SMALL_INT_BITS, ValueLimits

Plain: TypeAlias = bool | int | float | complex | str | bytes | range | Fraction | Decimal | None
"""The Python values that an `Atom` holds: immutable, and of a built-in or standard type."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value without elements; `type_name` keeps `True` apart from `1`."""

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
    """A set or a frozenset; the order of `items` has no meaning."""

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
    """An instance of a dataclass: the name of its class and its fields in order."""

    class_name: str
    items: tuple[tuple[str, Value], ...]

    @property
    def type_name(self) -> str:
        """Name of the class."""
        return self.class_name


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Array:
    """A numpy array: its shape, the type of its elements, and the elements in row-major order."""

    shape: tuple[int, ...]
    dtype: str
    items: tuple[Value, ...]
    type_name: ClassVar[str] = "ndarray"

    @property
    def kind(self) -> str:
        """The kind of its elements, such as `int`, regardless of their size in bits."""
        return ELEMENT_KINDS[self.dtype]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, text or bool of one of numpy's own types, such as `np.int64(5)`."""

    dtype: str
    value: Plain

    @property
    def type_name(self) -> str:
        """Name of the type, as a program writes it."""
        return f"np.{SCALAR_NAMES.get(self.dtype, self.dtype)}"


SCALAR_NAMES: Final = {"str": "str_", "bytes": "bytes_"}
"""numpy's names for its scalar types, where they differ from the name of the element type."""


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enum: the names of its class and of the member."""

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
    """A value that exceeded one of the suite's caps; `excess` says which."""

    type_name: str
    excess: str


Node: TypeAlias = Sequence | Collection | Mapping | Fields | Array
"""Values with elements; they can be weakly referenced, and decoding shares equal ones."""
Value: TypeAlias = Atom | Scalar | Node | EnumMember | Opaque | TooLarge


def is_of_kind(dtype: str, value: Value) -> bool:
    """Return whether `value` is of the Python type that holds elements of type `dtype`."""
    kind = ELEMENT_KINDS[dtype]
    return kind == "object" or (isinstance(value, Atom) and value.type_name == kind)


def rounded(dtype: str, number: float) -> float:
    """Return `number` rounded to the nearest float of type `dtype`."""
    try:
        (nearest,) = struct.unpack(
            _FLOAT_FORMATS[dtype], struct.pack(_FLOAT_FORMATS[dtype], number)
        )
    except OverflowError:  # `struct` raises where the nearest float is infinite
        return math.copysign(math.inf, number)
    return float(nearest)


_FLOAT_FORMATS: Final = {"float16": "e", "float32": "f", "float64": "d"}


def caps_for(value: Value) -> ValueLimits:
    """Return the lowest caps that allow an executor to send `value`."""
    items = depth = chars = bits = 0
    pending = [(value, 0)]
    while pending:
        node, level = pending.pop()
        items, depth = items + 1, max(depth, level)
        if isinstance(node, Atom):
            chars += len(_sent_text(node.value))
            if type(node.value) is int:  # not `isinstance`: a bool is an int, too
                bits = max(bits, node.value.bit_length())
        pending += ((part, level + 1) for part in _parts(node))
    return ValueLimits(value_items=items, value_depth=depth, value_chars=chars, int_bits=bits)


def elements(value: Value) -> list[Value]:
    """Return the direct elements of `value`; for a dict, keys and values."""
    match value:
        case Sequence(items=items) | Collection(items=items) | Array(items=items):
            return list(items)
        case Mapping(items=pairs):
            return [part for pair in pairs for part in pair]
        case Fields(items=fields):
            return [part for _, part in fields]
        case _:
            return []


def _parts(value: Value) -> Iterable[Value]:
    """Return the values that are sent as parts of `value`."""
    match value:
        case Scalar(value=content):
            return (Atom(content),)
        case Atom(range() as numbers):
            return map(Atom, (numbers.start, numbers.stop, numbers.step))
        case Atom(Fraction() as ratio):
            return map(Atom, (ratio.numerator, ratio.denominator))
        case _:
            return elements(value)


def _sent_text(content: Plain) -> str:
    """Return the text that `content` is sent as, if it counts against the cap on text."""
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
