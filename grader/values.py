"""Values as the judge sees them: a closed tree of immutable nodes.

No object of a submission ever enters the judge. What a step returned arrives as tagged JSON (see
`grader.protocol`), is checked shape by shape, and becomes one of the nodes below. An expectation
becomes the same kind of tree (`grader.literals`), so that comparing is comparing two trees.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from typing import Final, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from grader.errors import ProtocolError
from grader.protocol import (
    MAX_DEPTH,
    MAX_INT_BITS,
    MAX_NAME_CHARS,
    MAX_NODES,
    MAX_TEXT_CHARS,
    SMALL_INT_BITS,
    Excess,
    Tag,
)

Plain: TypeAlias = bool | int | float | complex | str | bytes | range | Fraction | Decimal | None
"""Python values that an `Atom` holds; all of them immutable and of a built-in or standard type."""


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
    """A set or a frozenset; the order of `items` means nothing."""

    type_name: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Mapping:
    """A dict; `class_name` is set for `defaultdict`, `OrderedDict` and `Counter`."""

    items: tuple[tuple[Value, Value], ...]
    class_name: str | None = None

    @property
    def type_name(self) -> str:
        """Name of the Python type."""
        return "dict"


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Fields:
    """An instance of a dataclass: the name of its class and its fields in order."""

    class_name: str
    items: tuple[tuple[str, Value], ...]

    @property
    def type_name(self) -> str:
        """Name of the class."""
        return self.class_name


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enum, by the names of class and member."""

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
    """A value that went over one of the protocol's caps; `excess` says which."""

    type_name: str
    excess: str


Node: TypeAlias = Sequence | Collection | Mapping | Fields
"""Values with elements; they can be referred to weakly, and those of one content are one object."""
Value: TypeAlias = Atom | Node | EnumMember | Opaque | TooLarge

_EXCESSES: Final = frozenset({Excess.DEPTH, Excess.NODES, Excess.TEXT, Excess.DIGITS})
_DICT_CLASSES: Final = frozenset({"defaultdict", "OrderedDict", "Counter"})


def decode(tagged: object) -> Value:
    """Return the value that `tagged`, parsed JSON from an executor, stands for.

    Raises `ProtocolError` for anything that the executor's encoder could not have sent.
    """
    if not isinstance(tagged, list):
        return _Decoder().value(tagged, depth=0)
    key = _content_key(tagged)
    if (known := _KNOWN.get(key)) is not None:
        return known
    value = _Decoder().value(tagged, depth=0)
    if isinstance(value, Node):
        _KNOWN[key] = value
    return value


_KNOWN: Final[WeakValueDictionary[bytes, Node]] = WeakValueDictionary()
"""The trees in use, by their content: sessions are replayed, and give the same values again."""


def _content_key(tagged: list[object]) -> bytes:
    """Return a digest that differs for different content; this is much cheaper than decoding."""
    try:
        return blake2b(marshal.dumps(tagged, 2), digest_size=32).digest()
    except ValueError as error:
        raise ProtocolError("a value is larger than the encoder allows") from error


