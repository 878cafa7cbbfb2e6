"""Decodes the tagged JSON of an executor into a value, and refuses anything malformed.

See `grader.protocol.ValueTag` for the format. Decoding checks what the judge relies on: that a
value has one of the forms in `grader.values.tree` and is within the caps. It does not check that
such a value can exist in Python: an executor that forges `{1, True}` could just as well forge the
right answer. So a decoded set can contain equal elements, and a dict equal keys or a list as a key.
"""

from __future__ import annotations

import marshal
import math
from decimal import Decimal
from fractions import Fraction
from hashlib import blake2b
from typing import Final
from weakref import WeakValueDictionary

from grader.errors import ProtocolError
from grader.protocol import (
    ELEMENT_KINDS,
    MAX_NAME_CHARS,
    SMALL_INT_BITS,
    USUAL_CAPS,
    Excess,
    ValueLimits,
    ValueTag,
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
    Plain,
    Scalar,
    Sequence,
    TooLarge,
    Value,
    has_kind,
)

_MAX_DIMENSIONS: Final = 64
"""numpy's own limit."""
_EXCESSES: Final = frozenset({Excess.DEPTH, Excess.NODES, Excess.TEXT, Excess.DIGITS})
_DICT_CLASSES: Final = frozenset({"defaultdict", "OrderedDict", "Counter"})
"""A closed list, because these names become part of code; see `grader.values.expressions`."""


def decode(tagged: object, caps: ValueLimits = USUAL_CAPS) -> Value:
    """Return the value in `tagged`, which is parsed JSON from an executor.

    Equal content shares one tree. Raises `ProtocolError` if `tagged` is malformed or exceeds one of
    `caps`.
    """
    if not isinstance(tagged, list):  # an atom, which is not worth sharing
        return _Decoder(caps).value(tagged, depth=0)
    key = _content_key(tagged, caps)
    if (cached := _DECODED.get(key)) is not None:
        return cached
    value = _Decoder(caps).value(tagged, depth=0)
    if isinstance(value, Node):
        _DECODED[key] = value
    return value


_DECODED: Final[WeakValueDictionary[bytes, Node]] = WeakValueDictionary()
"""The trees in use, keyed by a hash of their content. Sharing them pays because replayed sessions
return the same values again."""


def _content_key(tagged: list[object], caps: ValueLimits) -> bytes:
    """Return a digest of `tagged` and `caps`, which is much cheaper to compute than decoding.

    The caps are included because they differ between suites. Raises `ProtocolError` if the content
    is nested too deeply.
    """
    limits = (caps.value_items, caps.value_depth, caps.value_chars, caps.int_bits)
    try:
        # Versions later than 2 write references, so equal content can yield different bytes.
        return blake2b(marshal.dumps((tagged, limits), 2), digest_size=32).digest()
    except ValueError as error:  # marshal limits the nesting depth, at far more than any cap
        problem = f"a value that is nested more than {caps.value_depth} levels deep"
        raise ProtocolError(problem) from error


