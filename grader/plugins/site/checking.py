"""What a browser has in the place of pydantic, which is compiled for each system.

It checks the few shapes that executors answer in: those of a survey, and of calls that were seen.
A value of another shape is refused, with a `ValueError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, SimpleNamespace, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from grader.values.constraints import Bounded, ParsedBy

_ITSELF: Final = (str, int, bool, float, bytes, NoneType)


class TypeAdapter:
    """Checks values against a type."""

    def __init__(self, hint: object) -> None:
        """Check against `hint`, of which the shapes in it have hints of their own."""
        self._hint: Final = hint

    def validate_python(self, value: object, context: object = None) -> Any:
        """Return what `value` stands for; raises `ValueError`."""
        return _checked(value, self._hint, SimpleNamespace(context=context))


def _checked(value: Any, hint: Any, info: object) -> Any:
    origin, among = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _noted(value, among[0], among[1:], info)
    if origin in {Union, UnionType}:
        return _one_of(value, among, info)
    if origin is tuple:
        return _tuple(value, among, info)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key, each = among
        items = _a(dict, value).items()
        return {_checked(name, key, info): _checked(item, each, info) for name, item in items}
    if hint is Any:
        return value
    if hint in _ITSELF:
        return _a(hint, value)
    return _made(value, hint, info)


def _a(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"no {kind.__name__}")
    return value


def _noted(value: Any, hint: Any, notes: tuple[Any, ...], info: object) -> Any:
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
    "strict": lambda _value, _bound: True,
    "ge": lambda value, bound: value >= bound,
    "le": lambda value, bound: value <= bound,
    "min_length": lambda value, bound: len(value) >= bound,
    "max_length": lambda value, bound: len(value) <= bound,
    "pattern": _matches,
}


def _one_of(value: Any, among: tuple[Any, ...], info: object) -> Any:
    for hint in among:
        try:
            return _checked(value, hint, info)
        except ValueError:
            continue
    raise ValueError("none of several shapes")


def _tuple(value: Any, among: tuple[Any, ...], info: object) -> tuple[Any, ...]:
    items = value if isinstance(value, tuple) else _a(list, value)
    if among[1:] == (...,):
        among = among[:1] * len(items)
    if len(among) != len(items):
        raise ValueError("a list of another length")
    return tuple(_checked(each, hint, info) for each, hint in zip(items, among, strict=True))


def _made(value: Any, hint: Any, info: object) -> Any:
    """Return an object of the class `hint`: a dataclass, or a tuple that has names."""
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
        raise ValueError("keys are missing") from error
