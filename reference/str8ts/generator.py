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

    def seen(self, board: Board) -> Board:
        """Return the lines of `board` in this direction, or `board` of its lines."""
        return board if self is ACROSS else transposed(board)


ACROSS = Way(name="horizontaal", line="rij", crossing="kolom")
DOWN = Way(name="verticaal", line="kolom", crossing="rij")
WAYS = (ACROSS, DOWN)


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
            f"{numbers}: begin van de {way.line}",
            f"{numbers}: einde van de {way.line}",
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
    for quote, names in (
        ("$$n$$ is een straat", ("geen straat",)),
        ("is de eerste cel van een", ("niet de eerste cel",)),
        ("$$n$$ heeft evenveel cijfers als het getal", ("lengte",)),
        (correspond, ("ander cijfer",)),
        (new, ("wit in de rij", "zwart in de rij")),
        (f"{new} en in die kolom", ("wit in de kolom", "zwart in de kolom", "pas ingevuld")),
    ):
        ids = (f"{method}: {name}" for name in names)
        found |= _clauses(refuses, start + quote + end, *ids, refused=True)
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
        "Cel: ander teken",
        "Cel: nul",
        "Cel: letter na I",
        "Cel: kleine letter",
        "Cel: niet \u00e9\u00e9n karakter",
        "Cel: geen tekst",
        refused=True,
    ),
    **_clauses(
        "isstraat",
        "als de cijfers van het getal in een opeenvolgende reeks kunnen gezet worden",
        "isstraat: opeenvolgend",
        "isstraat: dubbel cijfer",
        "isstraat: na de negen",
        "isstraat: \u00e9\u00e9n cijfer",
        "isstraat: negen cijfers",
    ),
    **_clauses(
        "isstraat",
        "als het cijfer nul (0) niet voorkomt in het getal",
        "isstraat: nul",
        "isstraat: het getal nul",
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
    "Cel-geweigerd": 6,
    "isstraat": 12,
    "Str8ts": 4,
    "str-Str8ts": 4,
    "horizontaal_getallen": 7,
    "horizontaal_cijfers": 5,
    "verticaal_getallen": 7,
    "verticaal_cijfers": 5,
    "horizontaal_invullen": 11,
    "horizontaal_invullen-geweigerd": 25,
    "verticaal_invullen": 11,
    "verticaal_invullen-geweigerd": 25,
}


# Boards, and numbers that are filled in


def transposed(board: Board) -> Board:
    """Return the columns of a board of rows, or the other way round."""
    return tuple(map("".join, zip(*board, strict=True)))


