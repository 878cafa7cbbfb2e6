"""Finds how many kinds of cases a clause has, and cuts clauses by kind.

The cases of a clause earn their points together. So a clause that demands several things costs all
of its points for each of them. Wrong programs show which cases belong together: a mistake that
fails some cases of a clause, and not the others, separates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Final, TypeAlias

from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.scenes import PlacedClause

_MAX_PROGRAMS: Final = 60
"""The number of programs run on all scenes; more of them find hardly more kinds."""
_ALIKE: Final = 0.5
"""Cases are of one kind if at least this share of the mistakes that fail either fail both."""

Place: TypeAlias = tuple[int, int]
"""A case: the index of its scene, and of its step there."""
Kinds: TypeAlias = Sequence[Sequence[Place]]
"""The cases of one clause, kind by kind."""


def kinds_of(scenes: Sequence[Document], failed: Mapping[str, set[Place]]) -> dict[str, Kinds]:
    """Return the kinds of cases of each clause in `scenes`, of which programs `failed` some."""
    places: dict[str, list[Place]] = {}
    for at, scene in enumerate(scenes):
        for index, step in enumerate(scene["steps"]):
            if "clause" in step:
                places.setdefault(step["clause"], []).append((at, index))
    return {clause: _kinds(own, failed.values()) for clause, own in places.items()}


def cut(
    scenes: Sequence[Document], kinds: Mapping[str, Kinds], clauses: Mapping[str, PlacedClause]
) -> tuple[list[Document], dict[str, PlacedClause]]:
    """Return `scenes` with each of the `clauses` that is to be cut as one for each kind.

    The clauses that are new in them come with them: a kind that is not the largest is one.
    """
    named: dict[Place, str] = {}
    parts = {}
    for clause, own in kinds.items():
        if clauses[clause].cut:
            free = (name for at in count(2) if (name := f"{clause} ({at})") not in clauses)
            for kind, name in zip(own[1:], free, strict=False):  # endless names
                parts[name] = clauses[clause]
                named |= dict.fromkeys(kind, name)
    return [_renamed(at, scene, named) for at, scene in enumerate(scenes)], parts


def _renamed(at: int, scene: Document, named: Mapping[Place, str]) -> Document:
    steps = enumerate(scene["steps"])
    return {
        **scene,
        "steps": [
            step | {"clause": named[at, index]} if (at, index) in named else step
            for index, step in steps
        ],
    }


def failed_places(evaluator: Evaluator, scenes: Sequence[Document]) -> dict[str, set[Place]]:
    """Return the cases of `scenes` that some wrong programs fail, by id of the program."""
    named = {f"c{at}": scene for at, scene in enumerate(scenes)}
    every = len(evaluator.programs) // _MAX_PROGRAMS + 1
    # Spread over all of them: neighbours are mutants of one kind.
    tried = evaluator.matrix(named, evaluator.programs[::every])
    indexes = {
        (session.id, case.id): (int(session.id[1:]), case.step_index)
        for session in evaluator.suite_of(named).sessions
        for case in session.cases
    }
    return {
        name: {indexes[session, case] for session, cases in each.cases.items() for case in cases}
        for name, each in tried.items()
        if each.cases and not each.only_died  # a death fails all cases of its session
    }


def _kinds(places: Sequence[Place], failed: Iterable[set[Place]]) -> Kinds:
    """Return `places`, cases of one clause, kind by kind, the largest first.

    A program that fails all of them tells nothing apart. Cases that no other program fails are a
    kind too: those mistakes do not fail them.
    """
    every = set(places)
    telling = [own for each in failed if 0 < len(own := each & every) < len(every)]
    found: list[tuple[set[int], list[Place]]] = []
    for place in places:
        by = {number for number, each in enumerate(telling) if place in each}
        for known, kind in found:
            # true of two empty sets: nothing tells them apart
            if len(by & known) >= _ALIKE * len(by | known):
                kind.append(place)
                break
        else:
            found.append((by, [place]))
    return sorted((kind for _, kind in found), key=len, reverse=True)
