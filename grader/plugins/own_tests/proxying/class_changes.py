"""Attributes that a submission sets on a class of the tests that was passed to it.

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
        self._passed: set[type] = set()
        self._set: dict[tuple[type, str], Any] = {}
        """The values that a submission has set: a name that still has one may be changed again."""
        self._kept = self._passed, self._set
        self._originals: Final[dict[tuple[type, str], Any]] = {}

    def note_passed(self, cls: type) -> None:
        """Note that `cls` itself is passed, not only an instance."""
        self._passed.add(cls)

    def permit_change(self, act: str, cls: type, name: str, value: Any = None) -> None:
        """Let `name` of `cls` be set or deleted; raises `AttributeError` if that is not permitted.

        It is permitted if the name is new, holds plain data of that very class, or was set by a
        submission. A data descriptor as `value` is refused: it would take over attributes that the
        tests set on their instances.
        """
        current = cls.__dict__.get(name, _ABSENT)
        is_new = current is _ABSENT and act == "set" and not hasattr(cls, name)
        is_data = act == "set" and type(current) in _DATA
        # `self` as the default: no class has it as a value.
        is_changeable = is_new or is_data or self._set.get((cls, name), self) is current
        if (
            cls not in self._passed
            or name.startswith("_")
            or not is_changeable
            or _is_data_descriptor(value)
        ):
            raise AttributeError(f"{name!r} of a class of the tests cannot be changed")
        self._originals.setdefault((cls, name), current)
        if act == "set":
            self._set[cls, name] = value

    def keep(self) -> None:
        """Keep what has been set by now: each test begins with it."""
        self._originals.clear()
        self._kept = set(self._passed), dict(self._set)

    def restart(self) -> None:
        """Restore the attributes from before the test."""
        for (cls, name), value in self._originals.items():
            if value is not _ABSENT:
                setattr(cls, name, value)
            elif name in cls.__dict__:
                delattr(cls, name)
        self._originals.clear()
        passed, values_set = self._kept
        self._passed, self._set = set(passed), dict(values_set)


def _is_data_descriptor(value: Any) -> bool:
    """Return whether `value` is a data descriptor, such as a property, without any request."""
    names = {"__set__", "__delete__"}
    return any(not names.isdisjoint(dict_of(each)) for each in mro_of(type(value)))
