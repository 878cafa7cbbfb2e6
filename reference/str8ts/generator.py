"""Makes Str8ts scenes: for each clause in each direction some that nothing else decides.

A board is a tuple of its lines, as its file has them: rows, or columns where a scene is about what
is vertical. Its digits are some of a square in which no line has a digit twice. A number that is to
be filled in is drawn until it breaks the conditions that its scene is about, and no other. It is
only there to steer by: what a line gives is for the reference to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, product
from typing import TypeAlias

from grader.authoring.generating import Draws, Generator, HiddenGroup, PlacedClause, Scene

Board: TypeAlias = tuple[str, ...]

SIZE = 9
DIGITS = "123456789"
LETTERS = "ABCDEFGHI"
WHITE = DIGITS + "."
BLACKENED = str.maketrans(DIGITS + ".", LETTERS + "#")
WHITENED = str.maketrans(LETTERS, DIGITS)
GIVEN: Board = (
    "##..5..C#",
    ".6..##1..",
    "...#H....",
    "9..D...#E",
    "#....3..#",
    "##...I.4.",
    "4.3.##.6.",
    "..1##....",
    "##8....#B",
)
"""The board of the text, which students have in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A direction, and what its lines are called."""

    name: str
    line: str
    crossing: str

    @property
    def numbers(self) -> str:
        """The method that tells the numbers of a line."""
        return f"{self.name}_getallen"

    @property
    def digits(self) -> str:
        """The method that tells the digits of a line."""
        return f"{self.name}_cijfers"

    @property
    def fill(self) -> str:
        """The method that fills a number in."""
        return f"{self.name}_invullen"

    @property
    def other(self) -> Way:
        """The other direction."""
        return DOWN if self is ACROSS else ACROSS

    def seen(self, board: Board) -> Board:
        """Return the lines of `board` in this direction, or `board` of its lines."""
        return board if self is ACROSS else transposed(board)


ACROSS = Way(name="horizontaal", line="rij", crossing="kolom")
DOWN = Way(name="verticaal", line="kolom", crossing="rij")
WAYS = (ACROSS, DOWN)


CELLS = (
    ("str({})", "Cel: symbool", DIGITS + LETTERS + ".#"),
    ("str({})", "str(Cel): symbool", DIGITS + LETTERS + ".#"),
    ("{}.isgekleurd()", "isgekleurd: kleur", DIGITS + LETTERS + ".#"),
    ("{}.cijfer()", "cijfer: cijfer", DIGITS + LETTERS),
    ("{}.cijfer()", "cijfer: geen", ".#"),
)
"""What is asked of cells, for which clause, and of which signs."""
SIGNS = (DIGITS + LETTERS + ".#", DIGITS + LETTERS, ".#")
NAMES = r"\b(puzzel[12]?|opgave|roosters|vulling|cellen\d+_)\b"
"""What scenes call their objects."""


# What the text asks


def _clauses(group: str, quote: str, *ids: str, refused: bool = False) -> dict[str, PlacedClause]:
    """Return clauses of a group that the same words settle."""
    return dict.fromkeys(ids, PlacedClause(group=group, quote=quote, refused=refused))


def _told(way: Way) -> dict[str, PlacedClause]:
    """Return the clauses of the methods that tell of the lines in this direction."""
    numbers, digits = way.numbers, way.digits
    return {
        **_clauses(
            numbers,
            f"Een methode {numbers} \u2026 welke cellen van dat getal reeds ingevuld werden",
            f"{numbers}: patroon",
        ),
        **_clauses(
            numbers,
            f"Een methode {numbers} \u2026 waar het eerste cijfer van een getal",
            f"{numbers}: rand",
            f"{numbers}: \u00e9\u00e9n cel",
        ),
        **_clauses(
            digits,
            f"Een methode {digits} \u2026 alle cijfers (int) die reeds ingevuld werden",
            f"{digits}: wit",
            f"{digits}: geen",
        ),
        **_clauses(
            digits,
            f"Een methode {digits} \u2026 zowel in de witte als in de zwarte cellen",
            f"{digits}: zwart",
        ),
    }


def _filled(way: Way) -> dict[str, PlacedClause]:
    """Return the clauses of the method that fills numbers in in this direction."""
    method, refuses = way.fill, f"{way.fill}-geweigerd"
    start = "horizontaal_invullen \u2026 "
    end = "" if way is ACROSS else " \u2026 De methode werkt ook analoog"
    correspond = "de cijfers die reeds \u2026 corresponderen met"
    new = "de cijfers die nieuw \u2026 komen in die rij"
    found = {}
    for quote, names in (
        ("vanaf positie $$(r, k)$$ in het rooster", ("vult in", "rand")),
        ("als de volgende voorwaarden voldaan zijn", ("volledig ingevuld", "\u00e9\u00e9n cel")),
        (correspond, ("deels ingevuld",)),
    ):
        found |= _clauses(method, start + quote + end, *(f"{method}: {name}" for name in names))
    for name in ("getallen", "cijfers"):
        told = f"Een methode horizontaal_{name} \u2026 reeds ingevuld werden"
        found |= _clauses(method, told, f"{method}: {name} daarna")
    for quote, name in (
        ("$$n$$ is een straat", "geen straat"),
        ("is de eerste cel van een", "niet de eerste cel"),
        ("$$n$$ heeft evenveel cijfers als het getal", "lengte"),
        (correspond, "ander cijfer"),
        (new, "al in de rij"),
        (f"{new} en in die kolom", "al in de kolom"),
    ):
        found |= _clauses(refuses, start + quote + end, f"{method}: {name}", refused=True)
    nothing = "In dat geval mag ook niets ingevuld worden"
    return found | _clauses(refuses, start + nothing + end, f"{method}: ongewijzigd")


CLAUSES = {
    **_clauses("Cel", "het karakter (str) doorgegeven worden dat", "Cel: symbool"),
    **_clauses("str-Cel", "str dit gecodeerde karakter teruggeeft", "str(Cel): symbool"),
    **_clauses("isgekleurd", "of cel $$c$$ (zwart) gekleurd is", "isgekleurd: kleur"),
    **_clauses("cijfer", "het cijfer (int) uit cel $$c$$", "cijfer: cijfer"),
    **_clauses("cijfer", "de waarde None als de cel geen cijfer bevat", "cijfer: geen"),
    **_clauses(
        "Cel-geweigerd",
        "Als het argument geen karakter is dat de toestand van een cel codeert",
        "Cel: ander karakter",
        "Cel: niet \u00e9\u00e9n karakter",
        refused=True,
    ),
    **_clauses(
        "isstraat",
        "als de cijfers van het getal in een opeenvolgende reeks kunnen gezet worden",
        "isstraat: opeenvolgend",
        "isstraat: dubbel cijfer",
        "isstraat: \u00e9\u00e9n cijfer",
        "isstraat: negen cijfers",
    ),
    **_clauses(
        "isstraat",
        "als het cijfer nul (0) niet voorkomt in het getal",
        "isstraat: nul",
    ),
    **_clauses(
        "Str8ts",
        "Bij het aanmaken van een nieuwe puzzel (Str8ts) moet de locatie (str)",
        "Str8ts: locatie",
        "Str8ts: hetzelfde bestand",
        "Str8ts: een ander bestand",
    ),
    **_clauses(
        "str-Str8ts",
        "een stringvoorstelling van het rooster",
        "str(Str8ts): rooster",
        "str(Str8ts): na het invullen",
    ),
    **_clauses(
        "str-Str8ts",
        ">>> print(puzzel) \u2026 ##8....#B >>> puzzel.horizontaal_getallen(3)",
        "str(Str8ts): geen lege regel",
    ),
    **_told(ACROSS),
    **_told(DOWN),
    **_filled(ACROSS),
    **_filled(DOWN),
}
POINTS = {
    "Cel": 1,
    "str-Cel": 1,
    "isgekleurd": 2,
    "cijfer": 3,
    "Cel-geweigerd": 7,
    "isstraat": 12,
    "Str8ts": 6,
    "str-Str8ts": 5,
    "horizontaal_getallen": 6,
    "horizontaal_cijfers": 6,
    "verticaal_getallen": 6,
    "verticaal_cijfers": 6,
    "horizontaal_invullen": 11,
    "horizontaal_invullen-geweigerd": 26,
    "verticaal_invullen": 11,
    "verticaal_invullen-geweigerd": 26,
}
"""A clause is worth 1 to 3 % of them: a condition of a fill, which is a clause, most."""


# Boards, and numbers that are filled in


def transposed(board: Board) -> Board:
    """Return the columns of a board of rows, or the other way round."""
    return tuple(map("".join, zip(*board, strict=True)))


def numbers_in(line: str) -> dict[int, str]:
    """Return the pattern of each number in a line, by where it begins."""
    return {found.start(): found.group() for found in re.finditer("[.1-9]+", line)}


def is_plain(line: str) -> bool:
    """Return whether no pattern of a number of a line is found before that number."""
    return all(line.find(pattern) == at for at, pattern in numbers_in(line).items())


def long_mask(length: int) -> str:
    """Return a line with one number of this length, in its middle."""
    return ("." * length).center(SIZE, "#")


def has_digit(line: str) -> bool:
    """Return whether a digit is on a line."""
    return not {*line} <= {*".#"}


def put(board: Board, line: int, place: int, sign: str) -> Board:
    """Return `board` with another sign in a cell."""
    signs = board[line][:place] + sign + board[line][place + 1 :]
    return (*board[:line], signs, *board[line + 1 :])


def is_straight(digits: str) -> bool:
    """Return whether `digits` follow each other in some order."""
    return "".join(sorted(digits)) in DIGITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A number that is filled in on a line of a board, rightly or not."""

    board: Board
    line: int
    start: int
    digits: str

    @property
    def end(self) -> int:
        """The first place behind it."""
        return self.start + len(self.digits)

    @property
    def pattern(self) -> str:
        """What stands there from where it begins up to a black cell."""
        found = re.match("[.1-9]*", self.board[self.line][self.start :])
        return found.group() if found else ""

    @property
    def compared(self) -> list[tuple[str, str]]:
        """What stands there, and the digits that come there."""
        return list(zip(self.pattern, self.digits, strict=False))

    @property
    def new(self) -> dict[int, str]:
        """The digits that come in empty cells, by their place in the line."""
        both = enumerate(self.compared, self.start)
        return {place: digit for place, (old, digit) in both if old == "."}

    def clashes(self) -> Iterator[tuple[int, int]]:
        """Yield the cells, by line and place, with a digit that is new on a line through them."""
        for place in self.new:
            yield from self.clashes_of(place)

    def clashes_of(self, place: int) -> Iterator[tuple[int, int]]:
        """Yield the cells with the digit that is new in `place`."""
        digit = self.new[place]
        signs = {digit, digit.translate(BLACKENED)}
        for index in range(SIZE):
            if self.board[self.line][index] in signs:
                yield self.line, index
            if self.board[index][place] in signs:
                yield index, place

    @property
    def wrong(self) -> set[int]:
        """The places whose digit clashes with another one, or differs from what is there."""
        both = enumerate(self.compared, self.start)
        others = {place for place, (old, digit) in both if old not in (".", digit)}
        return others | {place for place in self.new if any(self.clashes_of(place))}

    def breaks(self) -> set[str]:
        """Return which conditions it breaks."""
        pattern = self.pattern
        broken = {
            "straat": not is_straight(self.digits),
            "puzzel1": self.start not in numbers_in(self.board[self.line]),
            "lengte": len(self.digits) != len(pattern),
            "ander": any(old not in (".", digit) for old, digit in self.compared),
        }
        clashes = {
            f"{'wit' if self.board[line][place] in DIGITS else 'zwart'} in de "
            f"{'lijn' if line == self.line else 'dwarslijn'}"
            for line, place in self.clashes()
        }
        return clashes | {name for name, is_broken in broken.items() if is_broken}

    def crossed(self) -> dict[int, int]:
        """Return where the numbers begin that cross it, by place.

        Those at the edge are left out, and those on lines that have no digit yet.
        """
        columns = transposed(self.board)
        return {
            place: at
            for place in range(self.start, self.end)
            for at, number in numbers_in(columns[place]).items()
            if has_digit(columns[place]) and 0 < at <= self.line < at + len(number) < SIZE
        }

    def meets(self, across: Fill) -> bool:
        """Return whether it has a cell in common with `across`, which is about the other lines."""
        return self.start <= across.line < self.end and across.start <= self.line < across.end

    def on(self, board: Board) -> Fill:
        """Return the same on another `board`."""
        return replace(self, board=board)

    def done(self, places: Iterable[int] | None = None) -> Board:
        """Return the board with its digits in these `places`, or in all."""
        board = self.board
        for place in range(self.start, self.end) if places is None else places:
            board = put(board, self.line, place, self.digits[place - self.start])
        return board

    def is_inside(self) -> bool:
        """Return whether it has more cells than one, none of which lies at the edge."""
        inside = range(1, SIZE - 1)
        return self.line in inside and self.start > 0 and self.end < SIZE and len(self.digits) > 1

    @property
    def lines(self) -> Sequence[str]:
        """Its line, and the lines that cross it there."""
        return self.board[self.line], *transposed(self.board)[self.start : self.end]

    def is_easy(self) -> bool:
        """Return whether it is right, and nothing on a line through it may be taken amiss."""
        return self.is_inside() and not self.breaks() and self.is_alone()

    def is_alone(self) -> bool:
        """Return whether none of its digits is on a line through it."""
        return not {*self.digits} & {*"".join(self.lines).translate(WHITENED)}

    def has_plain_line(self) -> bool:
        """Return whether who looks for the pattern of a number in its line finds the number."""
        return is_plain(self.board[self.line])

    def arguments(self, way: Way) -> str:
        """Return what the method that fills it in on a board with these lines is given."""
        row, column = (self.line, self.start) if way is ACROSS else (self.start, self.line)
        return f"({row}, {column}, {self.digits})"

    def call(self, way: Way, puzzle: str = "puzzel") -> str:
        """Return the call that fills it in on a board with these lines."""
        return f"{puzzle}.{way.fill}{self.arguments(way)}"


