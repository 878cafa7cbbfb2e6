"""Makes Yin-Yang sessions: solvable boards, walks to their solution, refusals, odd corners.

A board is a dict of cells to `w` or `b`, without the empty ones; it is only there to steer by. What
a line gives is for the reference to say. A stub earns nothing here: what an action does is looked
at in the same expression, a refusal comes after an action of the same method that is accepted, and
whether a puzzle is solved is asked of one that is and of one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from grader.authoring.generating import Draws, Generator, HiddenGroup, Line, Script
from grader.authoring.generating.scripts import ScriptBuilder

Cell = tuple[int, int]
Board = dict[Cell, str]

METHODS = {"w": "maak_wit", "b": "maak_zwart"}
OTHER = {"w": "b", "b": "w"}
NAMES = {"w": "wit", "b": "zwart"}
NOTATION = ScriptBuilder(
    spec_lines={
        "YinYang": 18,
        "YinYang: wit en zwart": 23,
        "YinYang: zwart en wit": 23,
        "YinYang: buiten puzzel": 24,
        "YinYang: wit vierkant": 25,
        "YinYang: zwart vierkant": 26,
        "maak_wit": 29,
        "maak_zwart": 30,
        "maak_leeg": 31,
        "aaneengesloten_gebied": 32,
        "isopgelost": 36,
        "str": 37,
        "str-na-een-actie": 37,
    },
    refusal="-geweigerd",
    actions=("maak_wit", "maak_zwart", "maak_leeg"),
    observers=("str(puzzel)",),
)
case, refused = NOTATION.case, NOTATION.refused
WRITTEN = Path(__file__).with_name("directed.txt")
BRACKETS = ("[]", "()", "{}")


def region(board: Board, cell: Cell) -> set[Cell]:
    """Return the cells that hang together with `cell`, which has a colour."""
    found, left = {cell}, [cell]
    while left:
        row, column = left.pop()
        for each in ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)):
            if each not in found and board.get(each) == board[cell]:
                found.add(each)
                left.append(each)
    return found


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


def in_pieces(board: Board, colour: str) -> bool:
    """Return whether this colour is absent, or in more pieces than one."""
    cells = [cell for cell in board if board[cell] == colour]
    return not cells or len(region(board, cells[0])) < len(cells)


def has_square(board: Board) -> bool:
    """Return whether four cells of one colour form a square anywhere."""
    return any(makes_square(board, cell, board[cell]) for cell in board)


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
    """Return any solved board: a walk over all of them, a cell or two at a time."""
    board = comb(size)
    for _ in range(12 * size):
        other = flipped(draws, board)
        board = board if in_pieces(other, "w") or in_pieces(other, "b") else other
    return board


def split_board(draws: Draws, size: int, *split: bool) -> Board:
    """Return a full board without squares, of which white and black are in pieces or not."""
    while True:
        other = flipped(draws, solved_board(draws, size))
        if split == (in_pieces(other, "w"), in_pieces(other, "b")):
            return other


def collection(cells: Sequence[Cell], brackets: str = "[]") -> str:
    """Return `cells` as the list, tuple or set that `brackets` stand for."""
    if not cells and brackets == "{}":
        return "set()"
    comma = "," if len(cells) == 1 and brackets == "()" else ""
    return brackets[0] + ", ".join(map(str, cells)) + comma + brackets[1]


def cells_of(board: Board) -> dict[str, list[Cell]]:
    """Return the cells of each colour."""
    return {colour: [cell for cell in board if board[cell] == colour] for colour in "wb"}


def puzzle(size: int, board: Board, brackets: tuple[str, str] = ("[]", "[]")) -> str:
    """Return the call that makes the puzzle of which `board` is given."""
    return call(size, cells_of(board), brackets)


def call(size: int, cells: dict[str, list[Cell]], brackets: tuple[str, str]) -> str:
    """Return the call that makes a puzzle of cells that may contradict each other."""
    white, black = (collection(cells[c], kind) for c, kind in zip("wb", brackets, strict=True))
    return f"YinYang(dimensie={size}, wit={white}, zwart={black})"


def wrong_puzzle(draws: Draws, size: int, board: Board, brackets: tuple[str, str]) -> Line:
    """Return a line with a puzzle like that of `board` that must be refused."""
    colour, cells = board[draws.choice(list(board))], cells_of(board)
    row, column = draws.below(size - 1), draws.below(size - 1)
    why = draws.choice(("en", "buiten puzzel", "vierkant"))
    if why == "en":
        why = f"{NAMES[colour]} en {NAMES[OTHER[colour]]}"
        cells[OTHER[colour]].append(draws.choice(cells[colour]))
    elif why == "vierkant":
        why = f"{NAMES[colour]} vierkant"
        square = [(row + down, column + right) for down, right in product(range(2), repeat=2)]
        cells[OTHER[colour]] = [cell for cell in cells[OTHER[colour]] if cell not in square]
        cells[colour] += [cell for cell in square if cell not in cells[colour]]
    else:
        beyond = [(row, size), (size, column), (row, -1), (-1, column)]
        cells[colour].append(draws.choice(beyond))
    return refused("YinYang", f"[puzzel, {call(size, cells, brackets)}]", why)


def solved_before_and_after(*actions: str) -> list[Line]:
    """Return lines that ask whether the puzzle is solved before and after `actions`."""
    asked = case("isopgelost", "[voor, puzzel.isopgelost()]")
    return [Line(code="voor = puzzel.isopgelost()"), *(Line(code=act) for act in actions), asked]


@dataclass(frozen=True, slots=True)
class View:
    """One of 16 ways to look at a board: 8 turned and mirrored, and these with colours swapped."""

    size: int
    number: int

    def cell(self, cell: Cell) -> Cell:
        """Return where `cell` is seen."""
        (row, column), last = cell, self.size - 1
        if self.number & 1:
            row, column = column, row
        return last - row if self.number & 2 else row, last - column if self.number & 4 else column

    def board(self, board: Board) -> Board:
        """Return how `board` is seen."""
        swapped = bool(self.number & 8)
        return {
            self.cell(cell): OTHER[colour] if swapped else colour for cell, colour in board.items()
        }


@dataclass(slots=True)
class Walk:
    """Goes from what is given towards what is solved, with detours, and writes the lines down."""

    draws: Draws
    size: int
    given: Board
    solved: Board
    lines: list[Line] = field(default_factory=list)
    board: Board = field(init=False)
    warm: list[str] = field(default_factory=list)
    """Methods of which a call was accepted already, without counting for anything."""

    def __post_init__(self) -> None:
        """Start from what is given."""
        self.board = dict(self.given)

    def empty(self) -> list[Cell]:
        """Return the empty cells, row by row."""
        return [cell for cell in self.solved if cell not in self.board]

    def placed(self) -> list[Cell]:
        """Return the cells that were coloured since the start."""
        return [cell for cell in self.board if cell not in self.given]

    def act(self, method: str, cell: Cell) -> None:
        """Do what is accepted, and look what it does; the first of each method is set-up only."""
        done, look = f"puzzel.{method}({cell})", f"{cell} in puzzel.aaneengesloten_gebied({cell})"
        shown = f"str({done})" if self.draws.chance(0.5) else f"[{look}, {done} is puzzel, {look}]"
        warm = method in self.warm
        self.lines.append(case(method, shown) if warm else Line(code=done))
        self.warm += [] if warm else [method]

    def step(self, *, strays: bool) -> None:
        """Do something; `strays` into colours that do not lead to the solution, if it may."""
        chance, empty = self.draws.below(100), self.empty()
        if chance < 33 and self.warm:
            self.refuse()
        elif chance < 48:
            self.look()
        elif chance < 65 and self.placed():
            self.clear()
        elif len(empty) > 1:
            cell = self.draws.choice(empty)
            colour, other = self.solved[cell], OTHER[self.solved[cell]]
            if strays and self.draws.chance(0.3) and not makes_square(self.board, cell, other):
                colour = other
            if not makes_square(self.board, cell, colour):
                self.colour(cell, colour)

    def colour(self, cell: Cell, colour: str) -> None:
        """Give an empty cell a colour."""
        self.act(METHODS[colour], cell)
        self.board[cell] = colour

    def clear(self) -> None:
        """Empty a cell again."""
        cell = self.draws.choice(self.placed())
        self.act("maak_leeg", cell)
        del self.board[cell]

    def refuse(self) -> None:
        """Try what must be refused, with a method of which a call was accepted before."""
        method = self.draws.choice(self.warm)
        reasons = self.reasons(method)
        why = self.draws.choice(sorted(reasons))
        cell = self.draws.choice(reasons[why])
        self.lines.append(refused(method, f"puzzel.{method}({cell})", why))

    def reasons(self, method: str) -> dict[str, list[Cell]]:
        """Return which cells `method` refuses, by the reason why."""
        near = self.placed() if method == "maak_leeg" else self.empty()
        reasons = {
            "buiten puzzel": [each for cell in near or [(0, 0)] for each in self.beyond(cell)]
        }
        if method == "maak_leeg":
            reasons |= {"vakje is leeg": self.empty(), "gekleurd in de opgave": list(self.given)}
        else:
            colour = "w" if method == METHODS["w"] else "b"
            square = [cell for cell in self.empty() if makes_square(self.board, cell, colour)]
            reasons |= {"positie is reeds bezet": list(self.board), "vierkant": square}
        return {why: cells for why, cells in reasons.items() if cells}

    def beyond(self, cell: Cell) -> list[Cell]:
        """Return cells outside the board, which an index from the end would take for `cell`."""
        (row, column), size = cell, self.size
        return [(row - size, column), (row, column - size), (size, column), (row, size)]

    def look(self) -> None:
        """Ask for the board, or for a region beside an empty one."""
        if self.draws.chance(0.4):
            self.lines.append(case("str-na-een-actie", "str(puzzel)"))
            return
        coloured = self.draws.choice(list(self.board))
        others = [cell for cell in self.empty() if self.draws.chance(0.3)] or [(-1, 0)]
        cells = self.draws.shuffled([coloured, self.draws.choice(others)])
        asked = ", ".join(f"puzzel.aaneengesloten_gebied({cell})" for cell in cells)
        self.lines.append(case("aaneengesloten_gebied", f"[{asked}]"))

    def finish(self) -> None:
        """Colour what is still empty, ask whether it is solved now, and spoil it again."""
        *others, last = self.draws.shuffled(self.empty())
        for cell in others:
            self.colour(cell, self.solved[cell])
        colour = self.solved[last]
        self.lines += solved_before_and_after(f"puzzel.{METHODS[colour]}({last})")
        actions = [f"puzzel.maak_leeg({last})"]
        if not makes_square(self.board, last, other := OTHER[colour]):
            actions.append(f"puzzel.{METHODS[other]}({last})")
        self.lines += solved_before_and_after(*actions)


def session(draws: Draws, symmetry: int) -> Script:
    """Return a walk over a board that can be solved, half of the time up to its solution."""
    size, finishes = draws.between(3, 6), draws.chance(0.5)
    view = View(size, symmetry)
    solved = solved_board(draws, size)
    cells = draws.shuffled(solved)
    left = draws.between(4, 6) if finishes else size * size - draws.between(2, size + 3)
    given = view.board({cell: solved[cell] for cell in cells[left:]})
    brackets = (draws.choice(BRACKETS), draws.choice(BRACKETS))
    walk = Walk(draws, size, given, view.board(solved))
    walk.lines.append(Line(code=f"puzzel = {puzzle(size, given, brackets)}"))
    every = f"(r, k) for r in range({size}) for k in range({size})"
    fresh = f"[{every} if puzzel.aaneengesloten_gebied((r, k))]"
    walk.lines.append(case("str", "str(puzzel)") if draws.chance(0.5) else case("YinYang", fresh))
    length = draws.between(8, 11) if finishes else draws.between(13, 19)
    while len(walk.lines) < length:
        walk.step(strays=not finishes)
    if draws.chance(0.5):
        walk.lines.append(wrong_puzzle(draws, size, given, brackets))
    if draws.chance(0.4):
        walk.lines.append(Line(code=f"tweede = {puzzle(size, given, brackets)}"))
        walk.lines.append(case("str-na-een-actie", "[str(puzzel), str(tweede)]"))
    if finishes:
        walk.finish()
    topic = "Op weg naar een oplossing" if finishes else "Zetten en weigeringen door elkaar"
    return NOTATION.script(topic, walk.lines)


def recoloured(text: str) -> str:
    """Return `text` with white for black and black for white."""
    return re.sub("wit|zwart", lambda found: "zwart" if found[0] == "wit" else "wit", text)


def four_cells() -> Iterator[str]:
    """Yield all puzzles of four cells, but one of those that are turned or mirrored only."""
    seen: list[Board] = []
    for colours in product("-wb", repeat=4):
        board = {cell: each for cell, each in zip(comb(2), colours, strict=True) if each != "-"}
        if has_square(board) or any(View(2, number).board(board) in seen for number in range(8)):
            continue
        seen.append(board)
        full = len(board) == 4 and not in_pieces(board, "w") and not in_pieces(board, "b")
        yield f"""Een rooster met vier vakjes
