"""Scenes with several puzzles, and with many moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.plugins.authoring.generating import Move, Scene, compared

from .boards import SIDES, Board, Cell, around, at_corners, counts, lighted, step
from .drawing import FILE, LAMPS, SIZE, Drawing, attempt, place

LONG = "Veel zetten na elkaar"
"""What scenes are about that no small one can stand for."""
DEFINED = (
    """def asked(p):
...     bewaard = [answer(lambda: set(p.lampen)), answer(lambda: dict(p.zwarte_cellen))]
...     licht = [answer(lambda: set(p.stralen(*cel))) for cel in cellen]
...     licht += [answer(lambda: set(p.verlicht())), answer(lambda: p.isopgelost())]
...     return [shown(p), *bewaard, *licht]""",
    """def allowed(p):
...     methoden = ('plaats_lamp', 'verwijder_lamp', 'plaats_lamp')
...     return [works(p, methode, *cel) for methode in methoden for cel in cellen]""",
)
"""What is asked of puzzles that are compared."""


class PuzzleScenes(Drawing):
    """The scenes about what puzzles keep apart."""

    def side_by_side(self) -> Iterator[Scene]:
        """Yield two puzzles, of which one must not notice the other."""
        topic = "Twee puzzels naast elkaar"
        for _ in range(2):
            board, lamps = self.with_lamps()
            clause = "Akari: lampen naast elkaar"
            file = self.file_of(board, "puzzel")
            lines = [f"tweede = {board.made_from(file)}", place(lamps[0])]
            lines += [f"tweede.lampen  # {clause}", f"{LAMPS}  # {clause}"]
            yield self.scene(topic, board, *lines, file=file)
        for _ in range(2):
            size = self.size(4)
            cell = self.inner(size)
            black = ({step(cell, side): "2"} for side in self.draws.some(SIDES, 2))
            pair = [Board(size, size, each) for each in black]
            one, two = (self.filled(board, board.aside([cell])) for board in pair)
            clause = "Akari: zwarte cellen naast elkaar"
            look = f"puzzel.stralen{cell}  # {clause}"
            lines = [look, *self.made(two, "tweede"), f"tweede.stralen{cell}  # {clause}", look]
            yield self.scene(topic, one, *lines, f"puzzel.zwarte_cellen  # {clause}")
        clause = "Akari: groottes naast elkaar"
        for wide in (True, False):
            one, two = self.oblong(wide=wide), self.oblong(wide=not wide)
            looks = [f"print({name})  # {clause}" for name in ("puzzel", "tweede", "puzzel")]
            yield self.scene(topic, one, looks[0], *self.made(two, "tweede"), *looks[1:])
        size = self.size(8)
        shapes = (size, size), (size, size + 1), (size + 1, size)
        boards = [self.published(*shape) for shape in shapes]
        looks = [f"print({board.made_from(FILE)})  # {clause}" for board in boards]
        yield Scene(topic=topic, lines="\n".join([*self.written(boards[0], FILE), *looks]))
        yield from self.numbers_side_by_side(topic)
        yield from self.light_side_by_side(topic)
        yield self.solved_side_by_side(topic)
        if self.small:
            yield from (self.after_few_moves() for _ in range(12))
        else:
            board = self.marked("?0123")
            moves = [(method, r, k) for method, r, k, _ in self.any_moves(board, 40)]
            yield self.after_many_moves(board, moves)
            yield self.after_many_moves(*self.solving_moves())

    def numbers_side_by_side(self, topic: str) -> Iterator[Scene]:
        """Yield two puzzles with lamps around numbers in the same place, of which one is full."""
        board, clause = self.published(), "Akari: getallen naast elkaar"
        black = {cell: mark for cell, mark in board.black.items() if cell[0] < 4}
        other = Board(4, board.columns, black | {(3, 0): "2"})
        pairs = [((2, 0), (3, 1)), ((3, 1), (4, 0))]
        pairs = pairs if self.small else [self.draws.choice(pairs)]
        for one, two in [*pairs, ((4, 0), (2, 0))]:
            lines = [place(one), *self.made(other, "tweede"), attempt(place(two))]
            lines += [f"{LAMPS}  # {clause}", place((2, 0), "tweede"), place((3, 1), "tweede")]
            yield self.scene(topic, board, *lines, f"tweede.lampen  # {clause}")
        size = self.size(4)
        board, near = self.around_mark("1", size)
        (cell,) = (each for each, mark in board.black.items() if mark == "1")
        below = step(cell, (1, 0))
        beside = self.draws.choice([each for each in near if each != below])
        smaller = Board(cell[0] + 1, size, {cell: "1"})
        smaller = self.filled(smaller, smaller.away([cell, *near]))
        lines = [*self.made(smaller, "tweede"), place(below), attempt(place(beside))]
        yield self.scene(topic, board, *lines, f"{LAMPS}  # {clause}")

    def light_side_by_side(self, topic: str) -> Iterator[Scene]:
        """Yield two puzzles with the same lamp, that shines further in one of them."""
        for side in (SIDES[1], SIDES[2]):
            one, lamp = self.walled(side)
            two = Board(one.rows, one.columns, {})
            two = two.with_black([step(lamp, side, 3)], "3")
            two = self.filled(two, two.aside([lamp]))
            clause = "Akari: licht naast elkaar"
            looks = [f"{name}.verlicht()  # {clause}" for name in ("puzzel", "tweede")]
            if self.small or side == SIDES[1]:
                looks += [f"print({name})  # {clause}" for name in ("tweede", "puzzel")]
            lines = [place(lamp), *self.made(two, "tweede"), place(lamp, "tweede")]
            for part in [[each] for each in looks] if self.small else [looks]:
                before = ["puzzel.verlicht()", "str(puzzel)"] if self.small else []
                yield self.scene(topic, one, lines[0], *before, *lines[1:], *part)

    def solved_side_by_side(self, topic: str) -> Scene:
        """Return two puzzles with the same lamps, which solve one of them.

        A black cell without a number in one of them has one in the other.
        """
        while True:
            board = self.board(3)
            lamps = lighted(board, self.draws.shuffled(board.white()))
            near = [
                cell
                for cell, count in zip(board.black, counts(board, lamps), strict=True)
                if count == 1
                and len({*around(cell)} & {*board.white()}) > 1
                and not {*at_corners(cell)} & {*lamps}
            ]
            if not board.dark(lamps) and near and {*counts(board, lamps)} == {1}:
                break
        other = replace(board, black=board.black | {near[0]: "2"})
        clause = "Akari: opgelost naast elkaar"
        first, second = (f"{name}.isopgelost()  # {clause}" for name in ("puzzel", "tweede"))
        lines = [*map(place, lamps), first, *self.made(other, "tweede")]
        lines += [*(place(lamp, "tweede") for lamp in lamps), second, first]
        return self.scene(topic, board, *lines)

    def after_many_moves(self, board: Board, moves: Sequence[Move]) -> Scene:
        """Return a scene that compares a puzzle with one that gets the lamps that stay only."""
        file = self.file_of(board, "puzzel")
        *lines, look = compared(
            "puzzel",
            "tweede",
            moves,
            new=board.made_from(file),
            defined=DEFINED,
            between=(
                "[works(puzzel, vraag) for vraag in ('__str__', 'verlicht', 'isopgelost')]",
                "[works(puzzel, 'stralen', *cel) for cel in cellen]",
            ),
            last_of_each=True,
        )
        return self.scene(
            LONG,
            board,
            f"tweede = {board.made_from(file)}",
            f"cellen = [(r, k) for r in range({board.rows}) for k in range({board.columns})]",
            *lines,
            f"{look}  # Akari: na veel zetten",
            file=file,
        )

    def solving_moves(self) -> tuple[Board, list[Move]]:
        """Return a board with numbers, and moves that solve it."""
        while True:
            board = self.board(SIZE)
            lamps = lighted(board, self.draws.shuffled(board.white()))
            if not board.dark(lamps):
                return board.numbered(lamps), [("plaats_lamp", *lamp) for lamp in lamps]

    def after_few_moves(self) -> Scene:
        """Return a scene that asks the same before each of a few moves, and after them."""
        board = self.marked("?12")
        moves = [*self.any_moves(board, 8)]
        asks = ("puzzel.verlicht()", "puzzel.verlicht()", "puzzel.isopgelost()", "str(puzzel)")
        ask = self.draws.choice(asks)
        lines = []
        for method, row, column, is_allowed in moves:
            call = f"puzzel.{method}({row}, {column})"
            lines += [ask, call] if is_allowed else [attempt(call)]
        look = f"{ask}  # Akari: na veel zetten"
        return self.scene("Enkele zetten na elkaar", board, *lines, look)

    def any_moves(self, board: Board, count: int) -> Iterator[tuple[str, int, int, bool]]:
        """Yield methods, cells and whether that is allowed when what comes before is done."""
        lamps: list[Cell] = []
        for _ in range(count):
            if lamps and self.draws.chance(0.2):
                cell = lamps.pop(self.draws.below(len(lamps)))
                yield "verwijder_lamp", *cell, True
                continue
            cell = self.draws.choice(board.cells())
            if self.draws.chance(0.2) and cell not in lamps:
                yield "verwijder_lamp", *cell, False
                continue
            fits = min([*board.missing([*lamps, cell]), 0]) == 0
            is_allowed = cell in board.dark(lamps) and fits
            lamps += [cell] * is_allowed
            yield "plaats_lamp", *cell, is_allowed