def numbers_in(line: str) -> dict[int, str]:
    """Return the pattern of each number in a line, by where it begins."""
    return {found.start(): found.group() for found in re.finditer("[.1-9]+", line)}


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
        for place, digit in self.new.items():
            signs = {digit, digit.translate(BLACKENED)}
            for index in range(SIZE):
                if self.board[self.line][index] in signs:
                    yield self.line, index
                if self.board[index][place] in signs:
                    yield index, place

    def breaks(self) -> set[str]:
        """Return which conditions it breaks."""
        pattern = self.pattern
        broken = {
            "straat": not is_straight(self.digits),
            "eerste": self.start not in numbers_in(self.board[self.line]),
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

    def call(self, way: Way, puzzle: str = "puzzel") -> str:
        """Return the call that fills it in on a board with these lines."""
        row, column = (self.line, self.start) if way is ACROSS else (self.start, self.line)
        return f"{puzzle}.{way.fill}({row}, {column}, {self.digits})"


Change: TypeAlias = Callable[[Fill], Fill | None]
Fits: TypeAlias = Callable[[Fill], bool]


@dataclass(frozen=True, slots=True)
class Trial:
    """What is looked for: a fill that breaks these conditions only, after a change, and fits."""

    broken: set[str]
    fits: Fits = Fill.is_inside
    change: Change | None = None

    def holds(self, fill: Fill) -> bool:
        """Return whether `fill`, which has been changed, is one."""
        return fill.breaks() == self.broken and self.fits(fill)


EASY = Trial(set(), Fill.is_easy)
DIAGONAL = Trial(set(), lambda fill: fill.is_easy() and fill.start == fill.line)
"""What is right whichever of row and column comes first."""
PLAIN = replace(DIAGONAL, fits=lambda fill: DIAGONAL.fits(fill) and all(map(has_digit, fill.lines)))
"""The same, on lines that have digits."""
CROSSED = Trial(
    set(),
    lambda fill: fill.is_easy() and has_digit(fill.board[fill.line]) and bool(fill.crossed()),
)


def clash_at(axis: int, where: str) -> Fits:
    """Return whether a fill clashes with the first or last cell of a line, or before or after it.

    It clashes with nothing else. The line is one through its cells: its own for axis 1, one that
    crosses it for axis 0.
    """

    def fits(fill: Fill) -> bool:
        first, last = (fill.start, fill.end - 1) if axis else (fill.line, fill.line)
        found = {cell[axis] for cell in fill.clashes()}
        looked_for = {
            "first": {0},
            "before": {*range(1, first)},
            "after": {*range(last + 1, SIZE - 1)},
            "last": {SIZE - 1},
        }[where]
        return bool(found) and found <= looked_for

    return fits


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
        """Return the scene of `lines`."""
        return Scene(topic=topic, lines="\n".join(lines))

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

    def fills(self, way: Way, *trials: Trial) -> list[Fill]:
        """Return fills on one board such as `trials` say.

        Only of a single trial the change may be one of the board.
        """
        while True:
            board = self.board_to_fill(way)
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
            board = self.board_to_fill(way)
            easy = self.tried(board, EASY)
            if easy is None or not self.is_shown(easy, way):
                continue
            trial = Trial({f"wit in de {line}"}, partial(is_right_on, board))
            if clash := self.tried(easy.done(), trial):
                return easy, clash

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

    def with_zero(self, fill: Fill) -> Fill | None:
        """Return `fill` with a zero."""
        return self.with_digit(fill, self.draws.below(len(fill.digits)), "0")

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

    def clashing(self, fill: Fill) -> Fill | None:
        """Return a right `fill` but for a digit after its first, which is on the line across it."""
        if fill.breaks() or len(fill.new) < 2:
            return None
        _, *places = fill.new
        place = self.draws.choice(places)
        signs = (fill.new[place], fill.new[place].translate(BLACKENED))
        return self.crossed(fill, place, self.draws.choice(signs))

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

    def opened(self, board: Board, way: Way, *names: str) -> list[str]:
        """Return what makes a puzzle of a board with these lines, under each of the names.

        Where nobody reads it, it is one step, which is cheaper, with names of its own: it then
        builds on no other.
        """
        board, file, lines = way.seen(board), "'puzzel.txt'", []
        if board != GIVEN:
            number = "" if self.small else self.draws.between(100, 9999)
            file, handle = f"rooster{number}", f"bestand{number}"
            lines = [
                f"{file} = '{file}.txt'",
                f"with open({file}, 'w') as {handle}:\n...     {handle}.write({text_of(board)})",
            ]
        lines += [f"{name} = Str8ts({file})" for name in names or ("puzzel",)]
        return lines if self.small else ["\n... ".join(lines)]

    # Cells and straights

    def cells(self) -> Iterator[Scene]:
        """Yield what a cell tells of itself."""
        for asked, clause, signs in (
            ("str({})", "Cel: symbool", DIGITS + LETTERS + ".#"),
            ("str({})", "str(Cel): symbool", DIGITS + LETTERS + ".#"),
            ("{}.isgekleurd()", "isgekleurd: kleur", DIGITS + LETTERS + ".#"),
            ("{}.cijfer()", "cijfer: cijfer", DIGITS + LETTERS),
            ("{}.cijfer()", "cijfer: geen", ".#"),
        ):
            shuffled = self.draws.shuffled(signs)
            kinds = {(sign in WHITE, sign in ".#"): sign for sign in shuffled}
            for sign in kinds.values() if self.small else shuffled[:1]:
                if self.small:
                    made = f"cel = Cel({sign!r})"
                    yield self.scene("Een cel", made, f"{asked.format('cel')}  # {clause}")
                else:
                    code = asked.format(f"Cel({sign!r})")
                    yield self.scene("Een cel", f"{code}  # {clause}")
            if not self.small:
                made = asked.format("Cel(symbool)")
                code = f"[{made} for symbool in {''.join(shuffled)!r}]"
                yield self.scene("Cellen", f"{code}  # {clause}")

    def no_symbols(self) -> Iterator[Scene]:
        """Yield what is no symbol of a cell."""
        draws = self.draws
        pairs = ["".join(draws.some(DIGITS + LETTERS + ".#", 2)) for _ in range(2)]
        run = draws.below(7)
        for clause, symbols in (
            ("ander teken", draws.some("?-*/:;@!+_ ", 3)),
            ("nul", ["0", "0"]),
            ("letter na I", ["J", "X", draws.choice("KLMNOPQRSTUVWYZ")]),
            ("kleine letter", draws.some("abcdefghi", 2)),
            (
                "niet \u00e9\u00e9n karakter",
                ["", DIGITS[run : run + 2], LETTERS[run : run + 3], "..", *pairs],
            ),
            ("geen tekst", [draws.between(1, 9), None, 0]),
        ):
            for symbol in symbols:
                code = f"Cel({symbol!r})" if self.small else f"str(Cel({symbol!r}))"
                yield self.scene("Geen symbool", f"{code}  # Cel: {clause}")

    def straights(self) -> Iterator[Scene]:
        """Yield numbers that are straights, and numbers that are not."""
        for clause, numbers in self.straights_and_others().items():
            for number in numbers:
                yield self.scene("Een straat of niet", f"isstraat({number})  # isstraat: {clause}")
        for length in (2, 3):
            pair = ", ".join(self.draws.shuffled(["0", self.straight(length)]))
            code = "isstraat(0)" if self.small else f"[isstraat(n) for n in ({pair})]"
            yield self.scene("Een straat of niet", f"{code}  # isstraat: het getal nul")

    def straights_and_others(self) -> dict[str, list[str]]:
        """Return numbers for each clause about straights."""
        draws = self.draws
        longest = 3 if self.small else 7
        one, two, three, four = DIGITS[draws.below(5) :][:4]
        gaps = (one + three, one + two + four, one + three + four)
        doubles = (one + one, one + one + two, one + one + three, one + two + two + three)
        pairs = [f"{low}9" for low in draws.some("1234567", 4)]
        around_nine = [*pairs, "1289"] if self.small else ("19", "79", "189", "1289")
        whole = self.mixed(DIGITS)
        return {
            "opeenvolgend": [
                *(self.straight(draws.between(2, longest)) for _ in range(4)),
                *map(self.mixed, gaps),
            ],
            "dubbel cijfer": [*map(self.mixed, doubles)],
            "na de negen": [*map(self.mixed, around_nine)],
            "\u00e9\u00e9n cijfer": draws.some(DIGITS, 4),
            "negen cijfers": [
                whole,
                self.mixed(DIGITS),
                whole[:8] + whole[0],
                whole + whole[4],
            ],
            "nul": [*map(self.mixed, ("01", "012", "0123", f"0{one}{two}"))],
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
        for _ in WAYS:
            (fill,) = self.fills(ACROSS, EASY)
            opened = self.opened(fill.board, ACROSS, "eerste", "tweede")
            yield self.scene(
                "Twee puzzels van hetzelfde bestand",
                *opened,
                fill.call(ACROSS, "eerste"),
                shown.format("tweede", "hetzelfde bestand"),
                shown.format("eerste", "hetzelfde bestand"),
            )
        for way in WAYS:
            for method in (way.numbers, way.digits):
                line = self.draws.below(SIZE)
                yield self.scene(
                    "Puzzels van verschillende bestanden",
                    *self.opened(self.any_board(), way, "eerste"),
                    f"eerste.{method}({line})",
                    *self.opened(self.any_board(), way, "tweede"),
                    f"tweede.{method}({line})  # Str8ts: een ander bestand",
                )

    def any_board(self) -> Board:
        """Return a board with digits in about half of its cells."""
        line = self.draws.below(SIZE)
        masks = {line: self.mask(self.lengths())} if self.small else self.masks()
        return self.board(masks, 0.5, 0.5)

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
        for _ in WAYS:
            (fill,) = self.fills(ACROSS, EASY)
            opened = self.opened(fill.board, ACROSS)
            topic = "Het rooster voor en na het invullen"
            yield self.scene(topic, *opened, look, fill.call(ACROSS), look)

    # Lines of a puzzle

    def numbers(self, way: Way) -> Iterator[Scene]:
        """Yield the numbers of lines."""
        asked = way.numbers
        for black in (0, 0.5, 1):
            yield self.told(way, f"{asked}: patroon", self.mask(self.lengths()), 0.5, black)
        yield self.told(way, f"{asked}: patroon", "#" * SIZE, 0, 0.3)
        if not self.small:
            opened = self.opened(self.board(self.masks(), 0.5), way)
            code = f"[puzzel.{asked}(nummer) for nummer in range({SIZE})]"
            yield self.scene("Alle lijnen", *opened, f"{code}  # {asked}: patroon")
        edge = f"{asked}: begin van de {way.line}"
        for last in (False, True, False, True):
            mask = self.mask((self.draws.between(1, 3), 2), first=True, last=last)
            yield self.told(way, edge, mask, 0.5, 0.2, look=".get(0)")
        edge = f"{asked}: einde van de {way.line}"
        for lengths in ((2,), (3, 1), (2, 4), (1,)):
            yield self.told(way, edge, self.mask(lengths, last=True), 0.5, 0.2)
        for lengths in ((1,), (1, 2), (2, 1), (1, 1, 1)):
            yield self.told(way, f"{asked}: \u00e9\u00e9n cel", self.mask(lengths), 0.5, 0.2)

    def digits(self, way: Way) -> Iterator[Scene]:
        """Yield the digits of lines."""
        asked = way.digits
        for _ in range(3):
            yield self.told(way, f"{asked}: wit", self.mask(self.lengths()), 0.7, 0)
            yield self.told(way, f"{asked}: zwart", self.mask(self.lengths()), 0.3, 0.5)
        for black in (0, 0.5):
            mask = self.mask((3, 2), first=black == 0, last=black == 0)
            yield self.told(way, f"{asked}: {'zwart' if black else 'wit'}", mask, 0.8, black)
        for mask in (self.mask(self.lengths()), "#" * SIZE, "." * SIZE):
            yield self.told(way, f"{asked}: geen", mask, 0, 0)

    def told(
        self, way: Way, clause: str, mask: str, white: float, black: float, look: str = ""
    ) -> Scene:
        """Return a scene with a line like `mask`, of which parts of its cells have a digit."""
        line = self.draws.below(SIZE)
        opened = self.opened(self.board({line: mask}, white, black), way)
        method = clause.partition(":")[0]
        return self.scene("Een lijn", *opened, f"puzzel.{method}({line}){look}  # {clause}")

    # Numbers that are filled in

    def filled(self, way: Way) -> Iterator[Scene]:
        """Yield numbers that are filled in."""
        for _ in range(3):
            yield self.filling(way, "vult in", Fill.is_easy)
        for _ in range(4):
            yield self.filling(way, "vult in", Fill.is_inside, self.mingled)
        for _ in range(4):
            yield self.filling(way, "deels ingevuld", Fill.is_inside, self.partly)
        for _ in range(2):
            yield self.filling(way, "volledig ingevuld", Fill.is_inside, there_already)
        for fits in (is_single, is_single, is_last_single):
            yield self.filling(way, "\u00e9\u00e9n cel", fits)
        for fits in AT_EDGES:
            yield self.filling(way, "rand", fits)

    def filling(self, way: Way, clause: str, fits: Fits, change: Change | None = None) -> Scene:
        """Return a scene with a number that is filled in."""
        (fill,) = self.fills(way, Trial(set(), fits, change))
        return self.scene(
            "Een getal invullen",
            *self.opened(fill.board, way),
            fill.call(way),
            f"str(puzzel).strip()  # {way.fill}: {clause}",
        )

    def told_after(self, way: Way) -> Iterator[Scene]:
        """Yield what lines tell before and after a number on them or across them is filled in."""
        for clause, methods in (
            ("getallen", (ACROSS.numbers, DOWN.numbers)),
            ("cijfers", (ACROSS.digits, DOWN.digits)),
        ):
            for line_way, method in zip(WAYS, methods, strict=True):
                (fill,) = self.fills(way, CROSSED)
                line, begin = (
                    (fill.line, fill.start)
                    if line_way is way
                    else self.draws.choice([*fill.crossed().items()])
                )
                look = f"puzzel.{method}({line})"
                if clause == "getallen":
                    look += f".get({begin})"
                look += f"  # {way.fill}: {clause} daarna"
                opened = self.opened(fill.board, way)
                topic = "Een lijn voor en na het invullen"
                yield self.scene(topic, *opened, look, fill.call(way), look)

    def refused(self, way: Way) -> Iterator[Scene]:
        """Yield numbers that must not be filled in, each for one reason.

        Of each reason one scene fills in another one first: who refuses all fails it.
        """
        topic = "Getallen die niet passen"
        for clause, scenes in self.reasons(way).items():
            for number, trials in enumerate(scenes):
                fills = (self.fills if number else self.behind)(way, *trials)
                calls = [
                    fill.call(way) + (f"  # {way.fill}: {clause}" if fill.breaks() else "")
                    for fill in fills
                ]
                yield self.scene(topic, *self.opened(fills[0].board, way), *calls)
        for line in ("lijn", "dwarslijn") * 2:
            easy, clash = self.clash_with_filled(way, line)
            call = f"{clash.call(way)}  # {way.fill}: pas ingevuld"
            yield self.scene(topic, *self.opened(easy.board, way), easy.call(way), call)
        for number in range(4):
            yield self.unchanged(way, number)

    def reasons(self, way: Way) -> dict[str, list[list[Trial]]]:
        """Return for each clause what is tried on one board, and on another one."""
        no_straights = [
            [Trial({"straat"}, change=change) for change in changes]
            for changes in (
                (self.with_gap, self.doubled),
                (self.with_zero, self.doubled_inside),
                (self.doubled_low, self.doubled_inside),
            )
        ]
        broken = {"eerste", "lengte"}
        not_first = [
            Trial({"eerste"}, is_any, self.from_the_middle),
            Trial(broken, is_long, lambda fill: self.moved(fill, 1)),
            Trial(broken, is_long, lambda fill: self.moved(fill, -1)),
        ]
        beside_edges = [
            replace(not_first[1], fits=lambda fill: fill.start == 1 and fill.is_alone()),
            replace(not_first[2], fits=lambda fill: fill.end == SIZE - 1 and fill.is_alone()),
        ]
        mirrored = [Trial(broken, is_any, self.mirrored)]
        lengths = [
            Trial({"lengte"}, is_any, lambda fill, by=by: self.other_length(fill, by))
            for by in (1, -1)
        ]
        at_edges = [
            replace(lengths[0], fits=lambda fill: fill.start == 0),
            replace(lengths[1], fits=lambda fill: fill.start + len(fill.pattern) == SIZE),
        ]
        others = [
            Trial({"ander"}, has_lower, self.otherwise),
            Trial({"ander"}, has_higher, self.otherwise),
            *[Trial({"ander"}, is_any, self.swapped)] * 2,
        ]
        return {
            "geen straat": no_straights,
            "niet de eerste cel": [
                not_first,
                *([beside_edges, mirrored] if self.small else [not_first]),
            ],
            "lengte": [lengths, at_edges if self.small else lengths],
            "ander cijfer": [[each] for each in others],
        } | {
            f"{colour} in de {name}": [
                [Trial({f"{colour} in de {line}"}, clash_at(axis, where), change)]
                for where in ("before", "after", "first", "last")
            ]
            for axis, line, name, change in (
                (1, "lijn", way.line, None),
                (0, "dwarslijn", way.crossing, self.clashing if self.small else None),
            )
            for colour in ("wit", "zwart")
        }

    def unchanged(self, way: Way, number: int) -> Scene:
        """Return a scene that looks at the board after a number that does not fit at its end.

        It does so for two reasons: that one of them is not seen is asked elsewhere.
        """
        broken = {"wit in de lijn", "wit in de dwarslijn"}
        change = self.spoiled_partly if number % 2 else self.spoiled
        trial = Trial(broken, has_more_new, change)
        fills = (self.fills if number else self.behind)(way, trial)
        *allowed, fill = fills
        look = f"puzzel.{way.digits}({fill.line})" if number == 0 else "str(puzzel).strip()"
        return self.scene(
            "Het rooster na een getal dat niet past",
            *self.opened(fills[0].board, way),
            *(each.call(way) for each in allowed),
            f"try:\n...     {fill.call(way)}\n... except AssertionError:\n...     pass",
            f"{look}  # {way.fill}: ongewijzigd",
        )


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that are shown."""
    return Scenes(draws, small=True).all()


GENERATOR = Generator(
    version=5,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=name.replace("-", " "), points=points)
        for name, points in POINTS.items()
    ),
)
