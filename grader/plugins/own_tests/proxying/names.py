"""The `__dict__` of an object of the tests, as a submission gets it.

A descriptor keeps its value there. A submission gets a dictionary of the public names, the same
each time; changes of either side are applied to the other with the next message.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grader.plugins.own_tests.bridge.acts import get
from grader.plugins.own_tests.proxying.exports import Exports


class _Given(NamedTuple):
    value: Any
    names: dict[str, Any]
    """The dictionary that the submission has."""
    last: dict[str, Any]
    """Its content when both sides last agreed."""


class SharedNames:
    """Keeps these dictionaries in step with their objects."""

    def __init__(self, exports: Exports) -> None:
        """Show the names that `exports` shows, and apply the changes that it permits."""
        self._exports: Final = exports
        self._given: Final[dict[int, _Given]] = {}

    def forget(self) -> None:
        """Forget all dictionaries."""
        self._given.clear()

    def get(self, value: Any, name: str) -> Any:
        """Return an attribute; stands in for the act `get`."""
        if name != "__dict__":
            return get(value, name)
        shown = self._exports.shown(value)
        if isinstance(value, type):
            return shown
        return self._given.setdefault(id(value), _Given(value, shown, dict(shown))).names

    def leave(self) -> None:
        """Copy changes of the tests into the dictionaries."""
        for each in self._given.values():
            _renew(each, self._exports.shown(each.value))

    def enter(self) -> None:
        """Apply changes of the submission to the objects."""
        for value, names, last in self._given.values():
            if not _is_same(names, last):
                self._change(value, names, last)

    def _change(self, value: Any, names: dict[str, Any], last: dict[str, Any]) -> None:
        own, may_be_changed = vars(value), self._exports.may_be_changed
        for name, content in names.items():
            is_new = name not in last or last[name] is not content
            if is_new and type(name) is str and may_be_changed("set", value, name, content):
                own[name] = content
        for name in last.keys() - names.keys():
            if may_be_changed("delete", value, name):
                own.pop(name, None)
        last.clear()
        last.update(self._exports.shown(value))


def _renew(given: _Given, now: dict[str, Any]) -> None:
    for names in (given.names, given.last):
        if not _is_same(names, now):
            names.clear()
            names.update(now)


def _is_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether both hold the same objects, without calling their `__eq__`."""
    return one.keys() == other.keys() and all(one[name] is other[name] for name in one)
