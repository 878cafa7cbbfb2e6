"""The `__dict__` of an object of the tests, as a submission gets it.

A descriptor keeps its value there. A submission gets a dictionary of the public names, the same
each time; changes of either side are applied to the other with the next message.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grader.plugins.own_tests.bridge.acts import get
from grader.plugins.own_tests.proxying.exports import Exports


class _SharedDict(NamedTuple):
    value: Any
    names: dict[str, Any]
    """The dictionary that the submission has."""
    agreed: dict[str, Any]
    """Its content when both sides last agreed."""


class SharedNames:
    """Keeps these dictionaries in step with their objects."""

    def __init__(self, exports: Exports) -> None:
        """Show the names that `exports` shows, and apply the changes that it permits."""
        self._exports: Final = exports
        self._shared: Final[dict[int, _SharedDict]] = {}

    def forget(self) -> None:
        """Forget all dictionaries."""
        self._shared.clear()

    def get(self, value: Any, name: str) -> Any:
        """Return an attribute; stands in for the act `get`."""
        if name != "__dict__":
            return get(value, name)
        shown = self._exports.shown(value)
        if isinstance(value, type):
            return shown
        return self._shared.setdefault(id(value), _SharedDict(value, shown, dict(shown))).names

    def refresh(self) -> None:
        """Copy changes of the tests into the dictionaries."""
        for each in self._shared.values():
            _update(each, self._exports.shown(each.value))

    def apply_changes(self) -> None:
        """Apply changes of the submission to the objects."""
        for value, names, agreed in self._shared.values():
            if not _is_same(names, agreed):
                self._change(value, names, agreed)

    def _change(self, value: Any, names: dict[str, Any], agreed: dict[str, Any]) -> None:
        attributes, may_be_changed = vars(value), self._exports.may_be_changed
        for name, content in names.items():
            is_new = name not in agreed or agreed[name] is not content
            if is_new and type(name) is str and may_be_changed("set", value, name, content):
                attributes[name] = content
        for name in agreed.keys() - names.keys():
            if may_be_changed("delete", value, name):
                attributes.pop(name, None)
        agreed.clear()
        agreed.update(self._exports.shown(value))


def _update(shared: _SharedDict, shown: dict[str, Any]) -> None:
    for names in (shared.names, shared.agreed):
        if not _is_same(names, shown):
            names.clear()
            names.update(shown)


def _is_same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Return whether both hold the same objects, without calling their `__eq__`."""
    return first.keys() == second.keys() and all(first[name] is second[name] for name in first)
