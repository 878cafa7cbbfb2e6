"""Sessions for the triomino puzzle: boards of all sizes with the hole all over.

The numbers of the pieces are fixed by the examples of the text, so a board is compared as it is. Of
small boards every hole is tried; a large one is asked for a few rows, which go through all four
quadrants. The other functions are only those of the published solution: a few questions about each
do, with the same functions in one question as the text has, as a program may lack any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final, TypeAlias

from grader.authoring.generating import Draws, Generator, Line, Script

Position: TypeAlias = tuple[int, int]

SPEC_LINES: Final = {
    "triomino": 30,
    "tablero": 318,
    "pbInicial": 332,
    "ind": 343,
    "posicionHueco": 350,
    "cuadranteHueco": 358,
    "centralHueco": 377,
    "centralesSinHueco": 394,
    "actualiza": 403,
    "triominoCentral": 415,
    "resuelve": 427,
    "divide": 437,
    "combina": 463,
}
"""Line of the text that tells what each group is about."""
WRITTEN: Final = Path(__file__).with_name("directed.txt")
"""Sessions with a title each; behind # the group of a line."""


def case(code: str, group: str) -> Line:
    """Return the line that counts for `group`."""
    return Line(code=code, group=group, spec_line=SPEC_LINES[group])


def turned(n: int, position: Position, symmetry: int) -> Position:
    """Return where `position` lies after one of the 8 symmetries of a board of `n` rows."""
    i, j = reversed(position) if symmetry & 1 else position
    return n + 1 - i if symmetry & 2 else i, n + 1 - j if symmetry & 4 else j


class Holes:
    """Draws boards with a hole, and turns them."""

    def __init__(self, draws: Draws, symmetry: int) -> None:
        """Draw from `draws`."""
        self._draws: Final = draws
        self._symmetry: Final = symmetry

    def hole(self, n: int) -> Position:
        """Return the position of a hole in a board of `n` rows."""
        position = self._draws.between(1, n), self._draws.between(1, n)
        return turned(n, position, self._symmetry)

    def whole(self, n: int) -> Line:
        """Return the case that asks for a board of `n` rows."""
        return case(f"triomino({n}, {self.hole(n)})", "triomino")

    def rows(self, n: int) -> Line:
        """Return the case that asks for a few rows of a large board, in both of its halves."""
        above, below = self._draws.below(n // 2), self._draws.between(n // 2, n - 1)
        code = f"[triomino({n}, {self.hole(n)})[i] for i in ({above}, {below})]"
        return case(code, "triomino")

    def about_position(self) -> list[Line]:
        """Return cases on the functions that tell where the hole is: three boards made at once."""
        asked = ("posicionHueco", "cuadranteHueco", "centralHueco", "centralesSinHueco")
        lines = []
        for name in asked:
            sizes = [self._draws.choice((2, 4, 8, 16)) for _ in range(3)]
            boards = ", ".join(f"tablero({n}, {self.hole(n)})" for n in sizes)
            lines.append(case(f"[{name}(t) for t in ({boards})]", name))
        return lines

    def about_steps(self) -> list[Line]:
        """Return cases on the functions that make boards, divide them and put them together."""
        number = self._draws.between(2, 9)
        small, large = self._draws.choice((2, 4)), self._draws.choice((4, 8))
        return [
            case(f"tablero({large}, {self.hole(large)})", "tablero"),
            case(f"pbInicial({small}, {self.hole(small)})", "pbInicial"),
            case(f"[ind(pbInicial(n, {self.hole(2)})) for n in ({large}, 2)]", "ind"),
            case(
                f"triominoCentral(({number}, tablero({large}, {self.hole(large)})))",
                "triominoCentral",
            ),
            case(f"resuelve(({number}, tablero(2, {self.hole(2)})))", "resuelve"),
            case(f"divide(({number}, tablero({large}, {self.hole(large)})))", "divide"),
            Line(code=f"inicial = ({number}, tablero(4, {self.hole(4)}))"),
            case("combina(inicial, [resuelve(pb) for pb in divide(inicial)])", "combina"),
        ]


def session(draws: Draws, symmetry: int) -> Script:
    """Return a session with boards of all sizes, or one with the functions of the solution."""
    holes = Holes(draws, symmetry)
    if draws.chance(0.3):
        lines = [*holes.about_position(), *holes.about_steps(), holes.whole(4)]
        return Script(topic="Funciones de la solución", lines=tuple(lines))
    lines = [holes.whole(n) for n in (2, 4, 4, 8, 8)]
    lines += [holes.rows(n) for n in (16, 16, 16, 32)]
    return Script(topic="Tableros de todos los tamaños", lines=tuple(lines))


def _all_holes(n: int, top: int, left: int, side: int) -> Script:
    """Return the session with all holes in one square of a board, each a case of its own."""
    positions = product(range(top, top + side), range(left, left + side))
    lines = tuple(case(f"triomino({n}, {position})", "triomino") for position in positions)
    return Script(topic=f"Todos los huecos: {n} filas, desde {(top, left)}", lines=lines)


def _written(text: str) -> Script:
    """Return the session that stands in `text`: a title, and lines with their groups."""
    title, *codes = text.strip().splitlines()
    pairs = (each.partition("  # ") for each in codes)
    lines = [case(code, group) if group else Line(code=code) for code, _, group in pairs]
    return Script(topic=title, lines=tuple(lines))


def directed() -> Iterator[Script]:
    """Yield the sessions with all holes of boards up to 8 rows, and what chance would seldom do."""
    yield _all_holes(2, 1, 1, 2)
    yield _all_holes(4, 1, 1, 4)
    for top, left in product((1, 5), repeat=2):
        yield _all_holes(8, top, left, 4)
    yield from map(_written, WRITTEN.read_text("utf-8").split("\n\n"))


GENERATOR: Final = Generator(version=1, session=session, symmetries=8, directed=directed)
