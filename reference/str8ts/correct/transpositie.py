"""Ongewoon: onveranderlijk rooster van namedtuples, verticaal is getransponeerd."""

import re
from typing import NamedTuple, Self

SYMBOLEN = tuple(".#123456789ABCDEFGHI")
GEEN_CIJFER = {False: ".", True: "#"}
VERVORM = str.maketrans("123456789", "ABCDEFGHI")


class Inhoud(NamedTuple):
    """De twee onafhankelijke eigenschappen van een cel."""

    zwart: bool
    waarde: int | None


class Cel(Inhoud):
    """Een namedtuple die ook uit haar symbool gemaakt kan worden."""

    __slots__ = ()

    def __new__(cls, symbool: str) -> Self:
        """Zoek de twee eigenschappen bij het symbool."""
        if symbool not in SYMBOLEN:
            boodschap = "ongeldig symbool"
            raise AssertionError(boodschap)
        zwart = symbool in "#ABCDEFGHI"
        waarde = None if symbool in ".#" else ord(symbool) % 16
        return super().__new__(cls, zwart, waarde)

    def __str__(self) -> str:
        """Geef het symbool bij de twee eigenschappen."""
        if self.waarde is None:
            return GEEN_CIJFER[self.zwart]
        tekst = str(self.waarde)
        return tekst.translate(VERVORM) if self.zwart else tekst

    def isgekleurd(self) -> bool:
        """Geef de eerste eigenschap."""
        return self.zwart

    def cijfer(self) -> int | None:
        """Geef de tweede eigenschap."""
        return self.waarde


Lijn = tuple[Cel, ...]
Rooster = tuple[Lijn, ...]


def isstraat(n: int) -> bool:
    """Vergelijk de cijfers van n met alle cijfers van het kleinste tot het grootste."""
    reeks = sorted(str(n))
    eerste, laatste = ord(reeks[0]), ord(reeks[-1])
    return eerste > ord("0") and reeks == [*map(chr, range(eerste, laatste + 1))]


def lees(locatie: str) -> Rooster:
    """Lees een rooster uit een tekstbestand."""
    with open(locatie, encoding="utf-8") as bestand:
        regels = map(str.strip, bestand)
        return tuple(tuple(map(Cel, regel)) for regel in regels if regel)


def transponeer(rooster: Rooster) -> Rooster:
    """Verwissel rijen en kolommen."""
    return tuple(zip(*rooster, strict=True))


def tekst_van(lijn: Lijn) -> str:
    """Zet de symbolen van een lijn achter elkaar."""
    return "".join(map(str, lijn))


def getallen(lijn: Lijn) -> dict[int, str]:
    """Zoek de getallen op een lijn."""
    return {m.start(): m.group() for m in re.finditer(r"[.1-9]+", tekst_van(lijn))}


def cijfers(lijn: Lijn) -> set[int]:
    """Verzamel de cijfers op een lijn."""
    return {cel.waarde for cel in lijn if cel.waarde is not None}


def mag(rooster: Rooster, r: int, k: int, n: int) -> bool:
    """Ga de vijf voorwaarden na om n horizontaal in te vullen vanaf (r, k)."""
    if not isstraat(n) or r not in range(len(rooster)):
        return False
    tekst, patroon = str(n), getallen(rooster[r]).get(k, "")
    # het patroon is meteen een reguliere expressie: een punt past op elk cijfer
    if not re.fullmatch(patroon, tekst):
        return False
    kolommen = transponeer(rooster)[k : k + len(tekst)]
    return all(
        oud == nieuw or int(nieuw) not in cijfers(rooster[r]) | cijfers(kolom)
        for oud, nieuw, kolom in zip(patroon, tekst, kolommen, strict=True)
    )


def vul(rooster: Rooster, r: int, k: int, n: int) -> Rooster:
    """Geef het rooster waarin n horizontaal ingevuld is vanaf (r, k)."""
    if not mag(rooster, r, k, n):
        boodschap = "ongeldige vulling"
        raise AssertionError(boodschap)
    rij, nieuw = rooster[r], tuple(map(Cel, str(n)))
    rij = rij[:k] + nieuw + rij[k + len(nieuw) :]
    return (*rooster[:r], rij, *rooster[r + 1 :])


class Str8ts:
    """Een dunne schil: ze onthoudt alleen welk rooster het laatste is."""

    def __init__(self, locatie: str) -> None:
        """Lees het eerste rooster."""
        self.rooster = lees(locatie)

    def __str__(self) -> str:
        """Geef het huidige rooster, rij per rij."""
        return "\n".join(map(tekst_van, self.rooster))

    def horizontaal_getallen(self, r: int) -> dict[int, str]:
        """Geef de getallen op rij r."""
        return getallen(self.rooster[r])

    def verticaal_getallen(self, k: int) -> dict[int, str]:
        """Geef de getallen in kolom k."""
        return getallen(transponeer(self.rooster)[k])

    def horizontaal_cijfers(self, r: int) -> set[int]:
        """Geef de cijfers op rij r."""
        return cijfers(self.rooster[r])

    def verticaal_cijfers(self, k: int) -> set[int]:
        """Geef de cijfers in kolom k."""
        return cijfers(transponeer(self.rooster)[k])

    def horizontaal_invullen(self, r: int, k: int, n: int) -> None:
        """Vervang het rooster door een rooster waarin n ingevuld is."""
        self.rooster = vul(self.rooster, r, k, n)

    def verticaal_invullen(self, r: int, k: int, n: int) -> None:
        """Vul horizontaal in op het getransponeerde rooster."""
        self.rooster = transponeer(vul(transponeer(self.rooster), k, r, n))
