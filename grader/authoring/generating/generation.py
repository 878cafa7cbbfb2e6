"""From a generator to a hidden suite: scenes, without what right solutions dispute, and more.

1.  The scenes of a first draw are all kept. What a right solution does not pass is not asked.
2.  Wrong programs are tried on them: mutants of the reference and of right solutions, and those at
    hand. For those that pass all, or all of another draw that a student may get instead, scenes of
    further draws are added that they fail.
3.  Scenes on the same modules are laid together to sessions. Each of the first has an alternative
    from another draw, with the same clauses in the same order. A student gets one of both.
4.  Small scenes of still other draws are the siblings: they are shown to who fails a clause.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Any, Final

from grader.authoring.generating.evaluator import Document, Evaluator
from grader.authoring.generating.scenes import Draws, Scene
from grader.errors import SuiteError

_STEPS_IN_SESSION: Final = 45
_ALTERNATIVES: Final = 2
_LEAST_CASES: Final = 2
"""Of a clause."""
_FURTHER_DRAWS: Final = 4
_MOST_ADDED: Final = 40
"""Scenes, for wrong programs that pass all others."""
_DRAWS_OF_SIBLINGS: Final = 4
_SIBLINGS_OF_CLAUSE: Final = 4
MAX_SIBLINGS: Final = 480
_OF_ACTIONS: Final = frozenset({"do", "same_as", "group", "clause"})
"""Keys of steps that are actions when nothing else is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispute:
    """A case that is not asked, since a right solution does not pass it."""

    clause: str
    code: str
    solution: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResult:
    """The result of generating."""

    slots: tuple[tuple[Document, ...], ...]
    """Sessions, each with the alternatives to it."""
    siblings: tuple[Document, ...]
    disputes: tuple[Dispute, ...]
    survivors: tuple[str, ...]
    """The wrong programs that pass all of one of the draws, and what was added."""
    programs: int
    thin: tuple[str, ...]
    """Clauses with fewer than two cases."""
    unshown: tuple[str, ...]
    """Clauses without a sibling."""

    @property
    def cases(self) -> int:
        """How many cases a student faces."""
        return sum(_counts(slot[0] for slot in self.slots).values())


def generate(evaluator: Evaluator, seed: str) -> GenerationResult:
    """Return the sessions and siblings for `seed`. Raises `SuiteError`."""
    drawn = _Scenes(evaluator, seed)
    alternatives = drawn.scored()
    added, survivors = _added(evaluator, drawn, alternatives)
    slots = [*_laid_together(alternatives), *_laid_together([added])]
    scored = [document for slot in slots for document in slot]
    counts = _counts(slot[0] for slot in slots)
    siblings = _few(drawn.examples(), scored)
    shown = _counts(siblings)
    return GenerationResult(
        slots=tuple(slots),
        siblings=tuple(siblings),
        disputes=tuple(drawn.disputes),
        survivors=survivors,
        programs=len(evaluator.programs),
        thin=tuple(each for each in evaluator.generator.clauses if counts[each] < _LEAST_CASES),
        unshown=tuple(each for each in evaluator.generator.clauses if not shown[each]),
    )


def proposals(evaluator: Evaluator, seed: str) -> dict[str, Document]:
    """Return the smallest scene that each of the programs of `evaluator` fails, if there is one."""
    drawn = _Scenes(evaluator, seed)
    smallest = sorted([*chain(*drawn.examples()), *drawn.further()], key=_size)
    made = {f"c{number}": document for number, document in enumerate(smallest)}
    matrix = evaluator.matrix(made, evaluator.programs)
    found = {}
    for program, result in matrix.items():
        name = next((name for name in made if name in result.cases), None)
        if name is not None:
            found[program] = made[name]
    return found