class _Decoder:
    """Decodes one value, counting nodes and text against the caps as the encoder does."""

    def __init__(self, caps: ValueLimits) -> None:
        self._caps: Final = caps
        self._nodes = 0
        self._chars = 0

    def value(self, tagged: object, depth: int) -> Value:
        """Return the value in `tagged`, which is nested `depth` levels deep.

        Raises `ProtocolError` if it is malformed or exceeds a cap.
        """
        self._nodes += 1
        if self._nodes > self._caps.value_items:
            raise ProtocolError(f"a value with more than {self._caps.value_items:,} elements")
        if depth > self._caps.value_depth:
            problem = f"a value that is nested more than {self._caps.value_depth} levels deep"
            raise ProtocolError(problem)
        match tagged:
            case None | bool():  # before `int`, of which bool is a subclass
                return Atom(tagged)
            case str():
                return Atom(self._count_text(tagged))
            case int() if tagged.bit_length() > SMALL_INT_BITS:
                raise ProtocolError(
                    f"an integer of more than {SMALL_INT_BITS} bits without its tag"
                )
            case int():
                return Atom(tagged)
            case _:
                return self._decode_tagged(tagged, depth)

    def _decode_tagged(self, tagged: object, depth: int) -> Value:  # noqa: C901, PLR0912 - one case per tag
        """Return the value in `tagged`, a list that starts with a tag.

        Raises `ProtocolError` if it is malformed or exceeds a cap.
        """
        match tagged:
            case [ValueTag.LIST, items]:
                return Sequence("list", self._decode_values(items, depth))
            case [ValueTag.TUPLE, items]:
                return Sequence("tuple", self._decode_values(items, depth))
            case [ValueTag.TUPLE, items, class_name]:
                return Sequence("tuple", self._decode_values(items, depth), _check_text(class_name))
            case [ValueTag.SET, items]:
                return Collection("set", self._decode_values(items, depth))
            case [ValueTag.FROZENSET, items]:
                return Collection("frozenset", self._decode_values(items, depth))
            case [ValueTag.DICT, items]:
                return Mapping(self._decode_items(items, depth))
            case [ValueTag.DICT, items, str() as class_name] if class_name in _DICT_CLASSES:
                return Mapping(self._decode_items(items, depth), class_name)
            case [ValueTag.DATACLASS, class_name, fields]:
                pairs = self._check_pairs(fields)
                decoded_fields = tuple(
                    (_check_text(name), self.value(item, depth + 1)) for name, item in pairs
                )
                return Fields(_check_text(class_name), decoded_fields)
            case [ValueTag.ARRAY, dtype, lengths, items]:
                return self._build_array(
                    _check_element_type(dtype), lengths, self._decode_values(items, depth)
                )
            case [ValueTag.SCALAR, dtype, content]:
                value = self.value(content, depth + 1)
                if not isinstance(value, Atom) or not has_kind(_check_element_type(dtype), value):
                    raise ProtocolError("a scalar whose content does not match its type")
                return Scalar(_check_element_type(dtype), value.value)
            case [ValueTag.ENUM, class_name, member]:
                return EnumMember(_check_text(class_name), _check_text(member))
            case [ValueTag.OBJECT, class_name]:
                return Opaque(_check_text(class_name))
            case [ValueTag.TOO_LARGE, class_name, str() as excess] if excess in _EXCESSES:
                return TooLarge(_check_text(class_name), excess)
            case _:
                try:
                    return Atom(self._decode_number(tagged, depth))
                # ArithmeticError is raised for a fraction by zero and for text that is no decimal.
                except (ValueError, ArithmeticError) as error:
                    raise ProtocolError("a malformed number, range or bytes") from error

    def _decode_number(self, tagged: object, depth: int) -> Plain:
        """Return the content of an atom with a tag.

        Raises `ProtocolError` if it is malformed or exceeds a cap, and `ValueError` or
        `ArithmeticError` if it does not describe a valid value.
        """
        match tagged:
            case [ValueTag.INT, text]:
                # Parsing base 16 takes linear time and is not subject to Python's digit limit.
                number = int(self._count_text(_check_text(text, self._caps.int_bits)), 16)
                if number.bit_length() > self._caps.int_bits:
                    raise ProtocolError(f"an integer of more than {self._caps.int_bits:,} bits")
                return number
            case [ValueTag.FLOAT, text]:
                return float(_check_text(text))  # sent as text, as JSON has neither inf nor nan
            case [ValueTag.COMPLEX, real, imaginary]:
                return complex(float(_check_text(real)), float(_check_text(imaginary)))
            case [ValueTag.BYTES, str() as text]:
                return bytes.fromhex(self._count_text(text))
            case [ValueTag.RANGE, start, stop, step]:
                return range(*(self._decode_int(part, depth) for part in (start, stop, step)))
            case [ValueTag.FRACTION, numerator, denominator]:
                return Fraction(
                    self._decode_int(numerator, depth), self._decode_int(denominator, depth)
                )
            case [ValueTag.DECIMAL, text]:
                return Decimal(self._count_text(_check_text(text, self._caps.value_chars)))
            case _:
                raise ProtocolError("a value without a tag, or with malformed content")

    def _decode_int(self, tagged: object, depth: int) -> int:
        """Return the integer in `tagged`, a part of an atom that is nested `depth` levels deep.

        Raises `ProtocolError` if it is not an integer.
        """
        node = self.value(tagged, depth + 1)
        # Not `isinstance`, which accepts a bool.
        if not isinstance(node, Atom) or type(node.value) is not int:
            raise ProtocolError("a number that is not an integer")
        return node.value

    def _count_text(self, text: str) -> str:
        """Count `text` against the cap and return it; raises `ProtocolError` if it is too long."""
        self._chars += len(text)
        if self._chars > self._caps.value_chars:
            limit = f"{self._caps.value_chars:,}"
            raise ProtocolError(f"a value with more than {limit} characters of text")
        return text

    def _decode_values(self, tagged: object, depth: int) -> tuple[Value, ...]:
        """Return the values in the list `tagged`; raises `ProtocolError` if it is malformed."""
        # The length is checked first, so that no work is done on a list that is too long.
        if not isinstance(tagged, list) or len(tagged) > self._caps.value_items:
            limit = f"{self._caps.value_items:,}"
            raise ProtocolError(f"elements that are not a list, or more than {limit} of them")
        return tuple(self.value(item, depth + 1) for item in tagged)

    def _decode_items(self, tagged: object, depth: int) -> tuple[tuple[Value, Value], ...]:
        """Return the items of a dict in the list of pairs `tagged`.

        Raises `ProtocolError` if it is malformed.
        """
        pairs = self._check_pairs(tagged)
        return tuple(
            (self.value(key, depth + 1), self.value(item, depth + 1)) for key, item in pairs
        )

    def _check_pairs(self, tagged: object) -> list[list[object]]:
        """Return `tagged` if it is a list of pairs; raises `ProtocolError` otherwise."""
        if not isinstance(tagged, list) or len(tagged) > self._caps.value_items:
            limit = f"{self._caps.value_items:,}"
            raise ProtocolError(f"pairs that are not a list, or more than {limit} of them")
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in tagged):
            raise ProtocolError("a pair that is not a list of two values")
        return tagged

    def _build_array(self, dtype: str, lengths: object, values: tuple[Value, ...]) -> Array:
        """Return the array of `values`, with the shape `lengths` and the element type `dtype`.

        Raises `ProtocolError` if the shape is malformed, or if the values do not match the shape or
        the type.
        """
        if not isinstance(lengths, list) or len(lengths) > _MAX_DIMENSIONS:
            problem = f"an array shape that is not a list of at most {_MAX_DIMENSIONS} lengths"
            raise ProtocolError(problem)
        # Not `isinstance`, which accepts a bool. The product of huge lengths would take long.
        if not all(type(length) is int and 0 <= length < 1 << SMALL_INT_BITS for length in lengths):
            problem = "an array shape with a length that is negative, too large or not an integer"
            raise ProtocolError(problem)
        if math.prod(lengths) != len(values):
            raise ProtocolError("an array whose shape does not match the number of elements")
        if not all(has_kind(dtype, value) for value in values):
            raise ProtocolError("an array element that does not match the array's type")
        return Array(tuple(lengths), dtype, values)


def _check_text(text: object, limit: int = MAX_NAME_CHARS) -> str:
    """Return `text` if it is a string within `limit`; raises `ProtocolError` otherwise."""
    if not isinstance(text, str) or len(text) > limit:
        problem = f"a name or number that is not a string of at most {limit:,} characters"
        raise ProtocolError(problem)
    return text


def _check_element_type(name: object) -> str:
    """Return `name` if it is a known element type; raises `ProtocolError` otherwise."""
    if _check_text(name) not in ELEMENT_KINDS:
        raise ProtocolError("an unknown element type")
    return _check_text(name)