class _Decoder:
    """Decodes one value; counts nodes and text against the caps, as the encoder did."""

    def __init__(self) -> None:
        self._nodes = 0
        self._chars = 0

    def value(self, tagged: object, depth: int) -> Value:
        self._nodes += 1
        if self._nodes > MAX_NODES or depth > MAX_DEPTH:
            raise ProtocolError("a value is larger than the encoder allows")
        if tagged is None or isinstance(tagged, bool):
            return Atom(tagged)
        if isinstance(tagged, str):
            return Atom(self._text(tagged))
        if isinstance(tagged, int):
            if tagged.bit_length() > SMALL_INT_BITS:
                raise ProtocolError("a long integer without its tag")
            return Atom(tagged)
        if not isinstance(tagged, list) or not tagged or not isinstance(tagged[0], str):
            raise ProtocolError("a value without a tag")
        decode_tagged = _DECODERS.get(tagged[0])
        if decode_tagged is None:
            raise ProtocolError("a value with an unknown tag")
        return decode_tagged(self, tagged[1:], depth)

    def _text(self, text: str) -> str:
        self._chars += len(text)
        if self._chars > MAX_TEXT_CHARS:
            raise ProtocolError("more text than the encoder allows")
        return text

    def _values(self, tagged: object, depth: int) -> tuple[Value, ...]:
        if not isinstance(tagged, list) or len(tagged) > MAX_NODES:
            raise ProtocolError("elements that are no list")
        return tuple(self.value(item, depth + 1) for item in tagged)

    def _pairs(self, tagged: object) -> list[tuple[object, object]]:
        if not isinstance(tagged, list) or len(tagged) > MAX_NODES:
            raise ProtocolError("pairs that are no list")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in tagged):
            raise ProtocolError("a pair that is none")
        return [(pair[0], pair[1]) for pair in tagged]

    def big_int(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        value = _parse(lambda: int(self._text(_name(text, MAX_INT_BITS)), 16))
        if value.bit_length() > MAX_INT_BITS:
            raise ProtocolError("an integer with too many digits")
        return Atom(value)

    def float_(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        return Atom(_parse(lambda: float(_name(text))))

    def complex_(self, parts: list[object], depth: int) -> Value:
        real, imaginary = _shape(parts, 2)
        return Atom(_parse(lambda: complex(float(_name(real)), float(_name(imaginary)))))

    def bytes_(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        if not isinstance(text, str):
            raise ProtocolError("bytes that are no text")
        return Atom(_parse(lambda: bytes.fromhex(self._text(text))))

    def _int(self, tagged: object, depth: int) -> int:
        node = self.value(tagged, depth + 1)
        if not isinstance(node, Atom) or type(node.value) is not int:
            raise ProtocolError("an integer was expected")
        return node.value

    def range_(self, parts: list[object], depth: int) -> Value:
        start, stop, step = (self._int(part, depth) for part in _shape(parts, 3))
        return Atom(_parse(lambda: range(start, stop, step)))

    def fraction(self, parts: list[object], depth: int) -> Value:
        numerator, denominator = (self._int(part, depth) for part in _shape(parts, 2))
        return Atom(_parse(lambda: Fraction(numerator, denominator)))

    def decimal(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        return Atom(_parse(lambda: Decimal(self._text(_name(text, MAX_TEXT_CHARS)))))

    def tuple_(self, parts: list[object], depth: int) -> Value:
        if len(parts) == 2:
            return Sequence("tuple", self._values(parts[0], depth), _name(parts[1]))
        (items,) = _shape(parts, 1)
        return Sequence("tuple", self._values(items, depth))

    def list_(self, parts: list[object], depth: int) -> Value:
        (items,) = _shape(parts, 1)
        return Sequence("list", self._values(items, depth))

    def set_(self, parts: list[object], depth: int) -> Value:
        (items,) = _shape(parts, 1)
        return Collection("set", self._values(items, depth))

    def frozenset_(self, parts: list[object], depth: int) -> Value:
        (items,) = _shape(parts, 1)
        return Collection("frozenset", self._values(items, depth))

    def dict_(self, parts: list[object], depth: int) -> Value:
        class_name = None
        if len(parts) == 2:
            parts, class_name = parts[:1], _name(parts[1])
            if class_name not in _DICT_CLASSES:
                raise ProtocolError("an unknown kind of dict")
        (items,) = _shape(parts, 1)
        pairs = self._pairs(items)
        decoded = (
            (self.value(key, depth + 1), self.value(value, depth + 1)) for key, value in pairs
        )
        return Mapping(tuple(decoded), class_name)

    def dataclass_(self, parts: list[object], depth: int) -> Value:
        class_name, fields = _shape(parts, 2)
        pairs = self._pairs(fields)
        decoded = ((_name(name), self.value(value, depth + 1)) for name, value in pairs)
        return Fields(_name(class_name), tuple(decoded))

    def enum(self, parts: list[object], depth: int) -> Value:
        class_name, member = _shape(parts, 2)
        return EnumMember(_name(class_name), _name(member))

    def object_(self, parts: list[object], depth: int) -> Value:
        (class_name,) = _shape(parts, 1)
        return Opaque(_name(class_name))

    def too_large(self, parts: list[object], depth: int) -> Value:
        type_name, excess = map(_name, _shape(parts, 2))
        if excess not in _EXCESSES:
            raise ProtocolError("an unknown excess")
        return TooLarge(type_name, excess)


_DECODERS: Final[dict[str, Callable[[_Decoder, list[object], int], Value]]] = {
    Tag.INT: _Decoder.big_int,
    Tag.FLOAT: _Decoder.float_,
    Tag.COMPLEX: _Decoder.complex_,
    Tag.BYTES: _Decoder.bytes_,
    Tag.RANGE: _Decoder.range_,
    Tag.FRACTION: _Decoder.fraction,
    Tag.DECIMAL: _Decoder.decimal,
    Tag.TUPLE: _Decoder.tuple_,
    Tag.LIST: _Decoder.list_,
    Tag.SET: _Decoder.set_,
    Tag.FROZENSET: _Decoder.frozenset_,
    Tag.DICT: _Decoder.dict_,
    Tag.DATACLASS: _Decoder.dataclass_,
    Tag.ENUM: _Decoder.enum,
    Tag.OBJECT: _Decoder.object_,
    Tag.TOO_LARGE: _Decoder.too_large,
}


def _shape(parts: list[object], length: int) -> list[object]:
    if len(parts) != length:
        raise ProtocolError("a tagged value of the wrong shape")
    return parts


def _name(text: object, limit: int = MAX_NAME_CHARS) -> str:
    if not isinstance(text, str) or len(text) > limit:
        raise ProtocolError("a name was expected")
    return text


T = TypeVar("T")


def _parse(make: Callable[[], T]) -> T:
    """Return `make()`; text that does not parse is a breach of the protocol."""
    try:
        return make()
    except (ValueError, ArithmeticError, OverflowError) as error:
        raise ProtocolError("a number that is none") from error
