"""Says how to grade what is written for a newer Python than the one that we run on."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

from grader.cli.terminal import warn
from grader.values.display import one_line

_FURTHER: Final = 4
"""Minor versions beyond the one that is needed that are looked for."""
_WALL_S: Final = 5.0


def warn_of_newer(needed: tuple[int, int]) -> None:
    """Warn that Python `needed` or a newer one is wanted, and say how to come by it."""
    major, minor = needed
    names = (f"python{major}.{later}" for later in range(minor, minor + _FURTHER))
    found = next(filter(_runs, names), None)
    where = f"{one_line(shutil.which(found) or found)} is on this machine; " if found else ""
    python = found or f"python{major}.{minor}"
    warn(
        f"submissions written for Python {major}.{minor} cannot be graded with this one\n"
        f"  = help: {where}to use it, remove .venv and run: PYTHON={python} scripts/setup"
    )


def _runs(name: str) -> bool:
    """Return whether the interpreter `name` is there; a name alone may lead nowhere."""
    path = shutil.which(name)
    if path is None:
        return False
    try:
        done = subprocess.run([path, "-c", ""], capture_output=True, timeout=_WALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
