"""Encodes the value that a step returned as tagged JSON, without calling the submission's code.

Dispatch is by exact type (`type(value) is set`), so that a subclass, a false `__class__` or an
`__eq__` that is always true is sent as "object of class X". No `__repr__`, `__hash__` or `__iter__`
of a submission is called. Every value has caps on depth, nodes, text and digits, which the suite
can set; a value that exceeds one is sent as "too large". The only code of a submission that can run
is a property in place of a dataclass's field. See `grader.protocol.ValueTag` for the format.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import EnumMeta
from fractions import Fraction
from typing import Any, Final, TypeAlias

from grader.protocol import (
    MAX_NAME_CHARS,
    SMALL_INT_BITS,
    USUAL_CAPS,
    Excess,
    ValueLimits,
    ValueTag,
)

# Attributes are read through the slots of `type` and `object`, since otherwise a `__getattribute__`
# of a class or metaclass of the submission would be called.
_name_slot: Final[Callable[[type], str]] = type.__dict__["__name__"].__get__
_mro_slot: Final[Callable[[type], tuple[type, ...]]] = type.__dict__["__mro__"].__get__
_class_dict_slot: Final[Callable[[type], Any]] = type.__dict__["__dict__"].__get__
_attribute: Final[Callable[[object, str], Any]] = object.__getattribute__

_Describe: TypeAlias = Callable[[Any], Iterable[tuple[str, object]]]
"""A function that returns the fields, as (name, value), of an object from a package."""
_ATOMIC_TYPES: Final = (type(None), bool, int, float, complex, str, bytes)
_ATOMIC_IDS: Final = frozenset(map(id, _ATOMIC_TYPES))


class _TooLargeError(Exception):
    """Raised for a value that is too large to send; the argument is the cap that it exceeds."""


def class_name(cls: type) -> str:
    """Return the name of `cls`, clipped, without calling its metaclass."""
    # `str.__str__` returns an exact `str`: slicing a subclass would call code of the submission.
    return str.__str__(_name_slot(cls))[:MAX_NAME_CHARS]


def mro_names(cls: type, known: Mapping[str, type], max_names: int = 20) -> list[str]:
    """Return the names of `cls` and its base classes in resolution order, without `object`.

    At most `max_names` classes are named. A name is prefixed with its module if `known` has another
    class of the same name.
    """
    return [
        _unambiguous_name(base, known) for base in _mro_slot(cls)[:max_names] if base is not object
    ]


def _unambiguous_name(cls: type, known: Mapping[str, type]) -> str:
    """Return the name of `cls`, with its module if `known` has another class of that name."""
    name = class_name(cls)
    if known.get(name, cls) is cls:
        return name
    module = _class_dict_slot(cls).get("__module__")
    # Clipped at the front, because the name is at the end.
    return f"{module if type(module) is str else ''}.{name}"[-MAX_NAME_CHARS:]


def is_atomic(value: object) -> bool:
    """Return whether the identity of `value` is irrelevant, because its type is immutable."""
    return id(type(value)) in _ATOMIC_IDS


def encode(value: object, caps: ValueLimits = USUAL_CAPS) -> object:
    """Return `value` as tagged JSON, or as "too large" if it exceeds one of `caps`.

    Raises `MemoryError` if memory runs out. If a property in place of a dataclass's
    field raises anything other than an `Exception`, that is raised, too.
    """
    if value is None or value is True or value is False:  # a shortcut for most steps
        return value
    if type(value) is str and caps.value_items and len(value) <= caps.value_chars:
        return value
    try:
        return _Encoder(caps).encode(value, caps.value_depth)
    except _TooLargeError as error:
        return [ValueTag.TOO_LARGE, class_name(type(value)), error.args[0]]


class _Encoder:
    """Encodes one value within its caps.

    Each method encodes a value of one type, at most `levels_left` levels deep, and raises
    `_TooLargeError` if a cap is exceeded.
    """

    def __init__(self, caps: ValueLimits) -> None:
        self._nodes_left = caps.value_items
        self._chars_left = caps.value_chars
        self._int_bits: Final = caps.int_bits

    def encode(self, value: Any, levels_left: int) -> object:
        """Encode `value`, of any type; raises `_TooLargeError` if it exceeds a cap."""
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise _TooLargeError(Excess.NODES)
        if levels_left < 0:
            raise _TooLargeError(Excess.DEPTH)
        if value is None or value is True or value is False:
            return value
        cls = type(value)
        if cls is int and value.bit_length() <= SMALL_INT_BITS:
            return value
        if cls is str:
            return self._count_text(value)
        # By `id`, because a look-up by class would call `__hash__` and `__eq__` of its metaclass.
        encode_exact = _BY_ID.get(id(cls)) or _encoder_for(cls)
        return encode_exact(self, value, levels_left)

    def _count_text(self, text: str) -> str:
        """Return `text`, after counting its characters against the cap."""
        self._chars_left -= len(text)
        if self._chars_left < 0:
            raise _TooLargeError(Excess.TEXT)
        return text

    def _encode_items(self, items: Iterable[object], levels_left: int) -> list[object]:
        return [self.encode(item, levels_left - 1) for item in items]

    def _encode_pairs(self, value: dict[Any, Any], levels_left: int) -> list[object]:
        return [
            [self.encode(key, levels_left - 1), self.encode(item, levels_left - 1)]
            for key, item in dict.items(value)
        ]

    def encode_big_int(self, value: int, levels_left: int) -> object:
        """Encode an integer that is too large for a plain JSON number."""
        if value.bit_length() > self._int_bits:
            raise _TooLargeError(Excess.DIGITS)
        # `hex` takes linear time, unlike the conversion to decimal digits.
        return [ValueTag.INT, self._count_text(hex(value))]

    def encode_float(self, value: float, levels_left: int) -> object:
        return [ValueTag.FLOAT, repr(value)]  # as text, because the judge refuses floats in replies

    def encode_complex(self, value: complex, levels_left: int) -> object:
        return [ValueTag.COMPLEX, repr(value.real), repr(value.imag)]

    def encode_bytes(self, value: bytes, levels_left: int) -> object:
        if len(value) > self._chars_left // 2:
            raise _TooLargeError(Excess.TEXT)
        return [ValueTag.BYTES, self._count_text(value.hex())]

    def encode_range(self, value: range, levels_left: int) -> object:
        return [
            ValueTag.RANGE,
            *self._encode_items((value.start, value.stop, value.step), levels_left),
        ]

    def encode_fraction(self, value: Fraction, levels_left: int) -> object:
        return [
            ValueTag.FRACTION,
            *self._encode_items((value.numerator, value.denominator), levels_left),
        ]

    def encode_decimal(self, value: Decimal, levels_left: int) -> object:
        return [ValueTag.DECIMAL, self._count_text(str(value))]

    def encode_sequence(self, value: Iterable[object], levels_left: int) -> object:
        return [_TAGS[type(value)], self._encode_items(value, levels_left)]

    def encode_set(self, value: set[object] | frozenset[object], levels_left: int) -> object:
        if len(value) > self._nodes_left:
            raise _TooLargeError(Excess.NODES)
        return [_TAGS[type(value)], self._encode_items(value, levels_left)]

    def encode_dict(self, value: dict[object, object], levels_left: int) -> object:
        """Encode a dict; for a dict class of `collections`, add the name of the class."""
        cls = type(value)
        name = () if cls is dict else (class_name(cls),)
        return [ValueTag.DICT, self._encode_pairs(value, levels_left), *name]

    def encode_named_tuple(self, value: tuple[object, ...], levels_left: int) -> object:
        """Encode a named tuple: its items, and the name of its class."""
        return [
            ValueTag.TUPLE,
            self._encode_items(tuple.__iter__(value), levels_left),
            class_name(type(value)),
        ]

    def encode_dataclass(self, value: object, levels_left: int) -> object:
        """Encode a dataclass instance by its fields, or as a plain object if one cannot be read."""
        names = _class_dict_slot(type(value))["__dataclass_fields__"]
        fields = []
        for name in dict.__iter__(names):
            try:
                field = _attribute(value, name)
            except Exception:  # the submission deleted the field, or a property raised
                return self.encode_object(value, levels_left)
            fields.append([str.__str__(name)[:MAX_NAME_CHARS], self.encode(field, levels_left - 1)])
        return [ValueTag.DATACLASS, class_name(type(value)), fields]

    def encode_enum(self, value: object, levels_left: int) -> object:
        """Encode a member of an enum by its name, or as a plain object if it has none."""
        try:
            name = _attribute(value, "_name_")
        except Exception:  # the submission deleted the name
            return self.encode_object(value, levels_left)
        if type(name) is not str:
            return self.encode_object(value, levels_left)
        return [ValueTag.ENUM, class_name(type(value)), name[:MAX_NAME_CHARS]]

    def encode_array(self, value: Any, levels_left: int) -> object:
        """Encode a numpy array by its elements, or as a plain object if they cannot be encoded."""
        dtype = _DTYPES.get(value.dtype.char)
        if dtype is None:
            return self.encode_object(value, levels_left)
        if value.size > self._nodes_left:
            raise _TooLargeError(Excess.NODES)
        try:
            items = value.ravel().tolist()
        except Exception:  # elements of a text type can be bytes that are not valid text
            return self.encode_object(value, levels_left)
        return [ValueTag.ARRAY, dtype, list(value.shape), self._encode_items(items, levels_left)]

    def encode_scalar(self, value: Any, levels_left: int) -> object:
        """Encode a numpy scalar: the name of its dtype, and its value."""
        return [
            ValueTag.SCALAR,
            _DTYPES[value.dtype.char],
            self.encode(value.item(), levels_left - 1),
        ]

    def encode_described(
        self, name: str, describe: _Describe, value: Any, levels_left: int
    ) -> object:
        """Encode an object from a package, under `name`, by the fields that `describe` returns.

        If `describe` fails, encode it as a plain object.
        """
        try:
            fields = describe(value)
        except Exception:  # the submission has changed the object
            return self.encode_object(value, levels_left)
        encoded = [[field, self.encode(item, levels_left - 1)] for field, item in fields]
        return [ValueTag.DATACLASS, name, encoded]

    def encode_object(self, value: object, levels_left: int) -> object:
        return [ValueTag.OBJECT, class_name(type(value))]


_BY_TYPE: Final[dict[type, Callable[[_Encoder, Any, int], object]]] = {
    int: _Encoder.encode_big_int,
    float: _Encoder.encode_float,
    complex: _Encoder.encode_complex,
    bytes: _Encoder.encode_bytes,
    range: _Encoder.encode_range,
    Fraction: _Encoder.encode_fraction,
    Decimal: _Encoder.encode_decimal,
    **dict.fromkeys((tuple, list), _Encoder.encode_sequence),
    **dict.fromkeys((set, frozenset), _Encoder.encode_set),
    **dict.fromkeys((dict, defaultdict, OrderedDict, Counter), _Encoder.encode_dict),
}
_TAGS: Final[dict[type, str]] = {
    tuple: ValueTag.TUPLE,
    list: ValueTag.LIST,
    set: ValueTag.SET,
    frozenset: ValueTag.FROZENSET,
}
_BY_ID: Final = {id(cls): encode_exact for cls, encode_exact in _BY_TYPE.items()}


_SCALARS: Final = "?bhilqBHILQefdFDUS"
"""The type codes of the numpy types that are sent by value."""
_DTYPES: Final[dict[str, str]] = {}
"""The names of these types, and of the object type, in replies. Empty without numpy."""


_BASES: Final[list[int]] = []
"""Ids of classes from packages whose subclasses are encoded in the same way."""


def register_numpy(numpy: Any) -> None:
    """Make `encode` represent arrays and scalars of `numpy` by their values.

    The attributes of its classes, which are written in C, cannot be changed or shadowed. Instances
    of subclasses are sent as plain objects.
    """
    for code in _SCALARS:
        dtype = numpy.dtype(code)
        _DTYPES[code] = {"U": "str", "S": "bytes"}.get(code, dtype.name)
        _BY_ID[id(dtype.type)] = _Encoder.encode_scalar
    _DTYPES["O"] = "object"
    _BY_ID[id(numpy.ndarray)] = _Encoder.encode_array


def register_type(cls: type, name: str, describe: _Describe) -> None:
    """Encode objects of exactly `cls`, a class from a package, as fields under `name`."""
    _BY_ID[id(cls)] = lambda encoder, value, levels_left: encoder.encode_described(
        name, describe, value, levels_left
    )


def register_base_type(cls: type, name: str, describe: _Describe) -> None:
    """Encode objects of `cls` and all its subclasses as fields under `name`."""
    register_type(cls, name, describe)
    _BASES.append(id(cls))


def _encoder_for(cls: type) -> Callable[[_Encoder, Any, int], object]:
    """Return the method that encodes instances of `cls`, which the submission can have defined."""
    namespace, mro = _class_dict_slot(cls), _mro_slot(cls)
    if type(cls) is EnumMeta:
        return _Encoder.encode_enum
    if type(namespace.get("__dataclass_fields__")) is dict:
        return _Encoder.encode_dataclass
    # The resolution order of a named tuple: its own class, `tuple` and `object`.
    if len(mro) == 3 and mro[1] is tuple and type(namespace.get("_fields")) is tuple:
        return _Encoder.encode_named_tuple
    if _BASES and (base := next((base_id for base_id in map(id, mro) if base_id in _BASES), None)):
        return _BY_ID[base]
    return _Encoder.encode_object
