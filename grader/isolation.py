"""What stands between submissions and the machine that grades them, and what does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from grader.messages import Message, message

Layers: TypeAlias = tuple[tuple[str, int], ...]
"""Each layer of the sandbox by name, and whether it is in force; for Landlock its ABI number."""

HIGHEST_LEVEL: Final = 3
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
    return tuple(_gaps(layers))


def _gaps(layers: Layers) -> Iterator[Message]:
    for name, state in layers:
        if not state:
            yield message(f"gap.{name}")
        elif name == "landlock_abi" and state < _FIRST_LANDLOCK_WITH_NETWORK:
            yield message("gap.landlock_network", abi=state)
        elif name == "landlock_abi" and state < _FIRST_LANDLOCK_WITH_SIGNALS:
            yield message("gap.landlock_signals", abi=state)
