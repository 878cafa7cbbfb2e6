"""Searches the generator's scenes for ones that kill survivors, which an audit then proposes.

Each draw has some hundreds of scenes. They are tried in order, and a program that fails one scene
is not tried on the following ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from grader.plugins.authoring.auditing.audit_cache import AuditCache, AuditPart, AuditWork, Results
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.generating.drawing import SettledScenes
from grader.plugins.authoring.generating.evaluator import Document, Evaluator

DRAWS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSearch:
    """The result of a search through a draw."""

    killed_by: Mapping[str, Document]
    """A small session that each killed program fails, keyed by the program's id."""
    sessions: int
    """The number of scenes that were drawn."""


class SurvivorSearch:
    """Runs the survivors of an audit on scenes of further draws."""

    def __init__(
        self,
        evaluator_of: Callable[[], Evaluator],
        survivors: Sequence[WrongProgram],
        seed: str,
        notes: AuditCache,
        depends_on: str = "",
    ) -> None:
        """Prepare to search the draws that follow from `seed` for scenes that `survivors` fail.

        `evaluator_of` creates an evaluator when the search starts. Results in `notes` are reused
        while `depends_on` is unchanged.
        """
        self._evaluator_of: Final = evaluator_of
        self._survivors: Final = survivors
        self._seed: Final = seed
        self._notes: Final = notes
        dependencies = "\n".join((depends_on, *sorted(program.id for program in survivors)))
        # The result of a draw is valid only for the same survivors, so its key names them.
        digest = hashlib.sha256(dependencies.encode()).hexdigest()
        self._units: Final = [f"draw {number} for {digest}" for number in range(DRAWS)]

    @property
    def work(self) -> AuditWork:
        """The work of the search, one unit for each draw."""
        name = "proposals: draws searched"
        return AuditWork(part=AuditPart.PROPOSALS, name=name, units=self._units, do=self._search)

    @property
    def result(self) -> SceneSearch:
        """The combined result of all draws that were searched so far."""
        results = [self._notes[unit] for unit in self._units if unit in self._notes]
        return SceneSearch(
            killed_by={
                name: scene for result in results for name, scene in result.killed_by.items()
            },
            sessions=sum(result.sessions for result in results),
        )

    def _search(self, units: Sequence[str]) -> Results:
        """Search the draws of these `units`, and yield the result of each."""
        evaluator = self._evaluator_of()
        scenes = SettledScenes(evaluator, self._seed)
        for unit in units:
            killed = self.result.killed_by
            remaining = [program for program in self._survivors if program.id not in killed]
            # Without survivors nothing is drawn, because a draw runs the reference on each scene.
            number = self._units.index(unit)
            yield (
                unit,
                _search_draw(
                    evaluator,
                    scenes,
                    scenes.all_scenes_of_draw(number) if remaining else [],
                    remaining,
                ),
            )


def _search_draw(
    evaluator: Evaluator,
    scenes: SettledScenes,
    draw: Sequence[Document],
    programs: Sequence[WrongProgram],
) -> SceneSearch:
    """Return those of `programs` that fail a scene of the `draw`, each with a scene that it fails.

    Right solutions run only on scenes that a program fails. These scenes are few, and running right
    solutions on all scenes would take most of the time.
    """
    documents = {f"c{index}": document for index, document in enumerate(draw)}
    killed_by: dict[str, Document] = {}
    remaining = list(programs)
    while remaining and documents:
        results = evaluator.matrix(documents, remaining, enough=1)
        failed = [
            (
                program,
                next((name for name in documents if name in results[program.id].cases), None),
            )
            for program in remaining
        ]
        doubtful = {name: documents[name] for _, name in failed if name is not None}
        undisputed = scenes.undisputed(doubtful)
        remaining = []
        for program, name in failed:
            # Sessions share executors, so a failure might be due to another session: confirm it.
            if name in undisputed and evaluator.fails(program, undisputed[name]):
                killed_by[program.id] = undisputed[name]
            elif name is not None and undisputed.get(name) != doubtful[name]:
                remaining.append(program)
        documents = {
            name: document for name, document in documents.items() if name not in doubtful
        } | undisputed
    return SceneSearch(killed_by=killed_by, sessions=len(draw))
