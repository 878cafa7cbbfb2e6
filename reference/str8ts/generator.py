"""Sessions for Str8ts, on boards that come from one solved puzzle.

The solution of the puzzle in the text stays a solution when it is mirrored, when rows become
columns, and when each digit d becomes 10 - d: 16 puzzles. Which of its digits are given is drawn
anew, so every board is another one. It is read from a file, so a session writes its own first.

A refused fill breaks one condition only, where that can be, and comes after one that is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from grader.authoring.generating import Draws, Generator, HiddenGroup, Line, Script

Cell: TypeAlias = tuple[int, int]
Number: TypeAlias = tuple[bool, tuple[Cell, ...]]
"""Whether it is vertical, and its cells."""

SIZE: Final = 9
DIGITS: Final = "123456789"
LETTERS: Final = "ABCDEFGHI"
WHITENED: Final = str.maketrans(LETTERS, DIGITS)
COLOURS: Final[tuple[dict[int, int], ...]] = (
    {},
    str.maketrans(DIGITS + LETTERS, DIGITS[::-1] + LETTERS[::-1]),
)
"""What becomes of digits: nothing in the first 8 symmetries, something in the last."""

# Boards, row by row: that of the text and its solution; two where chance does not lead.
GIVEN = "##..5..C# .6..##1.. ...#H.... 9..D...#E #....3..# ##...I.4. 4.3.##.6. ..1##.... ##8....#B"
SOLVED = "##96587C# 8657##123 756#H2314 987D312#E #7412365# ##231I546 4132##867 321##6978 ##85674#B"
CORNER = "..#E..3.. .##...... A#....... ......... ......... .8....... ......... ......... #........"
EDGES = "9.##C##.2 #.#.#.#.# ..#...#.. #1#2#3#4# .#.I.#.#. ######### ABCDEFGHI 4.......5 .#5....#6"

OBSERVERS: Final = tuple(
    f"{way}_{what}" for what in ("getallen", "cijfers") for way in ("horizontaal", "verticaal")
)
SPEC_LINES: Final = {
    **dict.fromkeys(("Cel", "str-Cel"), 13),
    "isgekleurd": 15,
    "cijfer": 16,
    "Cel-geweigerd": 118,
    "isstraat": 17,
    **dict.fromkeys(("Str8ts", "str-Str8ts"), 18),
    **dict(zip(OBSERVERS, range(19, 23), strict=True)),
    "horizontaal_invullen": 23,
    "verticaal_invullen": 30,
    **dict.fromkeys(("horizontaal_invullen-geweigerd", "verticaal_invullen-geweigerd"), 117),
}
"""Lines of the text that ask for what counts for a group."""
WRITTEN: Final = Path(__file__).with_name("directed.txt")
"""Sessions with a title each; behind # the group of a line, and behind that why it is refused."""


