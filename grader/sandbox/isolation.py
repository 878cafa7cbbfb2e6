"""What stands between an executor and the machine, and what does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.messages import Message, message

Layers: TypeAlias = tuple[tuple[str, int], ...]
"""Each layer of the sandbox by name, and whether it is in force; for Landlock its ABI number."""

HIGHEST_LEVEL: Final = 3
LEAST_LEVEL: Final = 1
"""Below this isolation level, strangers' programs are run only on somebody's word for them."""
_OF_EACH_PROCESS: Final = ("seccomp", "no_new_privs", "rlimits", "parent_death_signal")
_BEHIND_THE_WALLS: Final = ("namespaces", "uid_dropped")
_FIRST_LANDLOCK_WITH_NETWORK: Final = 4
_FIRST_LANDLOCK_WITH_SIGNALS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """What executors are held by, as found out where they are forked."""

    level: int
    """From 0, nothing, to 3; see `docs/explanation/trust.md`."""
    layers: Layers
    python_version: str


def gaps(layers: Layers) -> tuple[Message, ...]:
    """Return a sentence for each thing that is not enforced with these `layers`."""
    if not any(state for _, state in layers):
        return (message("gap.everything"),)
    return tuple(_gaps(dict(layers)))


def _gaps(layers: Mapping[str, int]) -> Iterator[Message]:
    for name in _OF_EACH_PROCESS:
        if not layers.get(name, True):
            yield message(f"gap.{name}")
    if not layers.get("seccomp", True):
        return  # what stands behind a wall that is not there is no consolation
    if abi := layers.get("landlock_abi", 0):
        yield from _landlock_gaps(abi)
    elif "landlock_abi" in layers:
        yield message("gap.landlock_abi")
    for name in _BEHIND_THE_WALLS:
        if not layers.get(name, True):
            yield message(f"gap.{name}")


def _landlock_gaps(abi: int) -> Iterator[Message]:
    if abi < _FIRST_LANDLOCK_WITH_NETWORK:
        yield message("gap.landlock_network", abi=abi)
    elif abi < _FIRST_LANDLOCK_WITH_SIGNALS:
        yield message("gap.landlock_signals", abi=abi)
