"""Scenes about cells of one colour that hang together."""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.generating import Scene

from .boards import (
    NAMES,
    OTHER,
    Board,
    Cell,
    comb,
    inside,
    meander,
    off_the_border,
    part,
    reached,
    sparse,
    turned,
    without_corners,
)
from .clauses import CLAUSES, METHODS, SIDE_ISSUES
from .drawing import Drawing, collection, puzzle

TEXT = """def tekst():
...     try:
...         return str(puzzel)
...     except Exception:
...         return None"""


class RegionScenes(Drawing):
    """The scenes about `aaneengesloten_gebied`."""

    def regions(self) -> Iterator[Scene]:
        """Yield regions of cells, on boards that are given as a whole.

        With each clause comes a plain region that is not all there is of its colour: who takes that
        for the region has understood none of them.
        """
        clauses = [name.removeprefix("gebied: ") for name in CLAUSES if name.startswith("gebied: ")]
        for clause in clauses:
            yield self.apart(clause)
        for colour in "wb":
            for share in (0.5, 0.7, 1.0):
                yield self.region(colour, share)
            yield from self.not_by_a_corner(colour)
            yield self.after_a_move(colour)
            size, board, cell = self.free(colour, self.small_or(5))
            yield self.asked("Een leeg vakje", size, board, "leeg vakje", cell)
        yield from self.large()
        yield self.joined()
        yield self.two_puzzles()
        yield self.only_asked("aaneengesloten_gebied({})", "gebied: na een zet")
        yield from self.outside_regions()

    def outside_regions(self) -> Iterator[Scene]:
        """Yield cells outside: some are coloured for who counts on, or from the end."""
        topic, clause = "Buiten het rooster", "buiten"
        size = self.small_or(6)
        row, colour = self.draws.between(1, size - 1), self.draws.choice("wb")
        cells = [(row - 1, size), *(self.beyond(size, direction) for direction in range(1, 4))]
        for some in [[cell] for cell in cells] if self.small else [cells]:
            yield self.asked(topic, size, {(row, 0): colour}, clause, *some)
        for direction in range(2):
            size = self.small_or(6)
            near, far = self.draws.below(size), size - 1
            cell, outside = (((near, far), (near, -1)), ((far, near), (-1, near)))[direction]
            board = {cell: self.draws.choice("wb")}
            yield self.asked("Onder nul", size, board, clause, outside)

    def asked(self, topic: str, size: int, board: Board, clause: str, *cells: Cell) -> Scene:
        """Return a scene that asks for the regions of `cells`."""
        lines = [f"puzzel.aaneengesloten_gebied({cell})  # gebied: {clause}" for cell in cells]
        return self.scene(topic, f"puzzel = {puzzle(size, board)}", *lines)

    def apart(self, clause: str) -> Scene:
        """Return a scene with two regions of one colour, far from each other and the border.

        One has bends: whoever looks at neighbours, or along lines, does not find all of it. Where a
        clause has little to do with where a region ends, a line of the other colour lies between
        them, and it is asked which of the coloured cells belong to it: then who goes on through
        empty ones does not lose it.
        """
        size, bends = (4, 2) if self.small else (7, 4)
        start, far = (0, [(3, 0)]) if self.small else (1, [(5, each) for each in range(1, 6)])
        steps = [(start + each // 2, start + (each + 1) // 2) for each in range(bends + 1)]
        colour = self.draws.choice("wb")
        board = dict.fromkeys([*steps, *far], colour)
        asked = self.draws.choice(steps[:: len(steps) - 1])
        topic = "Twee gebieden van dezelfde kleur"
        if self.small or clause not in SIDE_ISSUES:
            if not self.small:
                board[1, 5] = OTHER[colour]
            return self.asked(topic, size, board, clause, asked)
        board = dict.fromkeys([*steps, *((6, column) for _, column in far)], colour)
        board |= {(4, column): OTHER[colour] for column in range(size)}
        return self.asked_of_colour(topic, size, board, clause, asked)

    def asked_of_colour(
        self, topic: str, size: int, board: Board, clause: str, asked: Cell
    ) -> Scene:
        """Return a scene that asks which of the coloured cells belong to the region of one."""
        if self.small:
            return self.asked(topic, size, board, clause, asked)
        same = {cell for cell, colour in board.items() if colour == board[asked]}
        return self.scene(
            topic,
            f"puzzel = {puzzle(size, board)}",
            f"kleur = {collection(sorted(same), '{}')}",
            f"kleur & set(puzzel.aaneengesloten_gebied({asked}))  # gebied: {clause}",
        )

    def region(self, colour: str, share: float) -> Scene:
        """Return a scene that asks for regions of this `colour`, of which there is much.

        They do not wind, and touch others at no corner: that has clauses of its own.
        """
        size = self.small_or({0.5: 5, 0.7: 6}.get(share, 7))
        cells: list[Cell] = []
        while not cells:
            whole = inside(part(self.draws, size, share), size)
            own = {cell: each for cell, each in whole.items() if each == colour}
            board = without_corners(sparse(own, self.board(size, 0.2)))
            own = {cell: each for cell, each in board.items() if each == colour}
            cells = [cell for cell in own if reached(board, cell)[1] < size]
        chosen = self.draws.some(cells, 1 if self.small else 2)
        return self.asked("Een gebied", size, board, NAMES[colour], *chosen)

    def not_by_a_corner(self, colour: str) -> Iterator[Scene]:
        """Yield cells that touch at a corner, or at the other side of the board, if they do."""
        size = self.small_or(6)
        cells = [*inside({(index, index): colour for index in range(size)}, size)]
        topic = "Vakjes die elkaar enkel in een hoek raken"
        board = dict.fromkeys(cells, colour)
        yield self.asked(topic, size, board, "zijden", self.draws.choice(cells))
        size = self.usual()
        topic = "Vakjes aan weerskanten van het rooster"
        for index, pair in zip((-1, 0), self.wrapped(), strict=True):
            if self.small:
                pairs = [[each[0], each[-2 if index else 2]] for each in pair]
                for some in pairs:
                    board = dict.fromkeys(some, colour)
                    yield self.asked(topic, size, board, "aan de rand", *some)
            else:
                board = dict.fromkeys((cell for each in pair for cell in each), colour)
                asked = [each[index] for each in pair]
                yield self.asked(topic, size, board, "aan de rand", *asked)

    def large(self) -> Iterator[Scene]:
        """Yield regions of large boards, of which one winds, and cells that are easily mixed up.

        Those are positions that meet when they are written without a separator, or as one number.
        """
        colour, topic = self.draws.choice("wb"), "Een groot gebied"
        # Not larger: who looks at all fours of what is given is slow, and right.
        size = 4 if self.small else 9
        cells = [cell for cell, each in comb(size).items() if each == "w"]
        board = off_the_border(dict.fromkeys(cells, colour))
        yield self.asked_of_colour(topic, size + 2, board, "groot", self.draws.choice([*board]))
        size, one, other, third, fourth = self.mixed_up()
        beside = [(2, one[1]), (11, other[1] + 1), (1, fourth[1] + 1)]
        board = dict.fromkeys([one, other, fourth, *beside], "w")
        board |= dict.fromkeys([third, (0, third[1] - 1)], "b")
        yield self.asked(topic, size, board, "wit", one, other, third, fourth)
        hook = dict.fromkeys([(1, each) for each in range(fourth[1], size)], colour)
        hook |= dict.fromkeys([(each, fourth[1]) for each in range(1, 12)], colour)
        yield self.asked_of_colour(topic, size, hook, "groot", fourth)
        # From one end to the other: who looks a number of times has to look often.
        path = off_the_border(turned(self.draws, meander(10), 10))
        yield self.asked_of_colour(topic, 12, path, "groot", next(iter(path)))

    def after_a_move(self, colour: str) -> Scene:
        """Return a scene that asks for a region before and after a move, and after another one.

        The other one makes up for the first, which is undone: who remembers answers by how many
        cells are coloured gives an old one.
        """
        size, start = (3, 0) if self.small else (6, 1)
        row = self.draws.between(start, size - 1 - start)
        line = [(row, column) for column in range(start, size - start)]
        first, gap, *_ = line
        board = {cell: colour for cell in line if cell != gap}
        look = f"puzzel.aaneengesloten_gebied({first})  # gebied: na een zet"
        beside = (row - 1 if row > start else row + 1, start)
        return self.scene(
            "Een gebied voor en na een zet",
            f"puzzel = {puzzle(size, board)}",
            look,
            f"puzzel.{METHODS[colour]}({gap})",
            look,
            f"puzzel.maak_leeg({gap})",
            look,
            f"puzzel.{METHODS[colour]}({beside})",
            look,
        )

    def joined(self) -> Scene:
        """Return a scene in which a cell joins two regions, and then gets the other colour."""
        size, colour = self.small_or(6), self.draws.choice("wb")
        row, column = (1, 1) if self.small else (self.draws.between(2, 3), self.draws.between(1, 4))
        middle, arm, other = (row, column), (row - 1, column), (row + 1, column)
        ask, clause = "puzzel.aaneengesloten_gebied", "# gebied: na een zet"
        return self.scene(
            "Een gebied dat groeit en weer uiteenvalt",
            f"puzzel = {puzzle(size, dict.fromkeys((arm, other), colour))}",
            f"puzzel.{METHODS[colour]}({middle})",
            f"{ask}({middle})  {clause}",
            f"puzzel.maak_leeg({middle})",
            f"{ask}({middle})  # gebied: leeg vakje",
            f"puzzel.{METHODS[OTHER[colour]]}({middle})",
            f"{ask}({middle})  {clause}",
            f"{ask}({arm})  {clause}",
        )

    def two_puzzles(self) -> Scene:
        """Return a scene that asks two puzzles the same, one of them twice."""
        size, colour = self.usual(), self.draws.choice("wb")
        cell, beside = self.draws.shuffled([(1, 1), (1, 2)])
        one, other = {cell: colour, beside: colour}, {cell: colour}
        ask, clause = f"aaneengesloten_gebied({cell})", "# gebied: na een zet"
        return self.scene(
            "Gebieden van twee puzzels",
            f"puzzel = {puzzle(size, one)}",
            f"tweede = {puzzle(size, other)}",
            f"puzzel.{ask}  {clause}",
            f"tweede.{ask}  {clause}",
            f"puzzel.{ask}  {clause}",
            f"{self.look()}  {clause}",
        )

    def only_asked(self, ask: str, clause: str) -> Scene:
        """Return a scene that compares a puzzle with what it was before a question, twice.

        How it is shown is no matter, nor whether it can be.
        """
        if "isopgelost" in ask:
            size = self.small_or(6)
            board, cell, colour = self.last_cell(size)
        else:
            colour = self.draws.choice("wb")
            size, board, cell = self.free(colour, self.small_or(6))
        asks = ["voor = tekst()", f"puzzel.{ask}".format(next(iter(board), cell))]
        asks += [f"tekst() == voor  # {clause}"]
        return self.scene(
            "Een vraag verandert niets",
            f"puzzel = {puzzle(size, board)}",
            TEXT,
            *asks,
            f"puzzel.{METHODS[colour]}({cell})",
            *asks,
        )