class _Scenes:
    """The scenes of an exercise, as sessions that right solutions agree on."""

    def __init__(self, evaluator: Evaluator, seed: str) -> None:
        self._evaluator: Final = evaluator
        self._seed: Final = f"{seed}:{evaluator.generator.version}"
        self.disputes: Final[list[Dispute]] = []

    def scored(self) -> list[list[Document]]:
        """Return the scenes that count, and the same of other draws.

        They ask the same: what is disputed in one of them is asked in none. Where a draw asks
        something else, the scene stands for itself there too.
        """
        draws = [self._drawn(f"scored:{number}") for number in range(_ALTERNATIVES)]
        if len({len(scenes) for scenes in draws}) > 1:
            raise SuiteError(
                "the generator makes more scenes of one draw than of another",
                help="make the same scenes each time, of other boards and numbers",
            )
        alike = [
            [one if _shape(one) == _shape(first) else first for one in same]
            for first, *others in zip(*draws, strict=True)
            for same in [[first, *others]]
        ]
        kept = self._settled(alike)
        if not kept:
            raise SuiteError(
                "right solutions agree on no case that the generator makes",
                help="let its scenes have cases, and ask what the spec settles",
            )
        return [list(each) for each in zip(*kept, strict=True)]

    def _settled(self, alike: Sequence[Sequence[Document]]) -> list[Sequence[Document]]:
        """Return what is left of scenes, each with the same ones, when nothing in it is disputed.

        What is left is tried again: a line may have built on one that is not there any more.
        """
        kept = doubtful = {place: same for place, same in enumerate(alike) if _has_case(same[0])}
        while doubtful:
            named = {
                f"c{place}-{number}": one
                for place, same in doubtful.items()
                for number, one in enumerate(same)
            }
            left = {}
            disputed = self._disputed(named)
            for place, same in doubtful.items():
                steps = {at for n in range(len(same)) for at in disputed.get(f"c{place}-{n}", ())}
                if steps:
                    left[place] = _without(same, steps)
            kept = {place: same for place, same in (kept | left).items() if _has_case(same[0])}
            doubtful = {place: kept[place] for place in left if place in kept}
        return list(kept.values())

    def further(self) -> list[Document]:
        """Return scenes of other draws, from which some may be added."""
        made = [
            each for number in range(_FURTHER_DRAWS) for each in self._drawn(f"further:{number}")
        ]
        return self._agreed(made)

    def examples(self) -> list[list[Document]]:
        """Return the small scenes of each of some draws, asking what right solutions agree on."""
        draws = (Draws(f"{self._seed}:example:{number}") for number in range(_DRAWS_OF_SIBLINGS))
        made = map(self._evaluator.generator.examples, draws)
        return [self._agreed(self._documents(scenes)) for scenes in made]

    def _drawn(self, name: str) -> list[Document]:
        return self._documents(self._evaluator.generator.scenes(Draws(f"{self._seed}:{name}")))

    def _documents(self, scenes: Iterable[Scene]) -> list[Document]:
        return [self._evaluator.oracle.session(scene) for scene in scenes]

    def _agreed(self, documents: Sequence[Document]) -> list[Document]:
        """Return those of `documents` that no right solution disputes, each once."""
        once = {repr(each["steps"]): each for each in documents}
        named = {f"c{number}": each for number, each in enumerate(once.values())}
        disputed = self._disputed(named)
        return [each for name, each in named.items() if name not in disputed]

    def _disputed(self, named: Mapping[str, Document]) -> dict[str, dict[int, str]]:
        disputed = self._evaluator.disputed(named)
        for name, steps in disputed.items():
            for index, solution in steps.items():
                step = named[name]["steps"][index]
                self.disputes.append(
                    Dispute(clause=step["clause"], code=step["do"], solution=solution)
                )
        return disputed


def _added(
    evaluator: Evaluator, drawn: _Scenes, alternatives: Sequence[Sequence[Document]]
) -> tuple[list[Document], tuple[str, ...]]:
    """Return scenes for wrong programs that pass all of one draw, and who passes these too.

    Whoever gets that draw must not have more luck than others.
    """
    left: set[str] = set()
    for scenes in alternatives:
        named = {f"c{number}": document for number, document in enumerate(scenes)}
        asked = [each for each in evaluator.programs if each.id not in left]
        tried = evaluator.matrix(named, asked, enough=1)
        left.update(program.id for program in asked if not tried[program.id].killed)
    if not left:
        return [], ()
    made = {f"c{number}": document for number, document in enumerate(drawn.further())}
    matrix = evaluator.matrix(made, [each for each in evaluator.programs if each.id in left])
    killed = {
        name: {program for program, result in matrix.items() if name in result.cases}
        for name in made
    }
    added: list[Document] = []
    while made and len(added) < _MOST_ADDED:
        best = max(made, key=lambda name: len(killed[name] & left))
        if not killed[best] & left:
            break
        left -= killed[best]
        added.append(made[best])
    return added, tuple(sorted(left))


