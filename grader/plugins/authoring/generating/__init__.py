"""The API for scene generators: draws, clauses, scenes and the generator itself."""

from grader.plugins.authoring.generating.scenes import (
    Draws,
    Generator,
    HiddenGroup,
    Move,
    PlacedClause,
    Scene,
    compared,
    one_of_each_clause,
)

__all__ = [
    "Draws",
    "Generator",
    "HiddenGroup",
    "Move",
    "PlacedClause",
    "Scene",
    "compared",
    "one_of_each_clause",
]
