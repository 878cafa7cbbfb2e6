"""Makes Akari sessions: solvable boards, walks to their solution, refusals, odd corners.

A board is written to a file in the session itself, so that each session has its own. What is known
of it here is only there to steer by; what a line gives is for the reference to say. A stub earns
nothing: what an action does is asked before and after it, a refusal comes after an action of the
same method that is accepted, and whether a puzzle is solved is asked of one that is and one that is
not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from grader.authoring.generating import Draws, Generator, HiddenGroup, Line, Script
from grader.authoring.generating.scripts import ScriptBuilder

Cell = tuple[int, int]

NOTATION = ScriptBuilder(
    spec_lines={
        "Akari": 33,
        "zwarte_cellen": 160,
        "lampen": 161,
        "verlicht": 167,
        "stralen": 168,
        "plaats_lamp": 169,
        "plaats_lamp: buiten rooster": 170,
        "plaats_lamp: niet op witte cel": 171,
        "plaats_lamp: cel bevat al een lamp": 172,
        "plaats_lamp: cel wordt verlicht door andere lamp": 173,
        "plaats_lamp: te veel lampen naast zwarte cel": 174,
        "verwijder_lamp": 175,
        "isopgelost": 176,
        "str": 37,
        "bestand": 187,
    },
    refusal="-geweigerd",
    actions=("plaats_lamp", "verwijder_lamp"),
    observers=("puzzel.lampen", "str(puzzel)"),
)
case, refused = NOTATION.case, NOTATION.refused
WRITTEN = Path(__file__).with_name("directed.txt")


def around(cell: Cell) -> list[Cell]:
    """Return the four cells that share a side with `cell`, some of them perhaps outside."""
    row, column = cell
    return [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A rectangle with black cells, and the lamps that solve it."""

    rows: int
    columns: int
    black: dict[Cell, str]
    lamps: tuple[Cell, ...] = ()

    def cells(self) -> list[Cell]:
        """Return all cells, row by row."""
        return list(product(range(self.rows), range(self.columns)))

    def white(self) -> list[Cell]:
        """Return the white cells, row by row."""
        return [cell for cell in self.cells() if cell not in self.black]

    def rays(self, cell: Cell) -> list[Cell]:
        """Return the cells that a lamp in `cell` shines on."""
        found = []
        for down, right in around((0, 0)):
            row, column = cell[0] + down, cell[1] + right
            while row in range(self.rows) and column in range(self.columns):
                if (row, column) in self.black:
                    break
                found.append((row, column))
                row, column = row + down, column + right
        return found

    def lit(self, lamps: Iterable[Cell]) -> list[Cell]:
        """Return the cells that `lamps` shine on."""
        return [cell for lamp in lamps for cell in self.rays(lamp)]

    def crowded(self, lamps: Iterable[Cell], cell: Cell) -> bool:
        """Return whether a lamp in `cell` would be one too many for a number beside it."""
        numbers = [each for each in around(cell) if self.black.get(each, "?") != "?"]
        near = [set(around(number)).intersection(lamps) for number in numbers]
        return any(
            len(each) >= int(self.black[number]) for number, each in zip(numbers, near, strict=True)
        )

    def code(self, name: str = "puzzel", file: str = "bestand") -> str:
        """Return the lines that write this board to a file and make a puzzle of it."""
        text = "".join(f"{row} {column} {mark}\n" for (row, column), mark in self.black.items())
        return (
            f"with open('{file}', 'w') as {file}: {file}.write({text!r})\n"
            f"{name} = Akari({self.rows}, {self.columns}, {file}.name)"
        )


