"""Makes Akari scenes: for each clause at each place some that nothing else decides.

A board is written to a file by the scene itself. What is known of it here is only there to steer
by; what a line gives is for the reference to say. Boards are square and their black cells bear no
number, unless a clause is about just that: a mistake in rays of wide boards then costs what is
about wide boards, and nothing else. Lamps that are only set-up stand beside no black cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from grader.authoring.generating import Draws, Generator, HiddenGroup, PlacedClause, Scene

Cell: TypeAlias = tuple[int, int]

SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
MARKS = "?01234"
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
        stralen_naast_elkaar=_CLASS,
        getallen_naast_elkaar=_CLASS,
    ),
    **_clauses("lampen", geplaatst=_PLACED, verwijderd=_REMOVED),
    **_clauses(
        "verlicht",
        een_lamp=_RAYS,
        meer_lampen=_LIT,
        zwarte_cel=_BLOCKED,
        niet_vierkant=_RAYS,
        na_verwijderen=_LIT,
        laatste_lamp_weg=_LIT,
        verplaatste_lamp=_LIT,
    ),
    **_clauses(
        "stralen",
        vier_richtingen=_RAYS,
        breed=_RAYS,
        hoog=_RAYS,
        zwarte_cel=_BLOCKED,
        elke_markering=_BLOCKED,
        ingesloten=_BLOCKED,
        vanuit_een_zwarte_cel=">>> puzzel.stralen(1, 1)",
        langs_lampen=_BLOCKED,
    ),
    **_clauses(
        "plaats_lamp",
        plaatst=_PLACED,
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
        naast_een_vol_getal="# te veel lampen naast zwarte cel",
        lamp_aan_de_rand="# te veel lampen naast zwarte cel",
        getal_aan_de_rand="# te veel lampen naast zwarte cel",
        tweede_zwarte_cel="# te veel lampen naast zwarte cel",
    ),
    "plaats_lamp: ongewijzigd": PlacedClause(group="plaats_lamp-geweigerd", quote=_KEPT),
    **_clauses(
        "verwijder_lamp",
        verwijdert=_REMOVED,
        geeft_niets=_REMOVED,
    ),
    **_refusals(
        "verwijder_lamp",
        donkere_cel=_NOT_REMOVED,
        verlichte_cel=_NOT_REMOVED,
        zwarte_cel=_NOT_REMOVED,
        tweemaal=_NOT_REMOVED,
    ),
    "verwijder_lamp: ongewijzigd": PlacedClause(
        group="verwijder_lamp-geweigerd", quote=f"{_NOT_REMOVED} \u2026 >>> puzzel.lampen"
    ),
    **_clauses(
        "isopgelost",
        donkere_cel=_WHOLE,
        donkere_cel_en_getallen=_WHOLE,
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
    "Akari": 6,
    "zwarte_cellen": 4,
    "lampen": 3,
    "verlicht": 16,
    "str": 7,
    "isopgelost": 19,
    "stralen": 17,
    "plaats_lamp": 11,
    "plaats_lamp-geweigerd": 19,
    "verwijder_lamp": 2,
    "verwijder_lamp-geweigerd": 5,
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
        """Return the black cells with their marks, row by row."""
        return sorted(self.black.items())

    def written_to(self, file: str) -> str:
        """Return the line that writes this board to a `file`."""
        text = "".join(f"{row} {column} {mark}\n" for (row, column), mark in self.lines())
        return f"open({file!r}, 'w').write({text!r})"

    def made_from(self, file: str) -> str:
        """Return the call that makes a puzzle of the `file` of this board."""
        return f"Akari({self.rows}, {self.columns}, {file!r})"


def lighted(board: Board, order: Iterable[Cell]) -> list[Cell]:
    """Return lamps, as many as numbers allow: one in each cell that is dark when its turn comes."""
    lamps: list[Cell] = []
    for cell in order:
        if cell in board.dark(lamps) and min([*board.missing([*lamps, cell]), 0]) == 0:
            lamps.append(cell)
    return lamps


# Calls


def place(cell: Cell, name: str = "puzzel") -> str:
    """Return the call that places a lamp."""
    return f"{name}.plaats_lamp{cell}"


def remove(cell: Cell) -> str:
    """Return the call that removes a lamp."""
    return f"puzzel.verwijder_lamp{cell}"


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

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.shown()
        yield from self.read()
        yield from self.side_by_side()
        yield from self.kept()
        yield from self.lit()
        yield from self.rays()
        yield from self.rays_from_corners()
        yield from self.placed()
        yield from self.placed_beside_numbers()
        yield from self.placed_after_changes()
        yield from self.refused()
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

    def board(self, rows: int, columns: int | None = None, count: int = 0) -> Board:
        """Return a board with so many black cells without a number, or with a few."""
        board = Board(rows, columns or rows, {})
        count = count or max(1, len(board.cells()) // 9)
        return board.with_black(self.draws.some(board.cells(), count))

    def found(self, make: Callable[[], Board], least: int = 1) -> tuple[Board, list[Cell]]:
        """Return a board, and at least so many lamps that may stand there beside no black cell."""
        while True:
            board = make()
            lamps = lighted(board, self.draws.shuffled(board.quiet()))
            if len(lamps) >= least:
                return board, lamps

    def with_lamps(self, least: int = 1) -> tuple[Board, list[Cell]]:
        """Return a square board, and two lamps, or more if that is the least."""
        board, lamps = self.found(lambda: self.board(self.size()), least)
        return board, lamps[: max(2, least)]

    def inner(self, size: int) -> Cell:
        """Return a cell that is not at the border."""
        return self.draws.between(1, size - 2), self.draws.between(1, size - 2)

    def around_mark(self, mark: str, size: int) -> tuple[Board, list[Cell]]:
        """Return a board with this mark inside and nothing beside it, and the cells around that."""
        cell = self.inner(size)
        near = self.draws.shuffled(around(cell))
        free = [each for each in product(range(size), repeat=2) if each not in (*near, cell)]
        others = [] if self.small else self.draws.some(free, 2)
        return Board(size, size, {cell: mark}).with_black(others), near

    def name(self) -> str:
        """Return a name for a file; small scenes stand alone, so all may have the same."""
        self.files += 1
        return "bord" if self.small else f"bord{self.files}"

    def scene(self, topic: str, board: Board, *lines: str, file: str | None = None) -> Scene:
        """Return the scene that does `lines` to a puzzle on `board`, from a `file` of this name."""
        file = file or self.name()
        made = f"puzzel = {board.made_from(file)}"
        return Scene(topic=topic, lines="\n".join([board.written_to(file), made, *lines]))

    # str, zwarte_cellen, lampen

    def shown(self) -> Iterator[Scene]:
        """Yield what is printed of puzzles: new ones, with lamps, and without them again."""
        small, large = ((1, 2), (3, 1), (2, 11)), ((1, 7), (6, 1), (3, 5), (12, 2), (4, 11))
        for rows, columns in small if self.small else large:
            board = self.board(rows, columns)
            yield self.scene("De grootte van het rooster", board, "print(puzzel)  # str: grootte")
        for _ in range(2):
            board = self.marked(MARKS)
            yield self.scene("Zwarte cellen tonen", board, "print(puzzel)  # str: markering")
        for number in (1, 2, 4):
            board, near = self.around_mark(str(number), self.size())
            lines = [*map(place, near[:number]), "print(puzzel)  # str: getal naast lampen"]
            yield self.scene("Zwarte cellen tonen", board, *lines)
        for look, clause in (
            ("print(str(puzzel).replace('*', '_'))", "lamp"),
            ("print(str(puzzel).replace('L', '_'))", "verlicht"),
        ):
            for _ in range(2):
                board, lamps = self.with_lamps()
                lines = [place(lamp) for lamp in lamps]
                yield self.scene("Lampen en licht tonen", board, *lines, f"{look}  # str: {clause}")
        for _ in range(2):
            board, lamps = self.with_lamps(2)
            lines = [*map(place, lamps), remove(lamps[0]), "print(puzzel)  # str: terug donker"]
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
        parts = [*marks] if self.small else [MARKS] * 3
        for part in parts:
            line = "puzzel.zwarte_cellen  # zwarte_cellen: markering"
            yield self.scene("Markeringen van zwarte cellen", self.marked(part), line)
        for rows, columns in ((11, 3), (2, 12)) if self.small else ((13, 12), (12, 11), (104, 5)):
            board = Board(rows, columns, {(rows - 1, columns - 1): "?"})
            if not self.small:
                board = board.with_black(self.draws.some(board.cells(), 4))
            line = "puzzel.zwarte_cellen  # zwarte_cellen: twee cijfers"
            yield self.scene("Een groot rooster", board, line)
        for _ in range(2):
            board = self.board(self.size())
            line = "puzzel.zwarte_cellen  # zwarte_cellen: bestand"
            yield self.scene("Een ander bestand", board, line)

    def side_by_side(self) -> Iterator[Scene]:
        """Yield two puzzles, of which one must not notice the other."""
        topic = "Twee puzzels naast elkaar"
        for _ in range(2):
            board, lamps = self.with_lamps()
            file, clause = self.name(), "Akari: lampen naast elkaar"
            lines = [f"tweede = {board.made_from(file)}", place(lamps[0])]
            lines += [f"tweede.lampen  # {clause}", f"{LAMPS}  # {clause}"]
            yield self.scene(topic, board, *lines, file=file)
        for _ in range(2):
            size = self.size()
            cell = self.inner(size)
            one, two = (
                Board(size, size, {step(cell, side): "?"}) for side in self.draws.some(SIDES, 2)
            )
            file, clause = self.name(), "Akari: stralen naast elkaar"
            second = [two.written_to(f"{file}b"), f"tweede = {two.made_from(f'{file}b')}"]
            look = f"puzzel.stralen{cell}  # {clause}"
            lines = [look, *second, f"tweede.stralen{cell}  # {clause}", look]
            yield self.scene(topic, one, *lines, file=file)
        for _ in range(2):
            board, near = self.around_mark("1", self.size())
            file, clause = self.name(), "Akari: getallen naast elkaar"
            lines = [place(near[0]), f"tweede = {board.made_from(file)}"]
            lines += [attempt(place(near[1])), f"{LAMPS}  # {clause}"]
            lines += [place(near[1], "tweede"), f"tweede.lampen  # {clause}"]
            yield self.scene(topic, board, *lines, file=file)

    def kept(self) -> Iterator[Scene]:
        """Yield the lamps of puzzles."""
        for count in (1, 2, 3):
            board, lamps = self.with_lamps(count)
            lines = [place(lamp) for lamp in lamps[:count]]
            yield self.scene("Lampen", board, *lines, f"{LAMPS}  # lampen: geplaatst")
        for count in (2, 3):
            board, lamps = self.with_lamps(count)
            lines = [place(lamp) for lamp in lamps[:count]]
            gone = remove(self.draws.choice(lamps[:count]))
            yield self.scene("Lampen", board, *lines, gone, f"{LAMPS}  # lampen: verwijderd")

    # verlicht and stralen

    def lit(self) -> Iterator[Scene]:
        """Yield the cells that lamps shine on."""
        for count, clause in ((1, "een lamp"), (2, "meer lampen"), (3, "meer lampen")):
            for _ in range(2):
                board, lamps = self.with_lamps(count)
                yield self.light(board, map(place, lamps[:count]), clause)
        for side in SIDES:
            board, cell = self.blocked(side)
            yield self.light(board, [place(cell)], "zwarte cel")
        for wide in (True, False):
            board, lamps = self.found(lambda wide=wide: self.board(*self.shape(wide=wide)))
            yield self.light(board, map(place, lamps[:2]), "niet vierkant")
        for mirrored in (True, False):
            board, lamps = self.crossing(mirrored=mirrored)
            for gone in lamps:
                yield self.light(board, [*map(place, lamps), remove(gone)], "na verwijderen")
        for _ in range(2):
            board, lamps = self.with_lamps()
            yield self.light(board, [place(lamps[0]), remove(lamps[0])], "laatste lamp weg")
            board, lamps = self.with_lamps(2)
            look = "puzzel.verlicht()  # verlicht: verplaatste lamp"
            lines = [place(lamps[0]), look, remove(lamps[0]), place(lamps[1])]
            yield self.light(board, lines, "verplaatste lamp")

    def light(self, board: Board, lines: Iterable[str], clause: str) -> Scene:
        """Return the scene that looks what is lit after `lines`."""
        return self.scene("Licht", board, *lines, f"puzzel.verlicht()  # verlicht: {clause}")

    def blocked(self, side: Cell) -> tuple[Board, Cell]:
        """Return a board with a black cell on this side of a cell, one cell away."""
        size = self.size(4)
        while True:
            cell = self.draws.below(size), self.draws.below(size)
            board = Board(size, size, {}).with_black([step(cell, side, 2)])
            if board.black and step(cell, side, 3) in board:
                return board, cell

    def crossing(self, *, mirrored: bool) -> tuple[Board, list[Cell]]:
        """Return a board and two lamps that both shine on the same two cells."""
        size = self.size()
        rows, columns = (sorted(self.draws.some(range(size), 2)) for _ in "rk")
        lamps = [*zip(rows, columns[::-1] if mirrored else columns, strict=True)]
        free = [(r, k) for r in range(size) for k in range(size) if r not in rows]
        corner = self.draws.choice([cell for cell in free if cell[1] not in columns])
        return Board(size, size, {corner: "?"}), self.draws.shuffled(lamps)

    def rays(self) -> Iterator[Scene]:
        """Yield the cells that a lamp would shine on."""
        draws = self.draws
        for _ in range(3):
            size = self.size()
            cell = self.inner(size)
            black = (cell[0] - 1, cell[1] + draws.choice((-1, 1)))
            yield self.beams(Board(size, size, {black: "?"}), cell, "vier richtingen")
        for wide, clause in ((True, "breed"), (False, "hoog")):
            for end in range(3):
                rows, columns = self.shape(wide=wide)
                corner = (rows - 1, columns - 1)
                cell = ((0, 0), (rows // 2, columns // 2), corner)[end]
                black = (0, 0) if end == 2 else corner
                yield self.beams(Board(rows, columns, {black: "?"}), cell, clause)
        for side in SIDES:
            board, cell = self.blocked(side)
            yield self.beams(board, cell, "zwarte cel")
        for mark in MARKS:
            size = self.size()
            cell = self.inner(size)
            line = draws.choice([(cell[0], 0), (0, cell[1])])
            yield self.beams(Board(size, size, {cell: mark}), line, "elke markering")

    def beams(self, board: Board, cell: Cell, clause: str, *lines: str) -> Scene:
        """Return the scene that asks for the rays of `cell` after `lines`."""
        return self.scene("Stralen", board, *lines, f"puzzel.stralen{cell}  # stralen: {clause}")

    def rays_from_corners(self) -> Iterator[Scene]:
        """Yield rays of cells that are shut in or black, and rays that pass lamps."""
        for corner in (False, True):
            size = self.size()
            cell = (0, size - 1) if corner else self.inner(size)
            yield self.beams(Board(size, size, {}).with_black(around(cell)), cell, "ingesloten")
        for _ in range(3):
            board = self.board(self.size())
            cell = self.draws.choice(list(board.black))
            yield self.beams(board, cell, "vanuit een zwarte cel")
        for down in (True, False, True):
            size = self.size(4)
            line, black = self.draws.some(range(size), 2)
            view = (lambda c: c) if down else (lambda c: (c[1], c[0]))
            lamp, other = view((self.draws.between(1, 2), line)), view((size - 1, black))
            board = Board(size, size, {other: "?"})
            lines = [place(lamp)]
            for end in (0, size - 1):
                yield self.beams(board, view((end, line)), "langs lampen", *lines)

    # plaats_lamp

    def placed(self) -> Iterator[Scene]:
        """Yield lamps that may be placed."""
        for corner in (False, False, True):
            board, lamps = self.with_lamps()
            cell = lamps[0]
            if corner:
                board, cell = Board(board.rows, board.rows, {(1, 1): "?"}), (0, board.rows - 1)
            yield self.placing(board, cell, "plaatst")
        for _ in range(2):
            board, lamps = self.with_lamps()
            call = f"{place(lamps[0])}  # plaats_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, call)
        for wide in (True, False):
            for _ in range(2):
                rows, columns = self.shape(wide=wide)
                last = (rows - 1, columns - 1)
                yield self.placing(Board(rows, columns, {(0, 0): "?"}), last, "niet vierkant")
        for one, two in (((0, -1), (0, 1)), ((-1, 0), (1, 0))):
            for _ in range(2):
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
        for _ in range(2):
            board, lamps = self.with_lamps()
            ray = draws.choice(board.rays(lamps[0]))
            before = [place(lamps[0]), remove(lamps[0])]
            yield self.placing(board, ray, "licht na verwijderen", *before)
            yield self.placing(board, lamps[0], "licht na verwijderen", *before)
        for _ in range(2):
            board, near = self.around_mark("1", self.size())
            before = [place(near[0]), remove(near[0])]
            yield self.placing(board, near[1], "getal na verwijderen", *before)
            size = self.size()
            cell = self.inner(size)
            board = Board(size, size, {}).with_black(around(cell), "1")
            before = [place(cell), remove(cell)]
            yield self.placing(board, cell, "getal na verwijderen", *before)
        clause = "getal na een weigering"
        for side in SIDES:
            cell, beyond, board = self.in_line(side)
            other = draws.choice([each for each in SIDES if each != side])
            full = board.with_black([step(cell, other)], "0")
            yield self.placing(full, beyond, clause, attempt(place(cell)))
            other = draws.choice([each for each in SIDES if each[0] * side[0] == each[1] * side[1]])
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
        """Yield lamps that are refused whatever numbers say."""
        draws = self.draws
        for beyond in (0, 0, 3):
            board = self.board(self.size())
            row, other = board.rows + beyond, draws.below(board.rows)
            yield self.refusal(board, (row, other), "rij buiten")
            yield self.refusal(board, (other, row), "kolom buiten")
        for mark in "1234":
            board, near = self.around_mark(mark, self.size())
            black = next(cell for cell in board.black if set(near) == {*around(cell)})
            yield self.refusal(board, black, "zwarte cel")
        for _ in range(3):
            board = self.board(self.size())
            yield self.refusal(board, draws.choice(list(board.black)), "zwarte cel zonder getal")
            board, lamps = self.with_lamps()
            cell = draws.choice(lamps)
            yield self.refusal(board, cell, "bezet", *map(place, lamps))
        for side in SIDES:
            size = self.size(4)
            while True:
                cell, count = self.inner(size), draws.between(1, size - 1)
                board = Board(size, size, {}).with_black(draws.some([(0, 0), (0, size - 1)], 1))
                if (lit := step(cell, side, count)) in board and lit in board.rays(cell):
                    break
            clause = "licht in de kolom" if side[0] else "licht in de rij"
            yield self.refusal(board, lit, clause, place(cell))
        for count in (2, 3):
            board, lamps, lit = self.late_light(2 if self.small else count)
            yield self.refusal(board, lit, "licht van een latere lamp", *map(place, lamps))

    def late_light(self, count: int) -> tuple[Board, list[Cell], Cell]:
        """Return a board, so many lamps, and a cell that only the last of them shines on."""
        while True:
            board, lamps = self.with_lamps(count)
            dark = board.dark(lamps[: count - 1])
            lit = [cell for cell in board.rays(lamps[count - 1]) if cell in dark]
            if lit:
                return board, lamps[:count], self.draws.choice(lit)

    def refusal(self, board: Board, cell: Cell, clause: str, *before: str) -> Scene:
        """Return a scene with a lamp in `cell` that is refused."""
        call = f"{place(cell)}  # plaats_lamp: {clause}"
        return self.scene("Een geweigerde lamp", board, *before, call)

    def refused_beside_numbers(self) -> Iterator[Scene]:
        """Yield lamps that are refused since there would be too many around a number."""
        draws = self.draws
        for side in SIDES:
            size = self.size()
            black = self.inner(size)
            board = Board(size, size, {black: "0"})
            yield self.refusal(board, step(black, side), "naast een nul")
        for side in SIDES:
            size = self.size()
            line = draws.below(size)
            inward = {-1: 1, 0: line, 1: size - 2}
            black = (inward[side[0]], inward[side[1]])
            board = Board(size, size, {black: "0"})
            yield self.refusal(board, step(black, side), "lamp aan de rand")
        for number in (1, 2, 3, 3):
            board, near = self.around_mark(str(number), self.size())
            before = map(place, near[:number])
            yield self.refusal(board, near[number], "naast een vol getal", *before)
        for side in SIDES:
            size = self.size()
            middle = draws.between(1, size - 2)
            ends = {-1: 0, 0: middle, 1: size - 1}
            black = (ends[side[0]], ends[side[1]])
            board = Board(size, size, {black: "0"})
            near = draws.shuffled(cell for cell in around(black) if cell in board)
            yield self.refusal(board, near[0], "getal aan de rand")
            board = Board(size, size, {black: "1"})
            yield self.refusal(board, near[0], "getal aan de rand", place(near[1]))
        for side in SIDES:
            size = self.size()
            cell = self.inner(size)
            board = Board(size, size, {}).with_black(around(cell), "2" if side[0] else "?")
            full = board.with_black([step(cell, side)], "0")
            yield self.refusal(full, cell, "tweede zwarte cel")

    def unchanged(self) -> Iterator[Scene]:
        """Yield puzzles after a lamp that was refused for any of the reasons."""
        board, lamps = self.with_lamps(2)
        black, lit = next(iter(board.black)), self.draws.choice(board.rays(lamps[0]))
        for cell in ((board.rows, 0), (0, board.rows), black, lit, lamps[0]):
            yield self.after_refusal(board, cell, place(lamps[0]))
        board, near = self.around_mark("1", self.size())
        yield self.after_refusal(board, near[1], place(near[0]))

    def after_refusal(self, board: Board, cell: Cell, before: str) -> Scene:
        """Return a scene that looks where lamps are after one that is refused."""
        lines = [before, attempt(place(cell)), f"{LAMPS}  # plaats_lamp: ongewijzigd"]
        return self.scene("Lampen na een weigering", board, *lines)

    # verwijder_lamp

    def removed(self) -> Iterator[Scene]:
        """Yield lamps that are removed, and what cannot be removed."""
        draws = self.draws
        for count in (1, 2, 3):
            board, lamps = self.with_lamps(count)
            lines = [place(lamp) for lamp in lamps[:count]]
            call = remove(draws.choice(lamps[:count]))
            look = f"{LAMPS}  # verwijder_lamp: verwijdert"
            yield self.scene("Een lamp verwijderen", board, *lines, call, look)
            call += "  # verwijder_lamp: geeft niets"
            yield self.scene("Een methode die niets teruggeeft", board, *lines, call)
        for _ in range(2):
            board, (lamp, other, *_) = self.with_lamps(2)
            cells = {
                "donkere cel": other,
                "verlichte cel": draws.choice(board.rays(lamp)),
                "zwarte cel": draws.choice(list(board.black)),
            }
            for clause, cell in cells.items():
                call = f"{remove(cell)}  # verwijder_lamp: {clause}"
                yield self.scene("Geen lamp om te verwijderen", board, place(lamp), call)
            look = f"{LAMPS}  # verwijder_lamp: ongewijzigd"
            lines = [place(lamp), attempt(remove(cells["verlichte cel"])), look]
            yield self.scene("Lampen na een weigering", board, *lines)
            lines = [place(lamp), remove(lamp), f"{remove(lamp)}  # verwijder_lamp: tweemaal"]
            yield self.scene("Geen lamp meer om te verwijderen", board, *lines)

    # isopgelost

    def solved(
        self, shape: tuple[int, int], is_right: Callable[[Board, list[Cell]], bool]
    ) -> tuple[Board, list[Cell]]:
        """Return a board without numbers, and lamps that solve it, if that is right."""
        while True:
            board = self.board(*shape)
            lamps = lighted(board, self.draws.shuffled(board.white()))
            if is_right(board, lamps):
                return board, lamps

    def asking(self, board: Board, clause: str, before: Sequence[Cell], *after: Cell) -> Scene:
        """Return a scene that asks whether it is solved after lamps `before`, and `after` more."""
        look = f"puzzel.isopgelost()  # isopgelost: {clause}"
        lines = [*map(place, before), look]
        for lamp in after:
            lines += [place(lamp), look]
        return self.scene("Opgelost of niet", board, *lines)

    def dark_or_solved(self) -> Iterator[Scene]:
        """Yield puzzles that are solved but for what is dark, before and after the last lamp."""
        size = self.size(most=6)
        ends = ((0, None), (size - 1, None), (None, 0), (None, size - 1))
        for row, column in ends:

            def is_dark_there(
                board: Board, lamps: list[Cell], row: int | None = row, column: int | None = column
            ) -> bool:
                dark = board.dark(lamps[:-1])
                return alone(board, lamps) and all(r == row or k == column for r, k in dark)

            board, lamps = self.solved((size, size), is_dark_there)
            yield self.asking(board, "donkere cel", lamps[:-1], lamps[-1])
        for _ in range(3):
            board, lamps = self.solved((size, size), has_numbers_elsewhere)
            numbered = board.numbered(lamps)
            yield self.asking(numbered, "donkere cel en getallen", lamps[:-1], lamps[-1])
        for _ in range(3):
            board, lamps = self.solved((size, size), has_lamps_opposite)
            numbered = board.numbered(lamps)
            yield self.asking(numbered, "overkant", lamps[:-1], lamps[-1])
        for wide in (True, False, True, False):
            board, lamps = self.solved(self.shape(wide=wide), alone)
            yield self.asking(board, "niet vierkant", lamps[:-1], lamps[-1])
        for _ in range(2):
            board, lamps = self.solved((size, size), alone)
            *others, last = lamps
            look = "puzzel.isopgelost()  # isopgelost: na een zet"
            moves = (place(last), remove(last), place(last))
            lines = [line for move in moves for line in (move, look)]
            yield self.scene("Opgelost of niet", board, *map(place, others), *[look] * 3, *lines)

    def numbers_or_solved(self) -> Iterator[Scene]:
        """Yield puzzles without a dark cell, of which the numbers are right or not."""
        for clause, wrong in (
            ("getal", None),
            ("getal", None),
            ("een van de getallen", 0),
            ("een van de getallen", -1),
        ):
            board, right, other = self.in_two_ways(wrong)
            yield self.asking(board, clause, other)
            yield self.asking(board, clause, right)

    def in_two_ways(self, wrong: int | None) -> tuple[Board, list[Cell], list[Cell]]:
        """Return a board, lamps that solve it, and others of which there are too few at a number.

        If `wrong` is an index, this is at one of several numbers only, of which it is the index.
        """
        size = self.size(most=6)
        while True:
            board = self.board(size, count=1 if wrong is None and self.small else size - 1)
            right = lighted(board, self.draws.shuffled(board.white()))
            board = board.numbered(right)
            other = lighted(board, self.draws.shuffled(board.white()))
            missing = board.missing(other)
            if wrong is not None and (sum(map(bool, missing)) != 1 or not missing[wrong]):
                continue
            if any(missing) and not board.dark(other):
                return board, right, other

    def solved_at_the_border(self) -> Iterator[Scene]:
        """Yield puzzles with many lamps or none around a cell without a number, or lamps only."""
        size = self.size(most=6)
        for least, most in ((2, 4), (0, 0), (3, 4)):

            def is_so(
                board: Board, lamps: list[Cell], least: int = least, most: int = most
            ) -> bool:
                return any(least <= count <= most for count in counts(board, lamps))

            board, lamps = self.solved((size, size), is_so)
            yield self.asking(board, "vraagteken", lamps[:-1], lamps[-1])
        for size in (2, 2, 3) if self.small else (2, 3, 4):
            parity = self.draws.below(2)
            board = Board(size, size, {})
            board = board.with_black(cell for cell in board.cells() if sum(cell) % 2 == parity)
            *others, last = self.draws.shuffled(board.white())
            yield self.asking(board, "enkel lampen", others, last)


def counts(board: Board, lamps: Iterable[Cell]) -> list[int]:
    """Return how many lamps there are around each black cell."""
    return [len({*around(cell)} & {*lamps}) for cell in board.black]


def alone(board: Board, lamps: list[Cell]) -> bool:
    """Return whether there are lamps, and at most one around each black cell."""
    return bool(lamps) and max(counts(board, lamps)) <= 1


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
    version=4,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=TITLES.get(name, name), points=points)
        for name, points in POINTS.items()
    ),
)
