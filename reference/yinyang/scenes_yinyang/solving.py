"""Scenes about puzzles that are solved, or nearly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from grader.plugins.authoring.generating import Scene

from .boards import (
    NAMES,
    OTHER,
    Board,
    corner_cut_off,
    in_pieces,
    makes_square,
    solved_board,
    spiral,
    split_board,
    turned,
    with_island,
)
from .clauses import CLAUSES, METHODS
from .drawing import attempt, puzzle
from .regions import RegionScenes


class SolvingScenes(RegionScenes):
    """The scenes about `isopgelost`."""

    def solved(self) -> Iterator[Scene]:
        """Yield puzzles that are solved, and puzzles that nearly are.

        With each clause come a puzzle that is solved and a full one that is not. None is larger
        than the published one: who looks from each cell anew is slow, and right.
        """
        clauses = [each for each in CLAUSES if each.startswith("isopgelost: ")]
        for index, name in enumerate(clauses):
            size = self.small_or(4 + index % 3)
            clause = name.removeprefix("isopgelost: ")
            yield self.is_solved("Een opgeloste puzzel", size, self.solved_comb(size), clause)
            size = 4 if self.small else 5 + index % 2
            board = split_board(self.draws, size, "wb", corners=False)
            yield self.is_solved("Wit en zwart in stukken", size, board, clause)
        yield from self.full_but_one()
        for colour, cell in product("wb", ((0, 0), (1, 1))):
            board = dict.fromkeys(product(range(2), range(2)), OTHER[colour]) | {cell: colour}
            yield self.is_solved("Een opgeloste puzzel", 2, board, "opgelost")
        for colour in "wb":
            topic = "Een vol rooster, met een kleur in stukken"
            for size in (3, 4) if self.small else (3, 5):
                board = split_board(self.draws, size, colour, corners=True)
                yield self.is_solved(topic, size, board, "zijden")
            size = 5 if self.small else 6
            board = with_island(self.draws, size, colour)
            yield self.is_solved("Een eiland", size, board, NAMES[colour])
            for last in (False, True):
                size = self.small_or(6 if last else 5)
                board = corner_cut_off(self.draws, size, colour, last=last)
                yield self.is_solved(topic, size, board, NAMES[colour])
            yield self.solved_by_moves(colour)
            yield self.apart_by_moves(colour)
        yield self.solved_and_undone()
        yield self.solved_or_not()
        yield self.solved_beside()
        yield self.only_asked("isopgelost()", "isopgelost: na een zet")

    def full_but_one(self) -> Iterator[Scene]:
        """Yield solved boards, the same without a cell, and boards with hardly a cell."""
        topic = "Op \u00e9\u00e9n vakje na opgelost"
        for size in (3, 2) if self.small else (4, 6, 2):
            cell = {4: (0, 0), 6: (5, 5)}.get(size, (1, 1))
            board = solved_board(self.draws, size)
            yield self.is_solved("Een opgeloste puzzel", size, board, "opgelost")
            without: Board = {}
            while in_pieces(without, "w") or in_pieces(without, "b"):
                board = solved_board(self.draws, size)
                without = {each: found for each, found in board.items() if each != cell}
            yield self.is_solved(topic, size, without, "leeg vakje")
        board = spiral(5) if self.small else turned(self.draws, spiral(5), 5)
        yield self.is_solved("Een opgeloste puzzel", 5, board, "opgelost")
        size = self.small_or(5)
        yield self.is_solved("Een leeg rooster", size, {}, "leeg vakje")
        board = {(0, 0): self.draws.choice("wb")}
        yield self.is_solved("Een enkel vakje", size, board, "leeg vakje")

    def is_solved(self, topic: str, size: int, board: Board, clause: str) -> Scene:
        """Return a scene that asks whether `board` is solved."""
        ask = f"puzzel.isopgelost()  # isopgelost: {clause}"
        return self.scene(topic, f"puzzel = {puzzle(size, board)}", ask)

    def solved_by_moves(self, colour: str) -> Scene:
        """Return a scene with a puzzle of which nothing of this `colour` is given."""
        size = 2 if self.small else 4
        board = self.solved_comb(size)
        given = {cell: each for cell, each in board.items() if each != colour}
        moves = [f"puzzel.{METHODS[colour]}({cell})" for cell in board if cell not in given]
        return self.scene(
            "Een kleur waarvan niets gegeven is",
            f"puzzel = {puzzle(size, given)}",
            *moves,
            "puzzel.isopgelost()  # isopgelost: na een zet",
        )

    def apart_by_moves(self, colour: str) -> Scene:
        """Return a scene with a full puzzle, of which only what is given hangs together."""
        size, last = self.small_or(5), self.draws.chance(0.5)
        board = corner_cut_off(self.draws, size, colour, last=last)
        cell = (size - 1, size - 1) if last else (0, 0)
        given = {each: found for each, found in board.items() if each != cell}
        return self.scene(
            "Een kleur die door een zet in stukken ligt",
            f"puzzel = {puzzle(size, given)}",
            f"puzzel.{METHODS[colour]}({cell})",
            "puzzel.isopgelost()  # isopgelost: na een zet",
        )

    def solved_and_undone(self) -> Scene:
        """Return a scene that asks when the last move is made, undone, and made again.

        Who counts cells has to count those that become empty, and none for what is refused. Who
        does what is refused here has the same colours all the same.
        """
        size = self.small_or(6)
        board, last, colour = self.last_cell(size)
        taken = self.draws.choice(list(board))
        look = "puzzel.isopgelost()  # isopgelost: na een zet"
        move = f"puzzel.{METHODS[colour]}({last})"
        return self.scene(
            "Opgelost, ongedaan gemaakt, en weer opgelost",
            f"puzzel = {puzzle(size, board)}",
            attempt(f"puzzel.{METHODS[board[taken]]}({taken})"),
            look,
            move,
            look,
            f"puzzel.maak_leeg({last})",
            look,
            attempt(f"puzzel.maak_leeg({last})"),
            move,
            look,
        )

    def solved_or_not(self) -> Scene:
        """Return a scene that asks before the last move, after it, and when it is another one."""
        size = self.small_or(6)
        while True:
            board = self.solved_comb(size)
            last = self.draws.choice(list(board))
            colour = board[last]
            other = board | {last: OTHER[colour]}
            in_two = any(in_pieces(other, each, corners=True) for each in "wb")
            if in_two and not makes_square(other, last, OTHER[colour]):
                del board[last]
                break
        look = "puzzel.isopgelost()  # isopgelost: na een zet"
        return self.scene(
            "Opgelost of niet, met de ene kleur en de andere",
            f"puzzel = {puzzle(size, board)}",
            look,
            f"puzzel.{METHODS[colour]}({last})",
            look,
            f"puzzel.maak_leeg({last})",
            f"puzzel.{METHODS[OTHER[colour]]}({last})",
            look,
        )

    def solved_beside(self) -> Scene:
        """Return a scene with two puzzles of which one is solved."""
        size = self.small_or(6)
        board, last, colour = self.last_cell(size)
        return self.scene(
            "Twee puzzels waarvan er een opgelost is",
            f"puzzel = {puzzle(size, board)}",
            f"tweede = {puzzle(size, board)}",
            f"puzzel.{METHODS[colour]}({last})",
            "[puzzel.isopgelost(), tweede.isopgelost()]  # isopgelost: na een zet",
        )
