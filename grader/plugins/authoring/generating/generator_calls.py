"""Calls a generator in an executor, and returns its results as JSON.

The source of this module is sent to the executor together with the generator and `scenes`; see
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
"""The length of a part, which is less than the longest text that an executor can return."""


def facts_part(number: int) -> str | None:
    """Return one part of the JSON text of the attributes that need no draw.

    Return None if the course defines no generator.
    """
    return _facts()[number * PART_CHARS :][:PART_CHARS] if _generator() is not None else None


def scenes_part(number: int, kind: str, seed: str) -> str:
    """Return one part of the JSON text of the scenes for `seed`.

    `kind` is the generator's attribute that draws them: `scenes` or `examples`.
    """
    return _scenes(kind, seed)[number * PART_CHARS :][:PART_CHARS]


@cache
def _generator() -> Generator | None:
    generator = getattr(import_module("generator"), "GENERATOR", None)
    return generator if isinstance(generator, Generator) else None


@cache
def _facts() -> str:
    generator = _generator()
    assert generator is not None, "`facts_part` checks it first"
    clauses = {name: asdict(clause) for name, clause in generator.clauses.items()}
    groups = [asdict(group) for group in generator.groups]
    return json.dumps({"version": generator.version, "clauses": clauses, "groups": groups})


# Cached, because the parts are fetched one by one.
@cache
def _scenes(kind: str, seed: str) -> str:
    return json.dumps([asdict(scene) for scene in getattr(_generator(), kind)(Draws(seed))])
