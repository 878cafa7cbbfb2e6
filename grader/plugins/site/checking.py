"""Replaces pydantic in a browser, as its compiled core is not available there.

It validates only the replies of executors: surveys, and recorded calls. Other values raise
`ValueError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from grader.values.constraints import Bounded, ParsedBy

_ITSELF: Final = (str, int, bool, float, bytes, NoneType)


class TypeAdapter:
    """Validates values by a type hint."""

    def __init__(self, hint: object) -> None:
        """Validate by `hint`, and by the hints of fields in it."""
        self._hint: Final = hint

    def validate_python(self, value: object, context: object = None) -> Any:
        """Return `value` converted to the type; raises `ValueError`."""
        return _checked(value, self._hint, SimpleNamespace(context=context))


def _checked(value: Any, hint: Any, info: object) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(value, arguments[0], arguments[1:], info)
    if origin in {Union, UnionType}:
        return _one_of(value, arguments, info)
    if origin is tuple:
        return _tuple(value, arguments, info)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, each = arguments
        items = _a(dict, value).items()
        return {_checked(name, key, info): _checked(item, each, info) for name, item in items}
    if hint is Any:
        return value
    if hint in _ITSELF:
        return _a(hint, value)
    return _made(value, hint, info)


def _a(kind: type, value: Any) -> Any:
    if type(value) is not kind:  # strict: True is no int
        raise ValueError(f"no {kind.__name__}")
    return value


def _annotated(value: Any, hint: Any, notes: tuple[Any, ...], info: object) -> Any:
    plain = any(isinstance(note, ParsedBy) and note.plain for note in notes)
    value = value if plain else _checked(value, hint, info)
    for note in notes:
        if isinstance(note, ParsedBy):
            value = note.parse(value, info) if note.informed else note.parse(value)
        elif isinstance(note, Bounded):
            for name, bound in note.bounds.items():
                if not _HOLDS[name](value, bound):
                    raise ValueError(f"not within {name}")
    return value


def _matches(value: Any, pattern: str) -> bool:
    import re  # noqa: PLC0415 - one bound needs it

    return re.search(pattern, value) is not None


_HOLDS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "strict": lambda _value, _bound: True,  # `_a` always is
    "ge": lambda value, bound: value >= bound,
    "le": lambda value, bound: value <= bound,
    "min_length": lambda value, bound: len(value) >= bound,
    "max_length": lambda value, bound: len(value) <= bound,
    "pattern": _matches,
}


def _one_of(value: Any, hints: tuple[Any, ...], info: object) -> Any:
    for hint in hints:
        try:
            return _checked(value, hint, info)
        except ValueError:
            continue
    raise ValueError("none of several shapes")


def _tuple(value: Any, hints: tuple[Any, ...], info: object) -> tuple[Any, ...]:
    items = value if isinstance(value, tuple) else _a(list, value)
    if hints[1:] == (...,):
        hints = hints[:1] * len(items)
    if len(hints) != len(items):
        raise ValueError("a list of another length")
    return tuple(_checked(each, hint, info) for each, hint in zip(items, hints, strict=True))


def _made(value: Any, hint: Any, info: object) -> Any:
    """Return an object of the class `hint`: a dataclass, or a named tuple."""
    # By default, bounds in `Annotated` are dropped.
    hints = get_type_hints(hint, include_extras=True)
    if is_dataclass(hint):
        known = {field.name for field in fields(hint)}
        if not isinstance(value, dict) or not value.keys() <= known:
            raise ValueError("other keys")
        given = {name: _checked(each, hints[name], info) for name, each in value.items()}
    else:
        names = vars(hint)["_fields"]
        if not isinstance(value, list | tuple) or len(value) > len(names):
            raise ValueError("a list of another length")
        pairs = zip(names, value, strict=False)
        given = {name: _checked(each, hints[name], info) for name, each in pairs}
    try:
        return hint(**given)
    except TypeError as error:
        # As pydantic, whose error is a `ValueError`.
        raise ValueError("keys are missing") from error
