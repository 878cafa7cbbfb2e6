"""Scenes about puzzles that are solved, or nearly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from grader.plugins.authoring.generating import Scene

from .boards import (
    SIDES,
    Board,
    Cell,
    alone,
    around,
    astray,
    counts,
    has_numbers_elsewhere,
    is_dark_behind,
    is_shared,
    lighted,
    shines_far,
    step,
)
from .drawing import Drawing, place, remove

ASKED_ONLY = "Een vraag verandert niets"
KEPT = """def bewaard():
...     try:
...         return {}
...     except Exception:
...         return None"""


class SolvingScenes(Drawing):
    """The scenes about `isopgelost`."""

    def solved(
        self,
        shape: tuple[int, int],
        is_right: Callable[[Board, list[Cell]], bool],
        *,
        in_line: bool = False,
        late: Iterable[Cell] = (),
    ) -> tuple[Board, list[Cell]]:
        """Return a board without numbers, and lamps that solve it, if that is right.

        No two of them stand in one row or column, unless they may be `in_line`. Those in the cells
        that are `late` come last.
        """
        late = {*late}
        while True:
            board = self.board(*shape)
            order = sorted(self.draws.shuffled(board.white()), key=late.__contains__)
            lamps = lighted(board, order, in_line=in_line)
            if not board.dark(lamps) and is_right(board, lamps):
                return board, lamps

    def dark_or_solved(self) -> Iterator[Scene]:
        """Yield puzzles that are solved but for what is dark, before and after the last lamp."""
        size = self.size()
        for row, column in ((size - 1, None), (None, size - 1)):

            def is_dark_there(
                board: Board, lamps: list[Cell], row: int | None = row, column: int | None = column
            ) -> bool:
                dark = board.dark(lamps[:-1])
                return alone(board, lamps) and all(r == row or k == column for r, k in dark)

            late = [c for c in product(range(size), range(size)) if c[0] == row or c[1] == column]
            board, lamps = self.solved((size, size), is_dark_there, late=late)
            yield self.asking_twice(board, "donkere cel", lamps)
        for corner in ((0, 0), (size - 1, size - 1)):

            def is_dark_in(board: Board, lamps: list[Cell], corner: Cell = corner) -> bool:
                is_behind = self.small or corner != (0, 0) or is_dark_behind(board, lamps)
                return alone(board, lamps) and is_behind and board.dark(lamps[:-1]) == [corner]

            in_line = corner == (0, 0) and not self.small
            board, lamps = self.solved((size, size), is_dark_in, in_line=in_line, late=[corner])
            yield self.asking_twice(board, "donkere cel", lamps)
        board, lamps = self.solved((size, size), has_numbers_elsewhere)
        yield self.asking_twice(board.numbered(lamps), "donkere cel", lamps)
        board, lamps = self.solved((max(size, 5),) * 2, is_dark_behind, in_line=True)
        yield self.asking_twice(board, "achter een zwarte cel", lamps)
        for wide in (True, False, True, False) if self.small else (True, False):
            board, lamps = self.solved(self.shape(wide=wide), shines_far)
            yield self.asking_twice(board, "niet vierkant", lamps)
        yield from self.solved_after_moves()
        yield from self.solved_without_black_cells()
        if self.small:
            yield self.solved_one_by_one()

    def solved_after_moves(self) -> Iterator[Scene]:
        """Yield puzzles that are solved and not, in turn: also with as many lamps."""
        size = self.size()
        look = "puzzel.isopgelost()  # isopgelost: na een zet"
        for is_moved in (False, True):

            def may_go_wrong(board: Board, lamps: list[Cell], is_moved: bool = is_moved) -> bool:
                is_behind = self.small or is_dark_behind(board, lamps)
                is_right = bool(astray(board, lamps)) if is_moved else is_behind
                return alone(board, lamps) and is_right

            in_line = not is_moved and not self.small
            board, lamps = self.solved((size, size), may_go_wrong, in_line=in_line)
            *others, last = lamps
            wrong = self.draws.choice(astray(board, lamps)) if is_moved else last
            moves = [place(last), remove(last), place(wrong)]
            if is_moved:
                moves = [place(wrong), remove(wrong), *moves]
            lines = [line for move in moves for line in (move, look)]
            before = [*map(place, others), *[look] * (2 - is_moved)]
            yield self.scene("Opgelost of niet", board, *before, *lines)

    def solved_without_black_cells(self) -> Iterator[Scene]:
        """Yield puzzles without black cells.

        Who cannot make them gets one of the same size, of which the answers are the same.
        """
        for size in (1, 2) if self.small else (2, 4):
            lamps = [*enumerate(self.draws.shuffled(range(size)))]
            ends = {0, size - 1}
            corners = [*product(ends, ends)]
            black = [corner for corner in corners if corner not in lamps][:1]
            empty, spare = Board(size, size, {}), Board(size, size, dict.fromkeys(black, "?"))
            if not black:
                empty, spare = Board(1, 2, {}), Board(1, 2, {(0, 1): "?"})
            files = [self.another_file(name) for name in ("puzzel", "tweede")]
            lines = [
                board.written_to(file) for board, file in zip((empty, spare), files, strict=True)
            ]
            first, second = (
                f"puzzel = {board.made_from(file)}"
                for board, file in zip((empty, spare), files, strict=True)
            )
            lines += [f"try:\n...     {first}\n... except Exception:\n...     {second}"]
            look = "puzzel.isopgelost()  # isopgelost: zonder zwarte cellen"
            *others, last = map(place, lamps)
            lines += [*others, look, last, look]
            yield Scene(topic="Opgelost of niet", lines="\n".join(lines))

    def solved_one_by_one(self) -> Scene:
        """Return a scene that solves two puzzles with a lamp in the same cell."""
        wide = self.draws.chance(0.5)
        ends = self.draws.shuffled([(0, 0), (0, 2) if wide else (2, 0)])
        one, two = (Board(*((1, 3) if wide else (3, 1)), {end: "?"}) for end in ends)
        lamp = (0, 1) if wide else (1, 0)
        look = "tweede.isopgelost()  # isopgelost: na een zet"
        lines = [place(lamp), *self.made(two, "tweede"), place(lamp, "tweede"), look]
        return self.scene("Twee puzzels naast elkaar", one, *lines)

    def only_asked(self) -> Iterator[Scene]:
        """Yield puzzles that are compared with what they were before a question.

        What is shown and kept is no matter, nor whether it can be. No lamp stands beside a number.
        """
        board, lamps = self.with_lamps()
        marks = zip(board.black, "?3" * len(board.black), strict=False)
        board = replace(board, black=dict(marks))
        asks = {
            "str": "str(puzzel)",
            "verlicht": "puzzel.verlicht()",
            "stralen": f"puzzel.stralen{lamps[0]}\npuzzel.stralen{lamps[1]}",
        }
        for name, ask in asks.items():
            yield from self.compared(board, name, [(map(place, lamps), ask)])
        while True:
            board, (*others, last) = self.solved((max(self.size(), 5),) * 2, has_numbers_elsewhere)
            beside = counts(board, [*others, last])
            if 0 in beside:
                break
        marks = zip(board.black, ("?" if count else "0" for count in beside), strict=True)
        board = replace(board, black=dict(marks))
        ask = "puzzel.isopgelost()"
        steps = [(map(place, others), ask), ([place(last)], ask)]
        yield from self.compared(board, "isopgelost", steps)
        look = f"{ask}  # isopgelost: verandert niets"
        board = board.with_black([next(c for c, mark in board.black.items() if mark == "0")], "1")
        yield self.scene(ASKED_ONLY, board, *map(place, [*others, last]), look, look)

    def compared(
        self, board: Board, name: str, steps: Iterable[tuple[Iterable[str], str]]
    ) -> Iterator[Scene]:
        """Yield for what is kept and for what is shown a scene with a question after each step."""
        steps = [([*moves], ask) for moves, ask in steps]
        for seen in ("dict(puzzel.zwarte_cellen), set(puzzel.lampen)", "str(puzzel)"):
            kept = KEPT.format(seen)
            look = f"bewaard() == voor  # {name}: verandert niets"
            lines = [
                line for moves, ask in steps for line in (*moves, "voor = bewaard()", ask, look)
            ]
            yield self.scene(ASKED_ONLY, board, kept, *lines)

    def asking(self, board: Board, clause: str, lamps: Iterable[Cell]) -> Scene:
        """Return a scene that asks whether it is solved after `lamps`."""
        look = f"puzzel.isopgelost()  # isopgelost: {clause}"
        return self.scene("Opgelost of niet", board, *map(place, lamps), look)

    def asking_twice(self, board: Board, clause: str, lamps: Sequence[Cell]) -> Scene:
        """Return a scene that asks whether it is solved before and after the last of `lamps`."""
        look = f"puzzel.isopgelost()  # isopgelost: {clause}"
        *others, last = map(place, lamps)
        return self.scene("Opgelost of niet", board, *others, look, last, look)

    def numbers_or_solved(self) -> Iterator[Scene]:
        """Yield puzzles without a dark cell, of which the numbers are right or not.

        A number counts the lamps that stand beside it at any of the borders.
        """
        for mark in "1234":
            board, right, other = self.at_one_number(mark)
            yield self.asking(board, f"getal {mark}", other)
            yield self.asking(board, f"getal {mark}", right)
        for wrong in (0, -1):
            board, right, other = self.at_one_of_the_numbers(wrong)
            yield self.asking(board, "een van de getallen", other)
            yield self.asking(board, "een van de getallen", right)
        size = self.size(2)
        for sides in zip(SIDES) if self.small else (SIDES[::2], SIDES[1::2]):

            def is_beside(board: Board, lamps: list[Cell], sides: tuple[Cell, ...] = sides) -> bool:
                return all(
                    any(
                        step(cell, side) in lamps and step(cell, side, 2) not in board
                        for cell in board.black
                    )
                    for side in sides
                )

            board, lamps = self.solved((size, size), is_beside)
            yield self.asking(board.numbered(lamps), "getal aan de rand", lamps)
        for _ in range(2):
            board, lamps = self.solved((self.size(5), self.size(5)), is_shared)
            yield self.asking(board.numbered(lamps), "een lamp naast twee getallen", lamps)

    def at_one_number(self, mark: str) -> tuple[Board, list[Cell], list[Cell]]:
        """Return a board with only this number, lamps that solve it, and others that miss it."""
        in_line = int(mark) > 2
        size = self.size(5)
        while True:
            cell = self.inner(size)
            near = self.draws.shuffled(each for each in around(cell))
            board = Board(size, size, {cell: mark})
            free = [each for each in board.white() if each not in near]
            board = board.with_black(self.draws.some(free, size - 1))
            rest = self.draws.shuffled(each for each in board.white() if each not in near)
            right = lighted(board, [*near, *rest], in_line=in_line)
            other = lighted(board, [*near[: int(mark) - 1], *rest, *near], in_line=in_line)
            is_lit = not board.dark(right) and not board.dark(other)
            if is_lit and board.missing(right) == [0] and board.missing(other) != [0]:
                return board, right, other

    def at_one_of_the_numbers(self, wrong: int) -> tuple[Board, list[Cell], list[Cell]]:
        """Return a board with numbers, lamps that solve it, and others that miss one of these.

        This is the number with the index `wrong`, in the first or the last cell of all.
        """
        size = self.size()
        while True:
            end = (0, 0) if wrong == 0 else (size - 1, size - 1)
            board = Board(size, size, {end: "?"})
            count = 1 if self.small else size - 1
            board = board.with_black(self.draws.some(board.white(), count))
            right = lighted(board, self.draws.shuffled(board.white()))
            board = board.numbered(right)
            other = lighted(board, self.draws.shuffled(board.white()))
            missing = board.missing(other)
            is_lit = not board.dark(right) and not board.dark(other)
            if sum(map(bool, missing)) == 1 and missing[wrong] and is_lit:
                return board, right, other

    def solved_at_the_border(self) -> Iterator[Scene]:
        """Yield puzzles with and without the last lamp: opposite numbers, or beside none."""
        size = self.size()
        for side in SIDES:

            def is_opposite(board: Board, lamps: list[Cell], side: Cell = side) -> bool:
                ends = ((step(cell, side), step(cell, side, 1 - size)) for cell in board.black)
                return any(end not in board and other in lamps for end, other in ends)

            board, lamps = self.solved((size, size), is_opposite)
            yield self.asking_twice(board.numbered(lamps), "overkant", lamps)
        for allowed in (2, 0):

            def is_so(board: Board, lamps: list[Cell], allowed: int = allowed) -> bool:
                return allowed in counts(board, lamps)

            board, lamps = self.solved((size, size), is_so)
            yield self.asking_twice(board, "vraagteken", lamps)
        for size, count in ((2, 1), (3, 2), (3, 3)):
            lamps = self.draws.some(enumerate(self.draws.shuffled(range(size))), count)
            board = Board(size, size, {})
            board = board.with_black(cell for cell in board.cells() if cell not in lamps)
            yield self.asking_twice(board, "enkel lampen", lamps)
