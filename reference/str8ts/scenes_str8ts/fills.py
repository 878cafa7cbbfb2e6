"""Numbers that are filled in, rightly or not, and how such are looked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from .boards import (
    ACROSS,
    BLACKENED,
    DIGITS,
    GIVEN,
    SIZE,
    WHITE,
    WHITENED,
    Board,
    Way,
    has_digit,
    is_plain,
    numbers_in,
    put,
    transposed,
)


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
    def kept(self) -> list[bool]:
        """Whether each of the digits that are there already stays the same."""
        return [old == digit for old, digit in self.compared if old != "."]

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

    def arguments(self, way: Way) -> tuple[int, int, int]:
        """Return what the method that fills it in on a board with these lines is given."""
        row, column = (self.line, self.start) if way is ACROSS else (self.start, self.line)
        return row, column, int(self.digits)

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


def is_wrong_after_right(fill: Fill) -> bool:
    """Return whether the last digit that is there is another one, and those before are not."""
    kept = fill.kept
    return len(kept) > 1 and all(kept[:-1]) and not kept[-1]


def is_right_after_wrong(fill: Fill) -> bool:
    """Return whether the first digit that is there is another one, and those after are not."""
    kept = fill.kept
    return len(kept) > 1 and all(kept[1:]) and not kept[0]


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


def there_already(fill: Fill) -> Fill | None:
    """Return a right `fill` on the board on which it has been filled in."""
    return None if fill.breaks() else fill.on(fill.done())


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
