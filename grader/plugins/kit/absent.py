"""What a kit has in the place of modules that it goes without; see `assembling` for which.

PyYAML is compiled in part, so that no file can carry it for every system. What it does has been
done when a kit is made: its suite has been read and checked. Whatever is imported from these
modules is there and does nothing, as nobody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Anything:
    """Takes whatever it is given, and leaves what it decorates as it is."""

    def __init__(self, *_args: object, **_settings: object) -> None:
        """Take what a module says when it is imported."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`: what it would check has been checked."""
        return function


def __getattr__(name: str) -> type[_Anything]:
    """Return what stands for any other `name`."""
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything
