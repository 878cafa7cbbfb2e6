"""The `__dict__` of an object of the tests, as a submission gets it.

A descriptor of the submission, for example, can store its value in a `__dict__`. The submission
gets a dictionary of the public names, the same one each time. A change on one side is applied to
the other side with the next message.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grader.plugins.own_tests.bridge.operations import get
from grader.plugins.own_tests.proxying.exports import Exports


class _SharedNamespace(NamedTuple):
    """An object of the tests, and the dictionary that represents its `__dict__`."""

    value: Any
    remote: dict[str, Any]
    """The dictionary that the submission has."""
    last_synced: dict[str, Any]
    """The content of the dictionary when both sides last agreed."""


class SharedNames:
    """Synchronises the dictionaries that submissions get with the objects of the tests."""

    def __init__(self, exports: Exports) -> None:
        """Include the attributes that `exports` makes visible, and apply the changes it permits."""
        self._exports: Final = exports
        self._shared: Final[dict[int, _SharedNamespace]] = {}
        """By object id: objects need not be hashable. Each entry keeps its object alive, so that no
        other object gets the id."""

    def forget(self) -> None:
        """Drop all dictionaries."""
        self._shared.clear()

    def get(self, value: Any, name: str) -> Any:
        """Return an attribute of an object of the tests; replaces the operation `get`.

        For `__dict__`, return the shared dictionary of an instance, or a copy for a class.
        """
        if name != "__dict__":
            return get(value, name)
        visible = self._exports.visible_attributes(value)
        if isinstance(value, type):
            return visible
        return self._shared.setdefault(
            id(value), _SharedNamespace(value, visible, dict(visible))
        ).remote

    def refresh(self) -> None:
        """Copy the changes that tests have made into the dictionaries."""
        for shared in self._shared.values():
            _copy_visible(shared, self._exports.visible_attributes(shared.value))

    def apply_changes(self) -> None:
        """Apply the changes that the submission has made in the dictionaries to the objects."""
        for value, remote, last_synced in self._shared.values():
            if not _have_same_values(remote, last_synced):
                self._apply_to_object(value, remote, last_synced)

    def _apply_to_object(
        self, value: Any, remote: dict[str, Any], last_synced: dict[str, Any]
    ) -> None:
        """Apply to `value` the permitted changes that the submission has made to its attributes.

        `remote` are the attributes that the submission has, and `last_synced` those that
        it had when they were last exchanged. Afterwards `last_synced` holds the visible attributes.
        """
        attributes, may_be_changed = vars(value), self._exports.may_be_changed
        for name, content in remote.items():
            is_new = name not in last_synced or last_synced[name] is not content
            if is_new and type(name) is str and may_be_changed("set", value, name, content):
                # Not with `setattr`: a change of a `__dict__` does not call `__setattr__` either.
                attributes[name] = content
        for name in last_synced.keys() - remote.keys():
            if may_be_changed("delete", value, name):
                attributes.pop(name, None)
        last_synced.clear()
        last_synced.update(self._exports.visible_attributes(value))


def _copy_visible(shared: _SharedNamespace, visible: dict[str, Any]) -> None:
    """Set both dictionaries of `shared` to the `visible` attributes if they differ from them."""
    for target in (shared.remote, shared.last_synced):
        if not _have_same_values(target, visible):
            target.clear()
            target.update(visible)


def _have_same_values(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Return whether both have the same objects as values, without calling their `__eq__`."""
    return first.keys() == second.keys() and all(first[name] is second[name] for name in first)
