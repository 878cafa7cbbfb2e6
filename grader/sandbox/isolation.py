"""How executors are isolated from the machine, and the gaps in that isolation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.messages import Message, message

Layers: TypeAlias = tuple[tuple[str, int], ...]
"""The name and state of each sandbox layer. The state is 1 if the layer is in force, else 0; for
Landlock, it is the ABI version."""

HIGHEST_LEVEL: Final = 3
LEAST_LEVEL: Final = 1
"""Below this isolation level, submissions run only if the user declares them trusted."""
_PROCESS_LAYERS: Final = ("seccomp", "no_new_privs", "rlimits", "parent_death_signal")
_OUTER_LAYERS: Final = ("namespaces", "uid_dropped")
_FIRST_LANDLOCK_WITH_NETWORK: Final = 4
_FIRST_LANDLOCK_WITH_SIGNALS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """The isolation of executors, as measured in the process that forks them."""

    level: int
    """From 0 (no isolation) to 3; see `docs/explanation/trust.md`."""
    layers: Layers
    python_version: str


def gaps(layers: Layers) -> tuple[Message, ...]:
    """Return a message for each protection that `layers` do not provide."""
    if not any(state for _, state in layers):
        return (message("gap.everything"),)
    return tuple(_layer_gaps(dict(layers)))


def _layer_gaps(layers: Mapping[str, int]) -> Iterator[Message]:
    """Yield a message for each gap in `layers`; at least one of the layers is in force."""
    for name in _PROCESS_LAYERS:
        if not layers.get(name, True):
            yield message(f"gap.{name}")
    if not layers.get("seccomp", True):
        return  # without seccomp a submission can get round the other layers
    if abi := layers.get("landlock_abi", 0):
        yield from _landlock_gaps(abi)
    elif "landlock_abi" in layers:
        yield message("gap.landlock_abi")
    for name in _OUTER_LAYERS:
        if not layers.get(name, True):
            yield message(f"gap.{name}")


def _landlock_gaps(abi: int) -> Iterator[Message]:
    """Yield a message for what Landlock cannot restrict in version `abi` of its ABI."""
    if abi < _FIRST_LANDLOCK_WITH_NETWORK:
        yield message("gap.landlock_network", abi=abi)
    elif abi < _FIRST_LANDLOCK_WITH_SIGNALS:
        yield message("gap.landlock_signals", abi=abi)