puzzel = {puzzle(2, board)}
ander = {puzzle(2, {} if full else comb(2))}
[str(puzzel), str(ander)] # str
[puzzel.aaneengesloten_gebied((r, k)) for r in range(2) for k in range(2)] # aaneengesloten_gebied
[ander.isopgelost(), puzzel.isopgelost()] # isopgelost"""


def full_boards(draws: Draws) -> Iterator[str]:
    """Yield boards with a single piece of each colour, and beside them boards with more."""
    for size, pieces in product((3, 4, 5), ((True, False), (False, True), (True, True))):
        yield f"""Vol en toch niet opgelost
puzzel = {puzzle(size, solved_board(draws, size))}
fout = {puzzle(size, split_board(draws, size, *pieces))}
[puzzel.isopgelost(), fout.isopgelost()] # isopgelost"""


def almost_full_boards(draws: Draws) -> Iterator[str]:
    """Yield boards with a single empty cell; some are larger than the example."""
    for size in (2, 2, 3, 3, 4, 7, 11):
        solved = solved_board(draws, size)
        last = draws.choice(list(solved)[-1:] if size > 6 else list(solved))
        method = METHODS[solved.pop(last)]
        yield f"""Eén leeg vakje
puzzel = {puzzle(size, solved)}
str(puzzel) # str
voor = puzzel.isopgelost()
puzzel.{method}({last})
[voor, puzzel.isopgelost()] # isopgelost
str(puzzel) # str-na-een-actie
puzzel.aaneengesloten_gebied({last}) # aaneengesloten_gebied
puzzel.{method}(({size}, 0)) # {method}: buiten puzzel
voor = puzzel.isopgelost()
puzzel.maak_leeg({last})
[voor, puzzel.isopgelost()] # isopgelost"""


def directed() -> Iterable[Script]:
    """Return the sessions that chance would seldom make, the smallest first."""
    draws = Draws("yinyang, directed")
    texts = [*four_cells(), *WRITTEN.read_text("utf-8").split("\n\n")]
    both = [each for text in texts for each in (text, recoloured(text))]
    boards = [*full_boards(draws), *almost_full_boards(draws)]
    return [NOTATION.session(text) for text in dict.fromkeys([*both, *boards])]


GENERATOR = Generator(
    version=2,
    session=session,
    symmetries=16,
    directed=directed,
    groups=(
        HiddenGroup(id="YinYang-geweigerd", title="YinYang geweigerd", points=2),
        HiddenGroup(id="maak_wit-geweigerd", title="maak_wit geweigerd", points=2),
        HiddenGroup(id="maak_leeg-geweigerd", title="maak_leeg geweigerd", points=2),
    ),
)
