"""Elke cel is een object met verwijzingen naar haar buren, dat zelf zijn licht telt."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from itertools import product

RICHTINGEN = (1, 1j, -1, -1j)


@dataclass(eq=False)
class Cel(ABC):
    """Een cel die weet waar ze ligt en wie er in elke richting naast haar ligt."""

    plaats: complex
    buren: dict[complex, Cel] = field(default_factory=dict, repr=False)

    @property
    def positie(self) -> tuple[int, int]:
        """De positie als tuple: het reële deel is de rij, het imaginaire de kolom."""
        return int(self.plaats.real), int(self.plaats.imag)

    @property
    @abstractmethod
    def teken(self) -> str:
        """Het teken van de cel in de stringvoorstelling van de puzzel."""

    @abstractmethod
    def klaar(self) -> bool:
        """Ga na of deze cel een oplossing niet in de weg staat."""

    @abstractmethod
    def weigert_lamp(self) -> bool:
        """Ga na of er naast deze cel geen lamp meer bij mag."""

    @abstractmethod
    def bestraald_vanuit(self, richting: complex) -> list[Wit]:
        """Geef deze cel en alle cellen erachter die licht in die richting bereikt."""

    def bereik(self) -> list[Wit]:
        """Geef alle cellen waarop een lamp in deze cel zou schijnen."""
        stralen = (buur.bestraald_vanuit(naar) for naar, buur in self.buren.items())
        return [cel for straal in stralen for cel in straal]


@dataclass(eq=False)
class Wit(Cel):
    """Een witte cel, met of zonder lamp, die telt hoeveel lampen op haar schijnen."""

    lamp: bool = False
    lichtbronnen: int = 0

    @property
    def teken(self) -> str:
        """De L van een lamp, een asterisk voor een verlichte cel, of een underscore."""
        if self.lamp:
            return "L"
        return "*" if self.lichtbronnen else "_"

    def klaar(self) -> bool:
        """Ga na of er licht is in deze cel."""
        return self.lamp or self.lichtbronnen > 0

    def weigert_lamp(self) -> bool:
        """Een witte cel heeft er niets op tegen dat er naast haar een lamp komt."""
        return False

    def bestraald_vanuit(self, richting: complex) -> list[Wit]:
        """Laat het licht door naar de volgende cel."""
        volgende = self.buren.get(richting)
        return [self, *(volgende.bestraald_vanuit(richting) if volgende else [])]

    def vrij(self) -> bool:
        """Ga na of er in deze cel een lamp geplaatst mag worden."""
        if self.klaar():
            return False
        return not any(buur.weigert_lamp() for buur in self.buren.values())

    def schakel(self, *, aan: bool) -> None:
        """Zet de lamp in deze cel aan of uit, en pas het licht in haar bereik aan."""
        self.lamp = aan
        for cel in self.bereik():
            cel.lichtbronnen += 1 if aan else -1


@dataclass(eq=False)
class Zwart(Cel):
    """Een zwarte cel met haar markering."""

    markering: str = "?"

    @property
    def teken(self) -> str:
        """De markering."""
        return self.markering

    def aantal(self) -> int:
        """Tel de lampen rond deze cel."""
        return sum(isinstance(buur, Wit) and buur.lamp for buur in self.buren.values())

    def klaar(self) -> bool:
        """Ga na of het aantal lampen rond deze cel klopt."""
        return self.markering in ("?", str(self.aantal()))

    def weigert_lamp(self) -> bool:
        """Ga na of het getal van deze cel bereikt is."""
        return self.markering != "?" and self.klaar()

    def bestraald_vanuit(self, richting: complex) -> list[Wit]:
        """Houd het licht tegen, vanuit welke richting het ook komt."""
        del richting
        return []


class Akari:
    """Een akaripuzzel als netwerk van cellen, gezocht op hun complexe plaats."""

    def __init__(self, rijen: int, kolommen: int, bestand: str) -> None:
        """Maak de cellen en knoop elke cel aan haar buren vast."""
        with open(bestand, encoding="utf-8") as invoer:
            gegevens = [regel.split() for regel in invoer.read().rstrip().splitlines()]
        zwart = {complex(int(r), int(k)): markering for r, k, markering in gegevens}
        self.cellen: dict[complex, Cel] = {}
        for r, k in product(range(rijen), range(kolommen)):
            plaats = complex(r, k)
            if plaats in zwart:
                self.cellen[plaats] = Zwart(plaats, markering=zwart[plaats])
            else:
                self.cellen[plaats] = Wit(plaats)
        for plaats, richting in product(self.cellen, RICHTINGEN):
            if plaats + richting in self.cellen:
                self.cellen[plaats].buren[richting] = self.cellen[plaats + richting]

    @property
    def zwarte_cellen(self) -> dict[tuple[int, int], str]:
        """De markeringen van de zwarte cellen, volgens hun positie."""
        zwart = (cel for cel in self.cellen.values() if isinstance(cel, Zwart))
        return {cel.positie: cel.markering for cel in zwart}

    @property
    def lampen(self) -> set[tuple[int, int]]:
        """De posities van de lampen."""
        return {cel.positie for cel in self._witte() if cel.lamp}

    def verlicht(self) -> set[tuple[int, int]]:
        """Geef de posities van de cellen waar minstens één lamp op schijnt."""
        return {cel.positie for cel in self._witte() if cel.lichtbronnen}

    def stralen(self, r: int, k: int) -> set[tuple[int, int]]:
        """Geef de posities waarop een lamp op (r, k) zou schijnen."""
        return {cel.positie for cel in self.cellen[complex(r, k)].bereik()}

    def plaats_lamp(self, r: int, k: int) -> None:
        """Schakel een lamp in, als dat mag."""
        cel = self.cellen.get(complex(r, k))
        assert isinstance(cel, Wit), "ongeldige positie"
        assert cel.vrij(), "ongeldige positie"
        cel.schakel(aan=True)

    def verwijder_lamp(self, r: int, k: int) -> None:
        """Schakel een lamp uit, als er een staat."""
        cel = self.cellen.get(complex(r, k))
        assert isinstance(cel, Wit), "ongeldige positie"
        assert cel.lamp, "ongeldige positie"
        cel.schakel(aan=False)

    def isopgelost(self) -> bool:
        """Vraag aan elke cel of ze tevreden is."""
        return all(cel.klaar() for cel in self.cellen.values())

    def __str__(self) -> str:
        """Zet de tekens van de cellen rij per rij onder elkaar."""
        regels: dict[int, str] = {}
        for plaats, cel in self.cellen.items():
            rij = int(plaats.real)
            regels[rij] = regels.get(rij, "") + cel.teken
        return "\n".join(regels.values())

    def _witte(self) -> list[Wit]:
        """Geef alle witte cellen."""
        return [cel for cel in self.cellen.values() if isinstance(cel, Wit)]
