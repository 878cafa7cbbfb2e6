"""Sends random states that tests set, so that a submission draws the numbers that they expect.

A test may deliberately seed twice with the same number. So the calls that set a state are tracked,
not the changes to the state.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, Final

_SETTERS: Final = {"random": ("seed", "setstate"), "numpy.random": ("seed", "set_state")}


class RandomStates:
    """Tracks when tests set the state of a global random generator."""

    def __init__(self) -> None:
        """Track calls from now on; no state counts as set yet."""
        self._wrapped_modules: Final = set[str]()
        self._seeded_modules: Final = set[str]()
        self._unsent: Final = set[str]()
        self._wrap_setters()

    def restart(self) -> None:
        """Count every state that was ever set as unsent, as the executor is new."""
        self._wrap_setters()
        self._unsent.update(self._seeded_modules)

    def unsent_states(self) -> dict[str, Any]:
        """Return the states set since the last message, as a dict keyed by module name.

        These states then count as sent.
        """
        self._wrap_setters()
        states = {name: _state(sys.modules[name]) for name in self._unsent}
        self._unsent.clear()
        return {name: state for name, state in states.items() if state is not None}

    def _wrap_setters(self) -> None:
        """Wrap the functions that set a state, in those modules that have been imported by now."""
        for name in _SETTERS.keys() - self._wrapped_modules:
            if (module := sys.modules.get(name)) is not None:
                self._wrapped_modules.add(name)
                for setter in _SETTERS[name]:
                    vars(module)[setter] = self._recording_wrapper(name, getattr(module, setter))

    def _recording_wrapper(self, name: str, setter: Callable[..., Any]) -> Callable[..., Any]:
        """Return `setter`, wrapped so that each call to it is recorded for the module `name`."""

        @wraps(setter)
        def set_and_record(*arguments: Any, **keywords: Any) -> Any:
            self._seeded_modules.add(name)
            self._unsent.add(name)
            return setter(*arguments, **keywords)

        return set_and_record


def _state(module: ModuleType) -> Any:
    """Return the state of the generator in `module` as plain values.

    Returns None if the state of numpy's generator is not a tuple, and so cannot be sent.
    """
    if module is random:
        return random.getstate()
    state = module.get_state()
    if not isinstance(state, tuple):  # after `set_bit_generator` with another generator
        return None
    kind, words, *rest = state
    return [kind, words.tolist(), *rest]
