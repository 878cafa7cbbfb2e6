"""The catalogue of solutions beside the references, by exercise."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from grader.plugins.authoring.solutions import Solution, read_solutions

ROOT: Final = Path(__file__).resolve().parents[2]
MODULES: Final = {"1010": ("Position", "Block", "Board", "Game")}
"""Those of an exercise of several; no suite has to be loaded to name the tests."""


@cache
def reference(exercise: str) -> dict[str, str]:
    """Return the sources of the reference, by module."""
    folder = ROOT / "reference" / exercise
    names = MODULES.get(exercise, (exercise,))
    return {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in names}


def beside_references(folder: str, *exercises: str) -> list[tuple[str, Solution]]:
    """Return the solutions in a folder beside the references of `exercises`."""
    return [
        (exercise, program)
        for exercise in exercises
        for program in read_solutions(ROOT / "reference" / exercise / folder, reference(exercise))
    ]


def seen(folder: str, *exercises: str) -> list[tuple[str, Solution]]:
    """Return those of them that are not in its folder `unseen`."""
    return [each for each in beside_references(folder, *exercises) if not each[1].is_unseen]
