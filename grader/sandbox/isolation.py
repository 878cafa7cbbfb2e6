"""How executors are isolated from the machine, and the gaps in that isolation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.messages import Message, message

Layers: TypeAlias = tuple[tuple[str, int], ...]
"""Each layer of the sandbox: its name, and whether it is in force; for Landlock its ABI number."""

HIGHEST_LEVEL: Final = 3
LEAST_LEVEL: Final = 1
"""Below this isolation level, submissions run only if the user says that they are trusted."""
_PROCESS_LAYERS: Final = ("seccomp", "no_new_privs", "rlimits", "parent_death_signal")
_OUTER_LAYERS: Final = ("namespaces", "uid_dropped")
_FIRST_LANDLOCK_WITH_NETWORK: Final = 4
_FIRST_LANDLOCK_WITH_SIGNALS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """The isolation of executors, as found in the process that forks them."""

    level: int
    """From 0, nothing, to 3; see `docs/explanation/trust.md`."""
    layers: Layers
    python_version: str


def gaps(layers: Layers) -> tuple[Message, ...]:
    """Return a message for each protection that these `layers` do not provide."""
    if not any(state for _, state in layers):
        return (message("gap.everything"),)
    return tuple(_gaps(dict(layers)))


def _gaps(layers: Mapping[str, int]) -> Iterator[Message]:
    """Yield a message for each gap in `layers`, at least one of which is in force."""
    for name in _PROCESS_LAYERS:
        if not layers.get(name, True):
            yield message(f"gap.{name}")
    if not layers.get("seccomp", True):
        return  # without seccomp the other layers mean little
    if abi := layers.get("landlock_abi", 0):
        yield from _landlock_gaps(abi)
    elif "landlock_abi" in layers:
        yield message("gap.landlock_abi")
    for name in _OUTER_LAYERS:
        if not layers.get(name, True):
            yield message(f"gap.{name}")


def _landlock_gaps(abi: int) -> Iterator[Message]:
    if abi < _FIRST_LANDLOCK_WITH_NETWORK:
        yield message("gap.landlock_network", abi=abi)
    elif abi < _FIRST_LANDLOCK_WITH_SIGNALS:
        yield message("gap.landlock_signals", abi=abi)
