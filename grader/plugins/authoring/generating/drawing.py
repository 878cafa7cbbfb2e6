"""Draws the scenes of an exercise, and relaxes or drops the cases that right solutions fail."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.errors import SuiteError
from grader.plugins.authoring.generating.evaluator import NO_CASE, NO_CASE_HELP, Document, Evaluator
from grader.plugins.authoring.generating.relaxing import relaxed_variants
from grader.plugins.authoring.generating.scenes import Draws, Scene
from grader.values.foreign_text import one_line

_FURTHER_DRAWS: Final = 4
_SIBLING_DRAWS: Final = 4
_ACTION_KEYS: Final = frozenset({"do", "same_as", "group", "clause"})
"""The keys that an action can have: a step with no other keys is an action."""
_MAX_SHARE: Final = 0.25
"""The largest share of a limit that a right solution can use in a case that is kept, because other
right solutions might be slower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A case that a right solution fails. The case is dropped or compared less strictly."""

    clause: str
    code: str
    solution: str | None
    """The name of the solution that fails the case. None means the reference, which passes the case
    only after other cases and fails it in the case's own session."""
    is_kept: bool = False
    """Whether the case is kept and compared less strictly."""
    share: float = 0.0
    """The share of a limit that the solution uses for the scene, if that is too much."""


class SettledScenes:
    """The scenes of an exercise as sessions, without the cases that right solutions fail.

    Every method that runs scenes adds to the disputes.
    """

    def __init__(self, evaluator: Evaluator, seed: str) -> None:
        self._evaluator: Final = evaluator
        # A new version of the generator draws new scenes.
        self._seed: Final = f"{seed}:{evaluator.generator.version}"
        self._disputes: Final[dict[tuple[str, str], Dispute]] = {}
        self._too_costly: Final[dict[tuple[str, str], float]] = {}

    @property
    def disputes(self) -> Sequence[Dispute]:
        """The disputes found so far, and how each was settled."""
        return tuple(self._disputes.values())

    def scored_scenes(self) -> list[Document]:
        """Return the scored scenes without disputed cases. Raises `SuiteError` if none is left."""
        scenes = self._settle(self._draw("scored"))
        if not scenes:
            dispute = next((each for each in self.disputes if not each.is_kept), None)
            if dispute is None:
                raise SuiteError(NO_CASE, help=NO_CASE_HELP)
            problem = "comes too close to a limit in" if dispute.share else "fails"
            raise SuiteError(
                "the generator draws no case that all right solutions pass: for example,"
                f" {dispute.solution} {problem} {one_line(dispute.code)}",
                help="in generator.py, draw scenes whose answers the spec determines",
            )
        return scenes

    def _settle(self, documents: Sequence[Document]) -> list[Document]:
        """Return `documents` with disputed cases relaxed or dropped.

        Scenes without a remaining case are dropped. Changed scenes are run again, because a line
        can depend on a dropped one.
        """
        documents_by_id = {
            f"c{number}": document
            for number, document in enumerate(documents)
            if has_case(document)
        }
        scenes, pending = documents_by_id, documents_by_id
        while pending:
            disputed = self._find_disputed(pending)
            resolved = {
                scene_id: self._resolve(scenes[scene_id], steps)
                for scene_id, steps in disputed.items()
            }
            scenes = {
                scene_id: document
                for scene_id, document in (scenes | resolved).items()
                if has_case(document)
            }
            pending = {scene_id: scenes[scene_id] for scene_id in resolved if scene_id in scenes}
        return list(scenes.values())

    def further_scenes(self) -> list[Document]:
        """Return the undisputed scenes of further draws, as candidates to add."""
        documents = [
            document
            for number in range(_FURTHER_DRAWS)
            for document in self._draw(f"further:{number}")
        ]
        return self._undisputed_documents(documents)

    def examples(self) -> list[list[Document]]:
        """Return the undisputed small scenes of several draws, one list per draw."""
        draws = (Draws(f"{self._seed}:example:{number}") for number in range(_SIBLING_DRAWS))
        scenes_by_draw = map(self._evaluator.generator.examples, draws)
        return [self._undisputed_documents(self._documents(scenes)) for scenes in scenes_by_draw]

    def all_scenes_of_draw(self, number: int) -> list[Document]:
        """Return all scenes of the draw `number`, including disputed ones, without duplicates.

        Examples come before scored scenes, because scored scenes can overwrite files that an
        example reads. The examples are ordered by size, and so are the scored scenes.
        """
        name = f"search:{number}"
        small_scenes = self._evaluator.generator.examples(Draws(f"{self._seed}:{name}:example"))
        document_lists = self._documents(small_scenes), self._draw(name)
        return _deduplicate(
            document for documents in document_lists for document in sorted(documents, key=size_key)
        )

    def _draw(self, name: str) -> list[Document]:
        return self._documents(self._evaluator.generator.scenes(Draws(f"{self._seed}:{name}")))

    def _documents(self, scenes: Iterable[Scene]) -> list[Document]:
        return [self._evaluator.oracle.session(scene) for scene in scenes]

    def _undisputed_documents(self, documents: Sequence[Document]) -> list[Document]:
        """Return the undisputed `documents`, without duplicates."""
        documents_by_id = {
            f"c{number}": document for number, document in enumerate(_deduplicate(documents))
        }
        undisputed_by_id = self.undisputed(documents_by_id)
        # `undisputed` moves relaxed scenes to the end, so restore the order.
        return [
            undisputed_by_id[scene_id]
            for scene_id in documents_by_id
            if scene_id in undisputed_by_id
        ]

    def undisputed(self, documents_by_id: Mapping[str, Document]) -> dict[str, Document]:
        """Return the undisputed scenes, some of them compared less strictly, keyed by id.

        A scene from which a case would have to be dropped is omitted.
        """
        scenes, pending = dict(documents_by_id), dict(documents_by_id)
        while pending:
            disputed = self._find_disputed(pending)
            resolved = {
                scene_id: self._resolve(scenes[scene_id], steps)
                for scene_id, steps in disputed.items()
            }
            pending = {
                scene_id: document
                for scene_id, document in resolved.items()
                if len(document["steps"]) == len(scenes[scene_id]["steps"])
                and all("group" in document["steps"][index] for index in disputed[scene_id])
            }
            scenes = {
                scene_id: document
                for scene_id, document in scenes.items()
                if scene_id not in disputed
            } | pending
        return scenes

    def _find_disputed(self, scenes: Mapping[str, Document]) -> Mapping[str, Mapping[int, str]]:
        """Run the right solutions and return the disputed steps of each of the `scenes`.

        Each step index maps to the name of a right solution that fails the step. If a right
        solution uses too much of a limit, all cases of the scene are disputed, and the share is
        recorded so that `_resolve` drops these cases.
        """
        results = self._evaluator.try_right_solutions(scenes)
        costly = {}
        for scene_id, (share, solution) in results.shares.items():
            if share > _MAX_SHARE:
                steps = scenes[scene_id]["steps"]
                case_indexes = [index for index, step in enumerate(steps) if "group" in step]
                costly[scene_id] = dict.fromkeys(case_indexes, solution)
                for index in case_indexes:
                    step = steps[index]
                    # `_resolve` drops these cases: relaxing a case does not make it cheaper.
                    self._too_costly[step["clause"], step["do"]] = share
        return {**results.disputed, **costly}

    def _resolve(self, scene: Document, disputed: Mapping[int, str]) -> Document:
        """Return `scene` with its `disputed` steps relaxed or dropped, and record the disputes.

        `disputed` maps step indexes to the names of the right solutions that fail them.
        """
        dropped = set()
        for index, solution in disputed.items():
            step = scene["steps"][index]
            share = self._too_costly.get((step["clause"], step["do"]), 0.0)
            # Only one degree per call: the scene is run again before it is relaxed further.
            relaxed = None if share else next(relaxed_variants(step), None)
            if relaxed is None:
                dropped.add(index)
            else:
                steps = scene["steps"]
                scene = {**scene, "steps": [*steps[:index], relaxed, *steps[index + 1 :]]}
            clause, code = step["clause"], step["do"]
            self._disputes[clause, code] = Dispute(
                clause=clause,
                code=code,
                solution=solution,
                is_kept=relaxed is not None,
                share=share,
            )
        return without_cases(scene, dropped) if dropped else scene


