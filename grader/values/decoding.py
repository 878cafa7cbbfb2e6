"""Reads the tagged JSON of an executor as a value, and refuses whatever is out of shape.

See `grader.protocol.Tag` for the format. What is checked is what the judge relies on: that a value
has one of the shapes of `grader.values.tree`, and is within the caps. It is not checked that some
interpreter could hold it: an executor that forges `{1, True}` could as well forge the right answer.
So whoever reads a decoded value may meet equal elements in a set, equal keys in a dict, or a list
as a key.
"""

from __future__ import annotations

import marshal
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from typing import Final, TypeVar
from weakref import WeakValueDictionary

from grader.errors import ProtocolError
from grader.protocol import (
    ELEMENT_KINDS,
    MAX_NAME_CHARS,
    SMALL_INT_BITS,
    USUAL_CAPS,
    Excess,
    Tag,
    ValueLimits,
)
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
    is_of_kind,
)

_MAX_DIMENSIONS: Final = 64
"""As numpy has it."""
_EXCESSES: Final = frozenset({Excess.DEPTH, Excess.NODES, Excess.TEXT, Excess.DIGITS})
_DICT_CLASSES: Final = frozenset({"defaultdict", "OrderedDict", "Counter"})


def decode(tagged: object, caps: ValueLimits = USUAL_CAPS) -> Value:
    """Return the value that `tagged`, parsed JSON from an executor, stands for.

    Raises `ProtocolError` for anything of another shape, and for what is not within `caps`.
    """
    if not isinstance(tagged, list):
        return _Decoder(caps).value(tagged, depth=0)
    key = _content_key(tagged, caps)
    if (known := _KNOWN.get(key)) is not None:
        return known
    value = _Decoder(caps).value(tagged, depth=0)
    if isinstance(value, Node):
        _KNOWN[key] = value
    return value


_KNOWN: Final[WeakValueDictionary[bytes, Node]] = WeakValueDictionary()
"""The trees in use, by their content: sessions are replayed, and give the same values again."""


def _content_key(tagged: list[object], caps: ValueLimits) -> bytes:
    """Return a digest that differs for different content; this is much cheaper than decoding.

    What is within the caps of one suite may be over those of another.
    """
    held_to = (caps.value_items, caps.value_depth, caps.value_chars, caps.int_bits)
    try:
        return blake2b(marshal.dumps((tagged, held_to), 2), digest_size=32).digest()
    except ValueError as error:
        raise ProtocolError("a value is larger than the encoder allows") from error


class _Decoder:
    """Decodes one value; counts nodes and text against the caps, as the encoder did."""

    def __init__(self, caps: ValueLimits) -> None:
        self._caps: Final = caps
        self._nodes = 0
        self._chars = 0

    def value(self, tagged: object, depth: int) -> Value:
        self._nodes += 1
        if self._nodes > self._caps.value_items or depth > self._caps.value_depth:
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
        if self._chars > self._caps.value_chars:
            raise ProtocolError("more text than the encoder allows")
        return text

    def _values(self, tagged: object, depth: int) -> tuple[Value, ...]:
        if not isinstance(tagged, list) or len(tagged) > self._caps.value_items:
            raise ProtocolError("elements that are no list")
        return tuple(self.value(item, depth + 1) for item in tagged)

    def _pairs(self, tagged: object) -> list[tuple[object, object]]:
        if not isinstance(tagged, list) or len(tagged) > self._caps.value_items:
            raise ProtocolError("pairs that are no list")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in tagged):
            raise ProtocolError("a pair that is none")
        return [(pair[0], pair[1]) for pair in tagged]

    def big_int(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        value = _parse(lambda: int(self._text(_name(text, self._caps.int_bits)), 16))
        if value.bit_length() > self._caps.int_bits:
            raise ProtocolError("an integer with too many digits")
        return Atom(value)

    def float_(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        return Atom(_float(text))

    def complex_(self, parts: list[object], depth: int) -> Value:
        real, imaginary = _shape(parts, 2)
        return Atom(complex(_float(real), _float(imaginary)))

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
        return Atom(_parse(lambda: Decimal(self._text(_name(text, self._caps.value_chars)))))

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
            if class_name not in _DICT_CLASSES:  # it becomes code: see `grader.values.expressions`
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
        decoded = tuple((_name(name), self.value(value, depth + 1)) for name, value in pairs)
        return Fields(_name(class_name), decoded)

    def array(self, parts: list[object], depth: int) -> Value:
        dtype, dimensions, items = _shape(parts, 3)
        name = _element_type(dtype)
        shape = _dimensions(dimensions)
        values = self._values(items, depth)
        if math.prod(shape) != len(values):
            raise ProtocolError("an array whose elements do not go with its shape")
        if not all(is_of_kind(name, value) for value in values):
            raise ProtocolError("an element of another kind than its array")
        return Array(shape, name, values)

    def scalar(self, parts: list[object], depth: int) -> Value:
        dtype, content = _shape(parts, 2)
        name = _element_type(dtype)
        value = self.value(content, depth + 1)
        if not isinstance(value, Atom) or not is_of_kind(name, value):
            raise ProtocolError("a number of another kind than its type")
        return Scalar(name, value.value)

    def enum(self, parts: list[object], depth: int) -> Value:
        class_name, member = _shape(parts, 2)
        return EnumMember(_name(class_name), _name(member))

    def object_(self, parts: list[object], depth: int) -> Value:
        (class_name,) = _shape(parts, 1)
        return Opaque(_name(class_name))

    def too_large(self, parts: list[object], depth: int) -> Value:
        class_name, excess = _shape(parts, 2)
        if _name(excess) not in _EXCESSES:  # each has its sentence; there is none for another
            raise ProtocolError("an unknown excess")
        return TooLarge(_name(class_name), _name(excess))


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
    Tag.ARRAY: _Decoder.array,
    Tag.SCALAR: _Decoder.scalar,
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


def _element_type(name: object) -> str:
    if _name(name) not in ELEMENT_KINDS:
        raise ProtocolError("an unknown type of elements")
    return _name(name)


def _dimensions(lengths: object) -> tuple[int, ...]:
    if not isinstance(lengths, list) or len(lengths) > _MAX_DIMENSIONS:
        raise ProtocolError("a shape that is none")
    if not all(type(length) is int and 0 <= length < 1 << SMALL_INT_BITS for length in lengths):
        raise ProtocolError("a shape that is none")
    return tuple(lengths)


def _float(text: object) -> float:
    return _parse(lambda: float(_name(text)))


T = TypeVar("T")


def _parse(make: Callable[[], T]) -> T:
    """Return `make()`; text that does not parse is a breach of the protocol."""
    try:
        return make()
    except (ValueError, ArithmeticError, OverflowError) as error:
        raise ProtocolError("a number that is none") from error
