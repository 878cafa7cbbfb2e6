"""Writes a suite as data that a kit can read: JSON in which each value says what it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel


def encoded(value: object) -> Any:
    """Return `value`, of a suite, as JSON has it; `grader.kit_data` of a kit reads it."""
    match value:
        case Enum():
            return ["enum", [_name(value), value.value]]
        case None | bool() | int() | str():
            return value
        case float():
            return ["float", repr(value)]
        case tuple() | list() | frozenset():
            items = sorted(value) if isinstance(value, frozenset) else value
            return [type(value).__name__, [*map(encoded, items)]]
        case Mapping():
            return ["dict", [[encoded(key), encoded(each)] for key, each in value.items()]]
        case BaseModel():
            return _object(value, type(value).model_fields)
    assert dataclasses.is_dataclass(value), f"a suite holds no {type(value).__name__}"
    return _object(value, [field.name for field in dataclasses.fields(value)])


def _object(value: object, names: Mapping[str, object] | list[str]) -> Any:
    return ["object", [_name(value), {name: encoded(getattr(value, name)) for name in names}]]


def _name(value: object) -> str:
    return f"{type(value).__module__}:{type(value).__qualname__}"
