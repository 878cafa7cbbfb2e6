"""Searches the scenes of the generator for ones that kill survivors, as proposals of an audit.

Each draw has some hundreds of scenes. They are tried in order, and a program that fails one of them
is not tried on the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from grader.plugins.authoring.auditing.notes import AuditNotes, AuditPart, AuditWork, Results
from grader.plugins.authoring.auditing.programs import WrongProgram
from grader.plugins.authoring.generating.drawing import SettledScenes
from grader.plugins.authoring.generating.evaluator import Document, Evaluator

DRAWS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneSearch:
    """The result of a search through a draw."""

    told: Mapping[str, Document]
    """By id of each program that failed: a small session that it fails."""
    sessions: int
    """The number of sessions tried on each of the others: all that reach its change."""


class SurvivorSearch:
    """Runs the survivors of an audit on scenes of further draws."""

    def __init__(
        self,
        evaluator_of: Callable[[], Evaluator],
        survivors: Sequence[WrongProgram],
        seed: str,
        notes: AuditNotes,
        depends_on: str = "",
    ) -> None:
        """Search, from `seed` on, for scenes that `survivors` fail; cache results in `notes`.

        Cached results are valid while `depends_on` is unchanged.
        """
        self._evaluator_of: Final = evaluator_of
        self._survivors: Final = survivors
        self._seed: Final = seed
        self._notes: Final = notes
        names = "\n".join((depends_on, *sorted(each.id for each in survivors)))
        whose = hashlib.sha256(names.encode()).hexdigest()
        self._units: Final = [f"draw {number} for {whose}" for number in range(DRAWS)]

    @property
    def work(self) -> AuditWork:
        """The work of the search."""
        called = "proposals: draws searched"
        return AuditWork(
            part=AuditPart.PROPOSALS, called=called, units=self._units, do=self._search
        )

    @property
    def found(self) -> SceneSearch:
        """The result so far."""
        known = [self._notes[unit] for unit in self._units if unit in self._notes]
        return SceneSearch(
            told={name: scene for each in known for name, scene in each.told.items()},
            sessions=sum(each.sessions for each in known),
        )

    def _search(self, units: Sequence[str]) -> Results:
        evaluator = self._evaluator_of()
        scenes = SettledScenes(evaluator, self._seed)
        for unit in units:
            told = self.found.told
            left = [program for program in self._survivors if program.id not in told]
            # Without survivors nothing is drawn, as a draw runs the reference on each scene.
            number = self._units.index(unit)
            yield (
                unit,
                _searched(evaluator, scenes, scenes.whole_draw(number) if left else [], left),
            )


def _searched(
    evaluator: Evaluator,
    scenes: SettledScenes,
    drawn: Sequence[Document],
    programs: Sequence[WrongProgram],
) -> SceneSearch:
    """Return which of `programs` fail one of the `drawn` scenes, and which one.

    Right solutions run only on scenes that a program fails: these are few, and running them on all
    would take most of the time.
    """
    made = {f"c{index}": each for index, each in enumerate(drawn)}
    told: dict[str, Document] = {}
    left = list(programs)
    while left and made:
        results = evaluator.matrix(made, left, enough=1)
        failed = [
            (each, next((name for name in made if name in results[each.id].cases), None))
            for each in left
        ]
        doubtful = {name: made[name] for _, name in failed if name is not None}
        agreed = scenes.agreed(doubtful)
        left = []
        for program, name in failed:
            # Sessions share executors, so a failure may come from another session: confirm it.
            if name in agreed and evaluator.fails(program, agreed[name]):
                told[program.id] = agreed[name]
            elif name is not None and agreed.get(name) != doubtful[name]:
                left.append(program)
        made = {name: each for name, each in made.items() if name not in doubtful} | agreed
    return SceneSearch(told=told, sessions=len(drawn))
