"""Replaces modules that a kit does not contain; `assembling` lists these modules.

PyYAML is partly compiled, so one file cannot contain it for every system. It is not needed either,
because the suite is read and checked when the kit is made. Any name can be imported from here. It
stands for an object that does nothing, because a kit never uses it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Anything:
    """Accepts any arguments. As a decorator, it changes nothing."""

    def __init__(self, *_args: object, **_settings: object) -> None:
        """Accept the arguments of a call made at import time."""

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function` unchanged. A validator need not run again: the suite was checked."""
        return function


def __getattr__(name: str) -> type[_Anything]:
    """Return a stand-in for any `name`. Raises `AttributeError` for special names."""
    if name.startswith("__"):  # the import system looks up `__path__` and others
        raise AttributeError(name)
    return _Anything
