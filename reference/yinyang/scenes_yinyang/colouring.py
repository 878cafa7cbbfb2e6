"""Scenes about cells that get a colour, or that must not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from grader.plugins.authoring.generating import Scene

from .boards import OTHER, apart, corners, makes_square, sparse, window
from .clauses import METHODS
from .drawing import Drawing, attempt, puzzle


class ColouringScenes(Drawing):
    """The scenes about `maak_wit` and `maak_zwart`."""

    def coloured(self, colour: str) -> Iterator[Scene]:
        """Yield cells that are made this `colour`."""
        method = METHODS[colour]
        for _ in range(2):
            size, board, cell = self.free_usual(colour)
            yield self.moves(size, board, colour, [cell], "kleurt")
        for ends in (corners(self.small_or(5))[::3], corners(self.small_or(8))[1:3]):
            size = max(map(max, ends)) + 1
            yield self.moves(size, {}, colour, ends, "kleurt")
        yield self.moves(1, {}, colour, [(0, 0)], "kleurt")
        size, *mixed = self.mixed_up()
        yield self.moves(size, {}, colour, self.draws.shuffled(mixed[:2]), "kleurt")
        size = self.usual()
        three, last = window(self.draws, size, colour, self.draws.below(4))
        board = dict.fromkeys(three, OTHER[colour])
        yield self.moves(size, board, colour, [last], "geen vierkant")
        yield from self.nearly_squares(colour)
        yield from self.nearly_wrapped(colour)
        size, board, cell = self.free_usual(colour)
        topic = "Een methode die de puzzel zelf teruggeeft"
        start = f"puzzel = {puzzle(size, board)}"
        yield self.scene(topic, start, f"puzzel.{method}({cell})  # {method}: zichzelf")
        size, one, other, third, fourth = self.mixed_up()
        yield self.scene(
            topic,
            f"puzzel = {puzzle(size, {other: OTHER[colour]})}",
            f"puzzel.{METHODS[OTHER[colour]]}({third})",
            f"puzzel.{method}({one})  # {method}: zichzelf",
            f"puzzel.{method}({fourth})  # {method}: zichzelf",
        )

    def nearly_wrapped(self, colour: str) -> Iterator[Scene]:
        """Yield fourth cells of what is a square only for who counts on at the border."""
        size, clause = self.usual(), "geen vierkant"
        for cells, others in self.wrapped(twice=True):
            for index in (-2, -1):
                for some in ([cells], [others]) if self.small else ([cells, others],):
                    lasts = [each[index] for each in some]
                    board = {c: colour for each in some for c in each if c not in lasts}
                    yield self.moves(size, board, colour, lasts, clause)
        for turn in (1, -1):
            *given, last = corners(size)[::turn]
            yield self.moves(size, dict.fromkeys(given, colour), colour, [last], clause)

    def nearly_squares(self, colour: str) -> Iterator[Scene]:
        """Yield fourth cells of squares in which one cell has the other colour, or none.

        That is each of the three in turn, beside each corner; small scenes have one square each.
        """
        size, clause = self.usual(), f"{METHODS[colour]}: geen vierkant"
        for corner in range(4):
            shift = 0 if self.small else self.draws.below(2)
            ends = (0, 1) if self.small else (shift, shift + 3)
            places = self.draws.shuffled(product(ends, ends))
            squares = []
            for odd, place in zip(range(3), places, strict=False):
                three, last = window(self.draws, size, colour, corner, place)
                cell = sorted(three)[odd]
                none = self.draws.chance(0.5)
                board = {c: each for c, each in three.items() if c != cell}
                squares.append((board if none else board | {cell: OTHER[colour]}, last))
            for some in [[each] for each in squares] if self.small else [squares]:
                board = {cell: each for given, _ in some for cell, each in given.items()}
                yield self.scene(
                    "Vakjes kleuren die geen vierkant vormen",
                    f"puzzel = {puzzle(size, board)}",
                    *(f"puzzel.{METHODS[colour]}({last})" for _, last in some),
                    f"{self.look()}  # {clause}",
                )

    def refused_moves(self, colour: str) -> Iterator[Scene]:
        """Yield moves of this `colour` that must be refused, each for one reason."""
        method, draws = METHODS[colour], self.draws
        yield from self.outside(method)
        for direction in range(2):
            size, board, cell = self.below(colour, direction)
            yield self.refusal(size, board, f"{method}: buiten", f"{method}({cell})")
        for taken in "wb":
            size, board, cell = self.free(taken)
            if taken == colour:  # else it may be refused for a square that it is part of
                board = {c: each for c, each in board.items() if each != colour or apart(c, cell)}
            given = sparse({cell: taken}, board)
            yield self.refusal(size, given, f"{method}: bezet", f"{method}({cell})")
            first = f"puzzel.{METHODS[taken]}({cell})"
            yield self.refusal(size, board, f"{method}: bezet", f"{method}({cell})", first)
        for placed in range(4):
            size = self.usual()
            three, last = window(draws, size, colour, corner=placed)
            cells = list(three)
            moves = [f"puzzel.{method}({cell})" for cell in cells[:placed]]
            given = dict.fromkeys(cells[placed:], colour)
            why = "ingekleurd vierkant" if moves else "vierkant"
            yield self.refusal(size, given, f"{method}: {why}", f"{method}({last})", *moves)
            if not moves:
                other, cell = window(draws, 2, colour, corner=3)
                yield self.refusal(2, other, f"{method}: vierkant", f"{method}({cell})")
            if placed in (0, 2):
                yield self.unchanged(size, given, method, last, *moves)
        yield from self.refused_at_the_border(colour)
        size, board, cell = self.free_usual(OTHER[colour])
        yield self.unchanged(size, board, method, cell, f"puzzel.{METHODS[OTHER[colour]]}({cell})")
        yield self.unchanged(size, board, method, draws.choice(list(board)))
        yield self.unchanged(size, board, method, (size, 0))
        if colour == "w":
            yield self.as_solved()

    def as_solved(self) -> Scene:
        """Return a scene that asks whether a puzzle is solved before and after a square is refused.

        Whatever is answered: who counts cells does not count those that were refused.
        """
        while True:
            size = self.size()
            board, last, colour = self.last_cell(size)
            if colour == "b" and makes_square(board, last, "w"):
                break
        return self.scene(
            "Opgelost of niet na een geweigerde actie",
            f"puzzel = {puzzle(size, board)}",
            "opgelost = puzzel.isopgelost()",
            attempt(f"puzzel.maak_wit({last})"),
            "puzzel.isopgelost() == opgelost  # maak_wit: ongewijzigd",
        )

    def refused_at_the_border(self, colour: str) -> Iterator[Scene]:
        """Yield moves that are refused for a square in a corner, and for one that was undone."""
        method, size, draws = METHODS[colour], self.usual(), self.draws
        ends = (0, size - 2)
        for corner, at in enumerate(product(ends, ends)):
            given, last = window(draws, size, colour, 3 - corner, at)
            yield self.refusal(size, given, f"{method}: vierkant", f"{method}({last})")
            if corner == 0:  # the other colour may still be put there
                yield self.scene(
                    "De andere kleur na een geweigerde actie",
                    f"puzzel = {puzzle(size, given)}",
                    attempt(f"puzzel.{method}({last})"),
                    f"puzzel.{METHODS[OTHER[colour]]}({last})",
                    f"{self.look()}  # {method}: ongewijzigd",
                )
        three, last = window(draws, size, colour, draws.below(4))
        *others, late = three
        calls = (f"{method}({last})", f"maak_leeg({last})", f"{method}({late})")
        moves = [f"puzzel.{each}" for each in calls]
        board = dict.fromkeys(others, colour)
        yield self.refusal(
            size, board, f"{method}: ingekleurd vierkant", f"{method}({last})", *moves
        )

    def outside(self, method: str) -> Iterator[Scene]:
        """Yield calls of `method` for cells outside, of which some are inside for who counts on.

        Just past the end of a row comes the first cell of the next one, and what is below 0 counts
        from the end: there is a cell that `method` takes.
        """
        colour = "b" if method == "maak_zwart" else "w"
        size = self.size()
        row, last = self.draws.between(1, size - 1), size - 1
        one, other = self.draws.below(size), self.draws.between(1, last)
        inside = {(row - 1, size): (row, 0), (one, -1): (one, last), (-1, other): (last, other)}
        before = (last, other - 1)  # for who has line ends between the rows
        cells = [*inside, *(self.beyond(size, direction) for direction in range(1, 4))]
        for some in [[cell] for cell in cells] if self.small else [cells]:
            taken = dict.fromkeys(inside[cell] for cell in some if cell in inside)
            taken |= {before: None} if (-1, other) in some else {}
            yield self.scene(
                "Buiten het rooster",
                f"puzzel = {puzzle(size, {})}",
                *(f"puzzel.{METHODS[colour]}({c})" for c in taken if method == "maak_leeg"),
                *(f"puzzel.{method}({cell})  # {method}: buiten" for cell in some),
            )
