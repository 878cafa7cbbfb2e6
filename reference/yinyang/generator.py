"""Makes Yin-Yang scenes: for each clause at each place some that nothing else decides.

A board is a dict of cells to `w` or `b`, without the empty ones; it is only there to steer by. What
a line gives is for the reference to say. A call that is refused has the same form as one that is
allowed, and whether a puzzle is solved is asked of solved ones and of ones that nearly are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from grader.authoring.generating import Draws, Generator, HiddenGroup, PlacedClause, Scene

Cell: TypeAlias = tuple[int, int]
Board: TypeAlias = dict[Cell, str]

METHODS = {"w": "maak_wit", "b": "maak_zwart"}
OTHER = {"w": "b", "b": "w"}
NAMES = {"w": "wit", "b": "zwart"}
BRACKETS = ("[]", "()", "{}")
ANOTHER = "eerste = YinYang(3, [], []).maak_wit((0, 2)).maak_zwart((2, 0))"
PUZZLES = ("puzzel", "tweede", "derde")
WINDOW = ((0, 0), (0, 1), (1, 0), (1, 1))

_ITSELF = r"moet een verwijzing naar puzzel $$\mathcal{Y}$$ teruggegeven worden"
_SAME = r"mag het rooster van puzzel $$\mathcal{Y}$$ niet wijzigen"


def _move(colour: str) -> dict[str, PlacedClause]:
    """Return the clauses of the method that makes a cell this `colour`."""
    name, method = NAMES[colour], METHODS[colour]
    does, refuses = method, f"{method}-geweigerd"
    start = f"Een methode {method} \u2026"
    square = rf"{start} een {name} $$2 \times 2$$ vierkant zou doen ontstaan"
    outside = f"{start} buiten het rooster"
    return {
        f"{method}: kleurt": PlacedClause(group=does, quote=f"{start} {name} gemaakt wordt"),
        f"{method}: geen vierkant": PlacedClause(group=does, quote=square),
        f"{method}: zichzelf": PlacedClause(group=does, quote=f"{start} {_ITSELF}"),
        f"{method}: buiten": PlacedClause(group=refuses, quote=outside, refused=True),
        f"{method}: bezet": PlacedClause(
            group=refuses, quote=f"{start} niet leeg is", refused=True
        ),
        f"{method}: vierkant": PlacedClause(group=refuses, quote=square, refused=True),
        f"{method}: ingekleurd vierkant": PlacedClause(group=refuses, quote=square, refused=True),
        f"{method}: ongewijzigd": PlacedClause(group=refuses, quote=f"{start} {_SAME}"),
    }


def _refused(quote: str) -> PlacedClause:
    return PlacedClause(group="YinYang-geweigerd", quote=quote, refused=True)


_CLEAR = "Een methode maak_leeg \u2026"
_REGION = "Een methode aaneengesloten_gebied \u2026"
_SOLVED = "Een methode isopgelost \u2026"
_WHITE_SQUARE = "de collectie die wordt doorgegeven aan de parameters wit mag geen vier posities"
_BLACK_SQUARE = "de collectie die wordt doorgegeven aan de parameters zwart mag geen vier posities"
_BEYOND = "de collecties \u2026 mogen geen enkele positie bevatten die buiten het rooster"
CLAUSES = {
    "str: grootte": PlacedClause(group="str", quote="elke rij van het rooster voorgesteld als"),
    "str: opgave": PlacedClause(group="str", quote="W: een vakje dat wit was in de opgave"),
    "str: ingekleurd": PlacedClause(group="str-na-een-actie", quote="w: een vakje dat leeg was"),
    "str: terug leeg": PlacedClause(group="str-na-een-actie", quote="-: een vakje dat leeg was"),
    "YinYang: posities": PlacedClause(
        group="YinYang",
        quote="wit (list, tuple of set): een collectie met de posities van vakjes die wit gekleurd",
    ),
    "YinYang: naast elkaar": PlacedClause(
        group="YinYang", quote="Bij het aanmaken van een nieuwe puzzel"
    ),
    "YinYang: geen vierkant": PlacedClause(group="YinYang", quote=_WHITE_SQUARE),
    "YinYang: wit en zwart": _refused("mogen geen enkele positie gemeenschappelijk hebben"),
    "YinYang: wit buiten": _refused(_BEYOND),
    "YinYang: zwart buiten": _refused(_BEYOND),
    "YinYang: wit vierkant": _refused(_WHITE_SQUARE),
    "YinYang: zwart vierkant": _refused(_BLACK_SQUARE),
    "YinYang: groot met wit vierkant": _refused(_WHITE_SQUARE),
    "YinYang: groot met zwart vierkant": _refused(_BLACK_SQUARE),
    **_move("w"),
    **_move("b"),
    "maak_leeg: leegt": PlacedClause(group="maak_leeg", quote=f"{_CLEAR} leeg gemaakt wordt"),
    "maak_leeg: daarna": PlacedClause(group="maak_leeg", quote=f"{_CLEAR} leeg gemaakt wordt"),
    "maak_leeg: zichzelf": PlacedClause(group="maak_leeg", quote=f"{_CLEAR} {_ITSELF}"),
    "maak_leeg: buiten": PlacedClause(
        group="maak_leeg-geweigerd", quote=f"{_CLEAR} buiten het rooster", refused=True
    ),
    "maak_leeg: vakje is leeg": PlacedClause(
        group="maak_leeg-geweigerd", quote=rf"{_CLEAR} leeg is", refused=True
    ),
    "maak_leeg: opgave": PlacedClause(
        group="maak_leeg-geweigerd",
        quote=f"{_CLEAR} wit of zwart was in de opgave",
        refused=True,
    ),
    "maak_leeg: ongewijzigd": PlacedClause(group="maak_leeg-geweigerd", quote=f"{_CLEAR} {_SAME}"),
    "gebied: wit": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} met vakjes van dezelfde kleur"
    ),
    "gebied: zwart": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} met vakjes van dezelfde kleur"
    ),
    "gebied: zijden": PlacedClause(
        group="aaneengesloten_gebied",
        quote=f"{_REGION} door horizontaal en vertikaal aangrenzende zijden",
    ),
    "gebied: aan de rand": PlacedClause(
        group="aaneengesloten_gebied",
        quote=f"{_REGION} door horizontaal en vertikaal aangrenzende zijden",
    ),
    "gebied: groot": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} de posities (tuple) van alle vakjes"
    ),
    "gebied: na een zet": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} de posities (tuple) van alle vakjes"
    ),
    "gebied: leeg vakje": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} een lege verzameling (set)"
    ),
    "gebied: buiten": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} buiten het rooster"
    ),
    "isopgelost: opgelost": PlacedClause(group="isopgelost", quote=f"{_SOLVED} opgelost werd"),
    "isopgelost: leeg vakje": PlacedClause(
        group="isopgelost", quote=f"{_SOLVED} geen lege vakjes meer"
    ),
    "isopgelost: wit": PlacedClause(group="isopgelost", quote=f"{_SOLVED} alle witte vakjes"),
    "isopgelost: zwart": PlacedClause(group="isopgelost", quote=f"{_SOLVED} alle zwarte vakjes"),
    "isopgelost: zijden": PlacedClause(
        group="isopgelost", quote=f"{_SOLVED} alle witte vakjes \u00e9\u00e9n aaneengesloten gebied"
    ),
    "isopgelost: na een zet": PlacedClause(group="isopgelost", quote=f"{_SOLVED} opgelost werd"),
}

TITLES = {
    "str": "str",
    "str-na-een-actie": "str na een actie",
    "YinYang": "YinYang",
    "YinYang-geweigerd": "YinYang geweigerd",
    "maak_wit": "maak_wit",
    "maak_wit-geweigerd": "maak_wit geweigerd",
    "maak_zwart": "maak_zwart",
    "maak_zwart-geweigerd": "maak_zwart geweigerd",
    "maak_leeg": "maak_leeg",
    "maak_leeg-geweigerd": "maak_leeg geweigerd",
    "aaneengesloten_gebied": "aaneengesloten_gebied",
    "isopgelost": "isopgelost",
}
POINTS = {
    "str": 2,
    "str-na-een-actie": 2,
    "YinYang": 6,
    "YinYang-geweigerd": 11,
    "maak_wit": 3.5,
    "maak_wit-geweigerd": 7,
    "maak_zwart": 3.5,
    "maak_zwart-geweigerd": 7,
    "maak_leeg": 4,
    "maak_leeg-geweigerd": 5,
    "aaneengesloten_gebied": 32,
    "isopgelost": 17,
}


# Boards


def beside(cell: Cell, *, corners: bool) -> list[Cell]:
    """Return the cells at the four sides of `cell`, or also those at its `corners`."""
    row, column = cell
    found = [(down, right) for down, right in product((-1, 0, 1), repeat=2) if down or right]
    return [(row + down, column + right) for down, right in found if corners or not down * right]


def reached(board: Board, cell: Cell, *, corners: bool = False) -> tuple[set[Cell], int]:
    """Return the cells that hang together with `cell`, and how many steps lie between at most.

    With `corners` it is for who takes cells that touch at a corner to hang together.
    """
    found, last, steps = {cell}, {cell}, -1
    while last:
        near = {each for one in last for each in beside(one, corners=corners)} - found
        last = {each for each in near if board.get(each) == board[cell]}
        found |= last
        steps += 1
    return found, steps


def makes_square(board: Board, cell: Cell, colour: str) -> bool:
    """Return whether `cell` in this colour is the last of four."""
    row, column = cell
    return any(
        all(
            board.get(each) == colour
            for each in ((row + down, column), (row, column + right), (row + down, column + right))
        )
        for down, right in product((-1, 1), repeat=2)
    )


def in_pieces(board: Board, colour: str, *, corners: bool = False) -> bool:
    """Return whether this colour is absent, or in more pieces than one; see `reached`."""
    cells = [cell for cell in board if board[cell] == colour]
    return not cells or len(reached(board, cells[0], corners=corners)[0]) < len(cells)


def without_corners(board: Board) -> Board:
    """Return the cells of `board` that touch none of their colour at a corner only."""
    kept: Board = {}
    for cell, colour in board.items():
        more = kept | {cell: colour}
        if reached(more, cell)[0] == reached(more, cell, corners=True)[0]:
            kept = more
    return kept


def comb(size: int) -> Board:
    """Return a solved board of two combs that stick into each other."""
    return {
        (row, column): "b" if column == 0 or (row % 2 == 0 and column < size - 1) else "w"
        for row, column in product(range(size), repeat=2)
    }


def flipped(draws: Draws, board: Board) -> Board:
    """Return `board` with the other colour in a cell or two, or as it is if that makes a square."""
    cells = list(board)
    chosen = [draws.choice(cells) for _ in range(draws.between(1, 2))]
    other = board | {cell: OTHER[board[cell]] for cell in chosen}
    return board if any(makes_square(other, cell, other[cell]) for cell in chosen) else other


def solved_board(draws: Draws, size: int) -> Board:
    """Return any solved board: a walk over all of them, turned and recoloured."""
    board = comb(size)
    for _ in range(12 * size):
        other = flipped(draws, board)
        board = board if in_pieces(other, "w") or in_pieces(other, "b") else other
    return turned(draws, board, size)


def turned(draws: Draws, board: Board, size: int) -> Board:
    """Return `board` in one of 16 views: turned, mirrored, colours swapped."""
    swap, down, right, recolour = (draws.chance(0.5) for _ in range(4))
    last = size - 1

    def seen(cell: Cell) -> Cell:
        row, column = (cell[1], cell[0]) if swap else cell
        return (last - row if down else row), (last - column if right else column)

    return {seen(c): OTHER[colour] if recolour else colour for c, colour in board.items()}


def split_board(draws: Draws, size: int, colours: str, *, corners: bool) -> Board:
    """Return a full board without squares, of which these `colours` are in pieces, and no other.

    These touch at `corners`, so that each hangs together for who counts those; or one does not.
    """
    while True:
        board = solved_board(draws, size)
        for _ in range(4):
            board = flipped(draws, board)
        if [in_pieces(board, each) for each in "wb"] != [each in colours for each in "wb"]:
            continue
        if corners != any(in_pieces(board, each, corners=True) for each in colours):
            return board


def corner_cut_off(draws: Draws, size: int, colour: str, *, last: bool) -> Board:
    """Return a full board without squares, of which this `colour` is in two pieces.

    One of them is the first cell alone, or the last.
    """
    cell, *around = (
        (size - 1 - row, size - 1 - column) if last else (row, column) for row, column in WINDOW
    )
    while True:
        board = solved_board(draws, size) | dict.fromkeys(around, OTHER[colour])
        without = {each: found for each, found in board.items() if each != cell}
        other = without | {cell: colour}
        squares = any(makes_square(other, each, other[each]) for each in around)
        if not (squares or in_pieces(other, OTHER[colour]) or in_pieces(without, colour)):
            return other


def spiral(size: int) -> Board:
    """Return a solved board of two long paths that wind inwards beside each other."""
    board = dict.fromkeys(product(range(size), repeat=2), "b")
    row, column, down, right = 0, -1, 0, 1
    for length in _lengths(size):
        for _ in range(length):
            row, column = row + down, column + right
            board[row, column] = "w"
        down, right = right, -down
    return board


def _lengths(size: int) -> list[int]:
    """Return how many cells the straight parts have of a path that winds inwards."""
    return [size, size - 1, size - 1, *(each for each in range(size - 3, 0, -2) for _ in range(2))]


def with_island(draws: Draws, size: int, colour: str) -> Board:
    """Return a full board without squares, with an island of this `colour` and one other piece.

    The island has a few cells and does not touch the border. The other colour is in one piece, and
    nothing close by tells that the board is not solved: no cell is alone, and no four cells in a
    square have one colour on each diagonal.
    """
    while True:
        top, left = draws.between(1, size - 4), draws.between(1, size - 4)
        down = draws.chance(0.5)
        cells = [(top + step, left) if down else (top, left + step) for step in range(2)]
        board = solved_board(draws, size)
        around = [
            (row + i, column + j) for row, column in cells for i, j in product((-1, 0, 1), repeat=2)
        ]
        board |= dict.fromkeys(around, OTHER[colour]) | dict.fromkeys(cells, colour)
        rest = {cell: each for cell, each in board.items() if cell not in cells}
        whole = not (in_pieces(rest, "w") or in_pieces(rest, "b"))
        if whole and not any(
            makes_square(board, each, board[each]) or crossed(board, each) for each in board
        ):
            return board


def crossed(board: Board, cell: Cell) -> bool:
    """Return whether the square that starts at `cell` has one colour on each diagonal."""
    row, column = cell
    found = [board.get((row + down, column + right)) for down, right in WINDOW]
    return found[0] == found[3] != found[1] == found[2] and None not in found


def across_the_border(size: int, at: int) -> list[list[Cell]]:
    """Return cells that are next to each other for who counts on from the end of a row or column.

    Each list has four cells, which make a square then; `at` says where.
    """
    far = size - 1
    rows = [(at, far), (at + 1, far), (at + 1, 0), (at, 0)]
    upper = [(at, 0), (at + 1, 0), (at, far), (at + 1, far)]
    flat = [(at, far), (at + 1, far), (at + 1, 0), (at + 2, 0)]
    lists = [rows, upper, flat]
    return lists + [[(column, row) for row, column in cells] for cells in lists]


def part(draws: Draws, size: int, share: float) -> Board:
    """Return some cells of a solved board."""
    board = solved_board(draws, size)
    kept = draws.some(list(board), max(2, round(share * size * size)))
    return {cell: board[cell] for cell in kept}


def sparse(board: Board, *more: Board) -> Board:
    """Return the cells of `board`, and of `more`, that do not complete a square of any colours."""
    kept: Board = {}
    for each in (board, *more):
        for cell, colour in each.items():
            if cell not in kept and not makes_square(dict.fromkeys(kept, colour), cell, colour):
                kept[cell] = colour
    return kept


def empty(board: Board, size: int) -> list[Cell]:
    """Return the cells without a colour, row by row."""
    return [cell for cell in product(range(size), repeat=2) if cell not in board]


def corners(size: int) -> list[Cell]:
    """Return the corners of a board: a square for who counts from the end in both directions."""
    return [(size - 1, size - 1), (size - 1, 0), (0, size - 1), (0, 0)]


def window(
    draws: Draws, size: int, colour: str, corner: int = 0, at: Cell | None = None
) -> tuple[Board, Cell]:
    """Return three cells of a square in this `colour`, and the fourth: its `corner`, 0 to 3.

    Rows and columns of a square that is not `at` a place are not the same ones if there is room.
    """
    row = draws.below(size - 1)
    column = draws.choice([each for each in range(size - 1) if each != row] or [row])
    row, column = at or (row, column)
    cells = [(row + down, column + right) for down, right in WINDOW]
    last = cells.pop(corner)
    return dict.fromkeys(draws.shuffled(cells), colour), last


# Calls


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


def apart(one: Cell, other: Cell) -> bool:
    """Return whether no square has both cells."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) > 1


