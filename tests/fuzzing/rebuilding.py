"""Makes a Python object of a value of the judge's, for the real encoder to encode again."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import Any, Final

import numpy as np

from grader.protocol import MAX_NAME_CHARS, Excess, ValueCaps
from grader.values import (
    Array,
    Atom,
    Collection,
    EnumMember,
    Fields,
    Mapping,
    Opaque,
    Scalar,
    Sequence,
    TooLarge,
    Value,
)

_DICTS: Final[dict[str | None, type[dict[Any, Any]]]] = {
    None: dict,
    "Counter": Counter,
    "OrderedDict": OrderedDict,
    "defaultdict": defaultdict,
}


class Impossible(Exception):
    """No Python object is encoded as this."""


def rebuilt(value: Value, caps: ValueCaps) -> Any:
    """Return an object that is encoded as `value` within `caps`, of a class of ours if need be."""
    match value:
        case TooLarge(type_name, excess):
            return _instance(type_name, [("content", _over_budget(excess, caps))])
        case _:
            return _rebuilt(value)


def _rebuilt(value: Value) -> Any:  # noqa: C901 - one case per kind of value
    match value:
        case Atom(content):
            return content
        case Sequence():
            return _sequence(value)
        case Collection(type_name, items):
            kind = set if type_name == "set" else frozenset
            return kind(_all_different(map(_rebuilt, items)))
        case Mapping(items, class_name):
            keys = _all_different(_rebuilt(key) for key, _ in items)
            made = _DICTS[class_name]()
            dict.update(made, zip(keys, (_rebuilt(item) for _, item in items), strict=True))
            return made
        case Array():
            return _array(value)
        case Scalar(dtype, content):
            return _array(Array((), dtype, (Atom(content),)))[()]
        case Fields(name, fields):
            return _instance(name, [(field, _rebuilt(item)) for field, item in fields])
        case EnumMember(name, member):
            return _member(name, member)
        case Opaque(name):
            return _class(name, (), {})()
        case TooLarge():
            raise Impossible("a part of a value is too large, and not the whole")


def _sequence(value: Sequence) -> Any:
    kind = list if value.type_name == "list" else tuple
    if value.class_name is not None:
        kind = _class(value.class_name, (tuple,), {"_fields": ()})
    return kind(map(_rebuilt, value.items))


def _array(value: Array) -> Any:
    if value.dtype == "object":
        made = np.empty(len(value.items), dtype=object)
        for index, item in enumerate(value.items):
            made[index] = _rebuilt(item)
    else:
        contents = [item.value for item in value.items if isinstance(item, Atom)]
        made = np.array(contents, dtype=np.dtype(value.dtype))
    try:
        return made.reshape(value.shape)
    except ValueError as error:
        raise Impossible("a shape that numpy refuses") from error


def _all_different(elements: Iterable[object]) -> list[object]:
    kept = list(elements)
    try:
        count = len(set(kept))
    except TypeError as error:
        raise Impossible("an element or a key that cannot be hashed") from error
    if count != len(kept):
        raise Impossible("equal elements or keys")
    return kept


def _class(name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
    try:
        return type(name, bases, namespace)
    except ValueError as error:
        raise Impossible("a name that no class can have") from error


def _instance(name: str, fields: list[tuple[str, object]]) -> Any:
    """Return an instance of a dataclass; names that were clipped may look the same."""
    names = [
        f"{field}{index}" if len(field) == MAX_NAME_CHARS else field
        for index, (field, _) in enumerate(fields)
    ]
    if len(set(names)) != len(names):
        raise Impossible("a field twice")
    made = _class(name, (), {"__dataclass_fields__": dict.fromkeys(names)})()
    vars(made).update(zip(names, (item for _, item in fields), strict=True))
    return made


def _member(class_name: str, name: str) -> Enum:
    made = Enum("made", {"MEMBER": 1})
    try:
        made.__name__ = class_name
    except ValueError as error:
        raise Impossible("a name that no class can have") from error
    member: Enum = made["MEMBER"]
    vars(member)["_name_"] = name
    return member


@cache
def _over_budget(excess: str, caps: ValueCaps) -> object:
    match excess:
        case Excess.DEPTH:
            nested: list[Any] = []
            for _ in range(caps.value_depth):
                nested = [nested]
            return nested
        case Excess.NODES:
            return [0] * caps.value_items
        case Excess.TEXT:
            return "x" * (caps.value_chars + 1)
        case _:
            return 1 << caps.int_bits