def case(code: str, group: str) -> Line:
    """Return the line that counts for `group` when it is answered."""
    return Line(code=code, group=group, spec_line=SPEC_LINES[group])


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A number to be filled in: where it begins, its digits, and which of these are there."""

    vertical: bool
    r: int
    k: int
    digits: str
    pattern: str

    @property
    def method(self) -> str:
        """The method that fills it in, which is also its group."""
        return "verticaal_invullen" if self.vertical else "horizontaal_invullen"

    @property
    def code(self) -> str:
        """The call."""
        return f"puzzel.{self.method}({self.r}, {self.k}, {self.digits})"

    @property
    def shown(self) -> tuple[str, ...]:
        """What tells that it has been filled in; a mistake in one of these spoils not all cases."""
        ats = (self.r, self.k) * 2
        asked = (f"puzzel.{name}({at})" for name, at in zip(OBSERVERS, ats, strict=True))
        return "str(puzzel)", *asked

    def accepted(self, shown: str) -> Line:
        """Return the case that it is filled in, as `shown` tells."""
        return replace(case(f"[{self.code}, {shown}]", self.method), action=True)

    def refused(self, note: str, spec_line: int) -> Line:
        """Return the case that it is refused."""
        group = f"{self.method}-geweigerd"
        return Line(code=self.code, refused=group, note=note, spec_line=spec_line)

    def along(self, by: int, digits: str) -> Fill:
        """Return the fill with other digits, which begins that many cells further on."""
        r, k = self.cell(by)
        return replace(self, r=r, k=k, digits=digits)

    def changed(self, index: int, digit: str) -> Fill:
        """Return the fill with one other digit."""
        return replace(self, digits=self.digits[:index] + digit + self.digits[index + 1 :])

    def cell(self, index: int) -> Cell:
        """Return where that digit goes."""
        return (self.r + index, self.k) if self.vertical else (self.r, self.k + index)


def is_straight(digits: str) -> bool:
    """Return whether `digits` follow each other in some order."""
    return "".join(sorted(digits)) in DIGITS


REASONS: Final = (
    ("geen straat", 24),
    ("niet de eerste cel van een getal", 25),
    ("buiten het rooster", 117),
    ("te kort of te lang", 26),
    ("er staat al een ander cijfer", 27),
    ("een nieuw cijfer staat al in de rij of de kolom", 28),
)
OTHER, TAKEN = 4, 5  # the last two


def alike(fill: Fill) -> tuple[list[Fill], ...]:
    """Return the fills that are like a right one but for one condition, by their `REASONS`.

    Of the last reason they are straights of other digits, which need not be taken.
    """
    own, places = fill.digits, range(len(fill.digits))
    changed = [fill.changed(i, digit) for i in places for digit in "0" + DIGITS]
    changed += [fill.changed(i, own[j]).changed(j, own[i]) for j in places for i in range(j)]

    def differing(*, straight: bool, there: bool) -> list[Fill]:
        return [
            each
            for each in changed
            if each.digits != own and each.digits[0] != "0"  # a number does not begin with zero
            if is_straight(each.digits) is straight
            if all(
                new == old or (sign != ".") is there
                for new, old, sign in zip(each.digits, own, fill.pattern, strict=True)
            )
        ]

    tails = [(by, own[by:]) for by in places[1:] if is_straight(own[by:])]
    lengths = [own[:length] for length in places[1:]] + [own + digit for digit in DIGITS]
    outside = ((-SIZE, 0), (0, -SIZE), (-SIZE, -SIZE), (SIZE, 0), (0, SIZE))
    return (
        differing(straight=False, there=False),
        [fill.along(by, tail) for by, tail in tails],
        [replace(fill, r=fill.r + down, k=fill.k + right) for down, right in outside],
        [fill.along(0, digits) for digits in lengths if is_straight(digits)],
        differing(straight=True, there=True),
        differing(straight=True, there=False),
    )


def signs_of(board: str) -> dict[Cell, str]:
    """Return the symbol of each cell."""
    return {(r, k): sign for r, row in enumerate(board.split()) for k, sign in enumerate(row)}


def numbers() -> list[Number]:
    """Return each number of the solved puzzle, those of the rows first."""
    signs = signs_of(SOLVED)
    found: list[Number] = []
    for vertical in (False, True):
        for line in range(SIZE):
            cells = [(at, line) if vertical else (line, at) for at in range(SIZE)]
            runs = re.finditer("[1-9]+", "".join(signs[cell] for cell in cells))
            found += [(vertical, tuple(cells[run.start() : run.end()])) for run in runs]
    return found


def masked(draws: Draws, given: float) -> dict[Cell, str]:
    """Return the solution without most of its digits: about the part `given` of them is left."""

    def left(sign: str) -> str:
        if sign in DIGITS:
            return sign if draws.chance(given) else "."
        return sign if draws.chance(0.75) else "#"

    return {cell: left(sign) for cell, sign in signs_of(SOLVED).items()}


def turned(cell: Cell, symmetry: int) -> Cell:
    """Return where `cell` lies after a symmetry."""
    r, k = reversed(cell) if symmetry & 1 else cell
    return SIZE - 1 - r if symmetry & 2 else r, SIZE - 1 - k if symmetry & 4 else k


def opened(board: str, end: str = "\n") -> tuple[Line, Line]:
    """Return the lines that write a file and open it; `end` is what follows the last row."""
    text = "\n".join(board.split()) + end
    code = "rooster = 'rooster.txt'\nwith open(rooster, 'w') as bestand:\n    bestand.write"
    return Line(code=f"{code}('''\\\n{text}''')"), Line(code="puzzel = Str8ts(rooster)")


class Play:
    """A board that is filled in step by step, towards the solution of the puzzle."""

    def __init__(self, draws: Draws, symmetry: int, shown: Mapping[Cell, str]) -> None:
        """Start with the symbols that are `shown`."""
        self._draws: Final = draws
        self._symmetry: Final = symmetry
        self._solved: Final = signs_of(SOLVED)
        self._shown: Final = dict(shown)
        self._done: Final[list[Number]] = []

    def board(self) -> str:
        """Return the board as it is now."""
        signs = {turned(cell, self._symmetry): sign for cell, sign in self._shown.items()}
        rows = ("".join(signs[r, k] for k in range(SIZE)) for r in range(SIZE))
        return " ".join(rows).translate(COLOURS[self._symmetry // 8])

    def numbers(self, *, empty: bool, vertical: bool | None = None) -> list[Number]:
        """Return the numbers with an empty cell or without, in that direction if one is given."""
        return [
            (way, cells)
            for way, cells in numbers()
            if any(self._shown[cell] == "." for cell in cells) is empty and vertical in (None, way)
        ]

    def fill(self, number: Number) -> Fill:
        """Return how a number of the puzzle is filled in on this board, as the solution has it."""
        vertical, cells = number
        placed = sorted((turned(cell, self._symmetry), cell) for cell in cells)
        (r, k), _ = placed[0]
        digits, pattern = (
            "".join(signs[cell] for _, cell in placed).translate(COLOURS[self._symmetry // 8])
            for signs in (self._solved, self._shown)
        )
        way = vertical != bool(self._symmetry & 1)
        return Fill(vertical=way, r=r, k=k, digits=digits, pattern=pattern)

    def filled(self, candidates: Sequence[Number]) -> Fill:
        """Fill one of the `candidates` in, and return how that is done."""
        number = self._draws.choice(candidates)
        fill = self.fill(number)
        self._done.append(number)
        self._shown.update({cell: self._solved[cell] for cell in number[1]})
        return fill

    def asked(self) -> Line:
        """Return a case that asks for the whole board, or about a row or a column with a digit."""
        if self._draws.chance(0.2):
            return case("str(puzzel)", "str-Str8ts")
        number = self._draws.below(len(OBSERVERS))
        told = {cell[number % 2] for cell, sign in self._shown.items() if sign not in ".#"}
        line = self._draws.choice(sorted(told) or [0])
        name = OBSERVERS[number ^ (self._symmetry & 1)]
        at = turned((line, line), self._symmetry)[name.startswith("verticaal")]
        return case(f"puzzel.{name}({at})", name)

    def first(self) -> Iterator[Line]:
        """Yield the set-up that fills in one number in each direction, an easy one if there is."""
        for vertical in (False, True):
            found = self.numbers(empty=True, vertical=vertical)
            easy = [number for number in found if "..." in self.fill(number).pattern]
            yield Line(code=self.filled(easy or found or numbers()).code)

    def accepted(self) -> Line:
        """Return a case that a number is filled in, or once more what is there already."""
        again = self._draws.chance(0.2)
        fill = self.filled(self._done if again else self.numbers(empty=True) or numbers())
        return fill.accepted(self._draws.choice(fill.shown))

    def refused(self, reason: int, *, vertical: bool | None = None) -> Iterator[Line]:
        """Yield the cases that fills are refused for a reason: one of each number that has any."""
        found = self.numbers(empty=True, vertical=vertical)
        if reason == OTHER:
            found += self.numbers(empty=False, vertical=vertical)
        for number in self._draws.shuffled(found):
            fills = alike(self.fill(number))[reason]
            if reason == TAKEN:
                fills = [fill for fill in fills if self._is_taken(fill)]
            if fills:
                yield self._draws.choice(fills).refused(*REASONS[reason])

    def _is_taken(self, fill: Fill) -> bool:
        """Return whether one of the new digits of a fill stands in its row or its column."""
        signs = signs_of(self.board().translate(WHITENED))
        new = {fill.cell(i): fill.digits[i] for i, sign in enumerate(fill.pattern) if sign == "."}
        return any(
            digit == sign and (r == row or k == column)
            for (r, k), digit in new.items()
            for (row, column), sign in signs.items()
        )


def _straights(draws: Draws, symmetry: int) -> Line:
    """Return a case with a straight and what is almost the same and none."""
    length = draws.between(2, 7)
    low = draws.between(1, SIZE + 1 - length)
    digits = "".join(draws.shuffled(str(low + step) for step in range(length)))
    at = draws.between(1, length - 1)
    instead = draws.choice(("0", digits, DIGITS))
    others = [digits + digits[at], *(digits[:at] + each + digits[at + 1 :] for each in instead)]
    other = draws.choice([each for each in others if not is_straight(each)])
    pair = draws.shuffled([digits, other])
    code = ", ".join(f"isstraat({each.translate(COLOURS[symmetry // 8])})" for each in pair)
    return case(f"[{code}]", "isstraat")


def _cells(draws: Draws, symmetry: int) -> Line:
    """Return a case that asks one thing of a few cells of different kinds."""
    asked = draws.choice(("str-Cel", "isgekleurd", "cijfer"))
    code = "str(Cel(symbool))" if asked == "str-Cel" else f"Cel(symbool).{asked}()"
    signs = [draws.choice(DIGITS), draws.choice(LETTERS), draws.choice("#.")]
    text = "".join(draws.shuffled(signs)).translate(COLOURS[symmetry // 8])
    return case(f"[{code} for symbool in {text!r}]", asked)


def session(draws: Draws, symmetry: int) -> Script:
    """Return a session that looks at a board, tries fills that are refused, and fills it in."""
    play = Play(draws, symmetry, masked(draws, draws.choice((0.15, 0.3, 0.5))))
    lines = [_cells(draws, symmetry), _straights(draws, symmetry)]
    lines += opened(play.board(), draws.choice(("\n", "", "\n\n")))
    whole = draws.choice(("str({})", "[{}.horizontaal_cijfers(r) for r in range(9)]"))
    lines.append(case(whole.format("Str8ts(rooster)"), "Str8ts"))
    lines += [play.asked() for _ in range(3)]
    lines += play.first()
    reasons = draws.some(range(len(REASONS)), draws.between(2, 5))
    lines += [line for reason in reasons for line in islice(play.refused(reason), 1)]
    lines += [play.accepted() for _ in range(draws.between(2, 4))]
    return Script(topic="Een ander rooster", lines=tuple(lines), observers=("str(puzzel)",))


def _written(text: str) -> Script:
    """Return the session that stands in `text`: a title, and lines with their groups."""
    title, *codes = re.split(r"\n(?! )", text.strip())
    lines = []
    for code, _, rest in (each.partition("  # ") for each in codes):
        group, _, why = rest.partition(": ")
        about = {"refused": group, "note": why} if why else {"group": group or None}
        lines.append(Line(code=code, spec_line=SPEC_LINES.get(group), **about))
    return Script(topic=title, lines=tuple(lines))


def _boards() -> Iterator[Script]:
    """Yield the sessions that look at other boards than that of the text."""
    for topic, board, end in (("Randen", EDGES, "\n\n"), ("Hoeken", CORNER, "")):
        lines = [*opened(board, end), case("str(Str8ts(rooster))", "Str8ts")]
        lines += [case(f"[puzzel.{name}(i) for i in (0, 3, 8)]", name) for name in OBSERVERS]
        yield Script(topic=topic, lines=tuple(lines))


def _small_fills(*, vertical: bool) -> Iterator[Script]:
    """Yield the sessions with numbers of one and two digits, each refused for one reason."""
    single = Fill(vertical=vertical, r=1, k=1, digits="6", pattern=".")
    pair = Fill(vertical=vertical, r=0, k=0, digits="67", pattern="..")
    played = (
        (EDGES, single, single.along(2, "7"), "0 78 6 2"),
        (CORNER, single.along(-1, "9"), pair, "45 54 32 12 78 98"),
    )
    for board, first, then, others in played:
        if vertical:
            board = " ".join(map("".join, zip(*board.split(), strict=True)))  # noqa: PLW2901
        lines = [*opened(board), Line(code=first.code)]
        lines += [replace(then, digits=n).refused("past hier niet", 28) for n in others.split()]
        lines += [then.accepted(shown) for shown in then.shown]
        topic = f"Getallen van lengte {len(then.digits)}"
        yield Script(topic=topic, lines=tuple(lines), observers=("str(puzzel)",))


def _refusals(*, vertical: bool) -> Iterator[Script]:
    """Yield a session for each condition, in which fills of the puzzle of the text break it."""
    for reason, (why, _) in enumerate(REASONS):
        play = Play(Draws(why), 0, signs_of(GIVEN))
        lines = [Line(code="puzzel = Str8ts('puzzel.txt')"), *play.first()]
        lines += islice(play.refused(reason, vertical=vertical), 10)
        topic = f"{'Verticaal' if vertical else 'Horizontaal'} geweigerd: {why}"
        yield Script(topic=topic, lines=tuple(lines), observers=("str(puzzel)",))


def directed() -> Iterator[Script]:
    """Yield the sessions that chance would seldom make."""
    yield from map(_written, WRITTEN.read_text("utf-8").split("\n\n"))
    yield from _boards()
    for vertical in (False, True):
        yield from _small_fills(vertical=vertical)
        yield from _refusals(vertical=vertical)


REFUSED: Final = "verticaal_invullen"
GENERATOR: Final = Generator(
    version=2,
    session=session,
    symmetries=16,
    directed=directed,
    groups=(HiddenGroup(id=f"{REFUSED}-geweigerd", title=f"{REFUSED} geweigerd", points=3),),
)
