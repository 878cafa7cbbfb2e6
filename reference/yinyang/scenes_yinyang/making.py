"""Scenes about puzzles that are made, shown and played with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from grader.plugins.authoring.generating import Move, Scene, compared

from .boards import (
    NAMES,
    OTHER,
    Board,
    Cell,
    apart,
    corners,
    empty,
    inside,
    makes_square,
    part,
    solved_board,
    sparse,
    window,
)
from .clauses import METHODS
from .drawing import BRACKETS, PUZZLES, Drawing, attempt, call, collection, puzzle

LONG = "Veel acties na elkaar"
"""What scenes are about that no small one can stand for."""
DEFINED = (
    """def asked(p):
...     gebieden = [answer(lambda: set(p.aaneengesloten_gebied(cel))) for cel in cellen]
...     return [shown(p), answer(lambda: p.isopgelost()), *gebieden]""",
    """def allowed(p):
...     gelukt = []
...     for cel in cellen:
...         gelukt += [works(p, 'maak_leeg', cel)]
...         for methode in ('maak_wit', 'maak_zwart'):
...             gelukt += [works(p, methode, cel) and works(p, 'maak_leeg', cel)]
...         [works(p, *move) for move in last if cel in move]
...     return gelukt""",
)
"""What is asked of puzzles that are compared."""


class MakingScenes(Drawing):
    """The scenes about puzzles as they are set, and about several of them."""

    def shown(self) -> Iterator[Scene]:
        """Yield what `str` gives of puzzles as they are set, and after a move."""
        for size in (1, 2, 3) if self.small else (1, 2, 3, 5, 8):
            board = self.board(size) if size > 1 else {}
            yield self.shows(size, board, "grootte")
        size, one, other, third, fourth = self.mixed_up()
        board = {one: "w", other: "b", third: "b", fourth: "w", (size - 1, 2): "b"}
        yield self.shows(size, board, "grootte")
        for colour in "wb":
            size = self.size()
            board = {c: each for c, each in self.board(size).items() if each == colour}
            yield self.shows(size, board, "opgave")
        size = self.size()
        yield self.shows(size, self.board(size), "opgave")
        for colour in "wb":
            size, board, cell = self.free(colour)
            yield self.scene(
                "Een ingekleurd vakje",
                f"puzzel = {puzzle(size, board)}",
                "str(puzzel)",
                f"puzzel.{METHODS[colour]}({cell})",
                f"puzzel.aaneengesloten_gebied({cell})",
                "print(puzzel)  # str: ingekleurd",
                f"puzzel.maak_leeg({cell})",
                "print(puzzel)  # str: terug leeg",
            )
            if self.small:
                yield self.scene(
                    "Een vakje dat in een andere puzzel gegeven is",
                    f"tweede = {puzzle(size, {cell: colour})}",
                    f"puzzel = {puzzle(size, {})}",
                    f"puzzel.{METHODS[colour]}({cell})",
                    "print(puzzel)  # str: ingekleurd",
                )

    def shows(self, size: int, board: Board, clause: str) -> Scene:
        """Return a scene that shows a puzzle as it is set."""
        topic = {"grootte": "De grootte van het rooster"}.get(clause, "Vakjes van de opgave")
        return self.scene(topic, f"print({puzzle(size, board)})  # str: {clause}")

    def made(self) -> Iterator[Scene]:
        """Yield puzzles that are made."""
        for share in (0.0, 0.2, 0.9):
            size = self.size(2)
            board = self.board(size, share, border=True)
            yield self.set_up("Een opgave", puzzle(size, board), "posities")
        for white, black in (("()", "{}"), ("{}", "[]"), ("()", "()"), ("{}", "{}")):
            size = self.usual()
            made = puzzle(size, self.board(size), white, black)
            yield self.set_up("Soorten collecties", made, "posities")
        size = self.usual()
        only = {c: each for c, each in self.board(size).items() if each == "w"}
        yield self.set_up("Soorten collecties", puzzle(size, only, "()", "{}"), "posities")
        size = self.usual()
        made = puzzle(size, self.board(size))
        for name in ("dimensie=", "wit=", "zwart="):
            made = made.replace(name, "")
        yield self.set_up("Argumenten zonder de namen", made, "posities")
        for shared in ("", "{}", "[]"):
            yield self.side_by_side(shared)
        if self.small:
            yield from (self.after_few_moves() for _ in range(12))
        else:
            for _ in range(3):
                given = self.board(4, 0.2)
                moves = [(method, cell) for method, cell, _ in self.any_moves(4, given, 30)]
                yield self.after_many_moves(given, moves)
            yield self.after_many_moves(*self.solving_moves())
        for colour in "wb":
            size = self.usual()
            three, last = window(self.draws, size, colour)
            board = three | {last: OTHER[colour]}
            topic = "Vier vakjes, niet alle van dezelfde kleur"
            yield self.set_up(topic, puzzle(size, board), "geen vierkant")
            yield self.set_up(topic, puzzle(size, three), "geen vierkant")
            topic = "Vakjes aan weerskanten van het rooster"
            for cells, others in self.wrapped():
                for some in (cells, others) if self.small else ([*cells, *others],):
                    made = puzzle(size, dict.fromkeys(some, colour))
                    yield self.set_up(topic, made, "geen vierkant")
            made = puzzle(size, dict.fromkeys(corners(size), colour))
            yield self.set_up("De hoeken van het rooster", made, "geen vierkant")

    def set_up(self, topic: str, made: str, clause: str) -> Scene:
        """Return the scene that looks at a puzzle as it was `made`."""
        return self.scene(topic, f"{self.look(made)}  # YinYang: {clause}")

    def side_by_side(self, shared: str) -> Scene:
        """Return a scene with two puzzles that have equal arguments, or `shared` ones."""
        size = self.usual()
        while True:
            board = self.board(size)
            cells = {c: self.draws.choice(self.free_cells(size, board, c)) for c in "wb"}
            if apart(cells["w"], cells["b"]):
                break
        brackets = shared or self.draws.choice(BRACKETS)
        collections = [
            collection([c for c in board if board[c] == each], brackets) for each in "wb"
        ]
        names = ("witte", "zwarte")
        looks = ", ".join(map(self.look, PUZZLES))
        white, black = names if shared else collections
        same = f"YinYang(dimensie={size}, wit={white}, zwart={black})"
        return self.scene(
            "Puzzels naast elkaar",
            *(
                f"{name} = {cells}"
                for name, cells in zip(names, collections, strict=True)
                if shared
            ),
            f"puzzel = {same}",
            f"tweede = {same}",
            f"derde = {puzzle(size + 2, {})}",
            *(f"puzzel.{METHODS[colour]}({cells[colour]})" for colour in "wb"),
            # All of them in one line: what one does to another is no excuse for that one.
            f"[{looks}]  # YinYang: naast elkaar",
        )

    def after_many_moves(self, given: Board, moves: Sequence[Move]) -> Scene:
        """Return a scene that compares a puzzle with one that got the last move of each cell."""
        made = puzzle(4, given)
        *lines, look = compared(
            "puzzel",
            "tweede",
            moves,
            new=made,
            defined=DEFINED,
            between=(
                # Often, for who takes a cell away each time.
                "[works(puzzel, vraag) for vraag in ('__str__', 'isopgelost') for cel in cellen]",
                "[works(puzzel, 'aaneengesloten_gebied', cel) for cel in cellen]",
            ),
            last_of_each=True,
        )
        return self.scene(
            LONG,
            f"puzzel, tweede = {made}, {made}",
            "cellen = [(r, k) for r in range(4) for k in range(4)]",
            *lines,
            f"{look}  # YinYang: na veel acties",
        )

    def solving_moves(self) -> tuple[Board, list[Move]]:
        """Return what is given of a puzzle, and moves that solve it."""
        board = solved_board(self.draws, 4)
        given = {cell: board[cell] for cell in self.draws.some(inside(board, 4), 3)}
        cells = self.draws.shuffled([each for each in board if each not in given])
        return given, [(METHODS[board[cell]], cell) for cell in cells]

    def after_few_moves(self) -> Scene:
        """Return a scene that asks the same before each of a few moves, and after them."""
        size = 3
        given = self.board(size)
        moves = [*self.any_moves(size, given, 6)]
        cells = [cell for _, cell, is_allowed in moves if is_allowed] or [(1, 1)]
        region = f"puzzel.aaneengesloten_gebied({self.draws.choice(cells)})"
        ask = self.draws.choice(("str(puzzel)", region, "puzzel.isopgelost()"))
        lines = [f"puzzel = {puzzle(size, given)}"]
        for method, cell, is_allowed in moves:
            call = f"puzzel.{method}({cell})"
            lines += [ask, call] if is_allowed else [attempt(call)]
        return self.scene("Enkele acties na elkaar", *lines, f"{ask}  # YinYang: na veel acties")

    def any_moves(self, size: int, given: Board, count: int) -> Iterator[tuple[str, Cell, bool]]:
        """Yield methods, cells and whether that is allowed when what comes before is done."""
        board = dict(given)
        methods = {name: colour for colour, name in METHODS.items()} | {"maak_leeg": ""}
        for _ in range(count):
            method = self.draws.choice([*methods])
            colour = methods[method]
            # Who empties a given cell loses what is about that, and not this.
            cells = [c for c in product(range(size), range(size)) if colour or c not in given]
            squares = [
                c for c in cells if colour and c not in board and makes_square(board, c, colour)
            ]
            cell = self.draws.choice(squares or cells)
            if colour:
                is_allowed = cell not in board and not makes_square(board, cell, colour)
            else:
                is_allowed = cell in board and cell not in given
            if is_allowed and colour:
                board[cell] = colour
            elif is_allowed:
                del board[cell]
            yield method, cell, is_allowed
        for (colour, method), cell in product(METHODS.items(), empty(board, size)):
            if makes_square(board, cell, colour):
                yield method, cell, False

    def refused_puzzles(self) -> Iterator[Scene]:
        """Yield puzzles that must be refused, each for one reason."""
        for end in (min, max, None, None):
            yield self.both_colours(end)
        for colour in "wb":
            why = f"{NAMES[colour]} buiten"
            for direction in range(4):
                size, board, _ = self.free(colour)
                outside = {self.beyond(size, direction): colour}
                yield self.refused_puzzle(
                    size, outside | board if direction % 2 else board | outside, why
                )
            size = self.size()
            yield self.refused_puzzle(size, {self.beyond(size, self.draws.below(4)): colour}, why)
            for direction in range(2):
                size, board, cell = self.below(colour, direction)
                yield self.refused_puzzle(size, {**board, cell: colour}, why)
        for colour in "wb":
            why = f"{NAMES[colour]} vierkant"
            large = 8 if self.small else self.draws.between(8, 12)
            size = self.size()
            places = (None, (0, size - 2), (size - 2, 0), (0, 0))
            for corner, at in enumerate(places):
                yield self.square(size if at else 2, colour, corner, why, at)
            for corner, at in enumerate((None, (large - 2, large - 2))):
                yield self.square(large, colour, 3 * corner, f"groot met {why}", at)

    def both_colours(self, end: Callable[[Iterable[Cell]], Cell] | None) -> Scene:
        """Return a scene in which a cell is white and black: one at this `end`, or any."""
        size = self.size()
        board = sparse(part(self.draws, size, 0.45))
        cells = {c: [cell for cell in board if board[cell] == c] for c in "wb"}
        shared = end(board) if end else self.draws.choice(list(board))
        cells[OTHER[board[shared]]].append(shared)
        if end:
            made = call(size, sorted(cells["w"]), sorted(cells["b"]))
        else:
            made = call(size, self.draws.shuffled(cells["w"]), self.draws.shuffled(cells["b"]))
        return self.scene("Wit en zwart tegelijk", f"{self.look(made)}  # YinYang: wit en zwart")
