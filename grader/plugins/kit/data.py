"""Encodes a suite as JSON with a type tag on each value, and decodes it in a kit."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from pkgutil import resolve_name
from typing import Any, Final

from grader.suite.fields import Form


def encoded(value: object) -> Any:
    """Return `value`, a part of a suite, as JSON data for `decoded`."""
    match value:
        case Enum():  # first, as some are texts too
            return ["enum", [_name(value), value.value]]
        case None | bool() | int() | str():
            return value
        case float():
            return ["float", repr(value)]  # JSON has no `nan` and no `inf`
        case tuple() | list() | frozenset():
            # The order of a set differs from run to run.
            items = sorted(value) if isinstance(value, frozenset) else value
            return [type(value).__name__, [*map(encoded, items)]]
        case Mapping():
            return ["dict", [[encoded(key), encoded(each)] for key, each in value.items()]]
        case Form():
            return _object(value, value.form_keys)
    assert dataclasses.is_dataclass(value), f"a suite holds no {type(value).__name__}"
    return _object(value, [field.name for field in dataclasses.fields(value)])


def _object(value: object, names: Mapping[str, object] | list[str]) -> Any:
    return ["object", [_name(value), {name: encoded(getattr(value, name)) for name in names}]]


def _name(value: object) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"


def decoded(data: Any) -> Any:
    """Return the value of `data`, made by `encoded`, without any checks."""
    if not isinstance(data, list):
        return data
    kind, content = data
    return _KINDS[kind](content)


def _made(content: Any) -> Any:
    name, values = content
    cls, values = resolve_name(name), {field: decoded(each) for field, each in values.items()}
    if issubclass(cls, Form):
        return cls(**values)
    made = object.__new__(cls)  # it is frozen, and was checked before
    for field, value in values.items():
        object.__setattr__(made, field, value)
    return made


_KINDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "float": float,
    "tuple": lambda content: tuple(map(decoded, content)),
    "list": lambda content: list(map(decoded, content)),
    "frozenset": lambda content: frozenset(map(decoded, content)),
    "dict": lambda content: {decoded(key): decoded(value) for key, value in content},
    "enum": lambda content: resolve_name(content[0])(content[1]),
    "object": _made,
}
