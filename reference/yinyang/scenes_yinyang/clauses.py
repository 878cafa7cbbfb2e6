"""What is asked of Yin-Yang, with the words of the text that settle it."""

from __future__ import annotations

from grader.plugins.authoring.generating import PlacedClause

from .boards import NAMES

METHODS = {"w": "maak_wit", "b": "maak_zwart"}
_ITSELF = r"moet een verwijzing naar puzzel $$\mathcal{Y}$$ teruggegeven worden"
_SAME = r"mag het rooster van puzzel $$\mathcal{Y}$$ niet wijzigen"


def _move(colour: str) -> dict[str, PlacedClause]:
    """Return the clauses of the method that makes a cell this `colour`."""
    name, method = NAMES[colour], METHODS[colour]
    does, refuses = method, f"{method}-geweigerd"
    start = f"Een methode {method} \u2026"
    square = rf"{start} een {name} $$2 \times 2$$ vierkant zou doen ontstaan"
    outside = f"{start} buiten het rooster"
    return {
        f"{method}: kleurt": PlacedClause(group=does, quote=f"{start} {name} gemaakt wordt"),
        f"{method}: geen vierkant": PlacedClause(group=does, quote=square),
        f"{method}: zichzelf": PlacedClause(group=does, quote=f"{start} {_ITSELF}"),
        f"{method}: buiten": PlacedClause(group=refuses, quote=outside, refused=True),
        f"{method}: bezet": PlacedClause(
            group=refuses, quote=f"{start} niet leeg is", refused=True
        ),
        f"{method}: vierkant": PlacedClause(group=refuses, quote=square, refused=True),
        f"{method}: ingekleurd vierkant": PlacedClause(group=refuses, quote=square, refused=True),
        f"{method}: ongewijzigd": PlacedClause(group=refuses, quote=f"{start} {_SAME}"),
    }


def _refused(quote: str) -> PlacedClause:
    return PlacedClause(group="YinYang-geweigerd", quote=quote, refused=True)


