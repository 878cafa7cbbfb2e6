"""Scenes about numbers that are filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from grader.plugins.authoring.generating import Scene

from .boards import ACROSS, DIGITS, DOWN, SIZE, WAYS, WHITENED, Board, Way, long_mask, transposed
from .changing import Changing
from .fills import (
    AT_EDGES,
    CROSSED,
    CROSSED_AT_ENDS,
    EASY,
    FOUND_LATER,
    Fill,
    Trial,
    is_last_single,
    is_long,
    is_single,
    there_already,
)


class FillingScenes(Changing):
    """The scenes about what filling in does."""

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
        for fits_at_edge in AT_EDGES:
            yield self.filling(way, "rand", Trial(set(), fits_at_edge))
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
            Trial({"puzzel1", "lengte"}, is_long, partial(self.moved, by=by)) for by in (1, -1)
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

        Of these it is what `fill` changes, and digits of lines that cross them. Of a small board
        whole lines are looked at, one by one.
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
        seen = sorted({*new.values(), *self.strange(fill, across=across)})
        lines = ", ".join(f"({line}, {digit})" for line, digit in seen)
        return [f"[cijfer in puzzel.{method}(nummer) for nummer, cijfer in ({lines},)]"]

    def strange(self, fill: Fill, *, across: bool) -> Iterator[tuple[int, str]]:
        """Yield for the line of `fill`, or each one across it, a digit that is not on it.

        It is on one that crosses it: who adds these up in what is kept of a line finds it there.
        """
        columns = [{*line.translate(WHITENED)} for line in transposed(fill.board)]
        own = {*fill.board[fill.line].translate(WHITENED)}
        crossing = [(place, columns[place]) for place in fill.new]
        pairs = [(place, own - digits) for place, digits in crossing]
        if not across:
            pairs = [(fill.line, set[str]().union(*(digits for _, digits in crossing)) - own)]
        for line, digits in pairs:
            others = sorted(digits & {*DIGITS} - {*fill.digits})
            if others:
                yield line, self.draws.choice(others)
