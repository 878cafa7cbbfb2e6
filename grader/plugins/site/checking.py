"""Replaces pydantic in a browser, where its compiled core is not available.

Only the replies of executors are validated with it: surveys and recorded calls. Invalid values
raise `ValueError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from grader.values.constraints import Bounded, ParsedBy

_PLAIN_TYPES: Final = (str, int, bool, float, bytes, NoneType)


class TypeAdapter:
    """Validates values against a type hint."""

    def __init__(self, hint: object) -> None:
        """Validate against `hint`, and against the field hints of the classes in it."""
        self._hint: Final = hint

    def validate_python(self, value: object, context: object = None) -> Any:
        """Return `value` converted to the type. Raises `ValueError` if that is not possible.

        Parsers of values receive `context`.
        """
        return _validate(value, self._hint, SimpleNamespace(context=context))


def _validate(value: Any, hint: Any, info: object) -> Any:
    """Return `value` converted to the type `hint`; parsers receive `info`, which has the context.

    Raises `ValueError` if `value` cannot be converted.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _validate_annotated(value, arguments[0], arguments[1:], info)
    if origin in {Union, UnionType}:
        return _validate_union(value, arguments, info)
    if origin is tuple:
        return _validate_tuple(value, arguments, info)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key_hint, item_hint = arguments
        items = _require_type(dict, value).items()
        return {
            _validate(key, key_hint, info): _validate(item, item_hint, info) for key, item in items
        }
    if hint is Any:
        return value
    if hint in _PLAIN_TYPES:
        return _require_type(hint, value)
    return _build(value, hint, info)


def _require_type(kind: type, value: Any) -> Any:
    """Return `value` if its class is exactly `kind`, else raise `ValueError`."""
    if type(value) is not kind:  # not `isinstance`, as True is not an int
        raise ValueError(f"{type(value).__name__} instead of {kind.__name__}")
    return value


def _validate_annotated(value: Any, hint: Any, notes: tuple[Any, ...], info: object) -> Any:
    """Return `value` converted to `hint`, then parsed and checked as `notes` require.

    A parser among `notes` with `replaces_validation` replaces the conversion to `hint`. Raises
    `ValueError` if the value is invalid.
    """
    is_replaced = any(isinstance(note, ParsedBy) and note.replaces_validation for note in notes)
    value = value if is_replaced else _validate(value, hint, info)
    for note in notes:
        if isinstance(note, ParsedBy):
            value = note.parse(value, info) if note.takes_info else note.parse(value)
        elif isinstance(note, Bounded):
            for name, bound in note.bounds.items():
                if not _BOUND_CHECKS[name](value, bound):
                    raise ValueError(f"violates the bound {name}={bound!r}")
    return value


def _matches(value: Any, pattern: str) -> bool:
    import re  # noqa: PLC0415 - only one kind of bound needs it

    return re.search(pattern, value) is not None


_BOUND_CHECKS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "strict": lambda _value, _bound: True,  # `_require_type` is always strict
    "ge": lambda value, bound: value >= bound,
    "le": lambda value, bound: value <= bound,
    "min_length": lambda value, bound: len(value) >= bound,
    "max_length": lambda value, bound: len(value) <= bound,
    "pattern": _matches,
}


def _validate_union(value: Any, hints: tuple[Any, ...], info: object) -> Any:
    """Return `value` converted to the first of `hints` that accepts it, or raise `ValueError`."""
    for hint in hints:
        try:
            return _validate(value, hint, info)
        except ValueError:
            continue
    raise ValueError(f"a {type(value).__name__} that has none of the allowed types")


def _validate_tuple(value: Any, hints: tuple[Any, ...], info: object) -> tuple[Any, ...]:
    """Return the list or tuple `value` as a tuple with items converted to `hints`.

    Raises `ValueError` if it is another value, has the wrong length, or has an invalid item.
    """
    items = value if isinstance(value, tuple) else _require_type(list, value)
    if hints[1:] == (...,):
        hints = hints[:1] * len(items)
    if len(hints) != len(items):
        raise ValueError(f"a list of length {len(items)} instead of {len(hints)}")
    return tuple(_validate(item, hint, info) for item, hint in zip(items, hints, strict=True))


def _build(value: Any, hint: Any, info: object) -> Any:
    """Return an instance of the class `hint`, a dataclass or a named tuple, made from `value`.

    Raises `ValueError` if `value` cannot be converted.
    """
    # Without `include_extras`, bounds in `Annotated` would be dropped.
    hints = get_type_hints(hint, include_extras=True)
    class_name = hint.__name__
    if is_dataclass(hint):
        field_names = {field.name for field in fields(hint)}
        if not isinstance(value, dict) or not value.keys() <= field_names:
            raise ValueError(f"not a dict for {class_name}, or one with unknown keys")
        arguments = {name: _validate(item, hints[name], info) for name, item in value.items()}
    else:
        names = vars(hint)["_fields"]
        if not isinstance(value, list | tuple) or len(value) > len(names):
            raise ValueError(f"not a list for {class_name}, or one with over {len(names)} items")
        pairs = zip(names, value, strict=False)
        arguments = {name: _validate(item, hints[name], info) for name, item in pairs}
    try:
        return hint(**arguments)
    except TypeError as error:
        # Like pydantic, whose error is a `ValueError`.
        raise ValueError(f"keys of {class_name} are missing") from error
