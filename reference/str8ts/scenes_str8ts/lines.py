"""Scenes about what puzzles tell of their lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.plugins.authoring.generating import Scene

from .boards import SIZE, Board, Way, is_plain
from .drawing import Drawing


class LineScenes(Drawing):
    """The scenes about the numbers and the digits of a line."""

    def numbers(self, way: Way) -> Iterator[Scene]:
        """Yield the numbers of lines."""
        asked, other = way.numbers, way.other.numbers
        clause = f"{asked}: patroon"
        lengths: Sequence[int]
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
