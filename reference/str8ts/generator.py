"""Makes Str8ts scenes: for each clause in each direction some that nothing else decides.

What is asked stands here, with the words of the text that settle it. The scenes themselves stand in
`scenes_str8ts`, where `drawing.py` has what they are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scenes_str8ts.boards import ACROSS, DOWN, WAYS, Way
from scenes_str8ts.cells import CellScenes
from scenes_str8ts.lines import LineScenes
from scenes_str8ts.puzzles import LONG, PuzzleScenes
from scenes_str8ts.refusing import RefusingScenes

from grader.plugins.authoring.generating import (
    Draws,
    Generator,
    HiddenGroup,
    PlacedClause,
    Scene,
    one_of_each_clause,
)


def _clauses(group: str, quote: str, *ids: str, refused: bool = False) -> dict[str, PlacedClause]:
    """Return clauses of a group that the same words settle."""
    return dict.fromkeys(ids, PlacedClause(group=group, quote=quote, refused=refused))


def _told(way: Way) -> dict[str, PlacedClause]:
    """Return the clauses of the methods that tell of the lines in this direction."""
    numbers, digits = way.numbers, way.digits
    return {
        **_clauses(
            numbers,
            f"Een methode {numbers} \u2026 welke cellen van dat getal reeds ingevuld werden",
            f"{numbers}: patroon",
        ),
        **_clauses(
            numbers,
            f"Een methode {numbers} \u2026 waar het eerste cijfer van een getal",
            f"{numbers}: rand",
            f"{numbers}: \u00e9\u00e9n cel",
        ),
        **_clauses(
            digits,
            f"Een methode {digits} \u2026 alle cijfers (int) die reeds ingevuld werden",
            f"{digits}: wit",
            f"{digits}: geen",
        ),
        **_clauses(
            digits,
            f"Een methode {digits} \u2026 zowel in de witte als in de zwarte cellen",
            f"{digits}: zwart",
        ),
    }


def _filled(way: Way) -> dict[str, PlacedClause]:
    """Return the clauses of the method that fills numbers in in this direction."""
    method, refuses = way.fill, f"{way.fill}-geweigerd"
    start = "horizontaal_invullen \u2026 "
    end = "" if way is ACROSS else " \u2026 De methode werkt ook analoog"
    correspond = "de cijfers die reeds \u2026 corresponderen met"
    new = "de cijfers die nieuw \u2026 komen in die rij"
    found = {}
    for quote, names in (
        ("vanaf positie $$(r, k)$$ in het rooster", ("vult in", "rand")),
        ("als de volgende voorwaarden voldaan zijn", ("volledig ingevuld", "\u00e9\u00e9n cel")),
        (correspond, ("deels ingevuld",)),
    ):
        found |= _clauses(method, start + quote + end, *(f"{method}: {name}" for name in names))
    for name in ("getallen", "cijfers"):
        told = f"Een methode horizontaal_{name} \u2026 reeds ingevuld werden"
        found |= _clauses(method, told, f"{method}: {name} daarna")
    for quote, name in (
        ("$$n$$ is een straat", "geen straat"),
        ("is de eerste cel van een", "niet de eerste cel"),
        ("$$n$$ heeft evenveel cijfers als het getal", "lengte"),
        (correspond, "ander cijfer"),
        (new, "al in de rij"),
        (f"{new} en in die kolom", "al in de kolom"),
    ):
        found |= _clauses(refuses, start + quote + end, f"{method}: {name}", refused=True)
    nothing = "In dat geval mag ook niets ingevuld worden"
    return found | _clauses(refuses, start + nothing + end, f"{method}: ongewijzigd")


CLAUSES = {
    **_clauses("Cel", "het karakter (str) doorgegeven worden dat", "Cel: symbool"),
    **_clauses("str-Cel", "str dit gecodeerde karakter teruggeeft", "str(Cel): symbool"),
    **_clauses("isgekleurd", "of cel $$c$$ (zwart) gekleurd is", "isgekleurd: kleur"),
    **_clauses("cijfer", "het cijfer (int) uit cel $$c$$", "cijfer: cijfer"),
    **_clauses("cijfer", "de waarde None als de cel geen cijfer bevat", "cijfer: geen"),
    **_clauses(
        "Cel-geweigerd",
        "Als het argument geen karakter is dat de toestand van een cel codeert",
        "Cel: ander karakter",
        "Cel: niet \u00e9\u00e9n karakter",
        refused=True,
    ),
    **_clauses(
        "isstraat",
        "als de cijfers van het getal in een opeenvolgende reeks kunnen gezet worden",
        "isstraat: opeenvolgend",
        "isstraat: dubbel cijfer",
        "isstraat: \u00e9\u00e9n cijfer",
        "isstraat: negen cijfers",
    ),
    **_clauses(
        "isstraat",
        "als het cijfer nul (0) niet voorkomt in het getal",
        "isstraat: nul",
    ),
    **_clauses(
        "Str8ts",
        "Bij het aanmaken van een nieuwe puzzel (Str8ts) moet de locatie (str)",
        "Str8ts: locatie",
        "Str8ts: hetzelfde bestand",
        "Str8ts: een ander bestand",
        "Str8ts: na veel zetten",
    ),
    **_clauses(
        "str-Str8ts",
        "een stringvoorstelling van het rooster",
        "str(Str8ts): rooster",
        "str(Str8ts): na het invullen",
    ),
    **_clauses(
        "str-Str8ts",
        ">>> print(puzzel) \u2026 ##8....#B >>> puzzel.horizontaal_getallen(3)",
        "str(Str8ts): geen lege regel",
    ),
    **_told(ACROSS),
    **_told(DOWN),
    **_filled(ACROSS),
    **_filled(DOWN),
}
POINTS = {
    "Cel": 1,
    "str-Cel": 1,
    "isgekleurd": 2,
    "cijfer": 3,
    "Cel-geweigerd": 7,
    "isstraat": 12,
    "Str8ts": 6,
    "str-Str8ts": 5,
    "horizontaal_getallen": 6,
    "horizontaal_cijfers": 6,
    "verticaal_getallen": 6,
    "verticaal_cijfers": 6,
    "horizontaal_invullen": 11,
    "horizontaal_invullen-geweigerd": 26,
    "verticaal_invullen": 11,
    "verticaal_invullen-geweigerd": 26,
}
"""A clause is worth 1 to 3 % of them: a condition of a fill, which is a clause, most."""


class Scenes(CellScenes, PuzzleScenes, LineScenes, RefusingScenes):
    """The scenes of one draw, on boards that are full, or as small as they can be."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.cells()
        yield from self.no_symbols()
        yield from self.straights()
        yield from self.puzzles()
        yield from self.shown()
        for way in WAYS:
            yield from self.numbers(way)
            yield from self.digits(way)
        for way in WAYS:
            yield from self.filled(way)
            yield from self.told_after(way)
            yield from self.refused(way)


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small scenes, and for who passes these one of each clause that is large."""
    yield from Scenes(draws, small=True).all()
    large = Scenes(draws, small=False, example=True).all()
    # Nobody can read what the long rows of moves do: some have a few moves, and are small.
    yield from one_of_each_clause(scene for scene in large if scene.topic != LONG)


GENERATOR = Generator(
    version=12,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=name.replace("-", " "), points=points)
        for name, points in POINTS.items()
    ),
)
