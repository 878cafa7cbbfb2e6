"""Makes Yin-Yang scenes: for each clause at each place some that nothing else decides.

They stand in `scenes_yinyang`: `clauses.py` has what is asked, with the words of the text that
settle it, and `drawing.py` what scenes are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scenes_yinyang.clauses import CLAUSES, POINTS, TITLES
from scenes_yinyang.clearing import ClearingScenes
from scenes_yinyang.making import LONG, MakingScenes
from scenes_yinyang.solving import SolvingScenes

from grader.plugins.authoring.generating import (
    Draws,
    Generator,
    HiddenGroup,
    Scene,
    one_of_each_clause,
)

ANOTHER = "eerste = YinYang(3, [], []).maak_wit((0, 2)).maak_zwart((2, 0))"


class Scenes(MakingScenes, ClearingScenes, SolvingScenes):
    """The scenes of one draw, on boards that are large, or as small as they can be."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.shown()
        yield from self.made()
        yield from self.refused_puzzles()
        for colour in "wb":
            yield from self.coloured(colour)
            yield from self.refused_moves(colour)
        yield from self.cleared()
        yield from self.refused_clearing()
        yield from self.by_size(self.regions())
        yield from self.by_size(self.solved())


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small scenes, one of each clause after another puzzle was played, and one large."""
    small = [*Scenes(draws, small=True).all()]
    yield from small
    for scene in one_of_each_clause(small):
        if not scene.lines.rpartition("  # ")[2].startswith("YinYang"):
            yield replace(scene, lines=f"{ANOTHER}\n{scene.lines}")
    large = Scenes(draws, small=False, example=True).all()
    # Nobody can read what the long rows of moves do: some have a few moves, and are small.
    yield from one_of_each_clause(scene for scene in large if scene.topic != LONG)


GENERATOR = Generator(
    version=14,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=TITLES[name], points=points) for name, points in POINTS.items()
    ),
)