Change: TypeAlias = Callable[[Fill], Fill | None]
Fits: TypeAlias = Callable[[Fill], bool]


@dataclass(frozen=True, slots=True)
class Trial:
    """What is looked for: a fill that breaks these conditions only, after a change, and fits."""

    broken: set[str]
    fits: Fits = Fill.is_inside
    change: Change | None = None
    plain: bool = True
    """Whether who looks for the pattern of a number in its line finds the number."""

    def holds(self, fill: Fill) -> bool:
        """Return whether `fill`, which has been changed, is one."""
        if fill.breaks() != self.broken or not self.fits(fill):
            return False
        return not self.plain or fill.has_plain_line()


EASY = Trial(set(), Fill.is_easy)
DIAGONAL = Trial(set(), lambda fill: fill.is_easy() and fill.start == fill.line)
"""What is right whichever of row and column comes first."""
PLAIN = replace(DIAGONAL, fits=lambda fill: DIAGONAL.fits(fill) and all(map(has_digit, fill.lines)))
"""The same, on lines that have digits."""
CROSSED = Trial(
    set(),
    lambda fill: fill.is_easy() and has_digit(fill.board[fill.line]) and bool(fill.crossed()),
)
CROSSED_AT_ENDS = replace(
    CROSSED,
    fits=lambda fill: CROSSED.fits(fill) and {fill.start, fill.end - 1} <= {*fill.crossed()},
)
FOUND_LATER = Trial(
    set(),
    lambda fill: fill.is_easy() and fill.board[fill.line].find(fill.pattern) < fill.start,
    plain=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where a fill clashes: with a white or a black cell at some place of a line through it.

    The line is its own for axis 1, one that crosses it for axis 0.
    """

    axis: int
    colour: str
    where: str
    is_last: bool
    """Whether its last new digit is the one that clashes, or its first."""

    @property
    def broken(self) -> set[str]:
        """The condition that it breaks."""
        return {f"{self.colour} in de {'lijn' if self.axis else 'dwarslijn'}"}

    def indexes(self, fill: Fill) -> set[int]:
        """Return where on the line the cell is: first, last, or anywhere before or after `fill`."""
        first, last = (fill.start, fill.end - 1) if self.axis else (fill.line, fill.line)
        return {
            "first": {0},
            "before": {*range(1, first)},
            "after": {*range(last + 1, SIZE - 1)},
            "last": {SIZE - 1},
        }[self.where]

    def fits(self, fill: Fill) -> bool:
        """Return whether `fill` clashes there, and nowhere else."""
        found = {cell[self.axis] for cell in fill.clashes()}
        return bool(found) and found <= self.indexes(fill)


def both(*all_fits: Fits) -> Fits:
    """Return whether a fill fits in all of these ways."""
    return lambda fill: all(fits(fill) for fits in all_fits)


def is_wrong_at_first(fill: Fill) -> bool:
    """Return whether the first of its digits is wrong, and no other."""
    return len(fill.digits) > 1 and fill.wrong == {fill.start}


def is_wrong_at_last(fill: Fill) -> bool:
    """Return whether the last of its digits is wrong, and no other."""
    return len(fill.digits) > 1 and fill.wrong == {fill.end - 1}


def is_late(fill: Fill) -> bool:
    """Return whether a digit could be written before one is met that is wrong."""
    return min(fill.new, default=SIZE) < min(fill.wrong, default=SIZE)


def keeps_some(fill: Fill) -> bool:
    """Return whether a digit that is there already comes before its last new one."""
    before = fill.compared[: max(fill.new, default=fill.start) - fill.start]
    return any(old == digit for old, digit in before)


def is_gapped(fill: Fill) -> bool:
    """Return whether its digits differ, and none is zero."""
    return len({*fill.digits} - {"0"}) == len(fill.digits) > 1


def has_more_new(fill: Fill) -> bool:
    """Return whether more digits are new than one."""
    return len(fill.new) > 1


def has_lower(fill: Fill) -> bool:
    """Return whether no digit is higher than what is there."""
    return all(old in (".", digit) or digit < old for old, digit in fill.compared)


def has_higher(fill: Fill) -> bool:
    """Return whether no digit is lower than what is there."""
    return all(old in (".", digit) or digit > old for old, digit in fill.compared)


def is_long(fill: Fill) -> bool:
    """Return whether it has more digits than one."""
    return len(fill.digits) > 1


def is_any(_: Fill) -> bool:
    """Return True: any fill fits."""
    return True


def is_right_on(board: Board, fill: Fill) -> bool:
    """Return whether `fill` would be right on another board."""
    return not fill.on(board).breaks()


def there_already(fill: Fill) -> Fill:
    """Return `fill` on the board on which it has been filled in."""
    return fill.on(fill.done())


def is_single(fill: Fill) -> bool:
    """Return whether it has one cell, which does not lie at the edge."""
    return len(fill.digits) == 1 and 0 < fill.start < SIZE - 1 and 0 < fill.line < SIZE - 1


def is_last_single(fill: Fill) -> bool:
    """Return whether it has one cell, the last of its line."""
    return fill.start == SIZE - 1


AT_EDGES: tuple[Fits, ...] = (
    lambda fill: (
        fill.start == 0 and 1 < len(fill.digits) < SIZE and fill.board[fill.line][-1] in WHITE
    ),
    lambda fill: (
        fill.start == 0 and 1 < len(fill.digits) < SIZE and fill.board[fill.line][-1] not in WHITE
    ),
    lambda fill: fill.end == SIZE and 1 < len(fill.digits) < SIZE,
    lambda fill: fill.line == 0 and 1 < len(fill.digits) < SIZE,
    lambda fill: fill.line == SIZE - 1 and 1 < len(fill.digits) < SIZE,
)
"""Numbers that lie in different ways at the edge."""


def bared(fills: Sequence[Fill], trials: Sequence[Trial]) -> list[Fill]:
    """Return `fills` on their board without the digits that what `trials` say can do without."""
    board = fills[0].board
    if GIVEN in (board, transposed(board)):
        return [*fills]
    for line, place in product(range(SIZE), repeat=2):
        empty = "." if board[line][place] in WHITE else "#"
        barer = [fill.on(put(fill.board, line, place, empty)) for fill in fills]
        if all(trial.holds(fill) for trial, fill in zip(trials, barer, strict=True)):
            fills = barer
    return [*fills]


def without(board: Board, fill: Fill) -> Board:
    """Return `board` as it was before `fill` was filled in."""
    for place in fill.new:
        board = put(board, fill.line, place, ".")
    return board


def with_diagonal(board: Board) -> Board:
    """Return `board` with a number that begins where its row and its column are the same."""
    at = max(range(1, SIZE - 1), key=lambda line: board[line].count("."))
    return put(put(board, at, at - 1, "#"), at, at, ".")


def text_of(board: Board) -> str:
    """Return an expression for the text of a file with `board`."""
    runs = [(row, len([*same])) for row, same in groupby(board)]
    parts = []
    for is_single, group in groupby(runs, key=lambda run: run[1] == 1):
        if is_single:
            parts.append("'" + "".join(rf"{row}\n" for row, _ in group) + "'")
        else:
            parts += [rf"{count} * '{row}\n'" for row, count in group]
    return " + ".join(parts)


class Scenes:
    """The scenes of one draw, on boards that are full, or as small as they can be."""

    def __init__(self, draws: Draws, *, small: bool) -> None:
        """Draw from `draws`."""
        self.draws = draws
        self.small = small
        self.numbered = 100

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.cells()
        yield from self.no_symbols()
        yield from self.straights()
        yield from self.puzzles()
        yield from self.shown()
        for way in WAYS:
            yield from self.numbers(way)
            yield from self.digits(way)
        for way in WAYS:
            yield from self.filled(way)
            yield from self.told_after(way)
            yield from self.refused(way)

    def scene(self, topic: str, *lines: str) -> Scene:
        """Return the scene of `lines`.

        Where nobody reads it, the names are its own: a step that binds one and reads it builds on
        no other scene then.
        """
        text = "\n".join(lines)
        if not self.small:
            text = re.sub(NAMES, rf"\g<0>{self.any_number()}", text)
        return Scene(topic=topic, lines=text)

    # What is drawn

    def board(
        self, masks: Mapping[int, str] | None = None, white: float = 0.2, black: float = 0.2
    ) -> Board:
        """Return a board, of which some lines are like `masks`: a point there is a white cell.

        Of their white cells and of their black ones these parts have a digit. The other lines of a
        small board are black.
        """
        draws = self.draws
        lines, places = draws.shuffled(range(SIZE)), draws.shuffled(range(SIZE))
        digits = draws.shuffled(DIGITS)
        whites = 0 if self.small else draws.choice((0.55, 0.7, 0.85))
        part = 0 if self.small else 0.25

        def drawn(line: int) -> Iterator[str]:
            is_given = masks is not None and line in masks
            mask = masks[line] if is_given else self.any_mask(whites)
            shares = (white, black) if is_given else (part, part)
            for place, sign in enumerate(mask):
                digit = digits[(lines[line] + places[place]) % SIZE]
                shown = digit if draws.chance(shares[sign == "#"]) else "."
                yield shown.translate(BLACKENED) if sign == "#" else shown

        return tuple("".join(drawn(line)) for line in range(SIZE))

    def any_mask(self, whites: float) -> str:
        """Return a line with about this part of white cells."""
        return "".join("." if self.draws.chance(whites) else "#" for _ in range(SIZE))

    def mask(self, lengths: Sequence[int], *, first: bool = False, last: bool = False) -> str:
        """Return a line with numbers of these `lengths`, at its beginning or its end if asked."""
        gaps = [int(not first), *[1] * (len(lengths) - 1), int(not last)]
        wide = [at for at, gap in enumerate(gaps) if gap]
        while sum(gaps) + sum(lengths) < SIZE:
            gaps[self.draws.choice(wide)] += 1
        numbers = ["." * length for length in lengths]
        return "".join("#" * gap + number for gap, number in zip(gaps, [*numbers, ""], strict=True))

    def straight(self, length: int) -> str:
        """Return a straight of so many digits, in any order."""
        low = self.draws.below(SIZE + 1 - length)
        return "".join(self.draws.shuffled(DIGITS[low : low + length]))

    def any_fill(self, board: Board) -> Fill | None:
        """Return a straight for one of the numbers of a line of `board`, if there is one."""
        line = self.draws.below(SIZE)
        numbers = numbers_in(board[line])
        if not numbers:
            return None
        start = self.draws.choice([*numbers])
        digits = self.straight(len(numbers[start]))
        return Fill(board=board, line=line, start=start, digits=digits)

    def tried(self, board: Board, trial: Trial) -> Fill | None:
        """Return a fill on `board` such as `trial` says, if one is found."""
        for _ in range(60):
            fill = self.any_fill(board)
            fill = trial.change(fill) if fill and trial.change else fill
            if fill and trial.holds(fill):
                return fill
        return None

    def fills(self, way: Way, *trials: Trial, mask: str = "") -> list[Fill]:
        """Return fills on one board such as `trials` say; it has a line like `mask` if asked.

        Only of a single trial the change may be one of the board.
        """
        while True:
            board = self.board_with(mask) if mask else self.board_to_fill(way)
            fills = [fill for trial in trials if (fill := self.tried(board, trial))]
            if len(fills) < len(trials) or not self.is_shown(fills[0], way):
                continue
            if self.small and all(trial.broken for trial in trials) and self.draws.chance(0.5):
                return bared(fills, trials)
            return fills

    def behind(self, way: Way, *trials: Trial) -> list[Fill]:
        """Return a fill that is right, and fills such as `trials` say with or without it.

        Only of a single trial the change may be one of the board.
        """
        plain = DIAGONAL if self.small else PLAIN
        while True:
            board = with_diagonal(self.board_to_fill(way))
            easy = self.tried(board, plain)
            if easy is None or not self.is_shown(easy, way):
                continue
            fills = [fill for trial in trials if (fill := self.tried(easy.done(), trial))]
            if len(fills) < len(trials):
                continue
            easy = easy.on(without(fills[0].board, easy))
            before = [fill.on(easy.board).breaks() for fill in fills]
            if plain.holds(easy) and before == [trial.broken for trial in trials]:
                return [easy, *fills]

    def clash_with_filled(self, way: Way, line: str) -> tuple[Fill, Fill]:
        """Return a fill that is right, and one that clashes with its digits on a line only."""
        while True:
            board = with_diagonal(self.board_to_fill(way))
            easy = self.tried(board, DIAGONAL)
            if easy is None or not self.is_shown(easy, way):
                continue
            trial = Trial({f"wit in de {line}"}, partial(is_right_on, board))
            if clash := self.tried(easy.done(), trial):
                return easy, clash

    def swapped_after(self, way: Way) -> tuple[Fill, Fill]:
        """Return a fill that is right, and the same digits in another order once it is there."""
        while True:
            easy = self.tried(with_diagonal(self.board_to_fill(way)), DIAGONAL)
            if easy is None or not self.is_shown(easy, way):
                continue
            other = self.swapped(easy)
            if other and other.breaks() == {"ander"}:
                return easy, other

    def crossing(self, way: Way) -> tuple[Fill, Fill]:
        """Return a fill that is right on the lines across, and one that is so after it only there.

        They have a cell in common, in which both come with the same digit.
        """
        while True:
            board = self.small_cross() if self.small else self.board_to_fill(way)
            across = self.tried(transposed(board), EASY)
            if across is None or not self.is_shown(across.on(board), way):
                continue
            meets = Trial(
                set(), lambda fill, across=across: fill.is_inside() and fill.meets(across)
            )
            if fill := self.tried(transposed(across.done()), meets):
                return across, fill

    def small_cross(self) -> Board:
        """Return a board with two numbers that cross each other, and nothing else."""
        line, place = self.draws.between(2, 6), self.draws.between(2, 6)
        row = self.mask_at(place, self.draws.between(2, 3))
        others = self.mask_at(line, self.draws.between(2, 3))
        single = ("#" * place + ".").ljust(SIZE, "#")
        return tuple(
            row if at == line else single if sign == "." else "#" * SIZE
            for at, sign in enumerate(others)
        )

    def mask_at(self, place: int, length: int) -> str:
        """Return a line with one number of this length, in which a place lies."""
        start = place - self.draws.below(length)
        return ("#" * start + "." * length).ljust(SIZE, "#")

    def board_with(self, mask: str) -> Board:
        """Return a board that has a line like `mask`, without digits, not at the edge."""
        return self.board({self.draws.between(1, SIZE - 2): mask}, 0, 0)

    def board_to_fill(self, way: Way) -> Board:
        """Return any board; a small one is that of the text, or has a line or two."""
        draws = self.draws
        if not self.small:
            return self.board()
        if draws.chance(0.05):
            return way.seen(GIVEN)
        masks = {draws.below(SIZE): self.any_mask(0.4)}
        if draws.chance(0.5):
            masks[draws.choice((0, draws.below(SIZE), SIZE - 1))] = self.any_mask(0.2)
        return self.board(masks, 0.35, 0.2)

    def is_shown(self, fill: Fill, way: Way) -> bool:
        """Return whether the board is in a file already or nearly black, where that matters."""
        board = way.seen(fill.board)
        return not self.small or board == GIVEN or "".join(board).count("#") > 60

    # What is changed in a number that is filled in

    def with_digit(self, fill: Fill, place: int, digit: str) -> Fill | None:
        """Return `fill` with another digit in a place, if it does not begin with zero."""
        digits = fill.digits[:place] + digit + fill.digits[place + 1 :]
        return replace(fill, digits=digits) if digits[0] != "0" else None

    def with_gap(self, fill: Fill) -> Fill | None:
        """Return `fill` with any digit in any place."""
        return self.with_digit(fill, self.draws.below(len(fill.digits)), self.draws.choice(DIGITS))

    def skipped(self, fill: Fill) -> Fill | None:
        """Return `fill` with the digit above its highest one instead of that."""
        highest = max(fill.digits)
        if highest == "9":
            return None
        return self.with_digit(fill, fill.digits.index(highest), str(int(highest) + 1))

    def with_zero(self, fill: Fill) -> Fill | None:
        """Return `fill` with the digits from zero on: a straight, but for the zero."""
        length = len(fill.digits)
        return replace(fill, digits=self.mixed(f"0{DIGITS}"[:length])) if length > 1 else None

    def doubled(self, fill: Fill) -> Fill | None:
        """Return `fill` with the highest digit once more instead of the lowest."""
        return self.with_digit(fill, fill.digits.index(min(fill.digits)), max(fill.digits))

    def doubled_low(self, fill: Fill) -> Fill | None:
        """Return `fill` with the lowest digit once more instead of the highest."""
        at = fill.digits.index(max(fill.digits))
        return self.with_digit(fill, at, min(fill.digits)) if len(fill.digits) > 2 else None

    def doubled_inside(self, fill: Fill) -> Fill | None:
        """Return `fill` with its highest digit once more instead of the next."""
        at = fill.digits.find(str(int(max(fill.digits)) - 1))
        return self.with_digit(fill, at, max(fill.digits)) if len(fill.digits) > 2 else None

    def other_length(self, fill: Fill, by: int) -> Fill | None:
        """Return `fill` with a straight that is so much longer."""
        length = len(fill.digits) + by
        return replace(fill, digits=self.straight(length)) if 0 < length <= SIZE else None

    def from_the_middle(self, fill: Fill) -> Fill | None:
        """Return a straight that is filled in from the middle of a number."""
        by = self.draws.between(1, len(fill.digits))
        length = len(fill.digits) - by
        return (
            replace(fill, start=fill.start + by, digits=self.straight(length)) if length else None
        )

    def moved(self, fill: Fill, by: int) -> Fill | None:
        """Return a right `fill` that begins so many cells further on."""
        start = fill.start + by
        return replace(fill, start=start) if not fill.breaks() and 0 <= start < SIZE else None

    def mirrored(self, fill: Fill) -> Fill | None:
        """Return a right `fill` that begins where its row and its column are swapped."""
        return None if fill.breaks() else replace(fill, line=fill.start, start=fill.line)

    def partly(self, fill: Fill) -> Fill | None:
        """Return a right `fill` of which some digits, but not all, are there already."""
        if fill.breaks() or len(fill.digits) < 2:
            return None
        places = self.draws.some(range(fill.start, fill.end), self.draws.between(1, 2))
        there = fill.on(fill.done(places))
        return there if there.new else None

    def otherwise(self, fill: Fill) -> Fill | None:
        """Return another straight instead of `fill`, of which some digits are there already."""
        there = self.partly(fill)
        return replace(there, digits=self.straight(len(fill.digits))) if there else None

    def swapped(self, fill: Fill) -> Fill | None:
        """Return `fill` in another order, where it has been filled in already."""
        if fill.breaks():
            return None
        return replace(fill, board=fill.done(), digits="".join(self.draws.shuffled(fill.digits)))

    def crossed(self, fill: Fill, place: int, digit: str) -> Fill | None:
        """Return `fill` on a board with a digit on the line that crosses its own at a place."""
        black = [line for line in range(SIZE) if fill.board[line][place] == "#"]
        if not black:
            return None
        return fill.on(put(fill.board, self.draws.choice(black), place, digit))

    def clashing(self, fill: Fill, spot: Spot) -> Fill | None:
        """Return a right `fill` on a board on which it clashes at `spot`."""
        if fill.breaks() or len(fill.new) < 2:
            return None
        place = [*fill.new][-1 if spot.is_last else 0]
        digit = fill.new[place]
        black = digit.translate(BLACKENED)
        columns = transposed(fill.board)
        cells = [
            (line, at)
            for index in sorted(spot.indexes(fill))
            for line, at in [(fill.line, index) if spot.axis else (index, place)]
            if fill.board[line][at] in ("#" if spot.colour == "zwart" else ".#")
            and not {digit, black} & {*fill.board[line], *columns[at]}
        ]
        if not cells:
            return None
        sign = black if spot.colour == "zwart" else digit
        return fill.on(put(fill.board, *self.draws.choice(cells), sign))

    def mingled(self, fill: Fill) -> Fill | None:
        """Return a right `fill` of which a digit is on the line that crosses at another one."""
        if fill.breaks():
            return None
        one = self.crossed(fill, fill.start, fill.digits[-1])
        return self.crossed(one, one.end - 1, one.digits[0]) if one else None

    def spoiled(self, fill: Fill) -> Fill | None:
        """Return a right `fill` but for its last digit, which is on both lines there already."""
        black = [place for place in range(SIZE) if fill.board[fill.line][place] == "#"]
        if fill.breaks() or not black:
            return None
        board = put(fill.board, fill.line, self.draws.choice(black), fill.digits[-1])
        return self.crossed(fill.on(board), fill.end - 1, fill.digits[-1])

    def spoiled_partly(self, fill: Fill) -> Fill | None:
        """Return the same of a `fill` of which some digits are there already."""
        there = self.partly(fill)
        return self.spoiled(there) if there else None

    # Lines

    def opened(
        self,
        board: Board,
        way: Way,
        *names: str,
        then: Iterable[str] = (),
        number: int | None = None,
    ) -> list[str]:
        """Return what makes a puzzle of a board with these lines, under each of the names.

        What comes `then` is set-up as well.
        """
        lines, file = self.written(board, way, number)
        lines += [f"{name} = Str8ts({file})" for name in names or ("puzzel",)]
        return self.at_once(*lines, *then)

    def written(self, board: Board, way: Way, number: int | None = None) -> tuple[list[str], str]:
        """Return what writes a board with these lines to a file, and the name of that file."""
        board = way.seen(board)
        if board == GIVEN:
            return [], "'puzzel.txt'"
        mark = "" if self.small else number or self.any_number()
        file, handle = f"rooster{mark}", f"bestand{mark}"
        return [
            f"{file} = '{file}.txt'",
            f"with open({file}, 'w') as {handle}:\n...     {handle}.write({text_of(board)})",
        ], file

    def any_number(self) -> int:
        """Return a number that no other name has."""
        self.numbered += 1
        return self.numbered

    def at_once(self, *lines: str) -> list[str]:
        """Return `lines` as one step, which is cheaper, where nobody reads them."""
        return [*lines] if self.small else ["\n... ".join(lines)]

    def attempt(self, fill: Fill, way: Way) -> str:
        """Return the call that must be refused, and goes on."""
        error = "AssertionError" if self.small else "Exception"
        return f"try:\n...     {fill.call(way)}\n... except {error}:\n...     pass"

    # Cells and straights

    def cells(self) -> Iterator[Scene]:
        """Yield what a cell tells of itself."""
        for asked, clause, signs in CELLS:
            shuffled = self.draws.shuffled(signs)
            kinds = {(sign in WHITE, sign in ".#"): sign for sign in shuffled}
            for sign in kinds.values() if self.small else shuffled[:1]:
                made = f"cel = Cel({sign!r})"
                code = asked.format("cel" if self.small else f"Cel({sign!r})")
                yield self.scene("Een cel", *[made] * self.small, f"{code}  # {clause}")
        yield from self.some_cells() if self.small else [self.all_cells()]

    def all_cells(self) -> Scene:
        """Return what each cell tells of itself, twice, when there are others."""
        made = [f"cellen{len(signs)}_ = [Cel(s) for s in {signs!r}]" for signs in SIGNS]
        refused = "try:\n...     Cel('?')\n... except Exception:\n...     pass"
        code = "[{} for cel in 2 * cellen{}_]  # {}"
        return self.scene(
            "Cellen",
            *self.at_once(*made, refused),
            *(
                code.format(asked.format("cel"), len(signs), clause)
                for asked, clause, signs in CELLS
            ),
        )

    def some_cells(self) -> Iterator[Scene]:
        """Yield what one cell tells of itself when there is another one."""
        for asked, clause, signs in CELLS:
            for others in (DIGITS, LETTERS, ".#"):
                one, other = self.draws.choice(signs), self.draws.choice(others)
                code = f"{asked.format('cel')}  # {clause}"
                made = (f"cel = Cel({one!r})", f"andere = Cel({other!r})")
                yield self.scene("Twee cellen", *made, code)
            for sign in signs[:1], signs[-3:-2] or signs[1:]:
                made = (f"cel = Cel({sign!r})", asked.format("cel"))
                yield self.scene("Twee keer", *made, code)

    def no_symbols(self) -> Iterator[Scene]:
        """Yield what is no symbol of a cell."""
        draws = self.draws
        pair = "".join(draws.some(DIGITS + LETTERS + ".#", 2))
        run = draws.below(7)
        letters = [draws.choice("KLMNOPQRSTUVWYZ"), draws.choice("abcdefghi")]
        others = ["?", "-", *letters] if self.small else [*draws.some("?-*/;!+_", 1), *letters]
        for clause, symbols in (
            ("ander karakter", ["0", "J", " ", ":", "@", *others]),
            (
                "niet \u00e9\u00e9n karakter",
                ["", DIGITS[run : run + 2], LETTERS[run : run + 3], "..", pair, f"{pair[0]}\n"],
            ),
        ):
            for symbol in symbols:
                code = f"Cel({symbol!r})" if self.small else f"str(Cel({symbol!r}))"
                yield self.scene("Geen symbool", f"{code}  # Cel: {clause}")

    def straights(self) -> Iterator[Scene]:
        """Yield numbers that are straights, and numbers that are not."""
        for clause, groups in self.straights_and_others().items():
            for numbers in groups:
                if self.small:
                    codes = [f"isstraat({number})" for number in numbers]
                else:
                    codes = [f"[isstraat(n) for n in ({', '.join(numbers)},)]"]
                for code in codes:
                    yield self.scene("Een straat of niet", f"{code}  # isstraat: {clause}")
        one, other = self.alike()
        code = f"isstraat({other})  # isstraat: dubbel cijfer"
        yield self.scene("Een straat of niet", f"isstraat({one})", code)

    def alike(self) -> tuple[str, str]:
        """Return a straight, and a number that has the same digits, one of them twice."""
        one = self.straight(3)
        return one, self.mixed(one + self.draws.choice(one))

    def straights_and_others(self) -> dict[str, list[list[str]]]:
        """Return numbers for each clause about straights, those together that are asked so."""
        draws = self.draws
        one, two, three, four, five = DIGITS[draws.below(5) :][:5]
        gaps = (one + three, one + two + four, one + three + four, one + two + four + five)
        straights = [self.straight(length) for length in ((2, 3) if self.small else (2, 4, 5, 7))]
        doubles = (one + one, one + one + two, one + one + three, one + two + two + three)
        even = (one + one + four + four, one + two + two + four, one + three + three + four)
        nines = ("19", "79", "189", "1289", f"{draws.between(2, 6)}9")
        whole = self.mixed(DIGITS)
        long = (
            whole[:7] + whole[0],
            whole[:8] + whole[4],
        )  # who tries all orders is slow, and right
        zeros = ("10", f"{two}0{one}", "2103", f"{three}{two}0{one}", self.mixed("012"))
        ends = (f"{one}0", f"{two}{one}0", "3120", f"{one}00", f"{two}0{two}")
        return {
            "opeenvolgend": [
                draws.shuffled((*straights, *map(self.mixed, gaps))),
                draws.shuffled(("98", self.straight(8), *map(self.mixed, nines))),
            ],
            "dubbel cijfer": [
                draws.shuffled((self.straight(3), *map(self.mixed, doubles), *long)),
                draws.shuffled((self.mixed(one + two + three + four), *map(self.mixed, even))),
            ],
            "\u00e9\u00e9n cijfer": [draws.shuffled(DIGITS), draws.some(DIGITS, 1)],
            "negen cijfers": [
                [whole, self.mixed(DIGITS.replace(str(draws.between(2, 8)), ""))],
                [self.mixed(DIGITS)],
            ],
            "nul": [
                draws.shuffled((self.straight(3), *zeros)),
                draws.shuffled((self.straight(2), *ends)),
                draws.shuffled((self.straight(3), "0")),
            ],
        }

    def mixed(self, digits: str) -> str:
        """Return `digits` in any order, but not with a zero in front."""
        joined = "".join(self.draws.shuffled(digits))
        return joined if joined[0] != "0" else self.mixed(digits)

    # Puzzles

    def puzzles(self) -> Iterator[Scene]:
        """Yield puzzles that are made, and puzzles side by side."""
        shown = "str({}).strip()  # Str8ts: {}"
        for way in WAYS:
            opened = self.opened(self.any_board(), way, "opgave")
            yield self.scene("Een opgave", *opened, shown.format("opgave", "locatie"))
        number = self.any_number()
        opened = self.at_once(
            *self.opened(self.any_board(), ACROSS, "puzzel1", then=["str(puzzel1)"], number=number),
            *self.opened(self.any_board(), ACROSS, "puzzel2", number=number),
        )
        topic = "Een bestand waarin daarna iets anders staat"
        yield self.scene(topic, *opened, shown.format("puzzel2", "locatie"))
        for way in WAYS:
            yield from self.of_same_file(way)
        for way in WAYS:
            for method, black in ((way.numbers, 0.5), (way.digits, 0)):
                yield self.of_other_file(way, method, black)

    def of_same_file(self, way: Way) -> Iterator[Scene]:
        """Yield puzzles of the same file, of which one is filled in, and then the other one."""
        (fill,) = self.fills(way, EASY)
        one, other = (fill.call(way, name) for name in ("puzzel1", "puzzel2"))
        opened = self.opened(fill.board, way, "puzzel1", "puzzel2", then=[one])
        looks = [f"str({name}).strip()" for name in ("puzzel1", "puzzel2")]
        both = [", ".join(looks).join("[]")] if not self.small else looks
        look = "{}  # Str8ts: hetzelfde bestand"
        topic = "Twee puzzels van hetzelfde bestand"
        yield self.scene(topic, *opened, look.format(looks[1]))
        yield self.scene(topic, *self.at_once(*opened, other), *map(look.format, both))

    def of_other_file(self, way: Way, method: str, black: float) -> Scene:
        """Return puzzles of two files, of which the same line is asked in turns."""
        line = self.draws.below(SIZE)
        one, other = (f"{name}.{method}({line})" for name in ("puzzel1", "puzzel2"))
        looks = [other, one] if self.small else [f"[{other}, {one}]"]
        return self.scene(
            "Puzzels van verschillende bestanden",
            *self.at_once(
                *self.opened(self.any_board(black, line), way, "puzzel1", then=[one]),
                *self.opened(self.any_board(black, line), way, "puzzel2"),
            ),
            *(f"{look}  # Str8ts: een ander bestand" for look in looks),
        )

    def any_board(self, black: float = 0.5, line: int | None = None) -> Board:
        """Return a board with digits in about half of its white cells, and in some black ones.

        Of a small one this line, or any, is not all black.
        """
        line = self.draws.below(SIZE) if line is None else line
        masks = {line: self.mask(self.lengths())} if self.small else self.masks()
        return self.board(masks, 0.5, black)

    def masks(self) -> dict[int, str]:
        """Return lines with numbers that do not touch the edge."""
        return {line: self.mask(self.lengths()) for line in range(SIZE)}

    def lengths(self) -> Sequence[int]:
        """Return the lengths of the numbers of a line."""
        return self.draws.choice(((2,), (3,), (4,), (5,), (2, 2), (2, 3), (3, 2)))

    def shown(self) -> Iterator[Scene]:
        """Yield what `str` gives of puzzles."""
        clause = "str(Str8ts): rooster"
        white, black = (
            dict.fromkeys(range(SIZE), "." * SIZE),
            dict.fromkeys(range(SIZE), "#" * SIZE),
        )
        for board in (
            self.any_board(),
            self.any_board(),
            self.board(white, 0.3),
            self.board(black, 0, 0.3),
        ):
            opened = self.opened(board, ACROSS)
            yield self.scene("Het hele rooster", *opened, f"str(puzzel).strip()  # {clause}")
        for _ in WAYS:
            opened = self.opened(self.any_board(), ACROSS)
            yield self.scene(
                "Het hele rooster", *opened, "str(puzzel)  # str(Str8ts): geen lege regel"
            )
        look = "str(puzzel).strip()  # str(Str8ts): na het invullen"
        for way in WAYS:
            (fill,) = self.fills(way, EASY)
            code, _, _ = look.partition("  #")
            opened = self.opened(fill.board, way, then=[code, fill.call(way)])
            yield self.scene("Het rooster voor en na het invullen", *opened, look)

    # Lines of a puzzle

    def numbers(self, way: Way) -> Iterator[Scene]:
        """Yield the numbers of lines."""
        asked, other = way.numbers, way.other.numbers
        clause = f"{asked}: patroon"
        for black, before in ((0, [other]), (0.5, [way.digits]), (1, [])):
            mask = self.mask(self.lengths())
            yield self.told(way, clause, mask, 0.5, black, before=before)
        for lengths in ((2, 2), (3, 2)):
            yield self.told(way, clause, self.mask(lengths), 0, 0)
        yield self.told(way, clause, "#" * SIZE, 0, 0.3)
        yield from self.all_lines(way, clause, self.board(self.masks(), 0.5))
        clause = f"{asked}: rand"
        for last in (False, True, False):
            mask = self.mask((self.draws.between(1, 3), 2), first=True, last=last)
            yield self.told(way, clause, mask, 0.5, 0.2, look=".get(0)", plain=True)
        for lengths in ((2,), (2, 4), (1,)):
            mask = self.mask(lengths, last=True)
            yield self.told(way, clause, mask, 0.5, 0.2, plain=True)
        for lengths in ((1,), (2, 1), (1, 1, 1)):
            mask = self.mask(lengths)
            yield self.told(way, f"{asked}: \u00e9\u00e9n cel", mask, 0.5, 0.2, plain=True)

    def digits(self, way: Way) -> Iterator[Scene]:
        """Yield the digits of lines."""
        asked, other = way.digits, way.other.digits
        for before in ([other], [way.numbers], []):
            mask = self.mask(self.lengths())
            yield self.told(way, f"{asked}: wit", mask, 0.7, 0, before=before)
            yield self.told(way, f"{asked}: zwart", self.mask(self.lengths()), 0.3, 0.5)
        for black in (0, 0.5):
            mask = self.mask((3, 2), first=black == 0, last=black == 0)
            clause = f"{asked}: {'zwart' if black else 'wit'}"
            yield self.told(way, clause, mask, 1 if self.small else 0.8, black)
        # Who takes what is empty out of the digits finds nothing of that on a full line.
        yield self.told(way, f"{asked}: wit", "." * SIZE, 1, 0)
        yield self.told(way, f"{asked}: zwart", self.mask(self.lengths()), 1, 1)
        board = self.board(self.masks(), 0.7, 0)
        yield from self.all_lines(way, f"{asked}: wit", board)
        for mask in (self.mask(self.lengths()), "#" * SIZE, "." * SIZE):
            yield self.told(way, f"{asked}: geen", mask, 0, 0)

    def all_lines(self, way: Way, clause: str, board: Board) -> Iterator[Scene]:
        """Yield what each of the lines tells, twice."""
        method = clause.partition(":")[0]
        if not self.small:
            code = f"[puzzel.{method}(nummer % {SIZE}) for nummer in range({2 * SIZE})]"
            yield self.scene("Alle lijnen", *self.opened(board, way), f"{code}  # {clause}")

    def told(
        self,
        way: Way,
        clause: str,
        mask: str,
        white: float,
        black: float,
        *,
        look: str = "",
        before: Sequence[str] = (),
        plain: bool = False,
    ) -> Scene:
        """Return a scene with a line like `mask`, of which parts of its cells have a digit.

        What the methods in `before` say of a line with the same number is looked at first. In a
        plain line who looks for the pattern of a number finds the number.
        """
        line = self.draws.below(SIZE)
        board = self.board({line: mask}, white, black)
        while plain and not is_plain(board[line]):
            board = self.board({line: mask}, white, black)
        opened = self.opened(board, way, then=[f"puzzel.{name}({line})" for name in before])
        method = clause.partition(":")[0]
        return self.scene("Een lijn", *opened, f"puzzel.{method}({line}){look}  # {clause}")

    # Numbers that are filled in

    def filled(self, way: Way) -> Iterator[Scene]:
        """Yield numbers that are filled in."""
        single = "\u00e9\u00e9n cel"
        long = Trial(set(), lambda fill: fill.is_inside() and len(fill.digits) == SIZE - 2)
        for trial in (EASY, EASY, *[Trial(set(), change=self.mingled)] * 3, FOUND_LATER):
            yield self.filling(way, "vult in", trial)
        yield self.filling(way, "vult in", long, long_mask(SIZE - 2))
        yield self.filled_after_refused(way)
        for _ in range(3):
            yield self.filling(way, "deels ingevuld", Trial(set(), change=self.partly))
        across, fill = self.crossing(way)
        calls = [across.call(way.other), fill.call(way)]
        yield self.filled_scene(way, "deels ingevuld", transposed(across.board), calls)
        for _ in range(2):
            yield self.filling(way, "volledig ingevuld", Trial(set(), change=there_already))
        (fill,) = self.fills(way, EASY)
        yield self.filled_scene(way, "volledig ingevuld", fill.board, [fill.call(way)] * 2)
        for fits in (is_single, is_single, is_last_single):
            yield self.filling(way, single, Trial(set(), fits))
        for fits in AT_EDGES:
            yield self.filling(way, "rand", Trial(set(), fits))
        whole = Trial(set(), lambda fill: len(fill.digits) == SIZE)
        yield self.filling(way, "rand", whole, long_mask(SIZE))

    def filling(self, way: Way, clause: str, trial: Trial, mask: str = "") -> Scene:
        """Return a scene with a number that is filled in, in a line like `mask` if asked."""
        (fill,) = self.fills(way, trial, mask=mask)
        return self.filled_scene(way, clause, fill.board, [fill.call(way)])

    def filled_scene(self, way: Way, clause: str, board: Board, calls: Iterable[str]) -> Scene:
        """Return a scene that looks at a board after these calls."""
        return self.scene(
            "Een getal invullen",
            *self.opened(board, way, then=calls),
            f"str(puzzel).strip()  # {way.fill}: {clause}",
        )

    def filled_after_refused(self, way: Way) -> Scene:
        """Return a scene with a number that is filled in after others were refused.

        Those do not fit for two reasons: that one of them is not seen is asked elsewhere.
        """
        moved = [
            Trial({"puzzel1", "lengte"}, is_long, lambda fill, by=by: self.moved(fill, by))
            for by in (1, -1)
        ]
        *refused, fill = self.fills(way, *moved, EASY)
        calls = [*(self.attempt(each, way) for each in refused), fill.call(way)]
        return self.filled_scene(way, "vult in", fill.board, calls)

    def told_after(self, way: Way) -> Iterator[Scene]:
        """Yield what lines tell after a number on them or across them is filled in."""
        for clause, methods in (
            ("getallen", (ACROSS.numbers, DOWN.numbers)),
            ("cijfers", (ACROSS.digits, DOWN.digits)),
        ):
            for line_way, method in zip(WAYS, methods, strict=True):
                (fill,) = self.fills(way, CROSSED if self.small else CROSSED_AT_ENDS)
                for look in self.looks(fill, method, across=line_way is not way):
                    opened = self.opened(fill.board, way, then=[look, fill.call(way)])
                    topic = "Een lijn voor en na het invullen"
                    yield self.scene(topic, *opened, f"{look}  # {way.fill}: {clause} daarna")

    def looks(self, fill: Fill, method: str, *, across: bool) -> list[str]:
        """Return what is looked at of the line of `fill`, or of all lines across it.

        Of these it is what `fill` changes, and no more. Of a small board whole lines are looked at,
        one by one.
        """
        if "getallen" in method:
            begins = fill.crossed() if across else {fill.line: fill.start}
            if self.small or not across:
                return [f"puzzel.{method}({line}).get({at})" for line, at in begins.items()]
            lines = ", ".join(map(str, begins.items()))
            return [f"[puzzel.{method}(nummer).get(begin) for nummer, begin in ({lines},)]"]
        new = {place: (place if across else fill.line, digit) for place, digit in fill.new.items()}
        if self.small:
            return [f"puzzel.{method}({line})" for line in dict(new.values())]
        lines = ", ".join(f"({line}, {digit})" for line, digit in new.values())
        return [f"[cijfer in puzzel.{method}(nummer) for nummer, cijfer in ({lines},)]"]

    def refused(self, way: Way) -> Iterator[Scene]:
        """Yield numbers that must not be filled in, each for one reason.

        Of each reason one scene fills in another one first: who refuses all fails it.
        """
        for clause, scenes in self.reasons(way).items():
            for number, trials in enumerate(scenes):
                fills = (self.fills if number else self.behind)(way, *trials)
                allowed = [fill for fill in fills if not fill.breaks()]
                yield self.refused_scene(way, clause, allowed, fills[len(allowed) :])
        lines = (("lijn", way.line), ("dwarslijn", way.crossing))
        for line, name in lines * (4 if self.small else 2):
            easy, clash = self.clash_with_filled(way, line)
            yield self.refused_scene(way, f"al in de {name}", [easy], [clash])
        easy, other = self.swapped_after(way)
        yield self.refused_scene(way, "ander cijfer", [easy], [other])
        yield from self.unchanged(way)

    def refused_scene(
        self, way: Way, clause: str, allowed: Sequence[Fill], refused: Sequence[Fill]
    ) -> Scene:
        """Return a scene in which some are filled in, and others are refused after that."""
        board = (allowed or refused)[0].board
        return self.scene(
            "Getallen die niet passen",
            *self.opened(board, way, then=[fill.call(way) for fill in allowed]),
            *(f"{fill.call(way)}  # {way.fill}: {clause}" for fill in refused),
        )

    def reasons(self, way: Way) -> dict[str, list[list[Trial]]]:
        """Return for each clause what is tried on one board, and on another one."""
        gap = Trial({"straat"}, both(Fill.is_inside, is_gapped), self.with_gap)
        no_straights = [
            [gap],
            *(
                [Trial({"straat"}, change=change) for change in changes]
                for changes in (
                    (self.with_zero, self.doubled),
                    (self.doubled_low, self.doubled_inside),
                )
            ),
            [replace(gap, change=self.skipped)],
            *[[Trial({"straat"}, change=self.with_zero)]] * (2 * self.small),
        ]
        broken = {"puzzel1", "lengte"}
        not_first = [
            Trial({"puzzel1"}, is_any, self.from_the_middle),
            Trial(broken, is_long, lambda fill: self.moved(fill, 1)),
            Trial(broken, is_long, lambda fill: self.moved(fill, -1)),
        ]
        beside_edges = [
            replace(not_first[1], fits=lambda fill: fill.start == 1 and fill.is_alone()),
            replace(not_first[2], fits=lambda fill: fill.end == SIZE - 1 and fill.is_alone()),
        ]
        mirrored = [Trial(broken, is_any, self.mirrored)]
        lengths = self.wrong_lengths()
        at_edges = [
            replace(lengths[0], fits=lambda fill: fill.start == 0),
            replace(lengths[1], fits=lambda fill: fill.start + len(fill.pattern) == SIZE),
        ]
        others = [
            Trial({"ander"}, is_any, self.swapped),
            Trial({"ander"}, both(is_wrong_at_first, has_lower), self.otherwise),
            Trial({"ander"}, both(is_wrong_at_last, has_higher), self.otherwise),
        ]
        return {
            "geen straat": no_straights,
            "niet de eerste cel": [
                not_first,
                *([beside_edges, mirrored] if self.small else [not_first]),
            ],
            "lengte": [lengths, at_edges if self.small else lengths],
            "ander cijfer": [[each] for each in others],
            f"al in de {way.line}": self.clashes(1),
            f"al in de {way.crossing}": self.clashes(0),
        }

    def wrong_lengths(self) -> list[Trial]:
        """Return a number that is too long, and one that is too short."""
        return [
            Trial({"lengte"}, is_any, lambda fill, by=by: self.other_length(fill, by))
            for by in (1, -1)
        ]

    def clashes(self, axis: int) -> list[list[Trial]]:
        """Return numbers with a digit that is on a line through them already.

        They clash with a white or a black cell before or after them, or at either end, and with
        their first or their last digit.
        """
        spots = [
            Spot(axis=axis, colour=colour, where=where, is_last=(at + shift) % 2 == 0)
            for shift, colour in enumerate(("wit", "zwart"))
            for at, where in enumerate(("before", "after", "last", "first"))
        ]
        return [[self.clash(spot)] for spot in spots]

    def clash(self, spot: Spot) -> Trial:
        """Return a number that clashes at `spot`."""
        return Trial(spot.broken, spot.fits, lambda fill: self.clashing(fill, spot))

    def unchanged(self, way: Way) -> Iterator[Scene]:
        """Yield looks at the board after numbers that do not fit.

        Those by themselves do not fit for two reasons: that one of them is not seen is asked
        elsewhere.
        """
        broken = {"wit in de lijn", "wit in de dwarslijn"}
        for number in range(4 if self.small else 3):
            change = self.spoiled_partly if number % 2 else self.spoiled
            trial = Trial(broken, has_more_new, change)
            fills = (self.fills if number else self.behind)(way, trial)
            *allowed, fill = fills
            look = "str(puzzel).strip()"
            if not number % 2:
                method = way.other.digits if number else way.digits
                look, *_ = self.looks(fill, method, across=bool(number))
            done = [*(each.call(way) for each in allowed), self.attempt(fill, way)]
            yield self.unchanged_scene(way, *self.opened(fills[0].board, way, then=done), look)
        for trials in self.late_reasons():
            if self.small:
                for trial in trials:
                    (fill,) = self.fills(way, trial)
                    done = [self.attempt(fill, way)]
                    opened = self.opened(fill.board, way, then=done)
                    yield self.unchanged_scene(way, *opened, "str(puzzel).strip()")
            else:
                yield self.each_refused(way, self.fills(way, *trials))

    def late_reasons(self) -> list[list[Trial]]:
        """Return numbers that may be found not to fit when a digit has been written."""
        straat = both(Fill.is_inside, has_more_new)
        return [
            [
                Trial({"straat"}, both(straat, is_gapped), self.with_gap),
                Trial({"straat"}, straat, self.with_zero),
                *self.wrong_lengths(),
                Trial({"puzzel1", "lengte"}, is_long, lambda fill: self.moved(fill, 1)),
            ],
            [Trial({"ander"}, is_late), *self.late_clashes()],
        ]

    def late_clashes(self) -> list[Trial]:
        """Return numbers of which the last digit clashes; on small boards that takes a change."""
        spots = [
            Spot(axis=axis, colour=colour, where="after", is_last=True)
            for axis, colour in ((1, "wit"), (0, "zwart"))
        ]
        if self.small:
            return [replace(self.clash(spot), fits=both(spot.fits, keeps_some)) for spot in spots]
        return [Trial(spot.broken, is_late) for spot in spots]

    def each_refused(self, way: Way, fills: Sequence[Fill]) -> Scene:
        """Return a scene in which each is tried on a puzzle of its own.

        Only those that are refused are looked at: that others are not is asked elsewhere.
        """
        lines, file = self.written(fills[0].board, way)
        tries = ", ".join(fill.arguments(way) for fill in fills)
        loop = f"""for vulling in [{tries}]:
...     puzzel = Str8ts({file})
...     try:
...         puzzel.{way.fill}(*vulling)
...     except Exception:
...         roosters.add(str(puzzel).strip())"""
        steps = self.at_once(*lines, "roosters = set()", loop)
        return self.unchanged_scene(way, *steps, "sorted(roosters)")

    def unchanged_scene(self, way: Way, *lines: str) -> Scene:
        """Return a scene whose last line shows that nothing has changed."""
        *steps, look = lines
        topic = "Het rooster na een getal dat niet past"
        return self.scene(topic, *steps, f"{look}  # {way.fill}: ongewijzigd")


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that are shown."""
    return Scenes(draws, small=True).all()


GENERATOR = Generator(
    version=9,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=name.replace("-", " "), points=points)
        for name, points in POINTS.items()
    ),
)
