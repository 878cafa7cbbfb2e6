"""What one side can do with its own objects at the request of the other."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import dict_of, mro_of

_deepcopy: Final = copy.deepcopy
_copy: Final = copy.copy
_new_class: Final = types.new_class


class Memo:
    """The memo of a deep copy, kept on this side between its requests."""

    def __init__(self) -> None:
        self.copied: dict[int, Any] = {}


def get(value: Any, name: str) -> Any:
    """Return an attribute; for `__dict__` of a module, a view of its names."""
    found = getattr(value, name)
    if name == "__dict__" and isinstance(value, types.ModuleType):
        return ModuleNames(found)
    return found


class ModuleNames(MutableMapping[str, Any]):
    """The names of a module, as `vars` gives them, read and set one by one."""

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


Keywords = tuple[tuple[str, Any], ...]
"""The keyword arguments of a call."""


def call(value: Any, args: tuple[Any, ...], keywords: Keywords) -> Any:
    """Call `value`."""
    return value(*args, **dict(keywords))


def attribute_of(cls: type, name: str) -> Any:
    """Return the raw attribute `name` of a class or its bases; raises `AttributeError`."""
    for base in mro_of(cls):
        if name in dict_of(base):
            return dict_of(base)[name]
    raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")


def bind(cls: type, name: str, value: Any) -> Any:
    """Return an attribute of a class, bound to `value`, an instance; None for the class itself."""
    found = attribute_of(cls, name)
    get_bound = getattr(type(found), "__get__", None)  # Python looks it up on the type, too
    if get_bound is None:
        return found
    return get_bound(found, value, cls if value is None else type(value))


def special(cls: type, name: str, value: Any, args: tuple[Any, ...], keywords: Keywords) -> Any:
    """Call the operator of a class on one of its instances."""
    return bind(cls, name, value)(*args, **dict(keywords))


def deepcopy(value: Any, memo: Memo | None) -> Any:
    """Return a deep copy, and the memo to pass with the next one."""
    memo = memo or Memo()
    return _deepcopy(value, memo.copied), memo


def adopt(name: str, bases: tuple[type, ...], body: Keywords, keywords: Keywords) -> type:
    """Return a class that was defined on the other side."""

    def fill(namespace: dict[str, Any]) -> None:
        namespace.update(body)

    return _new_class(name, bases, dict(keywords), fill)  # with its metaclass, as `class` does


ACTS: Final[dict[str, Callable[..., Any]]] = {
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
