"""From a generator to a hidden suite: scenes, without what right solutions dispute, and more.

1.  The scenes of a first draw are all kept. What a right solution does not pass is not asked.
2.  Wrong programs are tried on them: mutants of the reference and of right solutions, and those at
    hand. For those that pass all, or all of another draw that a student may get instead, scenes of
    further draws are added that they fail.
3.  Scenes on the same modules are laid together to sessions. Each of the first has an alternative
    from another draw, with the same clauses in the same order. A student gets one of both.
4.  Small scenes of still other draws are the siblings: they are shown to who fails a clause.

What their cases need besides, to be tried alone, is found by
`grader.plugins.authoring.generating.proving`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Final

from grader.plugins.authoring.generating.drawing import Dispute, SettledScenes, setting_of, size_of
from grader.plugins.authoring.generating.evaluator import Document, Evaluator

_STEPS_IN_SESSION: Final = 45
_LEAST_CASES: Final = 2
"""Of a clause."""
_MOST_ADDED: Final = 40
"""Scenes, for wrong programs that pass all others."""
_SIBLINGS_OF_CLAUSE: Final = 4
MAX_SIBLINGS: Final = 560


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
    clauses: tuple[str, ...]
    """Those of the generator."""

    @property
    def cases(self) -> int:
        """How many cases a student faces."""
        return sum(_counts(slot[0] for slot in self.slots).values())

    @property
    def thin(self) -> tuple[str, ...]:
        """Clauses with fewer than two cases."""
        counts = _counts(slot[0] for slot in self.slots)
        return tuple(each for each in self.clauses if counts[each] < _LEAST_CASES)

    @property
    def unshown(self) -> tuple[str, ...]:
        """Clauses without a sibling."""
        shown = _counts(self.siblings)
        return tuple(each for each in self.clauses if not shown[each])


def generate(evaluator: Evaluator, seed: str) -> GenerationResult:
    """Return the sessions and siblings for `seed`. Raises `SuiteError`."""
    drawn = SettledScenes(evaluator, seed)
    alternatives = drawn.scored()
    added, survivors = _added(evaluator, drawn, alternatives)
    slots = [*_laid_together(alternatives), *_laid_together([added])]
    scored = [document for slot in slots for document in slot]
    return GenerationResult(
        slots=tuple(slots),
        siblings=tuple(_few(drawn.examples(), scored)),
        disputes=tuple(drawn.disputes),
        survivors=survivors,
        programs=len(evaluator.programs),
        clauses=tuple(evaluator.generator.clauses),
    )


def _added(
    evaluator: Evaluator, drawn: SettledScenes, alternatives: Sequence[Sequence[Document]]
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
    for _, group in groupby(alternatives[0], key=setting_of):
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
    return sorted(taken.values(), key=size_of)
