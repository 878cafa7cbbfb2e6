"""Changes that make a number wrong, or a board."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from .boards import (
    BLACKENED,
    DIGITS,
    SIZE,
    Board,
    Way,
    has_room,
    put,
    transposed,
    with_diagonal,
)
from .drawing import Drawing
from .fills import DIAGONAL, EASY, Fill, Spot, Trial, both, is_right_on


class Changing(Drawing):
    """Draws fills that break the conditions that are asked for."""

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
            meets = Trial(set(), both(Fill.is_inside, partial(Fill.meets, across=across)))
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
        board = fill.board
        black = [line for line in range(SIZE) if board[line][place] == "#"]
        free = [line for line in black if has_room(board, line, place, digit)]
        return fill.on(put(board, self.draws.choice(free), place, digit)) if free else None

    def clashing(self, fill: Fill, spot: Spot) -> Fill | None:
        """Return a right `fill` on a board on which it clashes at `spot`."""
        if fill.breaks() or len(fill.new) < 2:
            return None
        place = [*fill.new][-1 if spot.is_last else 0]
        digit = fill.new[place]
        black = digit.translate(BLACKENED)
        cells = [
            (line, at)
            for index in sorted(spot.indexes(fill))
            for line, at in [(fill.line, index) if spot.axis else (index, place)]
            if fill.board[line][at] in ("#" if spot.colour == "zwart" else ".#")
            and has_room(fill.board, line, at, digit)
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
        board, line, digit = fill.board, fill.line, fill.digits[-1]
        black = [place for place in range(SIZE) if board[line][place] == "#"]
        free = [place for place in black if has_room(board, line, place, digit)]
        if fill.breaks() or not free:
            return None
        board = put(board, line, self.draws.choice(free), digit)
        return self.crossed(fill.on(board), fill.end - 1, digit)

    def spoiled_partly(self, fill: Fill) -> Fill | None:
        """Return the same of a `fill` of which some digits are there already."""
        there = self.partly(fill)
        return self.spoiled(there) if there else None
