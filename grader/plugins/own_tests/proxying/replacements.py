"""Replaces functions of the standard library in the submission, too, when tests replace them.

`monkeypatch.setattr("builtins.open", ...)` and `patch("random.randint", return_value=4)` change a
module of this process. The submission has its own modules, so the replacements are sent to it.
"""

from __future__ import annotations

import builtins
import datetime as dt
import math
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from operator import is_
from types import ModuleType
from typing import Any, Final

_WATCHED_NAMES: Final[dict[ModuleType, tuple[str, ...] | None]] = {
    builtins: ("print", "open", "round", "sum", "max", "min", "sorted", "len", "abs"),
    random: None,
    time: None,
    dt: None,
    math: None,
    os: ("getcwd", "getenv", "listdir", "urandom"),
    sys: ("exit", "getrecursionlimit"),
}
"""The names to watch in each module; None means all public names. `input` is not included, as the
submission always requests input from the tests."""


class ReplacedFunctions:
    """Detects replaced functions, and sends each of them once."""

    def __init__(self) -> None:
        """Use the current functions as the original ones."""
        self._watched_names: Final = {
            module: list(names or _public_names(module)) for module, names in _WATCHED_NAMES.items()
        }
        self._originals: Final = {
            module: self._current_functions(module) for module in _WATCHED_NAMES
        }
        self._last_sent: dict[ModuleType, list[Any]] = dict(self._originals)
        self._sent_at_collection = self._last_sent

    def keep(self) -> None:
        """Remember what has been sent during collection; each restart returns to that state."""
        self._sent_at_collection = dict(self._last_sent)

    def restart(self) -> None:
        """Count as sent only what had been sent when `keep` was called."""
        self._last_sent = dict(self._sent_at_collection)

    def unsent(self, write: Callable[[Any], Any]) -> list[list[Any]]:
        """Return the functions that were replaced or restored since the last message.

        Values are encoded with `write`. Afterwards the functions count as sent.
        """
        changes: list[list[Any]] = []
        for module, last in self._last_sent.items():
            current = self._current_functions(module)
            # Compared by identity, because the replacements can define `__eq__`.
            if not all(map(is_, current, last)):
                changes += self._changes(module, current, last, write)
                self._last_sent[module] = current
        return changes

    def _current_functions(self, module: ModuleType) -> list[Any]:
        """Return the current values of the watched names of `module`."""
        return list(map(vars(module).get, self._watched_names[module]))

    def _changes(
        self, module: ModuleType, current: list[Any], last: list[Any], write: Callable[[Any], Any]
    ) -> Iterator[list[Any]]:
        """Yield the module, the name and the encoded value of each changed function.

        If the original function was restored, no value is included.
        """
        for name, original, value, last_sent in zip(
            self._watched_names[module], self._originals[module], current, last, strict=True
        ):
            if value is not last_sent:
                yield [module.__name__, name, *([] if value is original else [write(value)])]


def _public_names(module: ModuleType) -> list[str]:
    """Return the public names of `module`."""
    return [name for name in vars(module) if not name.startswith("_")]
