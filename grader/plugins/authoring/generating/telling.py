"""Calls a generator in an executor, and returns its results as JSON.

Its source is sent there with that of the generator and of `scenes`; see
`grader.plugins.authoring.generating.loading`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cache
from importlib import import_module
from typing import Final

from grader.plugins.authoring.generating import Draws, Generator

PART_CHARS: Final = 250_000
"""Less than the longest text that an executor gives back."""


def facts_part(number: int) -> str | None:
    """Return this part of the attributes that need no draw; None without a generator."""
    return _facts()[number * PART_CHARS :][:PART_CHARS] if _generator() is not None else None


def scenes_part(number: int, kind: str, seed: str) -> str:
    """Return this part of the scenes of a `kind`, an attribute of generators, for `seed`."""
    return _scenes(kind, seed)[number * PART_CHARS :][:PART_CHARS]


@cache
def _generator() -> Generator | None:
    made = getattr(import_module("generator"), "GENERATOR", None)
    return made if isinstance(made, Generator) else None


@cache
def _facts() -> str:
    made = _generator()
    assert made is not None, "`facts_part` checks it first"
    clauses = {name: asdict(each) for name, each in made.clauses.items()}
    groups = [asdict(each) for each in made.groups]
    return json.dumps({"version": made.version, "clauses": clauses, "groups": groups})


# It is asked part by part.
@cache
def _scenes(kind: str, seed: str) -> str:
    return json.dumps([asdict(each) for each in getattr(_generator(), kind)(Draws(seed))])