def solvable(draws: Draws, rows: int, columns: int) -> Board:
    """Return any board with a solution: lamps where it is still dark, then numbers around them."""
    board = Board(rows=rows, columns=columns, black={})
    count = draws.between(1, max(1, rows * columns // 4))
    board = replace(board, black=dict.fromkeys(draws.some(board.cells(), count), "?"))
    order = draws.shuffled(board.white())
    if draws.chance(0.5):  # lamps together around black cells, for the high numbers
        order.sort(key=lambda cell: -len(set(around(cell)) & board.black.keys()))
    return numbered(draws, lighted(board, order))


def lighted(board: Board, order: Iterable[Cell]) -> Board:
    """Return `board` with a lamp in each cell that is dark when its turn comes."""
    lamps: list[Cell] = []
    for cell in order:
        if cell not in lamps and cell not in board.lit(lamps):
            lamps.append(cell)
    return replace(board, lamps=tuple(lamps))


def numbered(draws: Draws, board: Board) -> Board:
    """Return `board` with the number of lamps on most of its black cells."""
    return replace(
        board,
        black={
            cell: "?" if draws.chance(0.25) else str(len(set(around(cell)) & set(board.lamps)))
            for cell in board.black
        },
    )


def solved_before_and_after(action: str) -> list[Line]:
    """Return lines that ask whether the puzzle is solved before and after `action`."""
    asked = case("isopgelost", "[voor, puzzel.isopgelost()]")
    return [Line(code="voor = puzzel.isopgelost()"), Line(code=action), asked]


@dataclass(frozen=True, slots=True)
class View:
    """One of 8 ways to turn or mirror a board."""

    board: Board
    number: int

    def cell(self, cell: Cell) -> Cell:
        """Return where `cell` is seen."""
        (row, column), last = cell, (self.board.rows - 1, self.board.columns - 1)
        row = last[0] - row if self.number & 2 else row
        column = last[1] - column if self.number & 4 else column
        return (column, row) if self.number & 1 else (row, column)

    def seen(self) -> Board:
        """Return how the board is seen."""
        rows, columns = self.board.rows, self.board.columns
        if self.number & 1:
            rows, columns = columns, rows
        black = {self.cell(cell): mark for cell, mark in self.board.black.items()}
        return Board(rows=rows, columns=columns, black=black)


@dataclass(slots=True)
class Walk:
    """Goes towards the solution of a board, with detours, and writes the lines down."""

    draws: Draws
    board: Board
    view: View
    lines: list[Line] = field(default_factory=list)
    lamps: list[Cell] = field(default_factory=list)
    warm: list[str] = field(default_factory=list)
    """Methods of which a call was accepted already, without counting for anything."""

    def free(self) -> list[Cell]:
        """Return the white cells without a lamp and without light."""
        dark = set(self.lamps) | set(self.board.lit(self.lamps))
        return [cell for cell in self.board.white() if cell not in dark]

    def act(self, method: str, cell: Cell) -> None:
        """Do what is accepted, and look before and after; the first of each method is set-up."""
        call = f"puzzel.{method}{self.view.cell(cell)}"
        if method not in self.warm:
            self.warm.append(method)
            self.lines.append(Line(code=call))
            return
        others = self.board.lit(each for each in self.lamps if each != cell)
        rays = [each for each in self.board.rays(cell) if each not in others]
        if rays and self.draws.chance(0.6):
            look = f"{self.view.cell(self.draws.choice(rays))} in puzzel.verlicht()"
        else:
            look = f"{self.view.cell(cell)} in puzzel.lampen"
        self.lines.append(case(method, f"[{look}, {call}, {look}]"))

    def step(self, *, strays: bool) -> None:
        """Do something; with `strays` also what does not lead to the solution."""
        chance = self.draws.below(100)
        free = [cell for cell in self.free() if not self.board.crowded(self.lamps, cell)]
        wanted = [cell for cell in free if strays or cell in self.board.lamps]
        if chance < 40 and self.warm:
            self.refuse()
        elif chance < 62:
            self.look()
        elif chance < 74 and self.lamps:
            cell = self.draws.choice(self.lamps)
            self.act("verwijder_lamp", cell)
            self.lamps.remove(cell)
        elif len(wanted) > 1:
            cell = self.draws.choice(wanted)
            self.act("plaats_lamp", cell)
            self.lamps.append(cell)

    def refuse(self) -> None:
        """Try what must be refused, with a method of which a call was accepted before."""
        method = self.draws.choice(self.warm)
        reasons = self.reasons(method)
        why = self.draws.choice(sorted(reasons))
        cell = self.view.cell(self.draws.choice(reasons[why]))
        if why == "buiten rooster":
            cell = self.draws.choice(self.beyond(cell))
        self.lines.append(refused(method, f"puzzel.{method}{cell}", why))

    def reasons(self, method: str) -> dict[str, list[Cell]]:
        """Return which cells `method` refuses, by the reason why; those outside lie beyond them."""
        board, black, lit = self.board, list(self.board.black), self.board.lit(self.lamps)
        near = self.free() if method == "plaats_lamp" else self.lamps
        reasons = {"buiten rooster": near or [(0, 0)], "niet op witte cel": black}
        if method == "plaats_lamp":
            crowded = [cell for cell in self.free() if board.crowded(self.lamps, cell)]
            reasons |= {
                "cel bevat al een lamp": self.lamps,
                "cel wordt verlicht door andere lamp": lit,
                "te veel lampen naast zwarte cel": crowded,
            }
        else:
            reasons |= {"cel bevat geen lamp": self.free() + lit}
        return {why: cells for why, cells in reasons.items() if cells}

    def beyond(self, cell: Cell) -> list[Cell]:
        """Return cells outside the board, which an index from the end would take for `cell`."""
        (row, column), board = cell, self.view.seen()
        rows, columns = board.rows, board.columns
        return [(row - rows, column), (row, column - columns), (rows, column), (row, columns)]

    def look(self) -> None:
        """Ask for something of which there is something."""
        looks = ["str", "stralen", "stralen"]
        looks += ["lampen", "verlicht", "str"] if self.lamps else ["zwarte_cellen"]
        group = self.draws.choice(looks)
        cell = self.view.cell(self.draws.choice(self.board.cells()))
        if group == "verlicht" and self.draws.chance(0.3):
            self.lines += [Line(code="licht = puzzel.verlicht()"), Line(code="licht.clear()")]
        asked = {
            "str": "str(puzzel)",
            "stralen": f"puzzel.stralen{cell}",
            "verlicht": "puzzel.verlicht()",
        }
        self.lines.append(case(group, asked.get(group, f"puzzel.{group}")))

    def finish(self) -> None:
        """Place what is still missing, ask whether it is solved now, and take a lamp away."""
        missing = [cell for cell in self.board.lamps if cell not in self.lamps]
        *others, last = map(self.view.cell, self.draws.shuffled(missing))
        self.lines += [Line(code=f"puzzel.plaats_lamp{cell}") for cell in others]
        self.lines += solved_before_and_after(f"puzzel.plaats_lamp{last}")
        cell = self.view.cell(self.draws.choice(self.board.lamps))
        self.lines += solved_before_and_after(f"puzzel.verwijder_lamp{cell}")


def twins(draws: Draws, view: View) -> Script | None:
    """Return a session with a puzzle and one of which a number is too high, if that can be."""
    right, lamps = view.seen(), [view.cell(cell) for cell in draws.shuffled(view.board.lamps)]
    raised = [cell for cell, mark in right.black.items() if mark in {"0", "1", "2", "3"}]
    if not raised:
        return None
    cell = draws.choice(raised)
    wrong = replace(right, black=right.black | {cell: str(int(right.black[cell]) + 1)})
    text = f"{right.code()}\n{wrong.code('ander', 'tweede')}"
    lines = [Line(code=code) for code in text.split("\n")]
    lines += [
        Line(code=f"{name}.plaats_lamp{lamp}") for lamp in lamps for name in ("puzzel", "ander")
    ]
    lines.append(case("isopgelost", "[puzzel.isopgelost(), ander.isopgelost()]"))
    lines.append(Line(code=f"ander.verwijder_lamp{lamps[0]}"))
    lines.append(case("lampen", "[puzzel.lampen, ander.lampen]"))
    lines.append(case("str", "[str(puzzel), str(ander)]"))
    return NOTATION.script("Twee puzzels die op elkaar lijken", lines)


def session(draws: Draws, symmetry: int) -> Script:
    """Return a walk over a board that can be solved, half of the time up to its solution."""
    finishes = draws.chance(0.5)
    board = solvable(draws, 1, 1)
    while len(board.lamps) < 3:
        board = solvable(draws, draws.between(2, 5), draws.between(3, 5 if finishes else 7))
    view = View(board, symmetry)
    if draws.chance(0.15) and (alike := twins(draws, view)):
        return alike
    walk = Walk(draws, board, view)
    walk.lines += [Line(code=code) for code in view.seen().code().split("\n")]
    cell = view.cell(draws.choice(board.cells()))
    ways = (
        ("Akari", f"sorted(puzzel.stralen{cell})"),
        ("zwarte_cellen", "puzzel.zwarte_cellen"),
        ("str", "str(puzzel)"),
    )
    walk.lines.append(case(*draws.choice(ways)))
    length = draws.between(8, 11) if finishes else draws.between(13, 19)
    while len(walk.lines) < length:
        walk.step(strays=not finishes)
    if finishes:
        walk.finish()
    topic = "Op weg naar een oplossing" if finishes else "Lampen plaatsen en verwijderen"
    return NOTATION.script(topic, walk.lines)


def small_boards() -> Iterator[str]:
    """Yield small boards with a single black cell, beside one of which the number is too high."""
    for rows, columns in ((1, 2), (2, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2)):
        for black in Board(rows=rows, columns=columns, black={}).cells():
            board = Board(rows=rows, columns=columns, black={black: "?"})
            board = lighted(board, board.white()[:: 1 if sum(black) % 2 else -1])
            count = len(set(around(black)) & set(board.lamps))
            right, wrong = (replace(board, black={black: str(count + more)}) for more in (0, 1))
            lamps = "\n".join(
                f"puzzel.plaats_lamp{lamp}\nander.plaats_lamp{lamp}" for lamp in board.lamps
            )
            yield f"""Een klein rooster
{right.code()}
{wrong.code("ander", "tweede")}
[puzzel.stralen(r, k) for r in range({rows}) for k in range({columns})] # stralen
{lamps}
[puzzel.isopgelost(), ander.isopgelost()] # isopgelost
[str(puzzel), str(ander)] # str
puzzel.plaats_lamp{board.lamps[0]} # plaats_lamp: cel bevat al een lamp"""


def large_boards(draws: Draws) -> Iterator[str]:
    """Yield boards of which a row or a column has a number of two digits."""
    for rows, columns in ((12, 3), (3, 13), (7, 5)):
        board = solvable(draws, rows, columns)
        board = replace(board, black=board.black | {(rows - 1, columns - 1): "?"})
        order = draws.shuffled(board.white())
        board = numbered(draws, lighted(board, order))
        *others, last = board.lamps
        lamps = "\n".join(f"puzzel.plaats_lamp{lamp}" for lamp in others)
        yield f"""Een groot rooster
{board.code()}
puzzel.zwarte_cellen # zwarte_cellen
puzzel.stralen{(rows // 2, columns // 2)} # stralen
{lamps}
voor = puzzel.isopgelost()
puzzel.plaats_lamp{last}
[voor, puzzel.isopgelost()] # isopgelost
str(puzzel) # str
puzzel.verlicht() # verlicht
puzzel.plaats_lamp{(columns, rows)} # plaats_lamp: buiten rooster"""


def directed() -> Iterable[Script]:
    """Return the sessions that chance would seldom make, the smallest first."""
    texts = [*small_boards(), *WRITTEN.read_text("utf-8").split("\n\n")]
    return [NOTATION.session(text) for text in [*texts, *large_boards(Draws("akari, directed"))]]


GENERATOR = Generator(
    version=1,
    session=session,
    symmetries=8,
    directed=directed,
    groups=(HiddenGroup(id="bestand", title="bestand zonder regeleinde achteraan", points=0),),
)
