"""Compiles a module as it stands; a kit has a version of its own for older Pythons."""

from __future__ import annotations

from types import CodeType


def compiled(source: str, file: str) -> CodeType:
    """Return the code of `source`, read from `file`; raises what `compile` raises."""
    return compile(source, file, "exec", dont_inherit=True)
