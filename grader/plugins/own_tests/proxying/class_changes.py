"""Attributes that a submission sets on a class of the tests that was passed to it.

A class decorator can set an attribute, for example, and a context manager can change a setting for
a while. Methods of the class cannot be changed. The next test gets the class as it was before.
"""

from __future__ import annotations

from typing import Any, Final

from grader.plugins.own_tests.bridge.wire import dict_of, mro_of

_ABSENT: Final = object()
_DATA: Final = frozenset({type(None), bool, int, float, str, bytes, tuple, list, set, dict})
"""Classes of plain data. A submission is allowed to replace an instance of one of them."""


class ClassChanges:
    """Decides which attributes of classes a submission can change, and restores them."""

    def __init__(self) -> None:
        self._passed_classes: set[type] = set()
        self._submission_values: dict[tuple[type, str], Any] = {}
        """Values that a submission has set. Attributes that still have them can be changed."""
        self._saved = self._passed_classes, self._submission_values
        self._originals: Final[dict[tuple[type, str], Any]] = {}

    def record_passed(self, cls: type) -> None:
        """Record that the class `cls` itself was passed to the submission, not only an instance."""
        self._passed_classes.add(cls)

    def prepare_change(self, operation: str, cls: type, name: str, value: Any = None) -> None:
        """Allow the submission to set or delete `name` of `cls`, or raise `AttributeError`.

        The change is permitted if the name is public and `cls` was passed to the submission. In
        addition, the name must be new, or its value must be plain data that this very class
        defines, or a submission must have set it. A data descriptor as `value` is refused: it would
        control attributes that the tests set on their instances. The original value is kept for
        `restart`.
        """
        current_value = cls.__dict__.get(name, _ABSENT)
        is_new = current_value is _ABSENT and operation == "set" and not hasattr(cls, name)
        is_data = operation == "set" and type(current_value) in _DATA
        # `self` serves as a sentinel, because it is never the value of an attribute.
        is_changeable = (
            is_new or is_data or self._submission_values.get((cls, name), self) is current_value
        )
        if (
            cls not in self._passed_classes
            or name.startswith("_")
            or not is_changeable
            or _is_data_descriptor(value)
        ):
            raise AttributeError(
                f"a submission cannot change {name!r} of {cls.__name__}, which the tests define"
            )
        self._originals.setdefault((cls, name), current_value)
        if operation == "set":
            self._submission_values[cls, name] = value

    def keep(self) -> None:
        """Keep all changes made so far: each test starts with them."""
        self._originals.clear()
        self._saved = set(self._passed_classes), dict(self._submission_values)

    def restart(self) -> None:
        """Give the attributes the values that they had before the test."""
        for (cls, name), value in self._originals.items():
            if value is not _ABSENT:
                setattr(cls, name, value)
            elif name in cls.__dict__:
                delattr(cls, name)
        self._originals.clear()
        passed_classes, submission_values = self._saved
        self._passed_classes, self._submission_values = set(passed_classes), dict(submission_values)


def _is_data_descriptor(value: Any) -> bool:
    """Return whether `value` is a data descriptor, such as a property; sends no request."""
    names = {"__set__", "__delete__"}
    return any(not names.isdisjoint(dict_of(cls)) for cls in mro_of(type(value)))
