"""Looks among many scenes for one that tells a wrong program which a suite does not tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from grader.plugins.authoring.generating.drawing import SettledScenes
from grader.plugins.authoring.generating.evaluator import Document, Evaluator

SEARCHED_DRAWS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSearch:
    """What was found for the programs that were tried."""

    told: Mapping[str, Document]
    """A small session that it fails, for each program that is told by one, by its id."""
    sessions: int
    """So many were tried on each of the others: all of them, but for those that call nothing of
    what was changed."""


def search(
    evaluator: Evaluator, seed: str, progress: Callable[[], object] = lambda: None
) -> SceneSearch:
    """Try the programs of `evaluator` on all scenes of further draws, until each is told.

    Calls `progress` after each of the `SEARCHED_DRAWS`.
    """
    scenes = SettledScenes(evaluator, seed)
    told: dict[str, Document] = {}
    sessions = 0
    for number in range(SEARCHED_DRAWS):
        left = [each for each in evaluator.programs if each.id not in told]
        if not left:
            break
        made = {f"c{index}": each for index, each in enumerate(scenes.whole_draw(number))}
        sessions += len(made)
        results = evaluator.matrix(made, left, enough=1)
        for program in left:
            for name, document in made.items():
                # Sessions share executors: what fails here may fail for what happened in another.
                if name in results[program.id].cases and evaluator.fails(program, document):
                    told[program.id] = document
                    break
        progress()
    return SceneSearch(told=told, sessions=sessions)
