"""Vakjes zijn objecten in een dictionary en de drie acties komen uit één fabriek."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from itertools import product

Positie = tuple[int, int]


class Vakje(ABC):
    """Een vakje van het rooster, dat zelf weet wat er met hem mag gebeuren."""

    kleur: str | None = None
    mag_weg = False

    @abstractmethod
    def __str__(self) -> str:
        """Geef het karakter waarmee het vakje getoond wordt."""


class Leeg(Vakje):
    """Een vakje zonder kleur."""

    def __str__(self) -> str:
        """Geef een koppelteken."""
        return "-"


class Gegeven(Vakje):
    """Een vakje dat al gekleurd was in de opgave."""

    def __init__(self, kleur: str) -> None:
        """Onthoud de kleur."""
        self.kleur = kleur

    def __str__(self) -> str:
        """Geef de kleur als hoofdletter."""
        return str(self.kleur).upper()


class Ingevuld(Gegeven):
    """Een vakje dat achteraf gekleurd werd, en dus terug leeg mag worden."""

    mag_weg = True

    def __str__(self) -> str:
        """Geef de kleur als kleine letter."""
        return str(self.kleur)


Actie = Callable[["YinYang", Positie], "YinYang"]


def actie(maak_vakje: Callable[[], Vakje]) -> Actie:
    """Bouw een methode die op een positie een nieuw vakje probeert te plaatsen."""

    def methode(puzzel: "YinYang", positie: Positie) -> "YinYang":
        puzzel.vervang(positie, maak_vakje(), "ongeldige actie")
        return puzzel

    return methode


class YinYang:
    """Een puzzel als dictionary van positie naar vakje."""

    def __init__(
        self,
        dimensie: int,
        wit: Collection[Positie],
        zwart: Collection[Positie],
    ) -> None:
        """Begin met lege vakjes en vervang die uit de opgave."""
        self.dimensie = dimensie
        self.vakjes: dict[Positie, Vakje] = {
            (r, k): Leeg() for r, k in product(range(dimensie), range(dimensie))
        }
        for positie in wit:
            self.vervang(positie, Gegeven("w"), "ongeldige puzzel")
        for positie in zwart:
            self.vervang(positie, Gegeven("b"), "ongeldige puzzel")

    maak_wit = actie(lambda: Ingevuld("w"))
    maak_zwart = actie(lambda: Ingevuld("b"))
    maak_leeg = actie(Leeg)

    def __str__(self) -> str:
        """Plak de karakters in de volgorde van de dictionary aan elkaar."""
        karakters = map(str, self.vakjes.values())
        # Dezelfde iterator n keer: zip neemt dan telkens n karakters na elkaar.
        return "\n".join(map("".join, zip(*[karakters] * self.dimensie, strict=True)))

    def vervang(self, positie: Positie, nieuw: Vakje, boodschap: str) -> None:
        """Plaats een vakje, of zet alles terug en werp de boodschap op."""
        oud = self.vakjes.get(positie)
        toegelaten = oud is not None and (oud.mag_weg if nieuw.kleur is None else oud.kleur is None)
        if oud is None or not toegelaten:
            raise AssertionError(boodschap)
        self.vakjes[positie] = nieuw
        if self.in_vierkant(positie):
            self.vakjes[positie] = oud
            raise AssertionError(boodschap)

    def in_vierkant(self, positie: Positie) -> bool:
        """Ga na of een vakje in een vierkant met één kleur ligt."""
        kleur = self.kleur(positie)
        return kleur is not None and any(
            self.kleur((positie[0] + dr, positie[1])) == kleur
            and self.kleur((positie[0], positie[1] + dk)) == kleur
            and self.kleur((positie[0] + dr, positie[1] + dk)) == kleur
            for dr, dk in product((-1, 1), repeat=2)
        )

    def kleur(self, positie: Positie) -> str | None:
        """Geef de kleur van een vakje, of None als er geen kleur is."""
        vakje = self.vakjes.get(positie)
        return vakje.kleur if vakje else None

    def gebieden(self) -> dict[Positie, set[Positie]]:
        """Geef voor elk gekleurd vakje het gebied waarin het ligt.

        Elk vakje begint als een gebied op zich; gebieden die elkaar raken worden
        samengevoegd tot één verzameling die al hun vakjes daarna delen.
        """
        gekleurd = [p for p, vakje in self.vakjes.items() if vakje.kleur]
        gebied = {positie: {positie} for positie in gekleurd}
        for r, k in gekleurd:
            for buur in ((r + 1, k), (r, k + 1)):
                raakt = self.kleur(buur) == self.kleur((r, k))
                if raakt and gebied[buur] is not gebied[r, k]:
                    samen = gebied[r, k] | gebied[buur]
                    gebied.update(dict.fromkeys(samen, samen))
        return gebied

    def aaneengesloten_gebied(self, positie: Positie) -> set[Positie]:
        """Geef het gebied van een vakje, of niets als het vakje geen kleur heeft."""
        return set(self.gebieden().get(positie, ()))

    def isopgelost(self) -> bool:
        """Ga na of alles gekleurd is en er voor elke kleur maar één gebied is."""
        verschillende = {id(gebied): gebied for gebied in self.gebieden().values()}
        kleuren = [self.kleur(min(gebied)) for gebied in verschillende.values()]
        vol = all(vakje.kleur for vakje in self.vakjes.values())
        return vol and len(kleuren) == len(set(kleuren))