def _deduplicate(documents: Iterable[Document]) -> list[Document]:
    # By `repr`, because dicts are not hashable.
    return list({repr(document["steps"]): document for document in documents}.values())


def setup_key(document: Document) -> tuple[Any, ...]:
    """Return a key for the set-up of a session. Sessions with equal keys can be joined."""
    # By `repr`, because lists are not hashable.
    return tuple(repr(document.get(key)) for key in ("uses", "stand_ins", "observers"))


def has_case(document: Document) -> bool:
    """Return whether `document` has a case."""
    return any("group" in step for step in document["steps"])


def without_cases(scene: Document, disputed: Collection[int]) -> Document:
    """Return `scene` without its cases at the indexes `disputed`.

    Actions such as assignments stay as set-up, because later lines can depend on them.
    """
    steps = scene["steps"]
    actions = {index for index in disputed if _is_action(steps[index])}
    return {
        **scene,
        "steps": [
            {key: step[key] for key in ("do", "always") if key in step}
            if index in actions
            else step
            for index, step in enumerate(steps)
            if index in actions or index not in disputed
        ],
    }


def _is_action(step: Mapping[str, Any]) -> bool:
    return step.keys() <= _ACTION_KEYS or "action" in step or "always" in step


def size_key(document: Document) -> tuple[int, int]:
    """Return a sort key: the number of steps, and the number of characters in them."""
    return len(document["steps"]), sum(len(step["do"]) for step in document["steps"])
