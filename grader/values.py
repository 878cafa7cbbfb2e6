"""Values as the judge sees them: a closed tree of immutable nodes.

No object of a submission ever enters the judge. What a step returned arrives as tagged JSON (see
`grader.protocol`), is checked shape by shape, and becomes one of the nodes below. An expectation
becomes the same kind of tree (`grader.literals`), so that comparing is comparing two trees.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from typing import Final, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from grader.errors import ProtocolError
from grader.protocol import (
    MAX_NAME_CHARS,
    SMALL_INT_BITS,
    USUAL_CAPS,
    Excess,
    Tag,
    ValueCaps,
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
    """A value that went over one of the suite's caps; `excess` says which."""

    type_name: str
    excess: str


Node: TypeAlias = Sequence | Collection | Mapping | Fields
"""Values with elements; they can be referred to weakly, and those of one content are one object."""
Value: TypeAlias = Atom | Node | EnumMember | Opaque | TooLarge

_EXCESSES: Final = frozenset({Excess.DEPTH, Excess.NODES, Excess.TEXT, Excess.DIGITS})
_DICT_CLASSES: Final = frozenset({"defaultdict", "OrderedDict", "Counter"})


def decode(tagged: object, caps: ValueCaps = USUAL_CAPS) -> Value:
    """Return the value that `tagged`, parsed JSON from an executor, stands for.

    Raises `ProtocolError` for anything that the executor's encoder could not have sent within
    `caps`.
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


def _content_key(tagged: list[object], caps: ValueCaps) -> bytes:
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

    def __init__(self, caps: ValueCaps) -> None:
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
        _require_spelling(value.bit_length() > SMALL_INT_BITS and hex(value) == text)
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
        value = _parse(lambda: bytes.fromhex(self._text(text)))
        _require_spelling(value.hex() == text)
        return Atom(value)

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
        value = _parse(lambda: Fraction(numerator, denominator))
        _require_spelling((value.numerator, value.denominator) == (numerator, denominator))
        return Atom(value)

    def decimal(self, parts: list[object], depth: int) -> Value:
        (text,) = _shape(parts, 1)
        value = _parse(lambda: Decimal(self._text(_name(text, self._caps.value_chars))))
        _require_spelling(str(value) == text)
        return Atom(value)

    def tuple_(self, parts: list[object], depth: int) -> Value:
        if len(parts) == 2:
            return Sequence("tuple", self._values(parts[0], depth), _class_name(parts[1]))
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
        decoded = tuple((_name(name), self.value(value, depth + 1)) for name, value in pairs)
        whole = [name for name, _ in decoded if len(name) < MAX_NAME_CHARS]
        if len(set(whole)) != len(whole):
            raise ProtocolError("a field twice")
        return Fields(_class_name(class_name), decoded)

    def enum(self, parts: list[object], depth: int) -> Value:
        class_name, member = _shape(parts, 2)
        return EnumMember(_class_name(class_name), _name(member))

    def object_(self, parts: list[object], depth: int) -> Value:
        (class_name,) = _shape(parts, 1)
        return Opaque(_class_name(class_name))

    def too_large(self, parts: list[object], depth: int) -> Value:
        class_name, excess = _shape(parts, 2)
        if depth:  # the budget is one for the whole value, which is then given up
            raise ProtocolError("a part of a value that is too large")
        if _name(excess) not in _EXCESSES:
            raise ProtocolError("an unknown excess")
        return TooLarge(_class_name(class_name), _name(excess))


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


def caps_for(value: Value) -> ValueCaps:
    """Return the lowest caps under which an executor can answer with `value`."""
    items = depth = chars = bits = 0
    left = [(value, 0)]
    while left:
        node, level = left.pop()
        items, depth = items + 1, max(depth, level)
        if isinstance(node, Atom):
            chars += len(_travelling_text(node.value))
            if type(node.value) is int:
                bits = max(bits, node.value.bit_length())
        left += ((part, level + 1) for part in _parts(node))
    return ValueCaps(value_items=items, value_depth=depth, value_chars=chars, int_bits=bits)


def _parts(value: Value) -> Iterable[Value]:
    """Return the values that travel inside `value`."""
    match value:
        case Sequence(items=items) | Collection(items=items):
            return items
        case Mapping(items=pairs):
            return [part for pair in pairs for part in pair]
        case Fields(items=fields):
            return [part for _, part in fields]
        case Atom(range() as numbers):
            return map(Atom, (numbers.start, numbers.stop, numbers.step))
        case Atom(Fraction() as ratio):
            return map(Atom, (ratio.numerator, ratio.denominator))
        case _:
            return ()


def _travelling_text(content: Plain) -> str:
    """Return the text that `content` travels as, as far as it counts."""
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


def _shape(parts: list[object], length: int) -> list[object]:
    if len(parts) != length:
        raise ProtocolError("a tagged value of the wrong shape")
    return parts


def _name(text: object, limit: int = MAX_NAME_CHARS) -> str:
    if not isinstance(text, str) or len(text) > limit:
        raise ProtocolError("a name was expected")
    return text


def _class_name(text: object) -> str:
    """Return the name of a class; Python refuses some, whatever a submission tries."""
    name = _name(text)
    if "\0" in name or not _is_encodable(name):
        raise ProtocolError("a name that no class can have")
    return name


def _is_encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _float(text: object) -> float:
    value = _parse(lambda: float(_name(text)))
    _require_spelling(repr(value) == text)
    return value


def _require_spelling(truth: object) -> None:
    """Raise `ProtocolError` unless a number is written as the encoder writes it."""
    if not truth:
        raise ProtocolError("a number in another spelling")


T = TypeVar("T")


def _parse(make: Callable[[], T]) -> T:
    """Return `make()`; text that does not parse is a breach of the protocol."""
    try:
        return make()
    except (ValueError, ArithmeticError, OverflowError) as error:
        raise ProtocolError("a number that is none") from error
