"""The names of an object of the tests, as `vars` and `__dict__` give them to a submission.

A descriptor keeps its value there. What a submission gets is a dictionary of the public names, the
same each time; what either side changes is changed for both when the next message goes or comes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grader.plugins.own_tests.bridge.acts import get
from grader.plugins.own_tests.proxying.exports import Exports


class _Given(NamedTuple):
    value: Any
    names: dict[str, Any]
    """What the submission has."""
    last: dict[str, Any]
    """What was in it when both sides last had the same."""


class SharedNames:
    """Keeps what was given in step with the objects."""

    def __init__(self, exports: Exports) -> None:
        """Give what `exports` says, and take over what it permits."""
        self._exports: Final = exports
        self._given: Final[dict[int, _Given]] = {}

    def forget(self) -> None:
        """Keep nothing in step any more."""
        self._given.clear()

    def get(self, value: Any, name: str) -> Any:
        """Return an attribute, as the act of that name."""
        if name != "__dict__":
            return get(value, name)
        shown = self._exports.shown(value)
        if isinstance(value, type):
            return shown
        return self._given.setdefault(id(value), _Given(value, shown, dict(shown))).names

    def leave(self) -> None:
        """Have the submission find what the tests have changed."""
        for each in self._given.values():
            _renew(each, self._exports.shown(each.value))

    def enter(self) -> None:
        """Change what the submission has changed."""
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
    """Return whether both hold the same, which need not be asked whether it is equal."""
    return one.keys() == other.keys() and all(one[name] is other[name] for name in one)
