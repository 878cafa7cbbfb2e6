"""What probes draw: numbers that differ from submission to submission, and can be drawn again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

DRAWS: Final = 1_000
DRAWN_BELOW: Final = 1_000_000
_BYTES: Final = 8


def probe_seed(secret: str, texts: Mapping[str, str]) -> str:
    """Return what the inputs of probes are drawn from, for a submission that says `texts`.

    It follows from the secret of the course, where there is one, and from what was handed in. So a
    draw can be repeated, and who writes its inputs into a submission has changed them.
    """
    return hashlib.sha256(repr((secret, sorted(texts.items()))).encode()).hexdigest()


def drawn(seed: str) -> tuple[int, ...]:
    """Return numbers that nobody can tell who does not know `seed`, and everybody who does."""
    drawn = hashlib.shake_256(seed.encode()).digest(_BYTES * DRAWS)
    parts = (drawn[at : at + _BYTES] for at in range(0, len(drawn), _BYTES))
    return tuple(int.from_bytes(part) % DRAWN_BELOW for part in parts)
