"""The operations that one side runs on its own objects at the request of the other."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import dict_of, mro_of

# Bound here, as a submission or a test can replace the functions in these modules.
_deepcopy: Final = copy.deepcopy
_copy: Final = copy.copy
_new_class: Final = types.new_class


class Memo:
    """The memo of a deep copy, kept on this side between its requests."""

    def __init__(self) -> None:
        self.copied: dict[int, Any] = {}


def get(value: Any, name: str) -> Any:
    """Return an attribute of `value`; for the `__dict__` of a module, return a `ModuleNames`."""
    attribute = getattr(value, name)
    # A dictionary would become a shared container, and all that the module contains would be sent.
    if name == "__dict__" and isinstance(value, types.ModuleType):
        return ModuleNames(attribute)
    return attribute


class ModuleNames(MutableMapping[str, Any]):
    """A view of a module's names that behaves like the dict that `vars` returns."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._names: Final = names

    def __getitem__(self, name: str) -> Any:
        return self._names[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._names[name] = value

    def __delitem__(self, name: str) -> None:
        del self._names[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(self._names)

    def copy(self) -> ModuleNames:
        """Return a copy, separate from the module."""
        return ModuleNames(self._names.copy())

    def clear(self) -> None:
        """Remove all names."""
        self._names.clear()


NamedValues = tuple[tuple[str, Any], ...]
"""Pairs of name and value, such as keyword arguments: a dictionary would become a shared
container."""


def call(value: Any, args: tuple[Any, ...], keywords: NamedValues) -> Any:
    """Call `value` with these arguments, and return the result."""
    return value(*args, **dict(keywords))


def attribute_of(cls: type, name: str) -> Any:
    """Return the unbound attribute `name` of `cls` or of one of its bases.

    Raises `AttributeError` if none of them has it.
    """
    for base in mro_of(cls):
        if name in dict_of(base):
            return dict_of(base)[name]
    raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")


def bind(cls: type, name: str, value: Any) -> Any:
    """Return the attribute `name` of `cls`, bound to `value`, or to `cls` if `value` is None.

    Raises `AttributeError` if neither `cls` nor a base has the attribute.
    """
    attribute = attribute_of(cls, name)
    # Python, too, looks `__get__` up on the type.
    get_bound = getattr(type(attribute), "__get__", None)
    if get_bound is None:
        return attribute
    return get_bound(attribute, value, cls if value is None else type(value))


def special(cls: type, name: str, value: Any, args: tuple[Any, ...], keywords: NamedValues) -> Any:
    """Call the special method `name` of `cls` on its instance `value`, and return the result."""
    return bind(cls, name, value)(*args, **dict(keywords))


def deepcopy(value: Any, memo: Memo | None) -> Any:
    """Return a deep copy of `value`, and the memo, which is a new one if `memo` is None.

    The other side passes the memo again with the next object that belongs to the same deep copy.
    """
    memo = memo or Memo()
    return _deepcopy(value, memo.copied), memo


def adopt(name: str, bases: tuple[type, ...], body: NamedValues, keywords: NamedValues) -> type:
    """Create a class whose body was written on the other side, and return it."""

    def fill(namespace: dict[str, Any]) -> None:
        namespace.update(body)

    # `new_class` resolves the metaclass, as a `class` statement does.
    return _new_class(name, bases, dict(keywords), fill)


OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "get": get,
    "set": setattr,
    "delete": delattr,
    "call": call,
    "dir": dir,
    "repr": repr,
    "copy": _copy,
    "deepcopy": deepcopy,
    "bind": bind,
    "special": special,
    "adopt": adopt,
}
"""The operations that both sides can request, by name."""
