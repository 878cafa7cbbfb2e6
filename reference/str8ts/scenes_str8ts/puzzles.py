"""Scenes about puzzles, several at once, and many moves."""

from __future__ import annotations

from collections.abc import Iterator

from grader.plugins.authoring.generating import Scene, compared

from .boards import ACROSS, SIZE, WAYS, Board, Way
from .drawing import Drawing
from .fills import EASY, Fill, is_late

LONG = "Veel zetten na elkaar"
"""What scenes are about that no small one can stand for."""
ASKED = """def asked(p):
...     antwoorden = []
...     for n in range(9):
...         for kant in ('horizontaal', 'verticaal'):
...             for vraag, soort in (('getallen', dict), ('cijfers', set)):
...                 antwoorden += [answer(lambda: soort(getattr(p, f'{kant}_{vraag}')(n)))]
...     return [shown(p), *antwoorden]"""
"""What is asked of puzzles that are compared."""
ALLOWED = """def allowed(p):
...     return [works(p, *move) for move in {}]"""
"""What is tried on them after that."""


class PuzzleScenes(Drawing):
    """The scenes about puzzles as they are made and printed."""

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
        for _ in range(12 if self.small else 2):
            yield self.after_few_fills() if self.small else self.after_many_fills()

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

    def after_many_fills(self) -> Scene:
        """Return a scene that compares a puzzle with one that was asked and refused nothing."""
        start = self.any_board(0.2)
        moves = [(way.fill, *fill.arguments(way)) for way, fill in self.any_fills(start, 60)]
        written, file = self.written(start, ACROSS)
        *lines, look = compared(
            "puzzel1",
            "puzzel2",
            [*moves[::3], *moves[1::3]],
            new=f"Str8ts({file})",
            defined=(ASKED, ALLOWED.format(moves[2::3])),
            between=("asked(puzzel1)",),
        )
        return self.scene(
            LONG,
            *written,
            f"puzzel1, puzzel2 = Str8ts({file}), Str8ts({file})",
            *lines,
            f"{look}  # Str8ts: na veel zetten",
        )

    def after_few_fills(self) -> Scene:
        """Return a scene that asks the same before each of a few fills, and after them."""
        start = self.any_board(0.2)
        moves = [*self.any_fills(start, 6)]
        asked_way, asked = self.draws.choice(moves)
        across = self.draws.between(asked.start, asked.end - 1)
        asks = ["str(puzzel).strip()"] + [
            f"puzzel.{method}({line})"
            for line, each in ((asked.line, asked_way), (across, asked_way.other))
            for method in (each.numbers, each.digits)
        ]
        ask = self.draws.choice(asks)
        lines = []
        for way, fill in moves:
            lines += [self.attempt(fill, way)] if fill.breaks() else [ask, fill.call(way)]
        opened = self.opened(start, ACROSS, then=lines)
        return self.scene("Enkele zetten na elkaar", *opened, f"{ask}  # Str8ts: na veel zetten")

    def any_fills(self, board: Board, count: int) -> Iterator[tuple[Way, Fill]]:
        """Yield straights of the right length, in both directions, of which many fit."""
        for _ in range(count):
            way = self.draws.choice(WAYS)
            tried = [fill for _ in range(200) if (fill := self.any_fill(way.seen(board)))]
            allowed = [fill for fill in tried if not fill.breaks()]
            late = [fill for fill in tried if fill.breaks() and is_late(fill)]
            for fill in (allowed if allowed and self.draws.chance(0.6) else late or tried)[:1]:
                yield way, fill
                board = board if fill.breaks() else way.seen(fill.done())

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