class Scenes:
    """The scenes of one draw, on boards that are large, or as small as they can be."""

    def __init__(self, draws: Draws, *, small: bool) -> None:
        """Draw from `draws`."""
        self.draws = draws
        self.small = small

    def size(self, least: int = 3) -> int:
        """Return how many rows the next board has."""
        return least if self.small else self.draws.between(max(4, least), 7)

    def board(self, size: int, share: float = 0.45) -> Board:
        """Return what is given of the next board: in no square all four cells have a colour."""
        return sparse(part(self.draws, size, 0.25 if self.small else share))

    def look(self, name: str = "puzzel") -> str:
        """Return what shows a puzzle; in an example as students would look at it."""
        return f"str({name})" if self.small else colours(name)

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

    def by_size(self, scenes: Iterator[Scene]) -> Iterable[Scene]:
        """Return `scenes` with small boards first. No draw decides their sizes, nor their order.

        Who keeps one board for all puzzles, and sets the cells of each anew, has nothing left
        beyond the border then. That is asked where two puzzles are side by side.
        """
        return scenes if self.small else sorted(scenes, key=size_of)

    def scene(self, topic: str, *lines: str) -> Scene:
        """Return the scene of `lines`."""
        return Scene(topic=topic, lines="\n".join(lines))

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
                f"puzzel.{METHODS[colour]}({cell})",
                f"puzzel.aaneengesloten_gebied({cell})",
                "print(puzzel)  # str: ingekleurd",
                f"puzzel.maak_leeg({cell})",
                "print(puzzel)  # str: terug leeg",
            )

    def shows(self, size: int, board: Board, clause: str) -> Scene:
        """Return a scene that shows a puzzle as it is set."""
        topic = {"grootte": "De grootte van het rooster"}.get(clause, "Vakjes van de opgave")
        return self.scene(topic, f"print({puzzle(size, board)})  # str: {clause}")

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

    def made(self) -> Iterator[Scene]:
        """Yield puzzles that are made."""
        for share in (0.0, 0.2, 0.9):
            size = self.size(2)
            board = self.board(size, share)
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
        looks = ", ".join(map(colours, PUZZLES))
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

    def refused_puzzles(self) -> Iterator[Scene]:
        """Yield puzzles that must be refused, each for one reason."""
        for end in (min, max, None, None):
            yield self.both_colours(end)
        for colour in "wb":
            why = f"{NAMES[colour]} buiten"
            for direction in range(4):
                size, board, _ = self.free(colour)
                cell = {self.beyond(size, direction): colour}
                yield self.refused_puzzle(
                    size, cell | board if direction % 2 else board | cell, why
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

    def square(
        self, size: int, colour: str, corner: int, why: str, at: Cell | None = None
    ) -> Scene:
        """Return a scene with four cells of this `colour` in a square that are given."""
        three, last = window(self.draws, size, colour, corner, at)
        board, small = three | {last: colour}, self.small and size > 7
        for cell, each in self.board(size, 0.2).items() if size > 2 and not small else ():
            if cell not in board and not makes_square(board, cell, each):
                board[cell] = each
        if corner % 2:
            board = {cell: board[cell] for cell in self.draws.shuffled(board)}
        return self.refused_puzzle(size, board, why)

    def refused_puzzle(self, size: int, board: Board, why: str) -> Scene:
        """Return a scene with a puzzle of `board`, which is refused."""
        made = puzzle(size, board)
        return self.scene("Een geweigerde puzzel", f"{self.look(made)}  # YinYang: {why}")

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

    def small_or(self, size: int) -> int:
        """Return `size`, or the least that tells the same in an example."""
        return 3 if self.small else size

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
            places = self.draws.shuffled(product(ends, repeat=2))
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
        for corner, at in enumerate(product((0, size - 2), repeat=2)):
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
        *given, late = three
        calls = (f"{method}({last})", f"maak_leeg({last})", f"{method}({late})")
        moves = [f"puzzel.{each}" for each in calls]
        board = dict.fromkeys(given, colour)
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

    def regions(self) -> Iterator[Scene]:
        """Yield regions of cells, on boards that are given as a whole.

        With each clause comes a plain region that is not all there is of its colour: who takes that
        for the region has understood none of them.
        """
        for name in CLAUSES:
            if name.startswith("gebied: "):
                yield self.apart(name)
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

        One has bends: whoever looks at neighbours, or along lines, does not find all of it.
        """
        size, bends = (4, 2) if self.small else (7, 4)
        start, far = (0, [(3, 0)]) if self.small else (1, [(5, each) for each in range(1, 6)])
        steps = [(start + each // 2, start + (each + 1) // 2) for each in range(bends + 1)]
        colour = self.draws.choice("wb")
        board = dict.fromkeys([*steps, *far], colour)
        if not self.small:
            board[0, self.draws.below(size)] = OTHER[colour]
        return self.asked(
            "Twee gebieden van dezelfde kleur",
            size,
            board,
            clause.removeprefix("gebied: "),
            self.draws.choice(steps[:: len(steps) - 1]),
        )

    def region(self, colour: str, share: float) -> Scene:
        """Return a scene that asks for regions of this `colour`, of which there is much.

        They do not wind, and touch others at no corner: that has clauses of its own.
        """
        size = self.small_or({0.5: 5, 0.7: 6}.get(share, 7))
        cells: list[Cell] = []
        while not cells:
            whole = part(self.draws, size, share)
            own = {cell: each for cell, each in whole.items() if each == colour}
            board = without_corners(sparse(own, self.board(size, 0.2)))
            own = {cell: each for cell, each in board.items() if each == colour}
            cells = [cell for cell in own if reached(board, cell)[1] < size]
        chosen = self.draws.some(cells, 1 if self.small else 2)
        return self.asked("Een gebied", size, board, NAMES[colour], *chosen)

    def not_by_a_corner(self, colour: str) -> Iterator[Scene]:
        """Yield cells that touch at a corner, or at the other side of the board, if they do."""
        size = self.small_or(5)
        cells = [(index, index) for index in range(size)]
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
        board = {cell: colour for cell, each in comb(size).items() if each == "w"}
        yield self.asked(topic, size, board, "groot", self.draws.choice(list(board)))
        size, one, other, third, fourth = self.mixed_up()
        beside = [(2, one[1]), (11, other[1] + 1), (1, fourth[1] + 1)]
        board = dict.fromkeys([one, other, fourth, *beside], colour)
        board |= dict.fromkeys([third, (0, third[1] - 1)], OTHER[colour])
        yield self.asked(topic, size, board, "groot", one, other, third, fourth)
        hook = dict.fromkeys([(1, each) for each in range(fourth[1], size)], colour)
        hook |= dict.fromkeys([(each, fourth[1]) for each in range(1, 12)], colour)
        yield self.asked(topic, size, hook, "groot", fourth)
        # From one end to the other: who looks a number of times has to look often.
        path = {cell: each for cell, each in sorted(spiral(9).items()) if each == "w"}
        path = turned(self.draws, path, 9)
        yield self.asked(topic, 9, path, "groot", next(iter(path)))

    def after_a_move(self, colour: str) -> Scene:
        """Return a scene that asks for a region before and after a move, and after another one.

        The other one makes up for the first, which is undone: who remembers answers by how many
        cells are coloured gives an old one.
        """
        size = self.small_or(6)
        row = self.draws.below(size)
        board = {(row, column): colour for column in range(size) if column != 1}
        look = f"puzzel.aaneengesloten_gebied({(row, 0)})  # gebied: na een zet"
        beside = (row - 1 if row else 1, 0)
        return self.scene(
            "Een gebied voor en na een zet",
            f"puzzel = {puzzle(size, board)}",
            look,
            f"puzzel.{METHODS[colour]}({(row, 1)})",
            look,
            f"puzzel.maak_leeg({(row, 1)})",
            look,
            f"puzzel.{METHODS[colour]}({beside})",
            look,
        )

    def joined(self) -> Scene:
        """Return a scene in which a cell joins two regions, and then gets the other colour."""
        size, colour = self.small_or(6), self.draws.choice("wb")
        row, column = (1, 1) if self.small else (self.draws.between(1, 4), self.draws.between(1, 4))
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
        row = self.draws.below(size)
        one, other = {(row, 0): colour, (row, 1): colour}, {(row, 0): colour}
        ask, clause = f"aaneengesloten_gebied({(row, 0)})", "# gebied: na een zet"
        return self.scene(
            "Gebieden van twee puzzels",
            f"puzzel = {puzzle(size, one)}",
            f"tweede = {puzzle(size, other)}",
            f"puzzel.{ask}  {clause}",
            f"tweede.{ask}  {clause}",
            f"puzzel.{ask}  {clause}",
            f"{self.look()}  {clause}",
        )

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
            board = dict.fromkeys(product(range(2), repeat=2), OTHER[colour]) | {cell: colour}
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
        yield self.solved_and_undone()
        yield self.solved_or_not()
        yield self.solved_beside()

    def solved_comb(self, size: int) -> Board:
        """Return a solved board that does not wind: that has a clause of its own."""
        return turned(self.draws, comb(size), size)

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


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield the scenes that are shown, and one of each clause after another puzzle was played."""
    seen: set[str] = set()
    for scene in Scenes(draws, small=True).all():
        yield scene
        clause = scene.lines.rpartition("  # ")[2]
        if clause not in seen and not clause.startswith("YinYang"):
            seen.add(clause)
            yield replace(scene, lines=f"{ANOTHER}\n{scene.lines}")


GENERATOR = Generator(
    version=11,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=TITLES[name], points=points) for name, points in POINTS.items()
    ),
)