def _laid_together(alternatives: Sequence[Sequence[Document]]) -> Iterator[tuple[Document, ...]]:
    """Yield sessions of scenes that follow each other, each with its alternatives."""
    place = 0
    for _, group in groupby(alternatives[0], key=_setting):
        for count in _cut([len(each["steps"]) for each in group]):
            parts = [each[place : place + count] for each in alternatives]
            together = [_together(each) for each in parts]
            yield tuple({repr(each["steps"]): each for each in together}.values())
            place += count


def _cut(sizes: Sequence[int]) -> Iterator[int]:
    """Yield how many of these scenes, in order, make a session; none is torn apart."""
    count = steps = 0
    for size in sizes:
        if count and steps + size > _STEPS_IN_SESSION:
            yield count
            count = steps = 0
        count, steps = count + 1, steps + size
    if count:
        yield count


def _together(scenes: Sequence[Document]) -> Document:
    return {**scenes[0], "steps": [step for scene in scenes for step in scene["steps"]]}


def _setting(document: Document) -> tuple[Any, ...]:
    """Return what sessions have in common that can be laid together."""
    return tuple(repr(document.get(key)) for key in ("uses", "stand_ins", "observers"))


def _shape(document: Document) -> tuple[Any, ...]:
    """Return what alternatives have in common."""
    asked = [(step.get("clause"), "raises" in step) for step in document["steps"]]
    return *_setting(document), asked


def _has_case(document: Document) -> bool:
    return any("group" in step for step in document["steps"])


def _without(same: Sequence[Document], disputed: Collection[int]) -> list[Document]:
    """Return scenes of the `same` shape without what is `disputed`.

    What later lines build on, such as an assignment, stays and asks nothing.
    """
    acts = {at for at in disputed if any(one["steps"][at].keys() <= _OF_ACTIONS for one in same)}
    return [
        {
            **one,
            "steps": [
                {"do": step["do"]} if at in acts else step
                for at, step in enumerate(one["steps"])
                if at in acts or at not in disputed
            ],
        }
        for one in same
    ]


def _counts(documents: Iterable[Document]) -> Counter[str]:
    """Return how many cases of each clause there are in `documents`."""
    steps = (step for document in documents for step in document["steps"])
    return Counter(step["clause"] for step in steps if "clause" in step)


def _few(draws: Iterable[Sequence[Document]], scored: Sequence[Document]) -> list[Document]:
    """Return small scenes, the smallest first, none of which is `scored`.

    There is room for one of each clause. The first of the `draws` has one for each that counts, and
    is taken whole; of the others is taken what clauses still lack.
    """
    asked = [frozenset(step["do"] for step in each["steps"]) for each in scored]
    taken: dict[tuple[str, ...], Document] = {}
    counts: Counter[str] = Counter()
    first, *others = draws
    every = [*first, *chain(*others)]
    for documents, enough in ((every, 1), (first, math.inf), (every, _SIBLINGS_OF_CLAUSE)):
        for document in documents:
            codes = tuple(step["do"] for step in document["steps"])
            is_new = codes not in taken and not any(one.issuperset(codes) for one in asked)
            clauses = _counts([document])
            lacks = any(counts[each] < enough for each in clauses)
            if is_new and lacks and len(taken) < MAX_SIBLINGS:
                taken[codes] = document
                counts.update(clauses.keys())
    return sorted(taken.values(), key=_size)


def _size(document: Document) -> tuple[int, int]:
    return len(document["steps"]), sum(len(step["do"]) for step in document["steps"])
