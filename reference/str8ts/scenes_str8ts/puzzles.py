"""Scenes about puzzles, several at once, and many moves."""

from __future__ import annotations

from collections.abc import Iterator

from grader.authoring.generating import Scene

from .boards import ACROSS, SIZE, WAYS, Way
from .drawing import Drawing
from .fills import EASY


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
