"""Scenes about cells that are made empty, or that must not be."""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.generating import Scene

from .boards import OTHER, corners, sparse, window
from .clauses import METHODS
from .colouring import ColouringScenes
from .drawing import attempt, puzzle


class ClearingScenes(ColouringScenes):
    """The scenes about `maak_leeg`."""

    def cleared(self) -> Iterator[Scene]:
        """Yield cells that are made empty again."""
        for colour in "wb":
            size, board, cell = self.free_usual(colour)
            yield self.scene(
                "Een vakje terug leeg maken",
                f"puzzel = {puzzle(size, board)}",
                f"puzzel.{METHODS[colour]}({cell})",
                f"puzzel.maak_leeg({cell})",
                f"{self.look()}  # maak_leeg: leegt",
            )
            size = self.usual()
            one, other = corners(size)[::3] if colour == "w" else corners(size)[::-3]
            yield self.scene(
                "Het eerste van twee vakjes leeg maken",
                f"puzzel = {puzzle(size, {})}",
                f"puzzel.{METHODS[colour]}({one})",
                f"puzzel.{METHODS[colour]}({other})",
                f"puzzel.maak_leeg({one})",
                f"{self.look()}  # maak_leeg: leegt",
            )
        yield from self.cleared_itself()
        for colour in "wb":
            yield from self.coloured_again(colour)

    def cleared_itself(self) -> Iterator[Scene]:
        """Yield what is given back, also where positions meet that have no separator."""
        topic = "Een methode die de puzzel zelf teruggeeft"
        size, board, cell = self.free_usual("b")
        start = (f"puzzel = {puzzle(size, board)}", f"puzzel.maak_zwart({cell})")
        yield self.scene(topic, *start, f"puzzel.maak_leeg({cell})  # maak_leeg: zichzelf")
        size, *mixed = self.mixed_up()
        one, other = self.draws.shuffled(mixed[:2])
        yield self.scene(
            topic,
            f"puzzel = {puzzle(size, {})}",
            f"puzzel.maak_wit({one})",
            f"puzzel.maak_zwart({other})",
            f"puzzel.maak_leeg({one})  # maak_leeg: zichzelf",
            f"puzzel.maak_leeg({other})  # maak_leeg: zichzelf",
        )

    def coloured_again(self, colour: str) -> Iterator[Scene]:
        """Yield cells that get a colour after one was made empty."""
        method, size = METHODS[colour], self.usual()
        # Who looks for a square on one side only is told by one of both corners.
        three, last = window(self.draws, size, colour, 3 if colour == "w" else 0)
        cells = list(three)
        yield self.scene(
            "Kleuren nadat een vakje leeg gemaakt werd",
            f"puzzel = {puzzle(size, dict.fromkeys(cells[:2], colour))}",
            f"puzzel.{method}({cells[2]})",
            attempt(f"puzzel.{method}({last})"),
            f"puzzel.maak_leeg({cells[2]})",
            f"puzzel.{method}({last})",
            f"{self.look()}  # maak_leeg: daarna",
        )
        size, _, cell = self.free_usual(colour)
        yield self.scene(
            "Een vakje opnieuw kleuren",
            f"puzzel = {puzzle(size, {})}",
            f"puzzel.{METHODS[OTHER[colour]]}({cell})",
            f"puzzel.maak_leeg({cell})",
            f"puzzel.{method}({cell})",
            f"{self.look()}  # maak_leeg: daarna",
        )

    def refused_clearing(self) -> Iterator[Scene]:
        """Yield cells that must not be made empty, each for one reason."""
        method = "maak_leeg"
        yield from self.outside(method)
        for colour in "wb":
            size, board, cell = self.free(colour)
            move = f"maak_leeg({cell})"
            first = (f"puzzel.{METHODS[colour]}({cell})", f"puzzel.{move}")
            yield self.refusal(size, board, "maak_leeg: vakje is leeg", move, *first)
            yield self.refusal(size, board, "maak_leeg: vakje is leeg", move)
            given = sparse({cell: colour}, board)
            another = f"tweede = {puzzle(size, {})}"
            yield self.refusal(size, given, "maak_leeg: opgave", move, another)
            other = next(each for each in corners(size) if each != cell)
            undone = (f"puzzel.maak_wit({other})", f"puzzel.maak_leeg({other})")
            yield self.refusal(size, {cell: colour}, "maak_leeg: opgave", move, *undone)
            yield self.unchanged(size, given, method, cell)
        # What is refused is not remembered either, as if the cell had been coloured.
        taken = attempt(f"puzzel.maak_wit({cell})")
        yield self.refusal(size, given, "maak_leeg: opgave", move, taken)
        size, one, other, third, fourth = self.mixed_up()
        first = (f"puzzel.maak_wit({one})", f"puzzel.maak_zwart({third})")
        for each in (other, fourth):
            yield self.refusal(size, {}, "maak_leeg: vakje is leeg", f"maak_leeg({each})", *first)
        size, board, cell = self.free_usual("w")
        yield self.unchanged(size, board, method, cell)
