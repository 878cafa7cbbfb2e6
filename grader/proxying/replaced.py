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
from collections.abc import Callable
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
        self._own: Final = {
            module: {name: vars(module).get(name) for name in names or _public(module)}
            for module, names in _NAMES.items()
        }
        self._told: dict[tuple[ModuleType, str], Any] = {}
        self._kept: dict[tuple[ModuleType, str], Any] = {}

    def keep(self) -> None:
        """Have each new life begin with what has been told by now."""
        self._kept = dict(self._told)

    def begin_anew(self) -> None:
        """Go back to what each life begins with."""
        self._told = dict(self._kept)

    def told(self, write: Callable[[Any], Any]) -> list[list[Any]]:
        """Return what has been replaced, or put back, and was not told yet."""
        found: list[list[Any]] = []
        for module, own in self._own.items():
            names = vars(module)
            for name, value in own.items():
                now = names.get(name)
                if now is self._told.get((module, name), value):
                    continue
                self._told[module, name] = now
                back = now is value
                found.append([module.__name__, name, *([] if back else [write(now)])])
        return found


def _public(module: ModuleType) -> list[str]:
    return [name for name in vars(module) if not name.startswith("_")]
