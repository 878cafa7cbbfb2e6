"""Sends random states that tests set, so that a submission draws as it would in their process.

A test may seed twice with the same number on purpose. So calls are noticed, not new states.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, Final

_SETTERS: Final = {"random": ("seed", "setstate"), "numpy.random": ("seed", "set_state")}


class Chance:
    """Notices when tests set the state of a global random generator."""

    def __init__(self) -> None:
        """Begin with no state set, and notice calls from now on."""
        self._watched: Final = set[str]()
        self._modules_set: Final = set[str]()
        self._unsent: Final = set[str]()
        self._wrap_setters()

    def restart(self) -> None:
        """Send every state that was ever set again, as the executor is new."""
        self._wrap_setters()
        self._unsent.update(self._modules_set)

    def unsent_states(self) -> dict[str, Any]:
        """Return the states that were set since the last message, by module name."""
        self._wrap_setters()
        states = {name: _state(sys.modules[name]) for name in self._unsent}
        self._unsent.clear()
        return {name: state for name, state in states.items() if state is not None}

    def _wrap_setters(self) -> None:
        for name in _SETTERS.keys() - self._watched:
            if (module := sys.modules.get(name)) is not None:
                self._watched.add(name)
                for setter in _SETTERS[name]:
                    vars(module)[setter] = self._wrapped(name, getattr(module, setter))

    def _wrapped(self, name: str, setter: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(setter)
        def set_and_note(*arguments: Any, **named: Any) -> Any:
            self._modules_set.add(name)
            self._unsent.add(name)
            return setter(*arguments, **named)

        return set_and_note


def _state(module: ModuleType) -> Any:
    """Return the state of the generator in `module` as plain values, or None if it has none."""
    if module is random:
        return random.getstate()
    state = module.get_state()
    if not isinstance(state, tuple):  # of a generator from `set_bit_generator`
        return None
    kind, words, *rest = state
    return [kind, words.tolist(), *rest]
