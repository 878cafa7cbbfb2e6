"""Draws values, and makes scenes of one clause of one function with them.

A question stands in a list with yes and no in it, in any order; an action stands in the line that
looks at what it did. Values are large, or as small as they can be.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from grader.plugins.authoring.generating import Draws, Scene

from .cells import Cell, Cells, chain, is_chained, literal, moved

USES = {
    "Position": ("Position",),
    "Block": ("Block",),
    "Board": ("Block", "Board"),
    "Game": ("Block", "Board", "Game"),
}
_T = TypeVar("_T")


def block(dots: Iterable[Cell]) -> str:
    """Return the call that makes a block, whose dots must be chained."""
    dots = list(dots)
    if not dots or not is_chained(dots):
        raise ValueError(f"these are no dots of a block: {dots}")
    return f"Block.make_block({literal(dots, 'set')})"


def dots_of(code: str) -> str:
    """Return what shows the dots of a block."""
    return f"sorted(Block.get_all_dot_positions({code}))"


def each(call: str, name: str, values: Iterable[object]) -> str:
    """Return a list of what `call` gives for each of the `values`."""
    return f"[{call} for {name} in [{', '.join(map(str, values))}]]"


class Drawing:
    """Draws values, and makes scenes of one clause with them."""

    module: str
    """The module that the scenes are about."""

    def __init__(self, draws: Draws, *, small: bool) -> None:
        """Draw from `draws`."""
        self.draws = draws
        self.small = small

    def ask(self, clause: str, *lines: str) -> Scene:
        """Return the scene of `lines`, of which the last one is a case of `clause`."""
        *before, asked = lines
        if not self.small:  # what has to be there first is one step, which is cheaper
            before = ["; ".join(before)] if before else []
        return Scene(
            topic=clause.partition(": ")[0],
            uses=USES[self.module],
            lines="\n".join([*before, f"{asked}  # {clause}"]),
        )

    def ask_again(
        self, clause: str, made: Iterable[str], question: str, changes: Iterable[str]
    ) -> Scene:
        """Return a scene that asks the same of what was `made` and after each of the changes.

        In a small one each answer has a line of its own.
        """
        if self.small:
            asked = [line for change in changes for line in (f"{question}  # {clause}", change)]
            return self.ask(clause, *made, *asked, question)
        later = (f"[{change}] and {question}" for change in changes)
        return self.ask(clause, *made, f"[{', '.join([question, *later])}]")

    def some(self, items: Iterable[_T], large: int, small: int = 1) -> list[_T]:
        """Return so many of `items`, in any order."""
        return self.draws.some(items, small if self.small else large)

    def mixed(self, yes: Iterable[_T], no: Iterable[_T], large: int = 3) -> list[_T]:
        """Return some of both, in any order."""
        return self.draws.shuffled([*self.some(yes, large), *self.some(no, large)])

    def cell(self) -> Cell:
        """Return a position anywhere in the plane."""
        return self.draws.between(-9, 9), self.draws.between(-9, 9)

    def chain(self, large: int, small: int = 3) -> Cells:
        """Return a chain somewhere in the plane."""
        return moved(chain(self.draws, small if self.small else large), self.cell())
