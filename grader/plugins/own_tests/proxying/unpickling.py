"""Keeps tests from unpickling what a submission has made up: a pickle can run anything.

A test that loads a file which the submission has written, or bytes that it has returned, would run
in its own process what they say. Nobody can tell whose bytes are loaded. So only plain values are
made, and what the submission itself restores.
"""

from __future__ import annotations

from typing import Final

from grader.plugins.own_tests.bridge.wire import KNOWN, RESTORED

_CANNOT_CHANGE: Final = 1 << 8
"""The flag of a class of which nothing can be set: a pickle sets attributes of what it names."""
_HARMLESS: Final = frozenset(
    {
        *((each.__module__, name) for name, each in KNOWN.items()
          if each is not type and each.__flags__ & _CANNOT_CHANGE),
        *((RESTORED.decode(), "restored"), ("_codecs", "encode"), ("copyreg", "__newobj__")),
        *(("copyreg", "_reconstructor"), ("types", "SimpleNamespace")),
        *((module, name) for module in ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
          for name in ("ndarray", "dtype", "_reconstruct", "scalar")),
        *(("numpy._core.numeric", "_frombuffer"), ("numpy.core.numeric", "_frombuffer")),
    }
)  # fmt: skip
"""What makes plain values, whatever it is called with."""
_OLD: Final = {"__builtin__": "builtins", "copy_reg": "copyreg"}
"""What old protocols call modules."""


def unpickling(module: object, name: object) -> str | None:
    """Return what a test does that loads a pickle with such a name in it, None if it may."""
    if (_OLD.get(str(module), module), name) in _HARMLESS:
        return None
    return (
        f"unpickles {module}.{name}: a pickle that a submission has made up could run anything; let"
        " the submission load it, by a function of its own, or pickle plain values"
    )