_CLEAR = "Een methode maak_leeg \u2026"
_REGION = "Een methode aaneengesloten_gebied \u2026"
_SOLVED = "Een methode isopgelost \u2026"
_WHITE_SQUARE = "de collectie die wordt doorgegeven aan de parameters wit mag geen vier posities"
_BLACK_SQUARE = "de collectie die wordt doorgegeven aan de parameters zwart mag geen vier posities"
_BEYOND = "de collecties \u2026 mogen geen enkele positie bevatten die buiten het rooster"
CLAUSES = {
    "str: grootte": PlacedClause(group="str", quote="elke rij van het rooster voorgesteld als"),
    "str: opgave": PlacedClause(group="str", quote="W: een vakje dat wit was in de opgave"),
    "str: ingekleurd": PlacedClause(group="str-na-een-actie", quote="w: een vakje dat leeg was"),
    "str: terug leeg": PlacedClause(group="str-na-een-actie", quote="-: een vakje dat leeg was"),
    "YinYang: posities": PlacedClause(
        group="YinYang",
        quote="wit (list, tuple of set): een collectie met de posities van vakjes die wit gekleurd",
    ),
    "YinYang: naast elkaar": PlacedClause(
        group="YinYang", quote="Bij het aanmaken van een nieuwe puzzel"
    ),
    "YinYang: na veel acties": PlacedClause(
        group="YinYang", quote="Definieer een klasse YinYang waarmee"
    ),
    "YinYang: geen vierkant": PlacedClause(group="YinYang", quote=_WHITE_SQUARE),
    "YinYang: wit en zwart": _refused("mogen geen enkele positie gemeenschappelijk hebben"),
    "YinYang: wit buiten": _refused(_BEYOND),
    "YinYang: zwart buiten": _refused(_BEYOND),
    "YinYang: wit vierkant": _refused(_WHITE_SQUARE),
    "YinYang: zwart vierkant": _refused(_BLACK_SQUARE),
    "YinYang: groot met wit vierkant": _refused(_WHITE_SQUARE),
    "YinYang: groot met zwart vierkant": _refused(_BLACK_SQUARE),
    **_move("w"),
    **_move("b"),
    "maak_leeg: leegt": PlacedClause(group="maak_leeg", quote=f"{_CLEAR} leeg gemaakt wordt"),
    "maak_leeg: daarna": PlacedClause(group="maak_leeg", quote=f"{_CLEAR} leeg gemaakt wordt"),
    "maak_leeg: zichzelf": PlacedClause(group="maak_leeg", quote=f"{_CLEAR} {_ITSELF}"),
    "maak_leeg: buiten": PlacedClause(
        group="maak_leeg-geweigerd", quote=f"{_CLEAR} buiten het rooster", refused=True
    ),
    "maak_leeg: vakje is leeg": PlacedClause(
        group="maak_leeg-geweigerd", quote=rf"{_CLEAR} leeg is", refused=True
    ),
    "maak_leeg: opgave": PlacedClause(
        group="maak_leeg-geweigerd",
        quote=f"{_CLEAR} wit of zwart was in de opgave",
        refused=True,
    ),
    "maak_leeg: ongewijzigd": PlacedClause(group="maak_leeg-geweigerd", quote=f"{_CLEAR} {_SAME}"),
    "gebied: wit": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} met vakjes van dezelfde kleur"
    ),
    "gebied: zwart": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} met vakjes van dezelfde kleur"
    ),
    "gebied: zijden": PlacedClause(
        group="aaneengesloten_gebied",
        quote=f"{_REGION} door horizontaal en vertikaal aangrenzende zijden",
    ),
    "gebied: aan de rand": PlacedClause(
        group="aaneengesloten_gebied",
        quote=f"{_REGION} door horizontaal en vertikaal aangrenzende zijden",
    ),
    "gebied: groot": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} de posities (tuple) van alle vakjes"
    ),
    "gebied: na een zet": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} de posities (tuple) van alle vakjes"
    ),
    "gebied: leeg vakje": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} een lege verzameling (set)"
    ),
    "gebied: buiten": PlacedClause(
        group="aaneengesloten_gebied", quote=f"{_REGION} buiten het rooster"
    ),
    "isopgelost: opgelost": PlacedClause(group="isopgelost", quote=f"{_SOLVED} opgelost werd"),
    "isopgelost: leeg vakje": PlacedClause(
        group="isopgelost", quote=f"{_SOLVED} geen lege vakjes meer"
    ),
    "isopgelost: wit": PlacedClause(group="isopgelost", quote=f"{_SOLVED} alle witte vakjes"),
    "isopgelost: zwart": PlacedClause(group="isopgelost", quote=f"{_SOLVED} alle zwarte vakjes"),
    "isopgelost: zijden": PlacedClause(
        group="isopgelost", quote=f"{_SOLVED} alle witte vakjes \u00e9\u00e9n aaneengesloten gebied"
    ),
    "isopgelost: na een zet": PlacedClause(group="isopgelost", quote=f"{_SOLVED} opgelost werd"),
}
SIDE_ISSUES = ("leeg vakje", "buiten", "groot")
"""The clauses of regions that have little to do with where a region ends."""

TITLES = {
    "str": "str",
    "str-na-een-actie": "str na een actie",
    "YinYang": "YinYang",
    "YinYang-geweigerd": "YinYang geweigerd",
    "maak_wit": "maak_wit",
    "maak_wit-geweigerd": "maak_wit geweigerd",
    "maak_zwart": "maak_zwart",
    "maak_zwart-geweigerd": "maak_zwart geweigerd",
    "maak_leeg": "maak_leeg",
    "maak_leeg-geweigerd": "maak_leeg geweigerd",
    "aaneengesloten_gebied": "aaneengesloten_gebied",
    "isopgelost": "isopgelost",
}
POINTS = {
    "str": 2,
    "str-na-een-actie": 2,
    "YinYang": 6,
    "YinYang-geweigerd": 11,
    "maak_wit": 3.5,
    "maak_wit-geweigerd": 7,
    "maak_zwart": 3.5,
    "maak_zwart-geweigerd": 7,
    "maak_leeg": 4,
    "maak_leeg-geweigerd": 5,
    "aaneengesloten_gebied": 32,
    "isopgelost": 17,
}
