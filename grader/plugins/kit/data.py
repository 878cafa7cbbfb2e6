"""Encodes a suite as JSON with type tags, and decodes it in a kit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from pkgutil import resolve_name
from typing import Any, Final

from grader.suite.fields import Form


def encode(value: object) -> Any:
    """Return `value`, a part of a suite, as JSON data that `decode` accepts."""
    match value:
        case Enum():  # first, because some enums are strings too
            return ["enum", [_qualified_name(value), value.value]]
        case None | bool() | int() | str():
            return value
        case float():
            return ["float", repr(value)]  # JSON has neither `nan` nor `inf`
        case tuple() | list() | frozenset():
            # The order of a set differs between runs.
            items = sorted(value) if isinstance(value, frozenset) else value
            return [type(value).__name__, [*map(encode, items)]]
        case Mapping():
            return ["dict", [[encode(key), encode(item)] for key, item in value.items()]]
        case Form():
            return _encode_object(value, value.form_keys)
    assert dataclasses.is_dataclass(value), f"a suite contains no {type(value).__name__}"
    return _encode_object(value, [field.name for field in dataclasses.fields(value)])


def _encode_object(value: object, names: Mapping[str, object] | list[str]) -> Any:
    """Return an object as a tagged list with its class and the attributes in `names`."""
    return [
        "object",
        [_qualified_name(value), {name: encode(getattr(value, name)) for name in names}],
    ]


def _qualified_name(value: object) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def decode(data: Any) -> Any:
    """Return the value that `encode` turned into `data`, without validating it."""
    if not isinstance(data, list):
        return data
    kind, content = data
    return _DECODERS[kind](content)


def _decode_object(content: Any) -> Any:
    """Return the object whose class and attributes `content` names."""
    name, values = content
    cls, values = resolve_name(name), {field: decode(data) for field, data in values.items()}
    if issubclass(cls, Form):
        return cls(**values)
    # The class is frozen, and its values were checked before they were encoded.
    instance = object.__new__(cls)
    for field, value in values.items():
        object.__setattr__(instance, field, value)
    return instance


_DECODERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "float": float,
    "tuple": lambda content: tuple(map(decode, content)),
    "list": lambda content: list(map(decode, content)),
    "frozenset": lambda content: frozenset(map(decode, content)),
    "dict": lambda content: {decode(key): decode(value) for key, value in content},
    "enum": lambda content: resolve_name(content[0])(content[1]),
    "object": _decode_object,
}
