"""Makes Akari scenes: for each clause at each place some that nothing else decides.

What counts writes its board to the file of the text, unless a clause is about the file: who always
opens that one loses what is about files, and nothing else. Each board that is not that of the text
has a spelling of the file's name to itself, for who remembers by their names what was in files.
What is shown writes other files, as who types it would lose hers. What is known of a board here is
only there to steer by; what a line gives is for the reference to say.

Boards that count are as large as that of the text and have as many black cells, without a number,
unless a clause is about just that; those of another size have as many black cells as rows. So a
mistake in wide boards, in long rays or in how many lines are read costs what is about these, and
nothing else. So does one in what stops rays: lamps that are only set-up stand in line with no black
cell, and those that solve a puzzle in no row or column with each other, so that it does not matter
how far they shine. Where one does stand in line with black cells, these are several, on one side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeAlias

from grader.authoring.generating import Draws, Generator, HiddenGroup, PlacedClause, Scene

Cell: TypeAlias = tuple[int, int]

SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
SIDE_NAMES = ("boven", "rechts", "onder", "links")
MARKS = "?01234"
PUBLISHED = {(1, 1): "4", (2, 3): "2", (2, 5): "?", (3, 0): "1", (3, 2): "?", (4, 4): "0"}
"""The black cells of the file of the text."""
ANSWERED = ((1, 2), (2, 1), (2, 4), (3, 3))
"""Cells of which the text shows the rays on that board: who has those by heart errs on others."""
SIZE = 6
"""How many rows, columns and black cells the board of the text has."""
FILE = "akari.txt"
SPELLINGS = 16
"""More boards than fit in a session."""
LAMPS = "puzzel.lampen"
ANOTHER = (
    f"eerste = Akari({SIZE}, {SIZE}, {FILE!r})",
    f"stralen = [eerste.stralen(r, k) for r in range({SIZE}) for k in range({SIZE})]",
    "eerste.plaats_lamp(1, 2)",
)
"""What another puzzle is asked and told before some of the examples, for who mixes puzzles up."""

_RAYS = "verlicht de hele rij en kolom waarop de lamp staat"
_BLOCKED = f"{_RAYS}, tenzij het licht geblokkeerd wordt door een zwarte cel"
_NUMBER = "Dat getal geeft aan hoeveel lampen op horizontaal of verticaal aangrenzende witte cellen"
_WHOLE = "zodat het volledige spelbord verlicht wordt"
_SIZES = "i) het aantal rijen (int) van het rooster, ii) het aantal kolommen (int) van het rooster"
_CELL = "Daardoor kan de positie van een cel voorgesteld worden als een tuple"
_ANY = "Rondom een zwarte cel zonder getal kan een willekeurig aantal lampen geplaatst worden"
_CLASS = "Definieer een klasse Akari waarmee het rooster van akaripuzzels kan voorgesteld worden"
_LIT = "witte cellen die door minstens \u00e9\u00e9n lamp verlicht worden"
_PLACED = ">>> puzzel.plaats_lamp(2, 1) >>> puzzel.lampen {(2, 1)}"
_REMOVED = ">>> puzzel.verwijder_lamp(1, 2) >>> puzzel.lampen {(0, 1), (1, 0), (2, 1)}"
_AGAIN = f"{_REMOVED} \u2026 >>> puzzel.plaats_lamp(1, 2)"
_KEPT = (
    "AssertionError: ongeldige positie \u2026 >>> puzzel.lampen {(0, 1), (1, 0), (2, 1), (1, 2)}"
)
_NOT_REMOVED = ">>> puzzel.verwijder_lamp(2, 2) Traceback (most recent call last): AssertionError"


def _clauses(group: str, **quotes: str) -> dict[str, PlacedClause]:
    """Return the clauses of `group`, of which the names are those of the `quotes`."""
    return {
        f"{group}: {name.replace('_', ' ')}": PlacedClause(group=group, quote=quote)
        for name, quote in quotes.items()
    }


def _refusals(method: str, **quotes: str) -> dict[str, PlacedClause]:
    """Return the clauses on what `method` refuses."""
    return {
        f"{method}: {name.replace('_', ' ')}": PlacedClause(
            group=f"{method}-geweigerd", quote=quote, refused=True
        )
        for name, quote in quotes.items()
    }


CLAUSES = {
    **_clauses(
        "str",
        grootte="Daarin vormt elke rij een afzonderlijke regel",
        markering="worden zwarte cellen voorgesteld door hun markering",
        getal_naast_lampen="door hun markering (zelfde voorstelling als in het tekstbestand)",
        lamp="witte cellen waarop een lamp staat door de hoofdletter L",
        verlicht=f"{_LIT} door een asterisk",
        terug_donker="alle andere witte cellen door een underscore",
    ),
    **_clauses(
        "zwarte_cellen",
        markering="De markering is een getal van 0 tot 4, of een vraagteken",
        twee_cijfers="drie eigenschappen van een zwarte cel, van elkaar gescheiden door een spatie",
        aantal="Elke regel van het bestand bevat drie eigenschappen van een zwarte cel",
        bestand="iii) de locatie (str) van een tekstbestand",
    ),
    **_clauses(
        "Akari",
        lampen_naast_elkaar=_CLASS,
        zwarte_cellen_naast_elkaar=_CLASS,
        groottes_naast_elkaar=_CLASS,
        getallen_naast_elkaar=_CLASS,
        licht_naast_elkaar=_CLASS,
        opgelost_naast_elkaar=_CLASS,
    ),
    **_clauses("lampen", geplaatst=_PLACED, verwijderd=_REMOVED),
    **_clauses(
        "verlicht",
        een_lamp=_RAYS,
        meer_lampen=_LIT,
        zwarte_cel_boven=_BLOCKED,
        zwarte_cel_rechts=_BLOCKED,
        zwarte_cel_onder=_BLOCKED,
        zwarte_cel_links=_BLOCKED,
        niet_vierkant=_RAYS,
        twee_cijfers=_RAYS,
        na_verwijderen=_LIT,
        laatste_lamp_weg=_LIT,
        verplaatste_lamp=_LIT,
        na_een_weigering=_LIT,
    ),
    **_clauses(
        "stralen",
        vier_richtingen=_RAYS,
        niet_vierkant=_RAYS,
        twee_cijfers=_RAYS,
        zwarte_cel_boven=_BLOCKED,
        zwarte_cel_rechts=_BLOCKED,
        zwarte_cel_onder=_BLOCKED,
        zwarte_cel_links=_BLOCKED,
        elke_markering=_BLOCKED,
        ingesloten=_BLOCKED,
        vanuit_een_zwarte_cel=">>> puzzel.stralen(1, 1)",
        langs_lampen=_BLOCKED,
        volgorde_in_het_bestand="Elke regel van het bestand bevat drie eigenschappen",
    ),
    **_clauses(
        "plaats_lamp",
        geeft_niets=_PLACED,
        niet_vierkant=_SIZES,
        twee_cijfers=_CELL,
        achter_een_zwarte_cel="tenzij het licht geblokkeerd wordt door een zwarte cel",
        vraagteken=_ANY,
        getal=f"{_NUMBER} rondom de zwarte cel moeten geplaatst worden",
        schuin="Lampen die schuin naast een genummerde zwarte cel staan, dragen niet bij",
        overkant=_NUMBER,
        licht_na_verwijderen=_AGAIN,
        getal_na_verwijderen=_AGAIN,
        getal_na_een_weigering=_KEPT,
    ),
    **_refusals(
        "plaats_lamp",
        buiten_het_rooster="# buiten rooster",
        zwarte_cel="# niet op witte cel",
        bezet="# cel bevat al een lamp",
        licht_in_de_rij="# cel wordt verlicht door andere lamp",
        licht_in_de_kolom="# cel wordt verlicht door andere lamp",
        naast_een_nul="# te veel lampen naast zwarte cel",
        naast_een_volle_1="# te veel lampen naast zwarte cel",
        naast_een_volle_2="# te veel lampen naast zwarte cel",
        naast_een_volle_3="# te veel lampen naast zwarte cel",
        getal_aan_de_rand="# te veel lampen naast zwarte cel",
        tweede_zwarte_cel="# te veel lampen naast zwarte cel",
    ),
    "plaats_lamp: ongewijzigd": PlacedClause(group="plaats_lamp-geweigerd", quote=_KEPT),
    **_clauses("verwijder_lamp", geeft_niets=_REMOVED),
    **_refusals(
        "verwijder_lamp",
        geen_lamp=_NOT_REMOVED,
        zwarte_cel=_NOT_REMOVED,
        buiten_het_rooster=_NOT_REMOVED,
    ),
    "verwijder_lamp: ongewijzigd": PlacedClause(
        group="verwijder_lamp-geweigerd", quote=f"{_NOT_REMOVED} \u2026 >>> puzzel.lampen"
    ),
    **_clauses(
        "isopgelost",
        donkere_cel=_WHOLE,
        achter_een_zwarte_cel=_BLOCKED,
        overkant=_NUMBER,
        getal_1=_NUMBER,
        getal_2=_NUMBER,
        getal_3=_NUMBER,
        getal_4=_NUMBER,
        getal_aan_de_rand=_NUMBER,
        een_van_de_getallen=_NUMBER,
        een_lamp_naast_twee_getallen=_NUMBER,
        vraagteken=_ANY,
        niet_vierkant=_WHOLE,
        enkel_lampen=_WHOLE,
        zonder_zwarte_cellen=_WHOLE,
        na_een_zet=_WHOLE,
    ),
}

TITLES = {
    "plaats_lamp-geweigerd": "plaats_lamp geweigerd",
    "verwijder_lamp-geweigerd": "verwijder_lamp geweigerd",
}
POINTS = {
    "Akari": 8,
    "zwarte_cellen": 4,
    "lampen": 1,
    "verlicht": 17,
    "str": 5,
    "isopgelost": 25,
    "stralen": 24,
    "plaats_lamp": 9,
    "plaats_lamp-geweigerd": 14,
    "verwijder_lamp": 1,
    "verwijder_lamp-geweigerd": 4,
}


# Boards


def step(cell: Cell, side: Cell, count: int = 1) -> Cell:
    """Return the cell that lies `count` cells away on this side."""
    return cell[0] + count * side[0], cell[1] + count * side[1]


def around(cell: Cell) -> list[Cell]:
    """Return the four cells that share a side with `cell`, some of them perhaps outside."""
    return [step(cell, side) for side in SIDES]


def at_corners(cell: Cell) -> list[Cell]:
    """Return the four cells that touch `cell` at a corner, some of them perhaps outside."""
    return [
        step(step(cell, one), other)
        for one, other in zip(SIDES, SIDES[1:] + SIDES[:1], strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Board:
    """A rectangle with black cells."""

    rows: int
    columns: int
    black: dict[Cell, str]
    is_upside_down: bool = False
    """Whether its file has the last black cell first."""

    def __contains__(self, cell: Cell) -> bool:
        """Return whether `cell` lies inside."""
        return cell[0] in range(self.rows) and cell[1] in range(self.columns)

    def cells(self) -> list[Cell]:
        """Return all cells, row by row."""
        return list(product(range(self.rows), range(self.columns)))

    def white(self) -> list[Cell]:
        """Return the white cells, row by row."""
        return [cell for cell in self.cells() if cell not in self.black]

    def quiet(self) -> list[Cell]:
        """Return the white cells beside no black one."""
        return [cell for cell in self.white() if not self.black.keys() & set(around(cell))]

    def clear(self) -> list[Cell]:
        """Return the cells with no black one in their row or column."""
        rows, columns = ({*line} for line in zip(*self.black, strict=True))
        return [cell for cell in self.cells() if cell[0] not in rows and cell[1] not in columns]

    def aside(self, kept: Iterable[Cell]) -> list[Cell]:
        """Return the white cells in no row or column with one of `kept`."""
        rows, columns = ({*line} for line in zip(*kept, strict=True))
        return [cell for cell in self.white() if cell[0] not in rows and cell[1] not in columns]

    def away(self, kept: Iterable[Cell]) -> list[Cell]:
        """Return the white cells that are none of `kept`, and beside none of them."""
        kept = {*kept}
        return [cell for cell in self.white() if not {cell, *around(cell)} & kept]

    def rays(self, cell: Cell) -> list[Cell]:
        """Return the cells that a lamp in `cell` shines on."""
        found = []
        for side in SIDES:
            each = step(cell, side)
            while each in self and each not in self.black:
                found.append(each)
                each = step(each, side)
        return found

    def dark(self, lamps: Iterable[Cell]) -> list[Cell]:
        """Return the white cells without a lamp that no lamp shines on."""
        seen = {each for lamp in lamps for each in (lamp, *self.rays(lamp))}
        return [cell for cell in self.white() if cell not in seen]

    def with_black(self, cells: Iterable[Cell], mark: str = "?") -> Board:
        """Return this board with these cells black as well, where they lie inside."""
        return replace(self, black=self.black | {cell: mark for cell in cells if cell in self})

    def numbered(self, lamps: Iterable[Cell]) -> Board:
        """Return this board with the number of lamps on each black cell."""
        count = {cell: len({*around(cell)} & {*lamps}) for cell in self.black}
        return replace(self, black={cell: str(count[cell]) for cell in self.black})

    def missing(self, lamps: Iterable[Cell]) -> list[int]:
        """Return how many lamps are still missing around each number, row by row."""
        return [
            int(mark) - len({*around(cell)} & {*lamps})
            for cell, mark in sorted(self.black.items())
            if mark != "?"
        ]

    def lines(self) -> list[tuple[Cell, str]]:
        """Return the black cells with their marks, as the file has them."""
        return sorted(self.black.items(), reverse=self.is_upside_down)

    def written_to(self, file: str) -> str:
        """Return the line that writes this board to a `file`."""
        text = "".join(f"{row} {column} {mark}\n" for (row, column), mark in self.lines())
        return f"open({file!r}, 'w').write({text!r})"

    def made_from(self, file: str) -> str:
        """Return the call that makes a puzzle of the `file` of this board."""
        return f"Akari({self.rows}, {self.columns}, {file!r})"


def apart(lamps: Iterable[Cell]) -> bool:
    """Return whether no two of the `lamps` share a row or a column."""
    return all(len({*line}) == len(line) for line in zip(*lamps, strict=True))


def lighted(board: Board, order: Iterable[Cell], *, in_line: bool = False) -> list[Cell]:
    """Return lamps, as many as numbers allow: one in each cell that is dark when its turn comes.

    They share no row or column if they may not stand `in_line`.
    """
    lamps: list[Cell] = []
    seen = {*board.black}
    for cell in order:
        both = [*lamps, cell]
        is_free = cell not in seen and (in_line or apart(both))
        if is_free and min([*board.missing(both), 0]) == 0:
            lamps.append(cell)
            seen.update((cell, *board.rays(cell)))
    return lamps


# Calls


def place(cell: Cell, name: str = "puzzel") -> str:
    """Return the call that places a lamp."""
    return f"{name}.plaats_lamp{cell}"


def remove(cell: Cell) -> str:
    """Return the call that removes a lamp."""
    return f"puzzel.verwijder_lamp{cell}"


def in_way(side: Cell) -> str:
    """Return the clause about black cells on this side."""
    return f"zwarte cel {SIDE_NAMES[SIDES.index(side)]}"


def attempt(code: str) -> str:
    """Return a statement that does what is refused, and goes on."""
    return f"try:\n...     {code}\n... except AssertionError:\n...     pass"


class Scenes:
    """The scenes of one draw, on boards that are large, or as small as they can be."""

    def __init__(self, draws: Draws, *, small: bool) -> None:
        """Draw from `draws`."""
        self.draws = draws
        self.small = small
        self.files = 0
        self.spellings = 0

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.shown()
        yield from self.shown_with_lamps()
        yield from self.read()
        yield from self.side_by_side()
        yield from self.kept()
        yield from self.lit()
        yield from self.lit_after_changes()
        yield from self.rays()
        yield from self.rays_beside_black_cells()
        yield from self.placed()
        yield from self.placed_beside_numbers()
        yield from self.placed_after_changes()
        yield from self.refused()
        yield from self.refused_in_the_light()
        yield from self.refused_beside_numbers()
        yield from self.unchanged()
        yield from self.removed()
        yield from self.dark_or_solved()
        yield from self.numbers_or_solved()
        yield from self.solved_at_the_border()

    # What scenes are made of

    def size(self, least: int = 3) -> int:
        """Return how many rows the next board has."""
        return least if self.small else SIZE

    def shape(self, *, wide: bool) -> tuple[int, int]:
        """Return how many rows and columns the next board has that is no square."""
        short = self.draws.between(1, 2) if self.small else self.draws.between(2, 4)
        long = short + (2 if self.small else self.draws.between(3, 5))
        return (short, long) if wide else (long, short)

    def published(self, rows: int = 0, columns: int = 0) -> Board:
        """Return the board of the text in this size; those that are shown differ in it."""
        size = 7 if self.small else SIZE
        return Board(rows or size, columns or size, PUBLISHED)

    def calm(self, clear: Iterable[Cell] = (), rows: int = 0, columns: int = 0) -> Board:
        """Return a board with three rows and three columns without a black cell, or more.

        The cells that are to be `clear` lie in such rows and columns.
        """
        board = Board(rows or self.size(5), columns or self.size(5), {})
        lines = [{*line} for line in zip(*clear, strict=True)] or [set[int](), set[int]()]
        for line, length in zip(lines, (board.rows, board.columns), strict=True):
            line.update(self.draws.some(sorted({*range(length)} - line), 3 - len(line)))
        free = [c for c in board.cells() if c[0] not in lines[0] and c[1] not in lines[1]]
        return board.with_black(self.draws.some(free, 3 if self.small else board.rows))

    def oblong(self, *, wide: bool) -> Board:
        """Return such a board with more columns than rows, or with more rows.

        Its last cell is clear, and one near it, and one of which the text shows the rays.
        """
        short = 5 if self.small else SIZE
        long = short + self.draws.between(2, 3) + (not self.small)
        rows, columns = (short, long) if wide else (long, short)
        last = (rows - 1, columns - 1)
        beside = (0, columns - 2) if wide else (rows - 2, 0)
        return self.calm([last, beside, self.draws.choice(ANSWERED)], rows, columns)

    def board(self, rows: int, columns: int | None = None, count: int = 0) -> Board:
        """Return a board with so many black cells without a number, or as many as it has rows."""
        board = Board(rows, columns or rows, {})
        few = max(1, len(board.cells()) // 9) if self.small else rows
        return board.with_black(self.draws.some(board.cells(), count or few))

    def filled(self, board: Board, free: Iterable[Cell]) -> Board:
        """Return `board` with as many black cells as rows, if there are so many that are `free`."""
        count = 0 if self.small else board.rows - len(board.black)
        return board.with_black(self.draws.some(free, max(count, 0)))

    def with_lamps(self, least: int = 2, board: Board | None = None) -> tuple[Board, list[Cell]]:
        """Return a board, and lamps that may stand there in line with nothing but each other."""
        board = board or self.calm()
        while True:
            lamps = self.draws.some(board.clear(), least)
            if apart(lamps):
                return board, lamps

    def walled(self, side: Cell) -> tuple[Board, Cell]:
        """Return a board, and a cell with black ones on this side, not beside it, and nothing else.

        There are white cells between these, and beyond: they too are in line with nothing else.
        """
        draws = self.draws
        size = self.size(4)
        start = 0 if self.small else draws.below(2)
        line = draws.below(size)
        far = (2,) if self.small else (2, 4)
        ends = {-1: size - 1 - start, 0: line, 1: start}
        cell = (ends[side[0]], ends[side[1]])
        mark = "?" if sum(side) < 0 else draws.choice("1234")
        board = Board(size, size, {step(cell, side, count): mark for count in far})
        free = board.aside([cell, *(step(cell, side, count) for count in (1, 3))])
        blocked = draws.some([each for each in range(size) if each != line], 3)
        free = [each for each in free if each[not side[1]] in blocked]
        return self.filled(board, free), cell

    def walled_and_another(self, side: Cell) -> tuple[Board, list[Cell]]:
        """Return a board, such a cell, and another one, in line with nothing."""
        board, cell = self.walled(side)
        others = [each for each in board.clear() if apart([cell, each])]
        return board, [cell, self.draws.choice(others)]

    def inner(self, size: int) -> Cell:
        """Return a cell that is not at the border, and not on the diagonal if there is room."""
        row = self.draws.between(1, size - 2)
        columns = [column for column in range(1, size - 1) if column != row] or [row]
        return row, self.draws.choice(columns)

    def around_mark(self, mark: str, size: int) -> tuple[Board, list[Cell]]:
        """Return a board with this mark inside and nothing beside it, and the cells around that.

        The first two of these do not lie opposite each other.
        """
        cell = self.inner(size)
        above, right, below, left = around(cell)
        pairs = map(self.draws.shuffled, self.draws.shuffled([(above, below), (left, right)]))
        near = [each for pair in zip(*pairs, strict=True) for each in pair]
        board = Board(size, size, {cell: mark})
        return self.filled(board, board.away([cell, *near])), near

    def another_file(self, name: str) -> str:
        """Return a name for the file of a puzzle; small scenes stand alone, and share names."""
        self.files += 1
        return f"bord{self.files}" if not self.small else "bord" if name == "puzzel" else "bord2"

    def file_of(self, board: Board, name: str) -> str:
        """Return the file that the puzzle called `name` is made from."""
        if board.black == PUBLISHED:
            return FILE
        if self.small:
            return self.another_file(name)
        self.spellings = self.spellings % SPELLINGS + 1
        return "./" * self.spellings + FILE

    def written(self, board: Board, file: str) -> list[str]:
        """Return the lines that put `board` in a `file`: none where it is there from the start."""
        is_there = self.small and file == FILE
        return [] if is_there else [board.written_to(file)]

    def made(self, board: Board, name: str = "puzzel", file: str = "") -> list[str]:
        """Return the lines that make a puzzle on `board`, from this `file` if it matters."""
        file = file or self.file_of(board, name)
        return [*self.written(board, file), f"{name} = {board.made_from(file)}"]

    def scene(self, topic: str, board: Board, *lines: str, file: str = "") -> Scene:
        """Return the scene that does `lines` to a puzzle on `board`."""
        return Scene(topic=topic, lines="\n".join([*self.made(board, file=file), *lines]))

    def asked(
        self, topic: str, board: Board, before: Iterable[str], asks: Iterable[str]
    ) -> Iterator[Scene]:
        """Yield the scene that asks all of `asks` after `before`; small ones ask one each."""
        lines, asks = [*before], [*asks]
        for part in [[each] for each in asks] if self.small else [asks]:
            yield self.scene(topic, board, *lines, *part)

    # str, zwarte_cellen, lampen

    def shown(self) -> Iterator[Scene]:
        """Yield what is printed of new puzzles."""
        boards = [self.published(*each) for each in ((5, 7), (6, 6), (8, 6))]
        if not self.small:
            boards = [self.board(6, 12), self.board(11, 6)]
        boards += [self.board(1, self.size()), self.board(self.size(), 1, count=1)]
        boards += [Board(2, 12, {(1, 11): "?"})] if self.small else []
        for board in boards:
            yield self.scene("De grootte van het rooster", board, "print(puzzel)  # str: grootte")
        for _ in range(2):
            board = self.marked(MARKS)
            yield self.scene("Zwarte cellen tonen", board, "print(puzzel)  # str: markering")

    def shown_with_lamps(self) -> Iterator[Scene]:
        """Yield what is printed of puzzles with lamps, and without them again."""
        board = self.published()
        corner = self.draws.choice([[(0, 1), (1, 0)], [(1, 2), (2, 1)]])
        for near in (corner, [self.draws.choice([(2, 0), (4, 0)])]):
            lines = [*map(place, self.draws.shuffled(near))]
            lines += ["print(str(puzzel).replace('*', '_'))  # str: getal naast lampen"]
            yield self.scene("Zwarte cellen tonen", board, *lines)
        for dark, clause in (("*", "lamp"), ("L", "verlicht")):
            side = SIDES[0 if clause == "lamp" else 1]
            for board, lamps in (self.with_lamps(), self.walled_and_another(side)):
                look = f"print(str(puzzel).replace({dark!r}, '_'))  # str: {clause}"
                yield self.scene("Lampen en licht tonen", board, *map(place, lamps), look)
        for board, (one, two) in (self.with_lamps(), self.walled_and_another(SIDES[3])):
            look = "print(puzzel)  # str: terug donker"
            lines = [place(one), look, remove(one), look, place(two), look]
            yield self.scene("Cellen die terug donker zijn", board, *lines)

    def marked(self, marks: str) -> Board:
        """Return a board with each of the `marks`, which fit where they stand."""
        size = self.size(5)
        while True:
            board = Board(size, size, {})
            cells = self.draws.some(board.cells(), len(marks))
            board = replace(board, black=dict(zip(cells, self.draws.shuffled(marks), strict=True)))
            whites = set(board.white())
            if all(m == "?" or len(whites & {*around(c)}) >= int(m) for c, m in board.lines()):
                return board

    def read(self) -> Iterator[Scene]:
        """Yield the black cells that puzzles have read."""
        marks = self.draws.shuffled(MARKS)
        for part in [*marks] if self.small else [MARKS] * 2:
            line = "puzzel.zwarte_cellen  # zwarte_cellen: markering"
            yield self.scene("Markeringen van zwarte cellen", self.marked(part), line)
        for number in (2, 3):
            board, near = self.around_mark(str(number), self.size(4))
            line = "puzzel.zwarte_cellen  # zwarte_cellen: markering"
            yield self.scene("Zwarte cellen naast een lamp", board, place(near[0]), line)
        for rows, columns in ((11, 3), (2, 12)) if self.small else ((13, 12), (11, 104)):
            board = Board(rows, columns, {(rows - 1, columns - 1): "?"})
            board = self.filled(board, board.white())
            line = "puzzel.zwarte_cellen  # zwarte_cellen: twee cijfers"
            yield self.scene("Een groot rooster", board, line)
        for size, count in ((3, 1), (2, 3)) if self.small else ((SIZE, 1), (SIZE, 14)):
            line = "puzzel.zwarte_cellen  # zwarte_cellen: aantal"
            yield self.scene("Minder of meer zwarte cellen", self.board(size, count=count), line)
        for _ in range(2):
            board = self.board(self.size())
            line = "puzzel.zwarte_cellen  # zwarte_cellen: bestand"
            file = self.another_file("puzzel")
            yield self.scene("Een ander bestand", board, line, file=file)

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
        other = self.draws.choice([each for each in near if each != below])
        smaller = Board(cell[0] + 1, size, {cell: "1"})
        smaller = self.filled(smaller, smaller.away([cell, *near]))
        lines = [*self.made(smaller, "tweede"), place(below), attempt(place(other))]
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

    def kept(self) -> Iterator[Scene]:
        """Yield the lamps of puzzles."""
        for count in (1, 2):
            board, lamps = self.with_lamps(count)
            look = f"{LAMPS}  # lampen: geplaatst"
            yield self.scene("Lampen", board, *map(place, lamps), look)
        for gone in (0, -1):
            board, lamps = self.with_lamps()
            lines = [*map(place, lamps), remove(lamps[gone]), f"{LAMPS}  # lampen: verwijderd"]
            yield self.scene("Lampen", board, *lines)
        for wide in (True, False):
            board = self.oblong(wide=wide)
            short = min(board.rows, board.columns)
            far = self.draws.choice([cell for cell in board.clear() if max(cell) >= short])
            lines = [place(far), remove(far), f"{LAMPS}  # lampen: verwijderd"]
            yield self.scene("Lampen", board, *lines)

    # verlicht and stralen

    def lit(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on."""
        for lamp in self.draws.some(ANSWERED, 2):
            yield self.light(self.calm([lamp]), [place(lamp)], "een lamp")
        for board, lamps in (
            self.with_lamps(2 if self.small else 3),
            self.walled_and_another(SIDES[0]),
        ):
            yield self.light(board, map(place, lamps), "meer lampen")
        for side in SIDES:
            board, cell = self.walled(side)
            yield self.light(board, [place(cell)], in_way(side))
            board, lamp, beyond = self.across(side)
            lines = [place(lamp), place(beyond), remove(lamp)]
            yield self.light(board, lines, in_way(step((0, 0), side, -1)))
        for wide in (True, False, True, False) if self.small else (True, False):
            board = self.oblong(wide=wide)
            (lamp, *_) = [cell for cell in board.clear() if cell in ANSWERED]
            last = (board.rows - 1, board.columns - 1)
            lamps = [last] if self.small else self.draws.shuffled([lamp, last])
            yield self.light(board, map(place, lamps), "niet vierkant")
        yield from self.lit_in_two_figures()

    def lit_after_changes(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on, of which some were removed or moved."""
        for mirrored in (True, False):
            board, lamps = self.crossing(mirrored=mirrored)
            gone = remove(lamps[mirrored])
            yield self.light(board, [*map(place, lamps), gone], "na verwijderen")
        yield self.one_without_the_other(*self.walled_and_another(SIDES[1]))
        yield from self.lit_twice()
        for _ in range(2):
            board, lamps = self.with_lamps()
            yield self.light(board, [place(lamps[0]), remove(lamps[0])], "laatste lamp weg")
            board, lamps = self.walled_and_another(SIDES[2])
            look = "puzzel.verlicht()  # verlicht: verplaatste lamp"
            lines = [place(lamps[1]), look, remove(lamps[1]), place(lamps[0])]
            yield self.light(board, lines, "verplaatste lamp")
        yield from self.lit_after_refusals()

    def one_without_the_other(self, board: Board, lamps: Sequence[Cell]) -> Scene:
        """Return the light of each of two lamps once both have shone: nobody keeps their sum."""
        look = "puzzel.verlicht()  # verlicht: na verwijderen"
        one, two = lamps
        lines = [place(one), place(two), look, remove(two), look, place(two), remove(one)]
        return self.light(board, lines, "na verwijderen")

    def lit_in_two_figures(self) -> Iterator[Scene]:
        """Yield lamps in a row and a column of two figures, which are the same ones."""
        board = self.calm([(1, 11), (11, 1)], 12, 12).with_black([(10, 10)] if self.small else ())
        lamps = self.draws.shuffled([(1, 11), (11, 1)])
        lines = [*map(place, lamps)]
        for more in ([], [remove(lamps[0])]):
            yield self.light(board, [*lines, *more], "twee cijfers")

    def lit_after_refusals(self) -> Iterator[Scene]:
        """Yield the cells that a lamp shines on after others were refused for each reason."""
        for side in (SIDES[0], SIDES[3]):
            while True:
                board, (lamp, zero) = self.with_lamps()
                cell = step(zero, side)
                beside = board.black.keys() & {*around(cell)}
                if {cell, *around(zero)} <= {*board.dark([lamp])} and not beside:
                    break
            board = board.with_black([zero], "0")
            lit = self.draws.choice([each for each in board.rays(lamp) if each != cell])
            black = self.draws.choice([each for each in board.black if each != zero])
            tried = [cell, lit, black, lamp, (board.rows, cell[1]), (cell[0], board.columns)]
            clause = "na een weigering"
            shown = [[each] for each in tried]
            for cells in shown if self.small else [tried] if side == SIDES[0] else [tried[:2]]:
                lines = [place(lamp), *(attempt(place(each)) for each in cells)]
                yield self.light(board, lines, clause)

    def lit_twice(self) -> Iterator[Scene]:
        """Yield a cell with a lamp in its row and one in its column, which are removed in turn.

        There may be a dark cell between it and a lamp, or none.
        """
        look = "puzzel.verlicht()  # verlicht: na verwijderen"
        turns = zip(SIDES, (2, 3, 2, 3), strict=True)
        for side, count in product(SIDES, (2, 3)) if self.small else turns:
            size = self.size(5)
            free = [*product(range(size), repeat=2)]
            across = self.draws.choice([(side[1], side[0]), (-side[1], -side[0])])
            ends = [(step(cell, side, count), step(cell, across, 5 - count)) for cell in free]
            one, two = self.draws.choice([pair for pair in ends if {*pair} <= {*free}])
            lines = [place(one), place(two), remove(two), look, remove(one)]
            yield self.light(self.calm([one, two]), lines, "na verwijderen")
        for wide in (True, False):
            board = self.oblong(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            others = [cell for cell in board.clear() if apart([cell, last])]
            far = [cell for cell in others if cell[wide] > 3]
            lines = [place(last), place(self.draws.choice(far or others))]
            yield self.light(
                board, [*lines, lines[1].replace("plaats", "verwijder")], "na verwijderen"
            )

    def across(self, side: Cell) -> tuple[Board, Cell, Cell]:
        """Return a board, and two cells with two between them, in a line.

        Of these the first is white, and the one on this side of it black, as no other cell is.
        """
        size = self.size(4)
        cells = Board(size, size, {}).cells()
        ends = [(step(cell, side, -1), step(cell, side), step(cell, side, 2)) for cell in cells]
        lamp, black, beyond = self.draws.choice([line for line in ends if {*line} <= {*cells}])
        board = Board(size, size, {black: "?" if sum(side) > 0 else self.draws.choice("234")})
        return self.filled(board, board.aside([lamp, beyond])), lamp, beyond

    def light(self, board: Board, lines: Iterable[str], clause: str) -> Scene:
        """Return the scene that looks what is lit after `lines`."""
        return self.scene("Licht", board, *lines, f"puzzel.verlicht()  # verlicht: {clause}")

    def crossing(self, *, mirrored: bool) -> tuple[Board, list[Cell]]:
        """Return a board, and two lamps in line with nothing that shine on the same two cells."""
        board = self.calm()
        rows, columns = (
            sorted(self.draws.some(sorted({*line}), 2)) for line in zip(*board.clear(), strict=True)
        )
        lamps = zip(rows, columns[::-1] if mirrored else columns, strict=True)
        return board, self.draws.shuffled(lamps)

    def rays(self) -> Iterator[Scene]:
        """Yield the cells that a lamp would shine on."""
        draws = self.draws
        board = self.calm([known := draws.choice(ANSWERED)])
        free = [cell for cell in board.clear() if cell != known]
        yield from self.beams(board, [known, *draws.some(free, 2)], "vier richtingen")
        for axis in (0, 1):
            pairs = [(a, b) for a, b in combinations(board.clear(), 2) if a[axis] == b[axis]]
            code = f"[puzzel.stralen(r, k) for r, k in {[*draws.choice(pairs)]}]"
            yield self.scene("Stralen", board, f"{code}  # stralen: vier richtingen")
        for wide in (True, False):
            board = self.oblong(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            (known, *_) = [cell for cell in board.clear() if cell in ANSWERED]
            free = [cell for cell in board.clear() if cell not in (last, known)]
            cells = [last, known, *draws.some(free, 2)]
            yield from self.beams(board, cells, "niet vierkant")
        cells = draws.shuffled([(1, 11), (11, 1)])
        board = self.calm(cells, 12, 12).with_black([(10, 10)] if self.small else ())
        yield from self.beams(board, cells, "twee cijfers")
        for side in SIDES:
            board, cell = self.walled(side)
            cells = [cell] if self.small else [cell, step(cell, side)]
            yield from self.beams(board, cells, in_way(side))

    def beams(
        self, board: Board, cells: Iterable[Cell], clause: str, *lines: str
    ) -> Iterator[Scene]:
        """Yield scenes that ask for the rays of `cells` after `lines`."""
        asks = (f"puzzel.stralen{cell}  # stralen: {clause}" for cell in cells)
        return self.asked("Stralen", board, lines, asks)

    def rays_beside_black_cells(self) -> Iterator[Scene]:
        """Yield rays that black cells of each kind stop, and rays that lamps do not stop."""
        draws = self.draws
        columns = draws.shuffled([2, 3, 4, *draws.some([2, 3, 4], 3)])
        marks = zip(columns, draws.shuffled(MARKS), strict=True)
        size = len(MARKS)
        board = Board(size, size, {(r, k): mark for r, (k, mark) in enumerate(marks)})
        yield from self.beams(board, [(r, 0) for r in range(len(MARKS))], "elke markering")
        for corner in (False, True):
            size = self.size()
            cell = (0, size - 1) if corner else self.inner(size)
            shut = Board(size, size, {}).with_black(around(cell), "2")
            yield from self.beams(self.filled(shut, shut.away([cell])), [cell], "ingesloten")
        yield from self.beams(self.published(), [(4, 4)], "vanuit een zwarte cel")
        board, cell = self.walled(SIDES[2])
        yield from self.beams(board.with_black([cell]), [cell], "vanuit een zwarte cel")
        for axis in (0, 1):
            line, at = draws.below(self.size(5)), draws.between(1, self.size(5) - 2)
            cells = [(line, k) if axis else (k, line) for k in (at, at - 1, at + 1)]
            board = self.calm(cells)
            yield from self.beams(board, cells[1:], "langs lampen", place(cells[0]))
        yield from self.rays_in_any_order()

    def rays_in_any_order(self) -> Iterator[Scene]:
        """Yield rays in a line with two black cells, of which the file has the last one first."""
        for axis in (0, 1):
            size = self.size(5)
            line = self.draws.below(size)
            cells = [(line, at) if axis else (at, line) for at in range(size)]
            first = 2 * axis
            black = dict.fromkeys((cells[first], cells[first + 2]), "1")
            board = Board(size, size, black, is_upside_down=True)
            end = 0 if axis else size - 1
            board = self.filled(board, board.aside([*cells[:first], *cells[3 + first :]]))
            yield from self.beams(board, [cells[end]], "volgorde in het bestand")

    # plaats_lamp

    def placed(self) -> Iterator[Scene]:
        """Yield lamps that may be placed."""
        for _ in range(2):
            board, lamps = self.with_lamps()
            call = f"{place(lamps[0])}  # plaats_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, call)
        for wide in (True, False):
            board = self.oblong(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            yield self.placing(board, last, "niet vierkant")
        yield from self.placed_in_two_figures()
        for one, two in (((0, -1), (0, 1)), ((-1, 0), (1, 0))):
            size = self.size()
            black = self.inner(size)
            board = Board(size, size, {black: "?"})
            board = self.filled(board, board.away([black, *around(black)]))
            first, last = self.draws.shuffled([step(black, one), step(black, two)])
            yield self.placing(board, last, "achter een zwarte cel", place(first))
        for count in (2, 3, 4) if self.small else (3, 4):
            board, near = self.around_mark("?", self.size())
            *others, last = near[:count]
            yield self.placing(board, last, "vraagteken", *map(place, others))

    def placed_in_two_figures(self) -> Iterator[Scene]:
        """Yield lamps in cells of which the numbers have the same figures, beside such cells."""
        one, two, three, clause = (1, 11), (11, 1), (11, 0), "plaats_lamp: twee cijfers"
        look = f"{LAMPS}  # {clause}"
        drawn = f"print(str(puzzel).replace('*', '_'))  # {clause}"
        corners, mark = [(0, 0), (0, 10), (10, 10)], {(1, 10): "1"}
        board = Board(12, 12, mark | {three: "1"}).with_black(corners)
        board = self.filled(board, board.away([one, two, *mark, three]))
        yield self.scene(
            "Een lamp plaatsen", board, place(one), place(two), look, remove(two), look
        )
        board = Board(12, 12, mark).with_black(corners)
        board = self.filled(board, board.away([one, three, *mark]))
        yield self.scene("Een lamp plaatsen", board, place(one), drawn, place(three), look)
        board = self.calm([one, three], 12, 12)
        yield self.scene("Een lamp plaatsen", board, place(one), place(three), look)

    def placing(self, board: Board, cell: Cell, clause: str, *before: str) -> Scene:
        """Return the scene that places a lamp in `cell`, and looks where lamps are."""
        look = f"{LAMPS}  # plaats_lamp: {clause}"
        return self.scene("Een lamp plaatsen", board, *before, place(cell), look)

    def placed_beside_numbers(self) -> Iterator[Scene]:
        """Yield lamps that numbers allow: there is room, or they do not stand beside them."""
        draws = self.draws
        for number in (1, 2, 3, 4):
            board, near = self.around_mark(str(number), self.size())
            *others, last = near[:number]
            yield self.placing(board, last, "getal", *map(place, others))
        for number in (0, 0, 1, 1):
            size = self.size()
            black = self.inner(size)
            down, right = draws.choice((-1, 1)), draws.choice((-1, 1))
            before = [place(step(black, (-down, 0)))] * number
            board = Board(size, size, {black: str(number)})
            board = self.filled(
                board, board.away([black, *around(black), step(black, (down, right))])
            )
            yield self.placing(board, step(black, (down, right)), "schuin", *before)
        for side in SIDES:
            size = self.size()
            last, line = size - 1, draws.below(size) if sum(side) > 0 else 0
            black, cell = ((0, line), (last, line)) if side[0] else ((line, 0), (line, last))
            black, cell = (black, cell) if sum(side) > 0 else (cell, black)
            zero, board = (Board(size, size, {black: mark}) for mark in "01")
            zero, board = (self.filled(each, each.aside([black, cell])) for each in (zero, board))
            yield self.placing(zero, cell, "overkant")
            if not self.small and sum(side) < 0:
                continue
            near = [each for each in around(black) if each in board.rays(black)]
            free = [each for each in near if each in board.dark([cell])]
            yield self.placing(board, draws.choice(free), "overkant", place(cell))
        for black, cell in (((0, -1), (1, 0)), ((1, 0), (0, -1))):
            size = self.size()
            row = draws.below(size - 1)
            ends = [(row + r, k % size) for r, k in (black, cell)]
            board = Board(size, size, {ends[0]: "0"})
            board = self.filled(board, board.aside(ends))
            yield self.placing(board, ends[1], "overkant")

    def placed_after_changes(self) -> Iterator[Scene]:
        """Yield lamps that may be placed after another was removed, or refused."""
        draws = self.draws
        board, lamps = self.with_lamps()
        before = [*map(place, lamps), remove(lamps[0])]
        dark = [cell for cell in board.dark(lamps[1:]) if cell in board.quiet()]
        lit = [cell for cell in dark if cell in board.rays(lamps[0])]
        for cell in (draws.choice(lit), lamps[0]) if self.small else lamps[:1]:
            yield self.placing(board, cell, "licht na verwijderen", *before)
        cell = draws.choice(lit)
        before.insert(2, attempt(place(cell)))
        yield self.placing(board, cell, "licht na verwijderen", *before)
        for tried in (False, True) if self.small else (True,):
            board, near = self.around_mark("1", self.size())
            refused = [attempt(place(near[1]))] if tried else []
            before = [place(near[0]), *refused, remove(near[0])]
            yield self.placing(board, near[1], "getal na verwijderen", *before)
        board, near = self.around_mark("2", self.size())
        both = near[:2]
        before = [*map(place, both), *map(remove, both), place(both[0])]
        yield self.placing(board, both[1], "getal na verwijderen", *before)
        size = self.size()
        cell = self.inner(size)
        board = Board(size, size, {}).with_black(around(cell), "1")
        board = self.filled(board, board.away([cell]))
        before = [place(cell), remove(cell)]
        yield self.placing(board, cell, "getal na verwijderen", *before)
        clause = "getal na een weigering"
        for side, other in zip(SIDES, (*SIDES[1:], SIDES[0]), strict=True):
            cell, beyond, board = self.in_line(side)
            full = board.with_black([step(cell, other)], "0")
            kept = [cell, beyond, step(cell, side), step(cell, other)]
            full = self.filled(full, full.away(kept))
            board = self.filled(board, board.away(kept))
            yield self.placing(full, beyond, clause, attempt(place(cell)))
            if not self.small and side[0]:
                continue
            before = [place(step(cell, other)), attempt(place(cell))]
            yield self.placing(board, beyond, clause, *before)

    def in_line(self, side: Cell) -> tuple[Cell, Cell, Board]:
        """Return a cell and the one behind the 1 on this side of it, and the board with that 1."""
        size = self.size(4)
        while True:
            cell = self.inner(size)
            board = Board(size, size, {step(cell, side): "1"})
            if step(cell, side, 2) in board:
                return cell, step(cell, side, 2), board

    # plaats_lamp refused

    def refused(self) -> Iterator[Scene]:
        """Yield lamps that are refused since their cells are not white and empty."""
        draws = self.draws
        board = self.published()
        size = board.rows
        outside = [
            (size, draws.below(size)),
            (size + 3, 0),
            (draws.below(size), size),
            (4, size + 3),
        ]
        for clause, cells in (
            ("buiten het rooster", outside),
            ("zwarte cel", [(2, 3), (3, 0), (4, 4)]),
            ("zwarte cel", [(2, 5), (3, 2)]),
        ):
            yield from self.refusals(board, draws.shuffled(cells), clause)
        for wide in (True, False):
            board = self.oblong(wide=wide)
            at = draws.below(min(board.rows, board.columns))
            cell = (board.rows, at) if wide else (at, board.columns)
            yield from self.refusals(board, [cell], "buiten het rooster")
        board, lamps = self.with_lamps()
        yield from self.refusals(board, lamps, "bezet", *map(place, lamps))

    def refused_in_the_light(self) -> Iterator[Scene]:
        """Yield lamps that are refused since others shine on them."""
        for lamp in (0, 1):
            board, lamps, lit = self.lit_by(lamp)
            for clause, cells in lit.items():
                yield from self.refusals(board, cells, clause, *map(place, lamps))
        board, lamps, lit = self.lit_by(0)
        for clause, cells in [*lit.items()][:1]:
            for cell in cells[:1]:
                before = [place(cell), remove(cell), place(lamps[0])]
                yield from self.refusals(board, [cell], clause, *before)

    def lit_by(self, lamp: int) -> tuple[Board, list[Cell], dict[str, list[Cell]]]:
        """Return a board with lamps, and cells in which this one shines, by the clause on them.

        With each draw of a board that counts there are as many. The second lamp alone shines in the
        last one in the row of the first lamp, or in the column of the second.
        """
        while True:
            board, lamps = self.with_lamps()
            free, dark = board.quiet(), board.dark(lamps[:1])
            along = [c for c in board.rays(lamps[1]) if c[lamp] == lamps[1][lamp]]
            late = [cell for cell in along if cell in free and cell in dark][:1]
            near = [c for c in board.rays(lamps[lamp]) if c in free and c not in late]
            lines = [[c for c in near if c[axis] == lamps[lamp][axis]] for axis in (0, 1)]
            lines = [self.draws.some(each, 1 + (axis == lamp)) for axis, each in enumerate(lines)]
            lines[lamp] += late
            if self.small or [3 - 2 * lamp, 1 + 2 * lamp] == [*map(len, lines)]:
                clauses = ("licht in de rij", "licht in de kolom")
                return board, lamps, dict(zip(clauses, lines, strict=True))

    def refusals(
        self, board: Board, cells: Iterable[Cell], clause: str, *before: str
    ) -> Iterator[Scene]:
        """Yield scenes with lamps in `cells` that are refused."""
        asks = (f"{place(cell)}  # plaats_lamp: {clause}" for cell in cells)
        return self.asked("Een geweigerde lamp", board, before, asks)

    def refused_beside_numbers(self) -> Iterator[Scene]:
        """Yield lamps that are refused since there would be too many around a number."""
        draws = self.draws
        for side in SIDES:
            size = self.size()
            line = draws.below(size)
            inward = {-1: 1, 0: line, 1: size - 2}
            black = (inward[side[0]], inward[side[1]])
            board = Board(size, size, {black: "0"})
            board = self.filled(board, board.away([black, step(black, side)]))
            yield from self.refusals(board, [step(black, side)], "naast een nul")
        for number in (1, 2, 3, 3):
            board, near = self.around_mark(str(number), self.size())
            before = map(place, near[:number])
            yield from self.refusals(board, near[number:], f"naast een volle {number}", *before)
        board, near = self.around_mark("1", self.size())
        before = [place(near[1]), remove(near[1]), place(near[0])]
        yield from self.refusals(board, near[1:2], "naast een volle 1", *before)
        for side in SIDES:
            size = self.size()
            middle = draws.between(1, size - 2)
            ends = {-1: 0, 0: middle, 1: size - 1}
            black = (ends[side[0]], ends[side[1]])
            board = Board(size, size, {black: "1"})
            near = draws.shuffled(cell for cell in around(black) if cell in board)
            board = self.filled(board, board.away([black, *near]))
            yield from self.refusals(board, near[:1], "getal aan de rand", place(near[1]))
        for side in SIDES:
            size = self.size()
            cell = self.inner(size)
            board = Board(size, size, {}).with_black(around(cell), "2" if side[0] else "?")
            full = board.with_black([step(cell, side)], "1")
            corner = step(
                step(cell, side), draws.choice([(side[1], side[0]), (-side[1], -side[0])])
            )
            full = self.filled(full, full.away([cell, corner]))
            yield from self.refusals(full, [cell], "tweede zwarte cel", place(corner))

    def unchanged(self) -> Iterator[Scene]:
        """Yield puzzles after lamps that were refused, whatever numbers say."""
        topic, clause = "Lampen na een weigering", "plaats_lamp: ongewijzigd"
        looks = [f"{LAMPS}  # {clause}", f"puzzel.zwarte_cellen  # {clause}"]
        board, lamps = self.with_lamps()
        black, lit = self.draws.choice([*board.black]), self.draws.choice(board.rays(lamps[0]))
        tries = map(
            attempt, map(place, ((board.rows, 0), (0, board.columns), black, lit, lamps[0]))
        )
        if self.small:
            asks = [f"{each}\n{look}" for each, look in product(tries, looks)]
            yield from self.asked(topic, board, [place(lamps[0])], asks)
        else:
            asks = [*(f"{each}\n{looks[0]}" for each in tries), looks[1]]
            yield from self.asked(topic, board, [place(lamps[0])], asks)
        lines = [place(lamps[0]), *self.made(board, "tweede")]
        lines += [attempt(place((board.rows, 0), "tweede")), f"tweede.lampen  # {clause}"]
        yield self.scene(topic, board, *lines)

    # verwijder_lamp

    def removed(self) -> Iterator[Scene]:
        """Yield lamps that are removed, and what cannot be removed."""
        topic = "Geen lamp om te verwijderen"
        for gone in (0, -1):
            board, lamps = self.with_lamps()
            call = f"{remove(lamps[gone])}  # verwijder_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, *map(place, lamps), call)
        for axis in (0, 1):
            board, (lamp, other) = self.with_lamps()
            lit, black = self.draws.choice(board.rays(lamp)), self.draws.choice([*board.black])
            at = self.draws.below(board.rows)
            beyond = (at, board.columns) if axis else (board.rows, at)
            cells = {other: "geen lamp", lit: "geen lamp", black: "zwarte cel"}
            cells[beyond] = "buiten het rooster"
            asks = [f"{remove(cell)}  # verwijder_lamp: {clause}" for cell, clause in cells.items()]
            tried = [lit, *([] if self.small else [beyond, black, other])]
            tries = "\n".join(attempt(remove(each)) for each in tried)
            asks += [f"{tries}\n{LAMPS}  # verwijder_lamp: ongewijzigd"]
            tries = attempt(remove(black)) + "\n" if self.small else ""
            asks += [f"{tries}puzzel.zwarte_cellen  # verwijder_lamp: ongewijzigd"]
            asks += [f"{remove(lamp)}\n{remove(lamp)}  # verwijder_lamp: geen lamp"]
            yield from self.asked(topic, board, [place(lamp)], asks)

    # isopgelost

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

            late = [c for c in product(range(size), repeat=2) if c[0] == row or c[1] == column]
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
            corners = [*product({0, size - 1}, repeat=2)]
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


def counts(board: Board, lamps: Iterable[Cell]) -> list[int]:
    """Return how many lamps there are around each black cell."""
    return [len({*around(cell)} & {*lamps}) for cell in board.black]


def is_shared(board: Board, lamps: list[Cell]) -> bool:
    """Return whether a lamp stands beside two black cells."""
    return any(len({*around(lamp)} & {*board.black}) > 1 for lamp in lamps)


def alone(board: Board, lamps: list[Cell]) -> bool:
    """Return whether there are lamps, and at most one around each black cell."""
    return bool(lamps) and max(counts(board, lamps)) <= 1


def is_dark_behind(board: Board, lamps: list[Cell]) -> bool:
    """Return whether all that is dark without the last lamp is in line with the others."""
    return alone(board, lamps) and all(
        any(not apart([cell, lamp]) for lamp in lamps[:-1]) for cell in board.dark(lamps[:-1])
    )


def shines_far(board: Board, lamps: list[Cell]) -> bool:
    """Return whether a lamp shines out of the square that is as wide as the short side."""
    short = min(board.rows, board.columns)
    return alone(board, lamps) and any(
        max(lamp) < short <= max(cell) for lamp in lamps for cell in board.rays(lamp)
    )


def has_numbers_elsewhere(board: Board, lamps: list[Cell]) -> bool:
    """Return whether lamps stand around black cells, and the last one beside none."""
    beside = {each for cell in board.black for each in around(cell)}
    return alone(board, lamps) and max(counts(board, lamps)) > 0 and lamps[-1] not in beside


def astray(board: Board, lamps: list[Cell]) -> list[Cell]:
    """Return the cells where the last lamp may stand and does not light all that is dark."""
    others = lamps[:-1]
    return [
        cell for cell in board.dark(others) if cell in board.quiet() and board.dark([*others, cell])
    ]


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield the scenes that are shown, and one of each clause after another puzzle was played."""
    seen: set[str] = set()
    for scene in Scenes(draws, small=True).all():
        yield scene
        clause = scene.lines.rpartition("  # ")[2]
        if clause not in seen and not clause.startswith(("Akari", "zwarte_cellen")):
            seen.add(clause)
            yield replace(scene, lines="\n".join([*ANOTHER, scene.lines]))


GENERATOR = Generator(
    version=19,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=TITLES.get(name, name), points=points)
        for name, points in POINTS.items()
    ),
)
