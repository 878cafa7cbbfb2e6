"""Makes Akari scenes: for each clause at each place some that nothing else decides.

The board is that of the text, in other sizes too, wherever a clause needs no other one. What counts
writes its board to the file of the text, unless a clause is about the file: who always opens that
one loses what is about files, and nothing else. Each other board has a spelling of the file's name
to itself, for who remembers by their names what was in files. What is shown writes other files, as
who types it would lose hers. What is known of a board here is only there to steer by; what a line
gives is for the reference to say.

Boards are square and those in files bear no number, unless a clause is about just that: a mistake
in rays of wide boards then costs what is about wide boards, and nothing else. So does one in what
stops rays: lamps that are only set-up stand in line with no black cell, and those that solve a
puzzle in no row or column with each other, so that it does not matter how far they shine. Where one
does stand in line with black cells, these are several, on one side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import TypeAlias

from grader.authoring.generating import Draws, Generator, HiddenGroup, PlacedClause, Scene

Cell: TypeAlias = tuple[int, int]

SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
MARKS = "?01234"
PUBLISHED = {(1, 1): "4", (2, 3): "2", (2, 5): "?", (3, 0): "1", (3, 2): "?", (4, 4): "0"}
"""The black cells of the file of the text."""
FILE = "akari.txt"
SPELLINGS = 16
"""More boards than fit in a session."""
LAMPS = "puzzel.lampen"

_RAYS = "verlicht de hele rij en kolom waarop de lamp staat"
_BLOCKED = f"{_RAYS}, tenzij het licht geblokkeerd wordt door een zwarte cel"
_NUMBER = "Dat getal geeft aan hoeveel lampen op horizontaal of verticaal aangrenzende witte cellen"
_WHOLE = "zodat het volledige spelbord verlicht wordt"
_SIZES = "i) het aantal rijen (int) van het rooster, ii) het aantal kolommen (int) van het rooster"
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
        bestand="iii) de locatie (str) van een tekstbestand",
    ),
    **_clauses(
        "Akari",
        lampen_naast_elkaar=_CLASS,
        zwarte_cellen_naast_elkaar=_CLASS,
        groottes_naast_elkaar=_CLASS,
        getallen_naast_elkaar=_CLASS,
    ),
    **_clauses("lampen", geplaatst=_PLACED, verwijderd=_REMOVED),
    **_clauses(
        "verlicht",
        een_lamp=_RAYS,
        meer_lampen=_LIT,
        zwarte_cel_in_de_rij=_BLOCKED,
        zwarte_cel_in_de_kolom=_BLOCKED,
        niet_vierkant=_RAYS,
        na_verwijderen=_LIT,
        laatste_lamp_weg=_LIT,
        verplaatste_lamp=_LIT,
    ),
    **_clauses(
        "stralen",
        vier_richtingen=_RAYS,
        niet_vierkant=_RAYS,
        zwarte_cel_in_de_rij=_BLOCKED,
        zwarte_cel_in_de_kolom=_BLOCKED,
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
        rij_buiten="# buiten rooster",
        kolom_buiten="# buiten rooster",
        zwarte_cel="# niet op witte cel",
        zwarte_cel_zonder_getal="# niet op witte cel",
        bezet="# cel bevat al een lamp",
        licht_in_de_rij="# cel wordt verlicht door andere lamp",
        licht_in_de_kolom="# cel wordt verlicht door andere lamp",
        licht_van_een_latere_lamp="# cel wordt verlicht door andere lamp",
        naast_een_nul="# te veel lampen naast zwarte cel",
        naast_een_volle_1="# te veel lampen naast zwarte cel",
        naast_een_volle_2_of_3="# te veel lampen naast zwarte cel",
        getal_aan_de_rand="# te veel lampen naast zwarte cel",
        tweede_zwarte_cel="# te veel lampen naast zwarte cel",
    ),
    "plaats_lamp: ongewijzigd": PlacedClause(group="plaats_lamp-geweigerd", quote=_KEPT),
    **_clauses("verwijder_lamp", geeft_niets=_REMOVED),
    **_refusals(
        "verwijder_lamp",
        donkere_cel=_NOT_REMOVED,
        verlichte_cel=_NOT_REMOVED,
        zwarte_cel=_NOT_REMOVED,
        buiten_het_rooster=_NOT_REMOVED,
        tweemaal=_NOT_REMOVED,
    ),
    "verwijder_lamp: ongewijzigd": PlacedClause(
        group="verwijder_lamp-geweigerd", quote=f"{_NOT_REMOVED} \u2026 >>> puzzel.lampen"
    ),
    **_clauses(
        "isopgelost",
        donkere_cel=_WHOLE,
        achter_een_zwarte_cel=_BLOCKED,
        drie_of_vier_lampen=_NUMBER,
        overkant=_NUMBER,
        getal=_NUMBER,
        een_van_de_getallen=_NUMBER,
        vraagteken=_ANY,
        niet_vierkant=_WHOLE,
        enkel_lampen=_WHOLE,
        na_een_zet=_WHOLE,
    ),
}

TITLES = {
    "plaats_lamp-geweigerd": "plaats_lamp geweigerd",
    "verwijder_lamp-geweigerd": "verwijder_lamp geweigerd",
}
POINTS = {
    "Akari": 4,
    "zwarte_cellen": 2,
    "lampen": 1,
    "verlicht": 14,
    "str": 5,
    "isopgelost": 22,
    "stralen": 17,
    "plaats_lamp": 12,
    "plaats_lamp-geweigerd": 18,
    "verwijder_lamp": 1,
    "verwijder_lamp-geweigerd": 3,
}


# Boards


def step(cell: Cell, side: Cell, count: int = 1) -> Cell:
    """Return the cell that lies `count` cells away on this side."""
    return cell[0] + count * side[0], cell[1] + count * side[1]


def around(cell: Cell) -> list[Cell]:
    """Return the four cells that share a side with `cell`, some of them perhaps outside."""
    return [step(cell, side) for side in SIDES]


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
    for cell in order:
        both = [*lamps, cell]
        is_free = cell in board.dark(lamps) and (in_line or apart(both))
        if is_free and min([*board.missing(both), 0]) == 0:
            lamps.append(cell)
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
    return f"zwarte cel in de {'kolom' if side[0] else 'rij'}"


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

    def size(self, least: int = 3, most: int = 7) -> int:
        """Return how many rows the next board has."""
        return least if self.small else self.draws.between(max(4, least), max(most, least))

    def shape(self, *, wide: bool) -> tuple[int, int]:
        """Return how many rows and columns the next board has that is no square."""
        short = self.draws.between(1, 2) if self.small else self.draws.between(2, 4)
        long = short + (2 if self.small else self.draws.between(3, 5))
        return (short, long) if wide else (long, short)

    def published(self, rows: int = 0, columns: int = 0) -> Board:
        """Return the board of the text in this size; those that are shown differ in it."""
        size = 7 if self.small else 6
        return Board(rows or size, columns or size, PUBLISHED)

    def published_large(self) -> Board:
        """Return the board of the text in a size with room for lamps in line with nothing."""
        size = 8 if self.small else 9
        return self.published(size, size)

    def published_long(self, *, wide: bool) -> Board:
        """Return the board of the text with more columns than rows, or with more rows."""
        long = self.draws.between(9, 10) if self.small else self.draws.between(10, 13)
        return self.published(7, long) if wide else self.published(long, 8)

    def board(self, rows: int, columns: int | None = None, count: int = 0) -> Board:
        """Return a board with so many black cells without a number, or with a few."""
        board = Board(rows, columns or rows, {})
        count = count or max(1, len(board.cells()) // 9)
        return board.with_black(self.draws.some(board.cells(), count))

    def with_lamps(self, least: int = 2, board: Board | None = None) -> tuple[Board, list[Cell]]:
        """Return the board of the text, and lamps that may stand there in line with nothing."""
        board = board or self.published_large()
        while True:
            lamps = self.draws.some(board.clear(), least)
            if apart(lamps):
                return board, lamps

    def walled(self, side: Cell) -> tuple[Board, Cell]:
        """Return a board, and a cell with black ones on this side, not beside it, and nothing else.

        There are white cells between these, and beyond: they too are in line with nothing else.
        """
        draws = self.draws
        size = 4 if self.small else draws.between(7, 8)
        start = 0 if self.small else draws.below(2)
        line = draws.below(size)
        far = (2,) if self.small else (2, 4)
        ends = {-1: size - 1 - start, 0: line, 1: start}
        cell = (ends[side[0]], ends[side[1]])
        mark = "?" if sum(side) < 0 else draws.choice("1234")
        board = Board(size, size, {step(cell, side, count): mark for count in far})
        kept = [cell, *(step(cell, side, count) for count in (1, 3))]
        free = [each for each in board.white() if all(apart([each, other]) for other in kept)]
        return board.with_black(draws.some(free, 0 if self.small else 3)), cell

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
        free = [each for each in board.quiet() if not {*around(each)} & {*near}]
        return board.with_black(self.draws.some(free, 0 if self.small else 2)), near

    def another_file(self, name: str) -> str:
        """Return a name for the file of a puzzle; small scenes stand alone, and share names."""
        self.files += 1
        return f"bord{self.files}" if not self.small else "bord" if name == "puzzel" else "bord2"

    def file_of(self, board: Board, name: str) -> str:
        """Return the file that the puzzle called `name` is made from."""
        if board.black == PUBLISHED:
            return FILE
        if self.small or name != "puzzel":
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
        small, large = ((5, 7), (6, 6), (8, 6)), ((5, 12), (11, 6))
        boards = [self.published(*size) for size in (small if self.small else large)]
        boards += [self.board(1, self.size()), self.board(self.size(), 1)]
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
            for board, lamps in (self.with_lamps(), self.walled_and_another(SIDES[0])):
                look = f"print(str(puzzel).replace({dark!r}, '_'))  # str: {clause}"
                yield self.scene("Lampen en licht tonen", board, *map(place, lamps), look)
        for _ in range(2):
            board, lamps = self.with_lamps()
            look = "print(puzzel)  # str: terug donker"
            lines = [*map(place, lamps), look, remove(lamps[0]), look]
            yield self.scene("Cellen die terug donker zijn", board, *lines)

    def marked(self, marks: str) -> Board:
        """Return a board with each of the `marks`, which fit where they stand."""
        size = 5 if self.small else self.draws.between(6, 8)
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
        for rows, columns in ((11, 3), (2, 12)) if self.small else ((13, 12), (104, 11)):
            board = Board(rows, columns, {(rows - 1, columns - 1): "?"})
            if not self.small:
                board = board.with_black(self.draws.some(board.cells(), 4))
            line = "puzzel.zwarte_cellen  # zwarte_cellen: twee cijfers"
            yield self.scene("Een groot rooster", board, line)
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
            lines = [*self.made(board, "tweede"), place(lamps[0])]
            lines += [f"tweede.lampen  # {clause}", f"{LAMPS}  # {clause}"]
            yield self.scene(topic, board, *lines)
        for _ in range(2):
            size = self.size(4)
            cell = self.inner(size)
            one, two = (
                Board(size, size, {step(cell, side): "?"}) for side in self.draws.some(SIDES, 2)
            )
            clause = "Akari: zwarte cellen naast elkaar"
            look = f"puzzel.stralen{cell}  # {clause}"
            lines = [look, *self.made(two, "tweede"), f"tweede.stralen{cell}  # {clause}", look]
            yield self.scene(topic, one, *lines, f"puzzel.zwarte_cellen  # {clause}")
        clause = "Akari: groottes naast elkaar"
        for wide in (True, False):
            one, two = self.published_long(wide=wide), self.published_long(wide=not wide)
            looks = [f"print({name})  # {clause}" for name in ("puzzel", "tweede", "puzzel")]
            yield self.scene(topic, one, looks[0], *self.made(two, "tweede"), *looks[1:])
        size = 9 if self.small else self.draws.between(6, 8)
        shapes = (size, size), (size, size + 1), (size + 1, size)
        boards = [self.published(*shape) for shape in shapes]
        looks = [f"print({board.made_from(FILE)})  # {clause}" for board in boards]
        yield Scene(topic=topic, lines="\n".join([*self.written(boards[0], FILE), *looks]))
        yield from self.numbers_side_by_side(topic)

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
        lines = [*self.made(smaller, "tweede"), place(below), attempt(place(other))]
        yield self.scene(topic, board, *lines, f"{LAMPS}  # {clause}")

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
            board = self.published_long(wide=wide)
            short = min(board.rows, board.columns)
            far = self.draws.choice([cell for cell in board.clear() if max(cell) >= short])
            lines = [place(far), remove(far), f"{LAMPS}  # lampen: verwijderd"]
            yield self.scene("Lampen", board, *lines)

    # verlicht and stralen

    def lit(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on."""
        for _ in range(2):
            board, (lamp,) = self.with_lamps(1)
            yield self.light(board, [place(lamp)], "een lamp")
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
            yield self.light(board, lines, in_way(side))
        for wide in (True, False, True, False) if self.small else (True, False):
            board, lamps = self.with_lamps(2, self.published_long(wide=wide))
            yield self.light(board, map(place, lamps[: 1 if self.small else 2]), "niet vierkant")

    def lit_after_changes(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on, of which some were removed or moved."""
        for mirrored in (True, False):
            board, lamps = self.crossing(mirrored=mirrored)
            for gone in lamps:
                yield self.light(board, [*map(place, lamps), remove(gone)], "na verwijderen")
        yield from self.lit_twice()
        for _ in range(2):
            board, lamps = self.with_lamps()
            yield self.light(board, [place(lamps[0]), remove(lamps[0])], "laatste lamp weg")
            board, lamps = self.walled_and_another(SIDES[2])
            look = "puzzel.verlicht()  # verlicht: verplaatste lamp"
            lines = [place(lamps[1]), look, remove(lamps[1]), place(lamps[0])]
            yield self.light(board, lines, "verplaatste lamp")

    def lit_twice(self) -> Iterator[Scene]:
        """Yield a cell with a lamp in its row and one in its column, which are removed in turn.

        There may be a dark cell between it and a lamp, or none.
        """
        look = "puzzel.verlicht()  # verlicht: na verwijderen"
        for side, count in product(SIDES, (2, 3)):
            size = 5 if self.small else self.draws.between(6, 7)
            free = [*product(range(5, 5 + size), range(6, 6 + size))]
            across = self.draws.choice([(side[1], side[0]), (-side[1], -side[0])])
            ends = [(step(cell, side, count), step(cell, across, 5 - count)) for cell in free]
            one, two = self.draws.choice([pair for pair in ends if {*pair} <= {*free}])
            lines = [place(one), place(two), remove(two), look, remove(one)]
            yield self.light(self.published(5 + size, 6 + size), lines, "na verwijderen")
        for wide in (True, False):
            board = self.published_long(wide=wide)
            column, other = self.draws.shuffled([6, 7])
            one, two = (board.rows - 1, column), (5, other)
            if wide:
                one, two = (0, board.columns - 1), (self.draws.between(5, 6), column)
            lines = [place(one), place(two), remove(two)]
            yield self.light(board, lines, "na verwijderen")

    def across(self, side: Cell) -> tuple[Board, Cell, Cell]:
        """Return a board, and two cells with two between them, in a line.

        Of these the first is white, and the one on this side of it black, as no other cell is.
        """
        size = self.size(4)
        cells = Board(size, size, {}).cells()
        ends = [(step(cell, side, -1), step(cell, side), step(cell, side, 2)) for cell in cells]
        lamp, black, beyond = self.draws.choice([line for line in ends if {*line} <= {*cells}])
        return Board(size, size, {black: self.draws.choice("?234")}), lamp, beyond

    def light(self, board: Board, lines: Iterable[str], clause: str) -> Scene:
        """Return the scene that looks what is lit after `lines`."""
        return self.scene("Licht", board, *lines, f"puzzel.verlicht()  # verlicht: {clause}")

    def crossing(self, *, mirrored: bool) -> tuple[Board, list[Cell]]:
        """Return the board of the text, and two lamps below that shine on the same two cells."""
        board = self.published(8, 9)
        rows = sorted(self.draws.some([5, 6, 7], 2))
        columns = sorted(self.draws.some([6, 7, 8], 2))
        lamps = zip(rows, columns[::-1] if mirrored else columns, strict=True)
        return board, self.draws.shuffled(lamps)

    def rays(self) -> Iterator[Scene]:
        """Yield the cells that a lamp would shine on."""
        draws = self.draws
        board = self.published_large()
        yield from self.beams(board, draws.some(board.clear(), 3), "vier richtingen")
        for axis in (0, 1):
            pairs = [(a, b) for a, b in combinations(board.clear(), 2) if a[axis] == b[axis]]
            code = f"[puzzel.stralen(r, k) for r, k in {[*draws.choice(pairs)]}]"
            yield self.scene("Stralen", board, f"{code}  # stralen: vier richtingen")
        for wide in (True, False):
            board = self.published_long(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            cells = [(0, last[1]), last, *draws.some(board.clear(), 2)]
            yield from self.beams(board, cells, "niet vierkant")
        for side in SIDES:
            board, cell = self.walled(side)
            cells = [cell] if self.small else [cell, step(cell, side), step(cell, side, 3)]
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
        marks = zip(draws.shuffled(range(2, 2 + len(MARKS))), draws.shuffled(MARKS), strict=True)
        size = len(MARKS) + 3
        board = Board(size, size, {(r, k): mark for r, (k, mark) in enumerate(marks)})
        yield from self.beams(board, [(r, 0) for r in range(len(MARKS))], "elke markering")
        for corner in (False, True):
            size = self.size()
            cell = (0, size - 1) if corner else self.inner(size)
            shut = Board(size, size, {}).with_black(around(cell), "2")
            yield from self.beams(shut, [cell], "ingesloten")
        yield from self.beams(self.published(), [(4, 4)], "vanuit een zwarte cel")
        for _ in range(2):
            size = self.size()
            cell = self.inner(size)
            yield from self.beams(Board(size, size, {cell: "?"}), [cell], "vanuit een zwarte cel")
        board = self.published_large()
        end, column = draws.choice((0, board.rows - 1)), draws.choice((6, 7))
        for lamp, cells in (
            ((end, 7), [(end, 6)] if self.small else [(end, 6), (end, 8)]),
            ((6, column), [(5, column), (7, column)]),
        ):
            yield from self.beams(board, cells, "langs lampen", place(lamp))
        yield from self.rays_in_any_order()

    def rays_in_any_order(self) -> Iterator[Scene]:
        """Yield rays in a line with two black cells, of which the file has the last one first."""
        for axis in (0, 1):
            size = self.size(5)
            line = self.draws.below(size)
            cells = [(line, at) if axis else (at, line) for at in range(size)]
            black = dict.fromkeys((cells[1], cells[3]), "1")
            board = Board(size, size, black, is_upside_down=True)
            yield from self.beams(board, cells[::2], "volgorde in het bestand")

    # plaats_lamp

    def placed(self) -> Iterator[Scene]:
        """Yield lamps that may be placed."""
        for _ in range(2):
            board, lamps = self.with_lamps()
            call = f"{place(lamps[0])}  # plaats_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, call)
        for wide in (True, False):
            board = self.published_long(wide=wide)
            last = (board.rows - 1, board.columns - 1)
            yield self.placing(board, last, "niet vierkant")
        for one, two in (((0, -1), (0, 1)), ((-1, 0), (1, 0))):
            size = self.size()
            black = self.inner(size)
            board = Board(size, size, {black: "?"})
            first, last = self.draws.shuffled([step(black, one), step(black, two)])
            yield self.placing(board, last, "achter een zwarte cel", place(first))
        for count in (2, 3, 4):
            board, near = self.around_mark("?", self.size())
            *others, last = near[:count]
            yield self.placing(board, last, "vraagteken", *map(place, others))

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
            yield self.placing(board, step(black, (down, right)), "schuin", *before)
        for side in SIDES:
            size = self.size()
            last, line = size - 1, draws.below(size)
            black, cell = ((0, line), (last, line)) if side[0] else ((line, 0), (line, last))
            black, cell = (black, cell) if sum(side) > 0 else (cell, black)
            yield self.placing(Board(size, size, {black: "0"}), cell, "overkant")
            board = Board(size, size, {black: "1"})
            near = [each for each in around(black) if each in board.rays(black)]
            free = [each for each in near if each in board.dark([cell])]
            yield self.placing(board, draws.choice(free), "overkant", place(cell))
        for black, cell in (((0, -1), (1, 0)), ((1, 0), (0, -1))):
            size = self.size()
            row = draws.below(size - 1)
            ends = [(row + r, k % size) for r, k in (black, cell)]
            yield self.placing(Board(size, size, {ends[0]: "0"}), ends[1], "overkant")

    def placed_after_changes(self) -> Iterator[Scene]:
        """Yield lamps that may be placed after another was removed, or refused."""
        draws = self.draws
        board, lamps = self.with_lamps()
        before = [*map(place, lamps), remove(lamps[0])]
        dark = [cell for cell in board.dark(lamps[1:]) if cell in board.quiet()]
        lit = [cell for cell in dark if cell in board.rays(lamps[0])]
        for cell in (draws.choice(lit), lamps[0]):
            yield self.placing(board, cell, "licht na verwijderen", *before)
        cell = draws.choice(lit)
        before.insert(2, attempt(place(cell)))
        yield self.placing(board, cell, "licht na verwijderen", *before)
        for tried in (False, True):
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
        before = [place(cell), remove(cell)]
        yield self.placing(board, cell, "getal na verwijderen", *before)
        clause = "getal na een weigering"
        for side, other in zip(SIDES, (*SIDES[1:], SIDES[0]), strict=True):
            cell, beyond, board = self.in_line(side)
            full = board.with_black([step(cell, other)], "0")
            yield self.placing(full, beyond, clause, attempt(place(cell)))
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
        for clause, cells in (
            ("rij buiten", [(row, draws.below(size)) for row in (size, size + 3)]),
            ("kolom buiten", [*zip(draws.shuffled([0, 4]), (size, size + 3), strict=True)]),
            ("zwarte cel", [(2, 3), (3, 0), (4, 4)]),
            ("zwarte cel zonder getal", [(2, 5), (3, 2)]),
        ):
            yield from self.refusals(board, draws.shuffled(cells), clause)
        board, lamps = self.with_lamps()
        yield from self.refusals(board, lamps, "bezet", *map(place, lamps))

    def refused_in_the_light(self) -> Iterator[Scene]:
        """Yield lamps that are refused since others shine on them."""
        for lamp in (0, 1):
            board, lamps = self.with_lamps()
            free = board.quiet()
            before, lit = [*map(place, lamps)], board.rays(lamps[lamp])
            in_row = [cell for cell in lit if cell in free and cell[0] == lamps[lamp][0]]
            in_column = [cell for cell in lit if cell in free and cell[1] == lamps[lamp][1]]
            late = [c for c in board.rays(lamps[1]) if c in free and c in board.dark(lamps[:1])]
            for clause, cells, count in (
                ("licht in de rij", in_row, 2),
                ("licht in de kolom", in_column, 1),
                ("licht van een latere lamp", late, 1),
            ):
                yield from self.refusals(board, self.draws.some(cells, count), clause, *before)
        board, lamps = self.with_lamps()
        lit = self.draws.choice([cell for cell in board.rays(lamps[0]) if cell in board.quiet()])
        before = [place(lit), remove(lit), place(lamps[0])]
        yield from self.refusals(board, [lit], "licht van een latere lamp", *before)

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
            yield from self.refusals(board, [step(black, side)], "naast een nul")
        for number in (1, 2, 3):
            board, near = self.around_mark(str(number), self.size())
            before = map(place, near[:number])
            clause = "naast een volle 1" if number == 1 else "naast een volle 2 of 3"
            yield from self.refusals(board, near[number:], clause, *before)
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
            yield from self.refusals(board, near[:1], "getal aan de rand", place(near[1]))
        for side in SIDES:
            size = self.size()
            cell = self.inner(size)
            board = Board(size, size, {}).with_black(around(cell), "2" if side[0] else "?")
            full = board.with_black([step(cell, side)], "1")
            corner = step(
                step(cell, side), draws.choice([(side[1], side[0]), (-side[1], -side[0])])
            )
            yield from self.refusals(full, [cell], "tweede zwarte cel", place(corner))

    def unchanged(self) -> Iterator[Scene]:
        """Yield puzzles after a lamp that was refused, whatever numbers say."""
        topic, look = "Lampen na een weigering", f"{LAMPS}  # plaats_lamp: ongewijzigd"
        board, lamps = self.with_lamps()
        black, lit = self.draws.choice([*board.black]), self.draws.choice(board.rays(lamps[0]))
        cells = ((board.rows, 0), (0, board.columns), black, lit, lamps[0])
        asks = (f"{attempt(place(cell))}\n{look}" for cell in cells)
        yield from self.asked(topic, board, [place(lamps[0])], asks)

    # verwijder_lamp

    def removed(self) -> Iterator[Scene]:
        """Yield lamps that are removed, and what cannot be removed."""
        topic = "Geen lamp om te verwijderen"
        for gone in (0, -1):
            board, lamps = self.with_lamps()
            call = f"{remove(lamps[gone])}  # verwijder_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, *map(place, lamps), call)
        for _ in range(2):
            board, (lamp, other) = self.with_lamps()
            lit, black = self.draws.choice(board.rays(lamp)), self.draws.choice([*board.black])
            beyond = self.draws.choice([(board.rows, 0), (0, board.columns + 1)])
            cells = {"donkere cel": other, "verlichte cel": lit, "zwarte cel": black}
            cells["buiten het rooster"] = beyond
            asks = [f"{remove(at)}  # verwijder_lamp: {clause}" for clause, at in cells.items()]
            asks += [f"{attempt(remove(lit))}\n{LAMPS}  # verwijder_lamp: ongewijzigd"]
            asks += [f"{remove(lamp)}\n{remove(lamp)}  # verwijder_lamp: tweemaal"]
            yield from self.asked(topic, board, [place(lamp)], asks)

    # isopgelost

    def solved(
        self,
        shape: tuple[int, int],
        is_right: Callable[[Board, list[Cell]], bool],
        *,
        in_line: bool = False,
    ) -> tuple[Board, list[Cell]]:
        """Return a board without numbers, and lamps that solve it, if that is right.

        No two of them stand in one row or column, unless they may be `in_line`.
        """
        while True:
            board = self.board(*shape)
            lamps = lighted(board, self.draws.shuffled(board.white()), in_line=in_line)
            if not board.dark(lamps) and is_right(board, lamps):
                return board, lamps

    def dark_or_solved(self) -> Iterator[Scene]:
        """Yield puzzles that are solved but for what is dark, before and after the last lamp."""
        size = 3 if self.small else 6
        for row, column in ((0, None), (size - 1, None), (None, 0), (None, size - 1)):

            def is_dark_there(
                board: Board, lamps: list[Cell], row: int | None = row, column: int | None = column
            ) -> bool:
                dark = board.dark(lamps[:-1])
                return alone(board, lamps) and all(r == row or k == column for r, k in dark)

            board, lamps = self.solved((size, size), is_dark_there)
            yield self.asking_twice(board, "donkere cel", lamps)
        for corner in ((0, 0), (size - 1, size - 1)):

            def is_dark_in(board: Board, lamps: list[Cell], corner: Cell = corner) -> bool:
                return alone(board, lamps) and board.dark(lamps[:-1]) == [corner]

            board, lamps = self.solved((size, size), is_dark_in)
            yield self.asking_twice(board, "donkere cel", lamps)
        for _ in range(2):
            board, lamps = self.solved((size, size), has_numbers_elsewhere)
            yield self.asking_twice(board.numbered(lamps), "donkere cel", lamps)
            board, lamps = self.solved((max(size, 5),) * 2, is_dark_behind, in_line=True)
            yield self.asking_twice(board, "achter een zwarte cel", lamps)
        for wide in (True, False, True, False) if self.small else (True, False):
            board, lamps = self.solved(self.shape(wide=wide), shines_far)
            yield self.asking_twice(board, "niet vierkant", lamps)
        for _ in range(2):
            board, lamps = self.solved((size, size), alone)
            *others, last = lamps
            look = "puzzel.isopgelost()  # isopgelost: na een zet"
            moves = (place(last), remove(last), place(last))
            lines = [line for move in moves for line in (move, look)]
            yield self.scene("Opgelost of niet", board, *map(place, others), *[look] * 3, *lines)
        if self.small:
            yield self.solved_one_by_one()

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
        for clause, wrong, mark, corner in (
            ("getal", None, "2", False),
            ("drie of vier lampen", None, "3", False),
            ("een van de getallen", 0, "1", False),
            ("een van de getallen", -1, "1", False),
            ("een van de getallen", 0, "1", True),
            ("een van de getallen", -1, "1", True),
        ):
            board, right, other = self.in_two_ways(wrong, mark, corner=corner)
            yield self.asking(board, clause, other)
            yield self.asking(board, clause, right)
        size = 2 if self.small else 6
        for side in SIDES:

            def is_beside(board: Board, lamps: list[Cell], side: Cell = side) -> bool:
                beside = {step(cell, side) for cell in board.black} & {*lamps}
                return any(step(cell, side) not in board for cell in beside)

            board, lamps = self.solved((size, size), is_beside)
            yield self.asking(board.numbered(lamps), "getal", lamps)

    def in_two_ways(
        self, wrong: int | None, mark: str, *, corner: bool
    ) -> tuple[Board, list[Cell], list[Cell]]:
        """Return a board with this mark, lamps that solve it, and others that miss a number.

        If `wrong` is an index, this is at one of several numbers only, of which it is the index:
        in the first or the last cell of all, if that is a `corner`.
        """
        size = 3 if self.small else 6
        in_line = mark == "3"
        while True:
            board = self.board(size, count=1 if wrong is None and self.small else size - 1)
            if corner:
                board = board.with_black([(0, 0) if wrong == 0 else (size - 1, size - 1)])
            right = lighted(board, self.draws.shuffled(board.white()), in_line=in_line)
            board = board.numbered(right)
            other = lighted(board, self.draws.shuffled(board.white()), in_line=in_line)
            missing = board.missing(other)
            if wrong is not None and (sum(map(bool, missing)) != 1 or not missing[wrong]):
                continue
            is_lit = not board.dark(right) and not board.dark(other)
            if any(missing) and is_lit and mark in board.black.values():
                return board, right, other

    def solved_at_the_border(self) -> Iterator[Scene]:
        """Yield puzzles with and without the last lamp: opposite numbers, or beside none."""
        size = 3 if self.small else 6
        for _ in range(3):
            board, lamps = self.solved((size, size), has_lamps_opposite)
            yield self.asking_twice(board.numbered(lamps), "overkant", lamps)
        for clause, allowed in (
            ("vraagteken", {2}),
            ("vraagteken", {0}),
            ("drie of vier lampen", {3, 4}),
        ):

            def is_so(board: Board, lamps: list[Cell], allowed: set[int] = allowed) -> bool:
                return any(count in allowed for count in counts(board, lamps))

            board, lamps = self.solved((size, size), is_so, in_line=max(allowed) > 2)
            yield self.asking_twice(board, clause, lamps)
        for size, count in ((2, 1), (3, 2), (3, 3)):
            lamps = self.draws.some(enumerate(self.draws.shuffled(range(size))), count)
            board = Board(size, size, {})
            board = board.with_black(cell for cell in board.cells() if cell not in lamps)
            yield self.asking_twice(board, "enkel lampen", lamps)


def counts(board: Board, lamps: Iterable[Cell]) -> list[int]:
    """Return how many lamps there are around each black cell."""
    return [len({*around(cell)} & {*lamps}) for cell in board.black]


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


def has_lamps_opposite(board: Board, lamps: list[Cell]) -> bool:
    """Return whether a lamp ends a row or a column that a black cell starts."""
    return any(
        (cell[0] == 0 and lamp == (board.rows - 1, cell[1]))
        or (cell[1] == 0 and lamp == (cell[0], board.columns - 1))
        for cell in board.black
        for lamp in lamps
    )


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that are shown."""
    return Scenes(draws, small=True).all()


GENERATOR = Generator(
    version=11,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=TITLES.get(name, name), points=points)
        for name, points in POINTS.items()
    ),
)
