"""Scenes about numbers that must not be filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from grader.plugins.authoring.generating import Scene

from .boards import SIZE, Way
from .filling import FillingScenes
from .fills import (
    Fill,
    Spot,
    Trial,
    both,
    has_higher,
    has_lower,
    has_more_new,
    is_any,
    is_gapped,
    is_late,
    is_long,
    is_right_after_wrong,
    is_wrong_after_right,
    is_wrong_at_first,
    is_wrong_at_last,
    keeps_some,
)


class RefusingScenes(FillingScenes):
    """The scenes about what filling in refuses."""

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
        moved_beyond = replace(not_first[1], fits=lambda fill: fill.end > SIZE)
        lengths = self.wrong_lengths()
        long_beyond, short_at_end = (
            replace(each, fits=lambda fill: fill.start + len(fill.pattern) == SIZE)
            for each in lengths
        )
        at_edges = [
            replace(lengths[0], fits=lambda fill: fill.start == 0),
            short_at_end,
            long_beyond,
        ]
        others = [
            Trial({"ander"}, is_any, self.swapped),
            Trial({"ander"}, both(is_wrong_at_first, has_lower), self.otherwise),
            Trial({"ander"}, both(is_wrong_at_last, has_higher), self.otherwise),
            Trial({"ander"}, is_wrong_after_right, self.otherwise),
            Trial({"ander"}, is_right_after_wrong, self.otherwise),
        ]
        return {
            "geen straat": no_straights,
            "niet de eerste cel": [
                not_first,
                *([beside_edges, mirrored] if self.small else [[*not_first, moved_beyond]]),
            ],
            "lengte": [lengths, at_edges if self.small else [*lengths, long_beyond]],
            "ander cijfer": [[each] for each in others],
            f"al in de {way.line}": self.clashes(1),
            f"al in de {way.crossing}": self.clashes(0),
        }

    def wrong_lengths(self) -> list[Trial]:
        """Return a number that is too long, and one that is too short."""
        return [Trial({"lengte"}, is_any, partial(self.other_length, by=by)) for by in (1, -1)]

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
        tries = ", ".join(str(fill.arguments(way)) for fill in fills)
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
