"""Draws the scenes of an exercise, and relaxes or drops cases that right solutions dispute."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.errors import SuiteError
from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.relaxing import less_strict
from grader.plugins.authoring.generating.scenes import Draws, Scene

_FURTHER_DRAWS: Final = 4
_DRAWS_OF_SIBLINGS: Final = 4
_KEYS_OF_ACTIONS: Final = frozenset({"do", "same_as", "group", "clause"})
"""Steps with no other keys are actions."""
_MAX_SHARE: Final = 0.25
"""The largest share of a limit that a right solution may need: other right ones may be slower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A case that a right solution fails: it is dropped, or compared less strictly."""

    clause: str
    code: str
    solution: str | None
    """None for the reference, which passes it, but not in a session of its own."""
    is_asked: bool = False
    """Whether it is kept, compared less strictly."""
    share: float = 0.0
    """The share of a limit that the solution needs for its scene, if that is too much."""


class SettledScenes:
    """The scenes of an exercise, as sessions that right solutions agree on."""

    def __init__(self, evaluator: Evaluator, seed: str) -> None:
        self._evaluator: Final = evaluator
        # A new version of the generator draws new scenes.
        self._seed: Final = f"{seed}:{evaluator.generator.version}"
        self._disputes: Final[dict[tuple[str, str], Dispute]] = {}
        self._too_costly: Final[dict[tuple[str, str], float]] = {}

    @property
    def disputes(self) -> Sequence[Dispute]:
        """The disputes so far, with how they were settled."""
        return tuple(self._disputes.values())

    def scored(self) -> list[Document]:
        """Return the scenes that count, without disputed cases."""
        kept = self._settled(self._drawn("scored"))
        if not kept:
            raise SuiteError(
                "every case that the generator makes fails for some right solution",
                help="draw scenes with cases that the spec decides",
            )
        return kept

    def _settled(self, documents: Sequence[Document]) -> list[Document]:
        """Return the scenes without disputed cases, and without scenes that have no case left.

        Changed scenes are tried again: a line may have needed one that is gone.
        """
        named = {f"c{place}": each for place, each in enumerate(documents) if has_case(each)}
        kept, doubtful = named, named
        while doubtful:
            disputed = self._disputed(doubtful)
            left = {name: self._undisputed(kept[name], steps) for name, steps in disputed.items()}
            kept = {name: each for name, each in (kept | left).items() if has_case(each)}
            doubtful = {name: kept[name] for name in left if name in kept}
        return list(kept.values())

    def further(self) -> list[Document]:
        """Return scenes of other draws, from which some may be added."""
        made = [
            each for number in range(_FURTHER_DRAWS) for each in self._drawn(f"further:{number}")
        ]
        return self._agreed(made)

    def examples(self) -> list[list[Document]]:
        """Return the undisputed small scenes of some draws."""
        draws = (Draws(f"{self._seed}:example:{number}") for number in range(_DRAWS_OF_SIBLINGS))
        made = map(self._evaluator.generator.examples, draws)
        return [self._agreed(self._documents(scenes)) for scenes in made]

    def whole_draw(self, number: int) -> list[Document]:
        """Return all scenes of one more draw, each once, disputed ones too.

        Examples come first, as scored scenes may overwrite files that an example reads; the
        smallest ones first.
        """
        name = f"search:{number}"
        small = self._evaluator.generator.examples(Draws(f"{self._seed}:{name}:example"))
        both = self._documents(small), self._drawn(name)
        return _once(each for kind in both for each in sorted(kind, key=size_of))

    def _drawn(self, name: str) -> list[Document]:
        return self._documents(self._evaluator.generator.scenes(Draws(f"{self._seed}:{name}")))

    def _documents(self, scenes: Iterable[Scene]) -> list[Document]:
        return [self._evaluator.oracle.session(scene) for scene in scenes]

    def _agreed(self, documents: Sequence[Document]) -> list[Document]:
        """Return the undisputed `documents`, each once."""
        named = {f"c{number}": each for number, each in enumerate(_once(documents))}
        agreed = self.agreed(named)
        return [agreed[name] for name in named if name in agreed]

    def agreed(self, named: Mapping[str, Document]) -> dict[str, Document]:
        """Return the undisputed `named` scenes, some of them compared less strictly."""
        kept, doubtful = dict(named), dict(named)
        while doubtful:
            found = self._disputed(doubtful)
            left = {name: self._undisputed(kept[name], steps) for name, steps in found.items()}
            doubtful = {
                name: document
                for name, document in left.items()
                if len(document["steps"]) == len(kept[name]["steps"])
                and all("group" in document["steps"][at] for at in found[name])
            }
            kept = {name: one for name, one in kept.items() if name not in found} | doubtful
        return kept

    def _disputed(self, scenes: Mapping[str, Document]) -> Mapping[str, Mapping[int, str]]:
        """Return the disputed steps of `scenes`, each with the right solution that fails it.

        All cases of a scene are disputed if a right solution needs too much of a limit.
        """
        tried = self._evaluator.tried(scenes)
        costly = {}
        for name, (share, solution) in tried.shares.items():
            if share > _MAX_SHARE:
                cases = [at for at, step in enumerate(scenes[name]["steps"]) if "group" in step]
                costly[name] = dict.fromkeys(cases, solution)
                for at in cases:
                    step = scenes[name]["steps"][at]
                    # Relaxing a case makes it no cheaper: `_undisputed` drops it.
                    self._too_costly[step["clause"], step["do"]] = share
        return {**tried.disputed, **costly}

    def _undisputed(self, scene: Document, disputed: Mapping[int, str]) -> Document:
        """Return `scene` with `disputed` steps relaxed or dropped; these map to the solution."""
        gone = set()
        for at, solution in disputed.items():
            step = scene["steps"][at]
            share = self._too_costly.get((step["clause"], step["do"]), 0.0)
            relaxed = None if share else next(less_strict(step), None)
            if relaxed is None:
                gone.add(at)
            else:
                steps = scene["steps"]
                scene = {**scene, "steps": [*steps[:at], relaxed, *steps[at + 1 :]]}
            clause, code = step["clause"], step["do"]
            self._disputes[clause, code] = Dispute(
                clause=clause,
                code=code,
                solution=solution,
                is_asked=relaxed is not None,
                share=share,
            )
        return without(scene, gone) if gone else scene


def _once(documents: Iterable[Document]) -> list[Document]:
    # By `repr`, since dicts cannot be hashed.
    return list({repr(each["steps"]): each for each in documents}.values())


def setting_of(document: Document) -> tuple[Any, ...]:
    """Return a key: sessions with the same key can be joined."""
    # By `repr`, since lists cannot be hashed.
    return tuple(repr(document.get(key)) for key in ("uses", "stand_ins", "observers"))


def has_case(document: Document) -> bool:
    """Return whether `document` has a case."""
    return any("group" in step for step in document["steps"])


def without(scene: Document, disputed: Collection[int]) -> Document:
    """Return `scene` without `disputed` cases.

    Actions, such as assignments, stay as set-up, since later lines need them.
    """
    steps = scene["steps"]
    acts = {at for at in disputed if _acts(steps[at])}
    return {
        **scene,
        "steps": [
            {key: step[key] for key in ("do", "always") if key in step} if at in acts else step
            for at, step in enumerate(steps)
            if at in acts or at not in disputed
        ],
    }


def _acts(step: Mapping[str, Any]) -> bool:
    return step.keys() <= _KEYS_OF_ACTIONS or "action" in step or "always" in step


def size_of(document: Document) -> tuple[int, int]:
    """Return a sort key: the number of steps, and of their characters."""
    return len(document["steps"]), sum(len(step["do"]) for step in document["steps"])
