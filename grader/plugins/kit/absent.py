"""Replaces modules that a kit goes without; `assembling` says which.

PyYAML is compiled in part, so no file can carry it for every system. Its work has been done when a
kit is made: the suite has been read and checked. Any name can be imported from these modules, and
does nothing, as it is never used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Anything:
    """Accepts any arguments; as a decorator it changes nothing."""

    def __init__(self, *_args: object, **_settings: object) -> None:
        """Accept the arguments of a call at import."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` unchanged: its checks were done when the kit was made."""
        return function


def __getattr__(name: str) -> type[_Anything]:
    """Return a stand-in for any other `name`."""
    if name.startswith("__"):  # the import system asks for `__path__` and others
        raise AttributeError(name)
    return _Anything
