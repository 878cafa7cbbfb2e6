"""Attributes that a submission sets on a class of the tests that was handed to it.

A class decorator may set a name there, and a context manager may change a setting for a while.
Methods of the class cannot be changed, and the next test gets the class as it was.
"""

from __future__ import annotations

from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import dict_of, mro_of

_ABSENT: Final = object()
_DATA: Final = frozenset({type(None), bool, int, float, str, bytes, tuple, list, set, dict})


class ClassChanges:
    """Decides which attributes may be set, and restores them."""

    def __init__(self) -> None:
        self._handed: set[type] = set()
        self._set: dict[tuple[type, str], Any] = {}
        """The values that a submission has set: while one is there, it may be changed again."""
        self._kept = self._handed, self._set
        self._before: Final[dict[tuple[type, str], Any]] = {}

    def hand(self, cls: type) -> None:
        """Note that `cls` itself is handed over, not only an instance."""
        self._handed.add(cls)

    def note(self, act: str, cls: type, name: str, value: Any = None) -> None:
        """Let `name` of `cls` be set or deleted; raises `AttributeError` if that is not permitted.

        It is permitted if the name is new, holds plain data of that very class, or was set by a
        submission. A data descriptor as `value` is refused: it would take over attributes that the
        tests set on their instances.
        """
        found = cls.__dict__.get(name, _ABSENT)
        is_new = found is _ABSENT and act == "set" and not hasattr(cls, name)
        is_data = act == "set" and type(found) in _DATA
        # `self` stands for nothing: no class has it as a value.
        may_be = is_new or is_data or self._set.get((cls, name), self) is found
        if cls not in self._handed or name.startswith("_") or not may_be or _rules(value):
            raise AttributeError(f"{name!r} of a class of the tests cannot be changed")
        self._before.setdefault((cls, name), found)
        if act == "set":
            self._set[cls, name] = value

    def keep(self) -> None:
        """Keep what has been set by now, with which each test begins."""
        self._before.clear()
        self._kept = set(self._handed), dict(self._set)

    def begin_anew(self) -> None:
        """Restore what was there before."""
        for (cls, name), value in self._before.items():
            if value is not _ABSENT:
                setattr(cls, name, value)
            elif name in cls.__dict__:
                delattr(cls, name)
        self._before.clear()
        handed, held = self._kept
        self._handed, self._set = set(handed), dict(held)


def _rules(value: Any) -> bool:
    """Return whether `value` is a data descriptor, such as a property, without any request."""
    names = {"__set__", "__delete__"}
    return any(not names.isdisjoint(dict_of(each)) for each in mro_of(type(value)))
