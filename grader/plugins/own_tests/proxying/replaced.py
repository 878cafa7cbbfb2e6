"""What tests put in the place of functions of the standard library, for the submission as well.

`monkeypatch.setattr("builtins.open", ...)` and `patch("random.randint", return_value=4)` change a
module of this process. The submission has modules of its own, so it is told.
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
"""Where to look, and at which names if not at all that are public. What is typed is asked for."""


class Replaced:
    """Notices what is replaced, and tells it once."""

    def __init__(self) -> None:
        """Take what is there now for what belongs there."""
        self._names: Final = {
            module: list(names or _public(module)) for module, names in _NAMES.items()
        }
        self._own: Final = {module: self._now(module) for module in _NAMES}
        self._last: dict[ModuleType, list[Any]] = dict(self._own)
        self._kept = self._last

    def keep(self) -> None:
        """Have each new life begin with what has been told by now."""
        self._kept = dict(self._last)

    def begin_anew(self) -> None:
        """Go back to what each life begins with."""
        self._last = dict(self._kept)

    def told(self, write: Callable[[Any], Any]) -> list[list[Any]]:
        """Return what has been replaced, or put back, and was not told yet."""
        found: list[list[Any]] = []
        for module, last in self._last.items():
            now = self._now(module)
            if not all(map(is_, now, last)):
                found += self._changed(module, now, last, write)
                self._last[module] = now
        return found

    def _now(self, module: ModuleType) -> list[Any]:
        return list(map(vars(module).get, self._names[module]))

    def _changed(
        self, module: ModuleType, now: list[Any], last: list[Any], write: Callable[[Any], Any]
    ) -> Iterator[list[Any]]:
        for name, own, value, before in zip(
            self._names[module], self._own[module], now, last, strict=True
        ):
            if value is not before:
                yield [module.__name__, name, *([] if value is own else [write(value)])]


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]
