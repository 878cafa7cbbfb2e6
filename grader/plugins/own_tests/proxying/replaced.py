"""Functions of the standard library that tests replace, for the submission as well.

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

_NAMES: Final[dict[ModuleType, tuple[str, ...] | None]] = {
    builtins: ("print", "open", "round", "sum", "max", "min", "sorted", "len", "abs"),
    random: None,
    time: None,
    dt: None,
    math: None,
    os: ("getcwd", "getenv", "listdir", "urandom"),
    sys: ("exit", "getrecursionlimit"),
}
"""Modules and names to watch, None for all public names. `input` is missing, as the submission
always requests what is typed."""


class Replaced:
    """Notices replaced functions, and sends each once."""

    def __init__(self) -> None:
        """Take the current functions for the original ones."""
        self._names: Final = {
            module: list(names or _public(module)) for module, names in _NAMES.items()
        }
        self._originals: Final = {module: self._current_functions(module) for module in _NAMES}
        self._last_sent: dict[ModuleType, list[Any]] = dict(self._originals)
        self._kept = self._last_sent

    def keep(self) -> None:
        """Keep what has been sent by now: each restart goes back to it."""
        self._kept = dict(self._last_sent)

    def restart(self) -> None:
        """Go back to what had been sent at the end of collection."""
        self._last_sent = dict(self._kept)

    def unsent(self, write: Callable[[Any], Any]) -> list[list[Any]]:
        """Return the functions that were replaced, or restored, since the last message."""
        found: list[list[Any]] = []
        for module, last in self._last_sent.items():
            current = self._current_functions(module)
            if not all(map(is_, current, last)):
                found += self._changed(module, current, last, write)
                self._last_sent[module] = current
        return found

    def _current_functions(self, module: ModuleType) -> list[Any]:
        return list(map(vars(module).get, self._names[module]))

    def _changed(
        self, module: ModuleType, current: list[Any], last: list[Any], write: Callable[[Any], Any]
    ) -> Iterator[list[Any]]:
        for name, original, value, last_sent in zip(
            self._names[module], self._originals[module], current, last, strict=True
        ):
            if value is not last_sent:
                yield [module.__name__, name, *([] if value is original else [write(value)])]


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]
