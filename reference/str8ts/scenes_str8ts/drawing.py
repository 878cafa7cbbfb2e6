"""Draws boards and fills, and makes scenes with them.

The digits of a board are some of a square in which no line has a digit twice. A number that is to
be filled in is drawn until it breaks the conditions that its scene is about, and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from grader.plugins.authoring.generating import Draws, Scene

from .boards import (
    BLACKENED,
    DIGITS,
    GIVEN,
    SIZE,
    Board,
    Way,
    numbers_in,
    text_of,
    with_diagonal,
    without_ones,
)
from .fills import DIAGONAL, PLAIN, Fill, Trial, bared, without

NAMES = r"\b(puzzel[12]?|opgave|roosters|vulling|cellen\d+_)\b"
"""What scenes call their objects."""


class Drawing:
    """Draws boards that count, or that are as small as they can be."""

    def __init__(self, draws: Draws, *, small: bool, example: bool = False) -> None:
        """Draw from `draws`; students are shown an `example`, and all that is small."""
        self.draws = draws
        self.small = small
        self.example = small or example
        self.numbered = 100

    def scene(self, topic: str, *lines: str) -> Scene:
        """Return the scene of `lines`.

        Where nobody reads it, the names are its own: a step that binds one and reads it builds on
        no other scene then.
        """
        text = "\n".join(lines)
        if not self.example:
            text = re.sub(NAMES, rf"\g<0>{self.any_number()}", text)
        return Scene(topic=topic, lines=text)

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
        given = masks or {}

        def drawn(line: int) -> Iterator[str]:
            is_given = line in given
            mask = given[line] if is_given else self.any_mask(whites)
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
        """Return a straight of so many digits, in any order, without a 1 if that can be.

        Who knows no straight with a 1 loses what is about straights, and nothing else.
        """
        low = min(1, SIZE - length) + self.draws.below(max(1, SIZE - length))
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

    def mask_at(self, place: int, length: int) -> str:
        """Return a line with one number of this length, in which a place lies."""
        start = place - self.draws.below(length)
        return ("#" * start + "." * length).ljust(SIZE, "#")

    def board_with(self, mask: str) -> Board:
        """Return a board that has a line like `mask`, without digits, not at the edge."""
        return without_ones(self.board({self.draws.between(1, SIZE - 2): mask}, 0, 0))

    def board_to_fill(self, way: Way) -> Board:
        """Return any board without a 1; a small one is that of the text, or has a line or two.

        Who does not know an A as a digit loses what is about cells and lines, and not this.
        """
        draws = self.draws
        if not self.small:
            return without_ones(self.board())
        if draws.chance(0.05):
            return way.seen(GIVEN)
        masks = {draws.below(SIZE): self.any_mask(0.4)}
        if draws.chance(0.5):
            masks[draws.choice((0, draws.below(SIZE), SIZE - 1))] = self.any_mask(0.2)
        return without_ones(self.board(masks, 0.35, 0.2))

    def is_shown(self, fill: Fill, way: Way) -> bool:
        """Return whether the board is in a file already or nearly black, where that matters."""
        board = way.seen(fill.board)
        return not self.small or board == GIVEN or "".join(board).count("#") > 60

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
        mark = "" if self.example else number or self.any_number()
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
        return [*lines] if self.example else ["\n... ".join(lines)]

    def attempt(self, fill: Fill, way: Way) -> str:
        """Return the call that must be refused, and goes on."""
        error = "AssertionError" if self.example else "Exception"
        return f"try:\n...     {fill.call(way)}\n... except {error}:\n...     pass"

    def mixed(self, digits: str) -> str:
        """Return `digits` in any order, but not with a zero in front."""
        joined = "".join(self.draws.shuffled(digits))
        return joined if joined[0] != "0" else self.mixed(digits)

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
