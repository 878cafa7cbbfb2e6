"""How tests set chance: a submission draws what it would draw in their process.

Who seeds twice with the same number has the same state twice, and means it; so what is noticed is
that a state is set, not what it is.
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
    """Notices when tests set the state of a generator that all of a process share."""

    def __init__(self) -> None:
        """Take nothing for set, and notice from now on."""
        self._watched: Final = set[str]()
        self._set: Final = set[str]()
        self._due: Final = set[str]()
        self._watch()

    def begin_anew(self) -> None:
        """Have a new life told all that was ever set."""
        self._watch()
        self._due.update(self._set)

    def told(self) -> dict[str, Any]:
        """Return the states that were set and not told yet, by the names of their modules."""
        self._watch()
        states = {name: _state(sys.modules[name]) for name in self._due}
        self._due.clear()
        return {name: state for name, state in states.items() if state is not None}

    def _watch(self) -> None:
        for name in _SETTERS.keys() - self._watched:
            if (module := sys.modules.get(name)) is not None:
                self._watched.add(name)
                for setter in _SETTERS[name]:
                    vars(module)[setter] = self._noticed(name, getattr(module, setter))

    def _noticed(self, name: str, setter: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(setter)
        def noticed(*arguments: Any, **named: Any) -> Any:
            self._set.add(name)
            self._due.add(name)
            return setter(*arguments, **named)

        return noticed


def _state(module: ModuleType) -> Any:
    """Return the state of the generator in `module`, of plain values, None if it is another's."""
    if module is random:
        return random.getstate()
    state = module.get_state()
    if not isinstance(state, tuple):  # of what `set_bit_generator` has put there
        return None
    kind, words, *rest = state
    return [kind, words.tolist(), *rest]
