"""Draws boards, and makes scenes with them.

A call that is refused has the same form as one that is allowed, and whether a puzzle is solved is
asked of solved ones and of ones that nearly are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from grader.plugins.authoring.generating import Draws, Scene

from .boards import (
    Board,
    Cell,
    across_the_border,
    comb,
    empty,
    in_pieces,
    inside,
    makes_square,
    part,
    sparse,
    turned,
    window,
)
from .clauses import METHODS

BRACKETS = ("[]", "()", "{}")
PUZZLES = ("puzzel", "tweede", "derde")


def collection(cells: Sequence[Cell], brackets: str = "[]") -> str:
    """Return `cells` as the list, tuple or set that `brackets` stand for."""
    if not cells and brackets == "{}":
        return "set()"
    comma = "," if len(cells) == 1 and brackets == "()" else ""
    return brackets[0] + ", ".join(map(str, cells)) + comma + brackets[1]


def puzzle(size: int, board: Board, white: str = "[]", black: str = "[]") -> str:
    """Return the call that makes the puzzle of which `board` is given."""
    return call(
        size,
        [cell for cell in board if board[cell] == "w"],
        [cell for cell in board if board[cell] == "b"],
        white,
        black,
    )


def call(
    size: int, whites: list[Cell], blacks: list[Cell], white: str = "[]", black: str = "[]"
) -> str:
    """Return the call that makes a puzzle of cells that may contradict each other."""
    given = f"wit={collection(whites, white)}, zwart={collection(blacks, black)}"
    return f"YinYang(dimensie={size}, {given})"


def colours(name: str) -> str:
    """Return what shows the colours of a puzzle, however its lines and capitals are written."""
    return f'"".join(str({name}).lower().split())'


def size_of(scene: Scene) -> int:
    """Return how many rows the first board of `scene` has."""
    return int(scene.lines.partition("dimensie=")[2].partition(",")[0])


def attempt(code: str) -> str:
    """Return a statement that does what is refused, and goes on."""
    return f"try:\n...     {code}\n... except AssertionError:\n...     pass"


class Drawing:
    """Draws boards that are large, or as small as they can be."""

    def __init__(self, draws: Draws, *, small: bool, example: bool = False) -> None:
        """Draw from `draws`; students are shown an `example`, and all that is small."""
        self.draws = draws
        self.small = small
        self.example = small or example

    def size(self, least: int = 3) -> int:
        """Return how many rows the next board has."""
        return least if self.small else self.draws.between(max(4, least), 7)

    def board(self, size: int, share: float = 0.45, *, border: bool = False) -> Board:
        """Return what is given of the next board: in no square all four cells have a colour.

        There is nothing at the `border` if there is room, unless it is asked for: who errs there
        loses what is about it.
        """
        board = part(self.draws, size, 0.25 if self.small else share)
        return sparse(board if self.small or border else inside(board, size))

    def look(self, name: str = "puzzel") -> str:
        """Return what shows a puzzle; in an example as students would look at it."""
        return f"str({name})" if self.example else colours(name)

    def by_size(self, scenes: Iterator[Scene]) -> Iterable[Scene]:
        """Return `scenes` with small boards first. No draw decides their sizes, nor their order.

        Who keeps one board for all puzzles, and sets the cells of each anew, has nothing left
        beyond the border then. That is asked where two puzzles are side by side.
        """
        return scenes if self.small else sorted(scenes, key=size_of)

    def scene(self, topic: str, *lines: str) -> Scene:
        """Return the scene of `lines`."""
        return Scene(topic=topic, lines="\n".join(lines))

    def mixed_up(self) -> tuple[int, Cell, Cell, Cell, Cell]:
        """Return a size, two cells that are one without a separator, and two as 10 times the row.

        Of these is the last cell of the first two as well. In examples they are others.
        """
        far = 12 if self.small else 11
        return far + 1, (1, far), (11, far - 10), (0, far), (1, far - 10)

    def usual(self) -> int:
        """Return how many rows a board has that `str` shows: those of the published one.

        Who draws other sizes wrong is told so where sizes are asked for, and there alone.
        """
        return 3 if self.small else 6

    def free_usual(self, colour: str) -> tuple[int, Board, Cell]:
        """Return the same as `free`, of the usual size."""
        return self.free(colour, self.usual())

    def free(self, colour: str, given_size: int = 0) -> tuple[int, Board, Cell]:
        """Return a size, what is given, and an empty cell that may get this `colour`."""
        while True:
            size = given_size or self.size()
            board = self.board(size)
            if cells := self.free_cells(size, board, colour):
                return size, board, self.draws.choice(cells)

    def free_cells(self, size: int, board: Board, colour: str) -> list[Cell]:
        """Return the empty cells that may get this `colour`, and are the last of no square."""
        one = dict.fromkeys(board, colour)
        return [cell for cell in empty(board, size) if not makes_square(one, cell, colour)]

    def wrapped(self, *, twice: bool = False) -> list[tuple[list[Cell], list[Cell]]]:
        """Return pairs of what is next to each other across the border, for who counts on there.

        The first is on the sides of a board of the usual size, the second at its top and bottom,
        where no cell of it meets one of the first, not even at a corner. With `twice` each is there
        in every order that counts.
        """
        size = self.usual()
        places = ((0, 0),) if self.small else ((2, 2), (2, 3), (3, 2))
        at, other = self.draws.choice(places)
        sides, ends = across_the_border(size, at)[:3], across_the_border(size, other)[3:]
        pairs = list(zip(sides, ends, strict=True))
        return pairs if twice else pairs[::2]

    def beyond(self, size: int, direction: int) -> Cell:
        """Return a cell beyond the last row or column, or far beyond."""
        near, far = self.draws.below(size), size + self.draws.between(2, 5)
        return ((near, size), (size, near), (far, near), (near, far))[direction]

    def below(self, colour: str, direction: int) -> tuple[int, Board, Cell]:
        """Return the same as `free`, but for a cell whose row or column is -1.

        For who counts from the end it would be one that may get this `colour`.
        """
        while True:
            size, board, _ = self.free(colour)
            near = self.draws.below(size)
            cell, last = (
                ((near, -1), (near, size - 1)) if direction == 0 else ((-1, near), (size - 1, near))
            )
            if last not in board and not makes_square(board, last, colour):
                return size, board, cell

    def square(
        self, size: int, colour: str, corner: int, why: str, at: Cell | None = None
    ) -> Scene:
        """Return a scene with four cells of this `colour` in a square that are given."""
        three, last = window(self.draws, size, colour, corner, at)
        board, small = three | {last: colour}, self.small and size > 7
        for cell, each in self.board(size, 0.2).items() if size > 2 and not small else ():
            if cell not in board and not makes_square(board, cell, each):
                board[cell] = each
        if self.small and 2 < size <= 7:  # for who counts the cells of the colour
            others = [cell for cell in empty(board, size) if not makes_square(board, cell, colour)]
            if others:
                board[self.draws.choice(others)] = colour
        if corner % 2:
            board = {cell: board[cell] for cell in self.draws.shuffled(board)}
        return self.refused_puzzle(size, board, why)

    def refused_puzzle(self, size: int, board: Board, why: str) -> Scene:
        """Return a scene with a puzzle of `board`, which is refused."""
        made = puzzle(size, board)
        return self.scene("Een geweigerde puzzel", f"{self.look(made)}  # YinYang: {why}")

    def small_or(self, size: int) -> int:
        """Return `size`, or the least that tells the same in an example."""
        return 3 if self.small else size

    def moves(
        self, size: int, board: Board, colour: str, cells: Iterable[Cell], clause: str
    ) -> Scene:
        """Return a scene with moves that are allowed."""
        method = METHODS[colour]
        return self.scene(
            "Een vakje kleuren",
            f"puzzel = {puzzle(size, board)}",
            *(f"puzzel.{method}({cell})" for cell in cells),
            f"{self.look()}  # {method}: {clause}",
        )

    def refusal(self, size: int, board: Board, clause: str, move: str, *before: str) -> Scene:
        """Return a scene with a `move` that is refused."""
        start = f"puzzel = {puzzle(size, board)}"
        return self.scene("Een geweigerde actie", start, *before, f"puzzel.{move}  # {clause}")

    def unchanged(self, size: int, board: Board, method: str, cell: Cell, *before: str) -> Scene:
        """Return a scene that looks at the board after a move that is refused."""
        return self.scene(
            "Het rooster na een geweigerde actie",
            f"puzzel = {puzzle(size, board)}",
            *before,
            attempt(f"puzzel.{method}({cell})"),
            f"{self.look()}  # {method}: ongewijzigd",
        )

    def solved_comb(self, size: int) -> Board:
        """Return a solved board that does not wind: that has a clause of its own."""
        return turned(self.draws, comb(size), size)

    def last_cell(self, size: int) -> tuple[Board, Cell, str]:
        """Return a solved board without a cell, that cell, and its colour.

        Without it each colour still hangs together: only that it is empty tells. It is not at the
        border, where there is room: what is done wrong there has clauses of its own.
        """
        while True:
            board = self.solved_comb(size)
            cell = self.draws.choice(list(board))
            colour = board.pop(cell)
            inner = self.small or (min(cell) > 0 and max(cell) < size - 1)
            if inner and not (in_pieces(board, "w") or in_pieces(board, "b")):
                return board, cell, colour
