"""Makes Akari scenes: for each clause at each place some that nothing else decides.

What is asked stands here, with the words of the text that settle it. The scenes themselves stand in
`scenes_akari`, where `drawing.py` has what they are made of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from scenes_akari.drawing import FILE, SIZE
from scenes_akari.light import LightScenes
from scenes_akari.placing import PlacingScenes
from scenes_akari.puzzles import LONG, PuzzleScenes
from scenes_akari.refusing import RefusingScenes
from scenes_akari.showing import ShowingScenes
from scenes_akari.solving import SolvingScenes

from grader.plugins.authoring.generating import (
    Draws,
    Generator,
    HiddenGroup,
    PlacedClause,
    Scene,
    one_of_each_clause,
)

ANOTHER = (
    f"eerste = Akari({SIZE}, {SIZE}, {FILE!r})",
    f"stralen = [eerste.stralen(r, k) for r in range({SIZE}) for k in range({SIZE})]",
    "eerste.plaats_lamp(1, 2)",
)
"""What another puzzle is asked and told before some of the examples, for who mixes puzzles up."""
_RAYS = "verlicht de hele rij en kolom waarop de lamp staat"
_BLOCKED = f"{_RAYS}, tenzij het licht geblokkeerd wordt door een zwarte cel"
_NUMBER = "Dat getal geeft aan hoeveel lampen op horizontaal of verticaal aangrenzende witte cellen"
_WHOLE = "zodat het volledige spelbord verlicht wordt"
_SIZES = "i) het aantal rijen (int) van het rooster, ii) het aantal kolommen (int) van het rooster"
_CELL = "Daardoor kan de positie van een cel voorgesteld worden als een tuple"
_ANY = "Rondom een zwarte cel zonder getal kan een willekeurig aantal lampen geplaatst worden"
_CLASS = "Definieer een klasse Akari waarmee het rooster van akaripuzzels kan voorgesteld worden"
_LIT = "witte cellen die door minstens \u00e9\u00e9n lamp verlicht worden"
_PLACED = ">>> puzzel.plaats_lamp(2, 1) >>> puzzel.lampen {(2, 1)}"
_REMOVED = ">>> puzzel.verwijder_lamp(1, 2) >>> puzzel.lampen {(0, 1), (1, 0), (2, 1)}"
_AGAIN = f"{_REMOVED} \u2026 >>> puzzel.plaats_lamp(1, 2)"
_KEPT = (
    "AssertionError: ongeldige positie \u2026 >>> puzzel.lampen {(0, 1), (1, 0), (2, 1), (1, 2)}"
)
_NOT_REMOVED = ">>> puzzel.verwijder_lamp(2, 2) Traceback (most recent call last): AssertionError"


def _clauses(group: str, **quotes: str) -> dict[str, PlacedClause]:
    """Return the clauses of `group`, of which the names are those of the `quotes`."""
    return {
        f"{group}: {name.replace('_', ' ')}": PlacedClause(group=group, quote=quote)
        for name, quote in quotes.items()
    }


def _of(group: str, method: str, **quotes: str) -> dict[str, PlacedClause]:
    """Return the clauses on what `method` does, which count for another `group`."""
    found = _clauses(method, **quotes)
    return {name: replace(clause, group=group) for name, clause in found.items()}


def _refusals(group: str, method: str, **quotes: str) -> dict[str, PlacedClause]:
    """Return the clauses on what `method` refuses."""
    found = _of(group, method, **quotes)
    return {name: replace(clause, refused=True) for name, clause in found.items()}


CLAUSES = {
    **_clauses(
        "str",
        grootte="Daarin vormt elke rij een afzonderlijke regel",
        markering="worden zwarte cellen voorgesteld door hun markering",
        getal_naast_lampen="door hun markering (zelfde voorstelling als in het tekstbestand)",
        lamp="witte cellen waarop een lamp staat door de hoofdletter L",
        verlicht=f"{_LIT} door een asterisk",
        terug_donker="alle andere witte cellen door een underscore",
        verandert_niets="wordt doorgegeven aan de ingebouwde functie str",
    ),
    **_clauses(
        "zwarte_cellen",
        markering="De markering is een getal van 0 tot 4, of een vraagteken",
        twee_cijfers="drie eigenschappen van een zwarte cel, van elkaar gescheiden door een spatie",
        aantal="Elke regel van het bestand bevat drie eigenschappen van een zwarte cel",
        bestand="iii) de locatie (str) van een tekstbestand",
    ),
    **_clauses(
        "Akari",
        lampen_naast_elkaar=_CLASS,
        zwarte_cellen_naast_elkaar=_CLASS,
        groottes_naast_elkaar=_CLASS,
        getallen_naast_elkaar=_CLASS,
        licht_naast_elkaar=_CLASS,
        opgelost_naast_elkaar=_CLASS,
        na_veel_zetten=_CLASS,
    ),
    **_clauses("lampen", geplaatst=_PLACED, verwijderd=_REMOVED),
    **_clauses(
        "verlicht",
        een_lamp=_RAYS,
        meer_lampen=_LIT,
        zwarte_cel_boven=_BLOCKED,
        zwarte_cel_rechts=_BLOCKED,
        zwarte_cel_onder=_BLOCKED,
        zwarte_cel_links=_BLOCKED,
        niet_vierkant=_RAYS,
        twee_cijfers=_RAYS,
        na_verwijderen=_LIT,
        laatste_lamp_weg=_LIT,
        verplaatste_lamp=_LIT,
        na_een_weigering=_LIT,
        verandert_niets=_LIT,
    ),
    **_clauses(
        "stralen",
        vier_richtingen=_RAYS,
        niet_vierkant=_RAYS,
        twee_cijfers=_RAYS,
        zwarte_cel_boven=_BLOCKED,
        zwarte_cel_rechts=_BLOCKED,
        zwarte_cel_onder=_BLOCKED,
        zwarte_cel_links=_BLOCKED,
        elke_markering=_BLOCKED,
        ingesloten=_BLOCKED,
        vanuit_een_zwarte_cel=">>> puzzel.stralen(1, 1)",
        langs_lampen=_BLOCKED,
        volgorde_in_het_bestand="Elke regel van het bestand bevat drie eigenschappen",
        verandert_niets=_RAYS,
    ),
    **_clauses(
        "plaats_lamp",
        geeft_niets=_PLACED,
        niet_vierkant=_SIZES,
        twee_cijfers=_CELL,
        achter_een_zwarte_cel="tenzij het licht geblokkeerd wordt door een zwarte cel",
        vraagteken=_ANY,
        getal=f"{_NUMBER} rondom de zwarte cel moeten geplaatst worden",
        schuin="Lampen die schuin naast een genummerde zwarte cel staan, dragen niet bij",
        overkant=_NUMBER,
        licht_na_verwijderen=_AGAIN,
        getal_na_verwijderen=_AGAIN,
        getal_na_een_weigering=_KEPT,
    ),
    **_refusals(
        "plaats_lamp-geweigerd",
        "plaats_lamp",
        buiten_het_rooster="# buiten rooster",
        zwarte_cel="# niet op witte cel",
        bezet="# cel bevat al een lamp",
        licht_in_de_rij="# cel wordt verlicht door andere lamp",
        licht_in_de_kolom="# cel wordt verlicht door andere lamp",
    ),
    **_refusals(
        "plaats_lamp-getallen",
        "plaats_lamp",
        naast_een_nul="# te veel lampen naast zwarte cel",
        naast_een_volle_1="# te veel lampen naast zwarte cel",
        naast_een_volle_2="# te veel lampen naast zwarte cel",
        naast_een_volle_3="# te veel lampen naast zwarte cel",
        getal_aan_de_rand="# te veel lampen naast zwarte cel",
        tweede_zwarte_cel="# te veel lampen naast zwarte cel",
    ),
    "plaats_lamp: ongewijzigd": PlacedClause(group="plaats_lamp-geweigerd", quote=_KEPT),
    **_clauses("verwijder_lamp", geeft_niets=_REMOVED),
    **_refusals(
        "verwijder_lamp-geweigerd",
        "verwijder_lamp",
        geen_lamp=_NOT_REMOVED,
        zwarte_cel=_NOT_REMOVED,
        buiten_het_rooster=_NOT_REMOVED,
    ),
    "verwijder_lamp: ongewijzigd": PlacedClause(
        group="verwijder_lamp-geweigerd", quote=f"{_NOT_REMOVED} \u2026 >>> puzzel.lampen"
    ),
    **_clauses(
        "isopgelost",
        donkere_cel=_WHOLE,
        achter_een_zwarte_cel=_BLOCKED,
        overkant=_NUMBER,
        getal_aan_de_rand=_NUMBER,
        een_lamp_naast_twee_getallen=_NUMBER,
        vraagteken=_ANY,
        niet_vierkant=_WHOLE,
        enkel_lampen=_WHOLE,
        zonder_zwarte_cellen=_WHOLE,
        na_een_zet=_WHOLE,
        verandert_niets=_WHOLE,
    ),
    **_of(
        "isopgelost-getallen",
        "isopgelost",
        getal_1=_NUMBER,
        getal_2=_NUMBER,
        getal_3=_NUMBER,
        getal_4=_NUMBER,
        een_van_de_getallen=_NUMBER,
    ),
}
TITLES = {
    "plaats_lamp-geweigerd": "plaats_lamp geweigerd",
    "plaats_lamp-getallen": "plaats_lamp naast getallen",
    "isopgelost-getallen": "isopgelost met getallen",
    "verwijder_lamp-geweigerd": "verwijder_lamp geweigerd",
}
POINTS = {
    "Akari": 6,
    "zwarte_cellen": 3,
    "lampen": 1,
    "verlicht": 12,
    "str": 4,
    "isopgelost": 11,
    "isopgelost-getallen": 19,
    "stralen": 13,
    "plaats_lamp": 6,
    "plaats_lamp-geweigerd": 5,
    "plaats_lamp-getallen": 19,
    "verwijder_lamp": 1,
    "verwijder_lamp-geweigerd": 2,
}
"""Numbers are what makes a puzzle of it: two fifths are about what they demand. Else a lamp that
shines well is worth most."""


class Scenes(
    ShowingScenes, PuzzleScenes, LightScenes, PlacingScenes, RefusingScenes, SolvingScenes
):
    """The scenes of one draw, on boards that are large, or as small as they can be."""

    def all(self) -> Iterator[Scene]:
        """Yield all scenes, group by group."""
        yield from self.shown()
        yield from self.shown_with_lamps()
        yield from self.read()
        yield from self.side_by_side()
        yield from self.kept()
        yield from self.lit()
        yield from self.lit_after_changes()
        yield from self.rays()
        yield from self.rays_beside_black_cells()
        yield from self.placed()
        yield from self.placed_beside_numbers()
        yield from self.placed_after_changes()
        yield from self.refused()
        yield from self.refused_in_the_light()
        yield from self.refused_beside_numbers()
        yield from self.unchanged()
        yield from self.removed()
        yield from self.dark_or_solved()
        yield from self.numbers_or_solved()
        yield from self.solved_at_the_border()
        yield from self.only_asked()


def scenes(draws: Draws) -> Iterable[Scene]:
    """Return the scenes that count."""
    return Scenes(draws, small=False).all()


def examples(draws: Draws) -> Iterator[Scene]:
    """Yield small scenes, one of each clause after another puzzle was played, and one large."""
    small = [*Scenes(draws, small=True).all()]
    yield from small
    for scene in one_of_each_clause(small):
        if not scene.lines.rpartition("  # ")[2].startswith(("Akari", "zwarte_cellen")):
            yield replace(scene, lines="\n".join([*ANOTHER, scene.lines]))
    large = Scenes(draws, small=False, example=True).all()
    # Nobody can read what the long rows of moves do: some have a few moves, and are small.
    yield from one_of_each_clause(scene for scene in large if scene.topic != LONG)


GENERATOR = Generator(
    version=22,
    clauses=CLAUSES,
    scenes=scenes,
    examples=examples,
    groups=tuple(
        HiddenGroup(id=name, title=TITLES.get(name, name), points=points)
        for name, points in POINTS.items()
    ),
)
