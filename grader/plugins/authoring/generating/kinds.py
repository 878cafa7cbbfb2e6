"""Groups the cases of a clause by kind, and cuts clauses into one clause per kind.

The cases of a clause earn their points together. So a clause that demands several things loses all
of its points if one of them is missing. Wrong programs show which cases belong together: a mistake
that fails some cases of a clause but not the others separates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Final, TypeAlias

from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.scenes import PlacedClause

_MAX_PROGRAMS: Final = 60
"""The largest number of programs to run on all scenes. More programs find hardly any more kinds."""
_MIN_OVERLAP: Final = 0.5
"""Two cases are of one kind if, of the mistakes that fail either case, at least this share fail
both cases."""

Place: TypeAlias = tuple[int, int]
"""The position of a case: the index of its scene, and of its step in the scene."""
Kinds: TypeAlias = Sequence[Sequence[Place]]
"""The cases of one clause, grouped by kind."""


def find_kinds(scenes: Sequence[Document], failed: Mapping[str, set[Place]]) -> dict[str, Kinds]:
    """Return the cases in `scenes` for each clause, grouped by kind.

    `failed` has the cases that each wrong program fails, keyed by program id.
    """
    places: dict[str, list[Place]] = {}
    for scene_index, scene in enumerate(scenes):
        for step_index, step in enumerate(scene["steps"]):
            if "clause" in step:
                places.setdefault(step["clause"], []).append((scene_index, step_index))
    return {
        clause: _group_by_kind(clause_places, failed.values())
        for clause, clause_places in places.items()
    }


def cut_clauses(
    scenes: Sequence[Document], kinds: Mapping[str, Kinds], clauses: Mapping[str, PlacedClause]
) -> tuple[list[Document], dict[str, PlacedClause]]:
    """Split each clause that sets `cut` into one clause per kind of its cases.

    Return the changed `scenes` and the new clauses, keyed by id. The largest kind keeps the
    original clause; every other kind gets a new one, such as `empty (2)`.
    """
    new_names: dict[Place, str] = {}
    parts = {}
    for clause, clause_kinds in kinds.items():
        if clauses[clause].cut:
            free_names = (
                name for number in count(2) if (name := f"{clause} ({number})") not in clauses
            )
            # Not strict, because the names are infinite.
            for kind, name in zip(clause_kinds[1:], free_names, strict=False):
                parts[name] = clauses[clause]
                new_names |= dict.fromkeys(kind, name)
    return [_rename_clauses(index, scene, new_names) for index, scene in enumerate(scenes)], parts


def _rename_clauses(scene_index: int, scene: Document, new_names: Mapping[Place, str]) -> Document:
    """Return `scene` with the clauses of its cases changed to their `new_names`."""
    steps = enumerate(scene["steps"])
    return {
        **scene,
        "steps": [
            step | {"clause": new_names[scene_index, step_index]}
            if (scene_index, step_index) in new_names
            else step
            for step_index, step in steps
        ],
    }


def find_failed_places(evaluator: Evaluator, scenes: Sequence[Document]) -> dict[str, set[Place]]:
    """Run a sample of the wrong programs and return the places in `scenes` where each fails.

    The result is keyed by program id. Programs that fail no case, or that only died, are omitted.
    """
    scenes_by_id = {f"c{number}": scene for number, scene in enumerate(scenes)}
    interval = len(evaluator.programs) // _MAX_PROGRAMS + 1
    # Sample evenly, because consecutive programs are mutants of the same kind.
    # Without stopping early at `enough`, because a kind depends on every case that a program fails.
    results = evaluator.matrix(scenes_by_id, evaluator.programs[::interval])
    places = {
        # The number in the id, after the `c`, is the index of the scene.
        (session.id, case.id): (int(session.id[1:]), case.step_index)
        for session in evaluator.suite_of(scenes_by_id).sessions
        for case in session.cases
    }
    return {
        name: {places[session, case] for session, cases in result.cases.items() for case in cases}
        for name, result in results.items()
        if result.cases and not result.only_died  # a death fails all cases of its session
    }


def _group_by_kind(places: Sequence[Place], failed: Iterable[set[Place]]) -> Kinds:
    """Group `places`, the cases of one clause, by kind. Return the largest group first.

    `failed` has the cases that each wrong program fails. Programs that fail all cases of the
    clause, or none, distinguish nothing and are ignored. Cases that none of the remaining programs
    fails form a kind too.
    """
    all_places = set(places)
    distinguishing = [
        overlap for cases in failed if 0 < len(overlap := cases & all_places) < len(all_places)
    ]
    groups: list[tuple[set[int], list[Place]]] = []
    for place in places:
        programs = {index for index, cases in enumerate(distinguishing) if place in cases}
        for group_programs, kind in groups:
            # Two empty sets match too: no program fails either case.
            if len(programs & group_programs) >= _MIN_OVERLAP * len(programs | group_programs):
                kind.append(place)
                break
        else:
            groups.append((programs, [place]))
    # Stable, so kinds of equal size keep the order of their first cases.
    return sorted((kind for _, kind in groups), key=len, reverse=True)
